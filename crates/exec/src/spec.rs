//! What a worker JVM is made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The heap of a worker whose project does not ask for another.
const DEFAULT_HEAP_MB: u32 = 1024;

/// The stack that the JVM gives its threads by default, at most.
const DEFAULT_STACK_KB: u32 = if cfg!(target_arch = "x86_64") {
    1024
} else {
    2048
};
/// Variables in which a JVM looks for further options.
const OPTION_VARIABLES: [&str; 3] = ["JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"];

/// Makes the slow compiler wait twenty times longer than it does by default.
const PATIENT: [&str; 4] = [
    "-XX:Tier4InvocationThreshold=100000",
    "-XX:Tier4MinInvocationThreshold=12000",
    "-XX:Tier4CompileThreshold=300000",
    "-XX:Tier4BackEdgeThreshold=800000",
];

/// A worker JVM to be started.
#[derive(Debug, Clone)]
pub struct WorkerSpec {
    /// The home of the JDK.
    pub jdk: PathBuf,
    /// The runner, as unpacked from the payload.
    pub runner_jar: PathBuf,
    /// The test class path in order, mapped into the sandbox.
    pub classpath: Vec<PathBuf>,
    /// Arguments that the project wants for its test JVM.
    pub jvm_args: Vec<String>,
    /// System properties.
    pub system_properties: BTreeMap<String, String>,
    /// Environment variables, in addition to the inherited ones.
    pub env: BTreeMap<String, String>,
    /// Inherited environment variables that it does not get.
    pub env_removed: Vec<String>,
    /// The working folder, mapped into the sandbox.
    pub cwd: PathBuf,
    /// Where the private temporary folder of the worker is made; the system's place if not given.
    pub temp_root: Option<PathBuf>,
    /// The heap limit; overrules the project's arguments. By default the project's, else 1 GB.
    pub heap_mb: Option<u32>,
    /// The stack size of threads; overrules the project's arguments.
    pub stack_kb: Option<u32>,
    /// Whether `assert` statements are checked, as build tools have it by default.
    pub assertions: bool,
    /// Whether to keep to the quick compiler; right for JVMs that live for seconds. Others have the slow one too, but
    /// only for what is run very often: code of a variant is not.
    pub quick_jit: bool,
    /// How long the JVM may take to start.
    pub start_timeout: Duration,
    /// How much of each output stream is kept.
    pub output_cap: usize,
}

impl WorkerSpec {
    /// A worker with the usual settings.
    pub fn new(jdk: &Path, runner_jar: &Path, classpath: Vec<PathBuf>, cwd: &Path) -> Self {
        Self {
            jdk: jdk.to_owned(),
            runner_jar: runner_jar.to_owned(),
            classpath,
            jvm_args: Vec::new(),
            system_properties: BTreeMap::new(),
            env: BTreeMap::new(),
            env_removed: Vec::new(),
            cwd: cwd.to_owned(),
            temp_root: None,
            heap_mb: None,
            stack_kb: None,
            assertions: true,
            quick_jit: true,
            start_timeout: Duration::from_secs(60),
            output_cap: 256 * 1024,
        }
    }

    /// The options before the class path: ours, then the project's, then what was asked for
    /// explicitly. The JVM takes the last of several.
    pub(crate) fn jvm_options(&self, temp: &Path) -> Vec<String> {
        let mut options = vec![
            format!("-Xmx{DEFAULT_HEAP_MB}m"),
            // Writes no files outside the sandbox.
            "-XX:-UsePerfData".to_owned(),
            format!("-XX:ErrorFile={}", temp.join("hs_err.log").display()),
            format!("-Djava.io.tmpdir={}", temp.join("tmp").display()),
        ];
        if self.assertions {
            options.push("-ea".to_owned());
        }
        if !self.jvm_args.iter().any(|arg| chooses_collector(arg)) {
            // Two collectors are an error. The serial one starts quickest and has no threads.
            options.push("-XX:+UseSerialGC".to_owned());
        }
        match self.quick_jit {
            true => options.push("-XX:TieredStopAtLevel=1".to_owned()),
            false => options.extend(PATIENT.map(str::to_owned)),
        }
        for (name, value) in &self.system_properties {
            options.push(format!("-D{name}={value}"));
        }
        options.extend(self.jvm_args.iter().cloned());
        options.extend(self.heap_mb.map(|mb| format!("-Xmx{mb}m")));
        options.extend(self.stack_kb.map(|kb| format!("-Xss{kb}k")));
        options
    }

    /// The most that the stack of the main thread can be, on which a plain worker runs tests; none if that is not
    /// known. The launcher makes that thread, and knows no option but `-Xss`.
    pub fn main_stack_kb(&self) -> Option<u32> {
        let mut variables = OPTION_VARIABLES.iter().filter_map(|name| {
            let own = self.env.get(*name).cloned();
            let removed = self.env_removed.iter().any(|removed| removed == name);
            own.or_else(|| std::env::var(name).ok().filter(|_| !removed))
        });
        let speaks = |text: String| ["Xss", "StackSize", "@"].iter().any(|it| text.contains(it));
        let hides = |arg: &String| arg.starts_with('@') || arg.contains("StackSize");
        if variables.any(speaks) || self.jvm_args.iter().any(hides) {
            return None;
        }
        let mut most = DEFAULT_STACK_KB.max(self.stack_kb.unwrap_or(0));
        for size in self
            .jvm_args
            .iter()
            .filter_map(|arg| arg.strip_prefix("-Xss"))
        {
            most = most.max(kilobytes(size)?);
        }
        Some(most)
    }
}

/// A size as the JVM's options have it, such as `512k` or `1048576`; rounded up.
fn kilobytes(size: &str) -> Option<u32> {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &size[digits.len()..] {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        _ => return None,
    };
    let bytes = digits.parse::<u64>().ok()?.checked_mul(unit)?;
    u32::try_from(bytes.div_ceil(1024)).ok()
}

fn chooses_collector(arg: &str) -> bool {
    arg.starts_with("-XX:+Use") && arg.ends_with("GC")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(change: impl FnOnce(&mut WorkerSpec)) -> Vec<String> {
        let here = Path::new(".");
        let mut spec = WorkerSpec::new(here, here, Vec::new(), here);
        change(&mut spec);
        spec.jvm_options(here)
    }

    #[test]
    fn a_collector_of_the_project_replaces_ours() {
        let ours = "-XX:+UseSerialGC".to_owned();
        assert!(options(|_| ()).contains(&ours));
        let theirs = options(|spec| spec.jvm_args.push("-XX:+UseG1GC".to_owned()));
        assert!(!theirs.contains(&ours));
    }

    fn main_stack_kb(change: impl FnOnce(&mut WorkerSpec)) -> Option<u32> {
        let here = Path::new(".");
        let mut spec = WorkerSpec::new(here, here, Vec::new(), here);
        spec.env_removed = OPTION_VARIABLES.map(str::to_owned).to_vec();
        change(&mut spec);
        spec.main_stack_kb()
    }

    #[test]
    fn the_main_stack_is_the_largest_that_is_asked_for() {
        let with = |args: &[&str]| {
            main_stack_kb(|spec| {
                spec.jvm_args
                    .extend(args.iter().map(|arg| (*arg).to_owned()))
            })
        };
        assert_eq!(with(&["-ea"]), Some(DEFAULT_STACK_KB));
        assert_eq!(with(&["-Xss256k"]), Some(DEFAULT_STACK_KB));
        assert_eq!(with(&["-Xss4m", "-Xss5000001"]), Some(4883));
        assert_eq!(main_stack_kb(|spec| spec.stack_kb = Some(9000)), Some(9000));
    }

    #[test]
    fn a_stack_that_is_set_elsewhere_is_not_known() {
        for arg in ["-Xss4x", "-Xss", "@options", "-XX:ThreadStackSize=4096"] {
            assert_eq!(
                main_stack_kb(|spec| spec.jvm_args.push(arg.to_owned())),
                None,
                "{arg}"
            );
        }
        let set = |value: &str| {
            main_stack_kb(|spec| {
                spec.env
                    .insert("JDK_JAVA_OPTIONS".to_owned(), value.to_owned());
            })
        };
        assert_eq!(set("-Xss4m"), None);
        assert_eq!(set("-ea"), Some(DEFAULT_STACK_KB));
    }

    #[test]
    fn an_explicit_heap_comes_last_and_so_wins() {
        let options = options(|spec| {
            spec.jvm_args.push("-Xmx99m".to_owned());
            spec.heap_mb = Some(64);
        });
        let heaps: Vec<_> = options
            .iter()
            .filter(|option| option.starts_with("-Xmx"))
            .collect();
        assert_eq!(heaps, ["-Xmx1024m", "-Xmx99m", "-Xmx64m"]);
    }
}
