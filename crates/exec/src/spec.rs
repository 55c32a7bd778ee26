//! What a worker JVM is made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The heap of a worker whose project does not ask for another.
const DEFAULT_HEAP_MB: u32 = 1024;

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
