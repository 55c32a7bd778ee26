//! `vary`: a main class or the tests of a project for every combination of options, in the variational VM.

use std::path::{Path, PathBuf};

use braid_project::{Jdk, Module, Project};
use braid_protocol::UnitId;

pub use braid_vvm::junit::Outcome;
pub use braid_vvm::vary::{
    ClassProblem, Condition, Conditional, Printed, ProgramReport, TestReport, TestsReport,
    TraceReport, Traced, VaryStats,
};
pub use braid_vvm::{End, Limits, Stream, Vary};

use crate::select::TestGlobs;
use crate::{EngineError, ProjectRequest, VmError};

/// What to run over which options.
#[derive(Clone, Debug)]
pub struct VaryRequest {
    /// The project, unless there is a class path.
    pub project: ProjectRequest,
    /// Compiled classes to use as they are, in place of a project.
    pub classpath: Vec<PathBuf>,
    /// What to run.
    pub subject: Subject,
    /// Options and bounds; its JDK, class path and properties are filled in from the project.
    pub space: Vary,
}

/// What to run.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A main class with its arguments.
    Main(String, Vec<String>),
    /// The tests that fit one of these globs, or all.
    Tests(Vec<String>),
}

/// What was found.
#[derive(Clone, Debug)]
pub enum VaryReport {
    /// Of a main class.
    Program(ProgramReport),
    /// Of tests.
    Tests(TestsReport),
}

/// Runs a main class or tests for every combination; `on_test` sees each test's result as soon as it is there.
pub fn vary(
    request: &VaryRequest,
    mut on_test: impl FnMut(&TestReport) + Send,
) -> Result<VaryReport, EngineError> {
    let spaces = if request.classpath.is_empty() {
        of_project(request)?
    } else {
        vec![of_classpath(request)?]
    };
    match &request.subject {
        Subject::Main(class, args) => {
            let mut fitting = spaces.iter().filter(|part| part.space.has_class(class));
            let Some(part) = fitting.next() else {
                let why = format!("no class {class} on the class path");
                return Err(EngineError::Input(why));
            };
            Ok(VaryReport::Program(part.space.run_main(class, args)?))
        }
        Subject::Tests(globs) => {
            let globs = TestGlobs::new(globs)?;
            let mut all: Option<TestsReport> = None;
            for part in &spaces {
                let accept = |name: &str| globs.accept(&UnitId(name.to_owned()));
                let report = part.space.each_test(&part.tests, accept, &mut on_test)?;
                match &mut all {
                    Some(all) => all.add(report),
                    None => all = Some(report),
                }
            }
            let nothing = || EngineError::Input("no test fits".into());
            all.filter(|all| !all.tests.is_empty() || !all.problems.is_empty())
                .map(VaryReport::Tests)
                .ok_or_else(nothing)
        }
    }
}

/// One class path with the test classes on it.
struct Part {
    space: Vary,
    tests: Vec<String>,
}

fn of_project(request: &VaryRequest) -> Result<Vec<Part>, EngineError> {
    let dir = &request.project.dir;
    let project = braid_project::discover(dir, &request.project.options())?;
    check_jdk(&project.jdk)?;
    let mut parts = Vec::new();
    for module in &project.modules {
        let part = of_module(request, &project, module)?;
        if matches!(request.subject, Subject::Main(..)) || !part.tests.is_empty() {
            parts.push(part);
        }
    }
    if parts.is_empty() {
        project.require_tests()?;
    }
    keep_known_options(&mut parts)?;
    Ok(parts)
}

fn of_module(
    request: &VaryRequest,
    project: &Project,
    module: &Module,
) -> Result<Part, EngineError> {
    let mut space = request.space.clone();
    space.jdk.clone_from(&project.jdk.home);
    let entries = module.test_classpath.iter();
    space.classpath = entries.filter(|entry| entry.exists()).cloned().collect();
    let given = module.system_properties.iter();
    let mut properties: Vec<_> = given.map(|(k, v)| (k.clone(), v.clone())).collect();
    properties.append(&mut space.properties);
    space.properties = properties;
    let tests = if module.test_classes.is_dir() {
        module.test_class_names()
    } else {
        Vec::new()
    };
    Ok(Part { space, tests })
}

fn of_classpath(request: &VaryRequest) -> Result<Part, EngineError> {
    let home = match &request.project.jdk {
        Some(home) => home.clone(),
        None => default_jdk()?,
    };
    let jdk = Jdk::at(&home, "--jdk").map_err(EngineError::Input)?;
    check_jdk(&jdk)?;
    let mut space = request.space.clone();
    space.jdk = jdk.home;
    space.classpath.clone_from(&request.classpath);
    let tests = match &request.subject {
        Subject::Main(..) => Vec::new(),
        Subject::Tests(_) => space.classes_of(&with_tests(&request.classpath))?,
    };
    let mut parts = [Part { space, tests }];
    keep_known_options(&mut parts)?;
    let [part] = parts;
    Ok(part)
}

/// Where tests are looked for: in the folders of a class path, or in its jars where it has no folder.
fn with_tests(classpath: &[PathBuf]) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = classpath
        .iter()
        .filter(|entry| entry.is_dir())
        .cloned()
        .collect();
    if folders.is_empty() {
        classpath.to_vec()
    } else {
        folders
    }
}

fn default_jdk() -> Result<PathBuf, EngineError> {
    if let Some(home) = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|dir| dir.join("javac"))
        .find_map(|javac| javac.canonicalize().ok());
    let home = found
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent);
    let missing = || EngineError::Input("no JDK found; set JAVA_HOME or use --jdk".into());
    home.map(Path::to_owned).ok_or_else(missing)
}

/// The class libraries that the VM was checked with.
fn check_jdk(jdk: &Jdk) -> Result<(), EngineError> {
    if (braid_vvm::OLDEST_JDK..=braid_vvm::NEWEST_JDK).contains(&jdk.version) {
        return Ok(());
    }
    Err(EngineError::Input(format!(
        "the variational VM runs the class library of JDK {} to {}, not {}; choose another with --jdk",
        braid_vvm::OLDEST_JDK,
        braid_vvm::NEWEST_JDK,
        jdk.version
    )))
}

/// A module that lacks the class of an option runs without it; an option that no module has is a mistake.
fn keep_known_options(parts: &mut [Part]) -> Result<(), EngineError> {
    let Some(first) = parts.first() else {
        return Ok(());
    };
    for field in first.space.option_fields.clone() {
        let class = field.rsplit_once('.').map_or("", |(class, _)| class);
        let mut known = false;
        for part in &mut *parts {
            if part.space.has_class(class) {
                known = true;
            } else {
                part.space.option_fields.retain(|other| *other != field);
            }
        }
        if !known {
            let why = format!("option {field}: no class {class}; options are named a.b.C.field");
            return Err(EngineError::Input(why));
        }
    }
    Ok(())
}

impl From<VmError> for EngineError {
    fn from(error: VmError) -> Self {
        match error {
            VmError::Usage(why) => Self::Input(why),
            other => Self::Vary(other),
        }
    }
}
