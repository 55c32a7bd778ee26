//! `braid doctor`: what was found, what is wrong, and what to do about it.

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::discover::{choose_jdk, discover};
use crate::error::ProjectError;
use crate::frameworks::test_frameworks;
use crate::jdk::Places;
use crate::layout::java_files;
use crate::locate::locate;
use crate::model::{Module, Project};
use crate::options::ProjectOptions;

/// How good or bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Found, and as it should be.
    Good,
    /// Works, but the user should know.
    Warning,
    /// Braid cannot work like this.
    Problem,
}

/// One thing that `braid doctor` looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, for instance `JDK`.
    pub subject: String,
    /// How good or bad it is.
    pub severity: Severity,
    /// What was found.
    pub message: String,
    /// What to do about it, if something should be done.
    pub advice: Option<String>,
}

/// Looks at everything Braid needs for the project in `dir`; builds it if that is necessary.
pub fn doctor(dir: &Path, opts: &ProjectOptions) -> Vec<Finding> {
    let mut findings = Findings::default();
    match locate(dir, opts) {
        Ok(located) => {
            let config = located.config.file.as_ref();
            let config = config.map_or("none, nothing is overridden".to_owned(), |file| {
                file.display().to_string()
            });
            findings.good("configuration", config);
            match choose_jdk(&located, dir, opts) {
                Ok(jdk) => {
                    let vendor = jdk.vendor.as_deref().unwrap_or("unknown vendor");
                    let (home, by) = (jdk.home.display(), &jdk.found_by);
                    let version = &jdk.full_version;
                    findings.good("JDK", format!("{version} ({vendor}) in {home}, by {by}"));
                    findings.other_jdks(&jdk.home);
                }
                Err(error) => findings.problem("JDK", error.to_string(), None),
            }
            findings.good("project", located.to_string());
            findings.room(&located.root);
        }
        Err(error) => findings.problem("project", error.to_string(), None),
    }
    findings.machine();
    if findings
        .0
        .iter()
        .all(|finding| finding.severity != Severity::Problem)
    {
        match discover(dir, opts) {
            Ok(project) => findings.project(&project),
            Err(error) => findings.build_error(&error),
        }
    }
    findings.0
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, subject: &str, severity: Severity, message: String, advice: Option<&str>) {
        let (subject, advice) = (subject.to_owned(), advice.map(str::to_owned));
        self.0.push(Finding {
            subject,
            severity,
            message,
            advice,
        });
    }

    fn good(&mut self, subject: &str, message: String) {
        self.add(subject, Severity::Good, message, None);
    }

    fn warn(&mut self, subject: &str, message: String, advice: Option<&str>) {
        self.add(subject, Severity::Warning, message, advice);
    }

    fn problem(&mut self, subject: &str, message: String, advice: Option<&str>) {
        self.add(subject, Severity::Problem, message, advice);
    }

    fn other_jdks(&mut self, chosen: &Path) {
        let (jdks, problems) = Places::of_this_machine().search();
        let others = jdks.iter().filter(|jdk| jdk.home != chosen);
        let others: Vec<String> = others
            .map(|jdk| format!("{} in {}", jdk.full_version, jdk.home.display()))
            .collect();
        if !others.is_empty() {
            self.good(
                "other JDKs",
                format!("{}; choose one with --jdk", others.join(", ")),
            );
        }
        for problem in problems {
            self.warn("JDK", problem, Some("set JAVA_HOME to a JDK, or unset it"));
        }
    }

    fn build_error(&mut self, error: &ProjectError) {
        let (subject, advice) = match error {
            ProjectError::NoBuildTool { .. } => ("build tool", None),
            ProjectError::DoesNotCompile { .. } => (
                "build",
                Some("Braid needs a project that compiles: correct these errors first"),
            ),
            ProjectError::BrokenBuildFile { .. } => ("build", Some("correct the build files")),
            ProjectError::BuildFailed { .. } => (
                "build",
                Some("run the build by hand; set build.args or build.goals in braid.toml"),
            ),
            _ => ("build", None),
        };
        self.problem(subject, error.to_string(), advice);
    }

    fn project(&mut self, project: &Project) {
        self.good("build tool", project.build_tool.clone());
        let names: Vec<&str> = project.modules.iter().map(|m| m.name.as_str()).collect();
        self.good("modules", names.join(", "));
        for java in project.javas.values() {
            let (home, version) = (java.home.display(), &java.full_version);
            self.good("JVM for tests", format!("{version} in {home}"));
        }
        for module in &project.modules {
            self.module(module);
        }
        if let Err(error) = project.require_tests() {
            self.problem("tests", error.to_string(), None);
        }
        for warning in &project.warnings {
            self.warn("project", warning.clone(), None);
        }
    }

    fn module(&mut self, module: &Module) {
        let subject = format!("module {}", module.name);
        let count = |roots: &[std::path::PathBuf]| java_files(roots).count();
        let (sources, tests) = (count(&module.source_roots), count(&module.test_roots));
        let classes = module.test_class_names().len();
        self.good(
            &subject,
            format!(
                "{sources} source files, {tests} test files, {classes} test classes, encoding {}",
                module.encoding
            ),
        );
        if let Some(why) = &module.tests_skipped {
            let advice = "set skip-tests = false in [module.NAME] of braid.toml to run them";
            self.warn(&subject, format!("tests are skipped: {why}"), Some(advice));
        } else if classes > 0 {
            self.frameworks(&subject, module);
        }
        self.encoding(&subject, module);
        self.missing_entries(&subject, module);
    }

    fn frameworks(&mut self, subject: &str, module: &Module) {
        let found = test_frameworks(&module.test_classpath);
        if found.is_empty() {
            let message = "no JUnit or TestNG on the test class path".to_owned();
            let advice = "add the test framework's jars with --classpath or project.classpath";
            return self.problem(subject, message, Some(advice));
        }
        let shown = found.iter().map(|f| match &f.version {
            Some(version) => format!("{} {version}", f.name),
            None => f.name.to_owned(),
        });
        self.good(subject, shown.collect::<Vec<_>>().join(", "));
    }

    fn encoding(&mut self, subject: &str, module: &Module) {
        if !module.encoding.eq_ignore_ascii_case("utf-8") {
            return;
        }
        let roots = [module.source_roots.as_slice(), module.test_roots.as_slice()].concat();
        let broken = java_files(&roots)
            .find(|file| fs::read(file).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_err()));
        if let Some(file) = broken {
            let message = format!("{} is not UTF-8, though the build says so", file.display());
            self.warn(
                subject,
                message,
                Some("set the encoding in the build or in braid.toml"),
            );
        }
    }

    fn missing_entries(&mut self, subject: &str, module: &Module) {
        let is_output = |path: &Path| path == module.classes || path == module.test_classes;
        let missing = module
            .test_classpath
            .iter()
            .find(|path| !path.exists() && !is_output(path));
        if let Some(missing) = missing.filter(|path| path.extension().is_some()) {
            let message = format!("class path entry {} does not exist", missing.display());
            self.warn(
                subject,
                message,
                Some("build the project or correct the class path"),
            );
        }
    }

    #[cfg(unix)]
    fn room(&mut self, root: &Path) {
        const MIB: u64 = 1024 * 1024;
        let Ok(stat) = rustix::fs::statvfs(root) else {
            return;
        };
        let free_mib = stat.f_bavail.saturating_mul(stat.f_frsize) / MIB;
        let message = format!("{free_mib} MiB free");
        let advice = Some("free some space: runs copy the project and keep logs in .braid");
        match free_mib {
            0..100 => self.problem("disk", message, advice),
            100..1024 => self.warn("disk", message, advice),
            _ => self.good("disk", message),
        }
    }

    #[cfg(not(unix))]
    fn room(&mut self, _root: &Path) {}

    fn machine(&mut self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.good("processors", cores.to_string());
        let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let line = info
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"));
        let kib = line
            .and_then(|l| l.split_whitespace().next())
            .and_then(|n| n.parse::<u64>().ok());
        let Some(mib) = kib.map(|kib| kib / 1024) else {
            return;
        };
        let message = format!("{mib} MiB available");
        if mib < 512 {
            self.warn(
                "memory",
                message,
                Some("use fewer workers (--jobs) or a smaller --heap"),
            );
        } else {
            self.good("memory", message);
        }
    }
}
