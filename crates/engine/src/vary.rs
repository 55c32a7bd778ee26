//! `vary`: a main class or the tests of a project for every combination of options, in the variational VM.

mod woven;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use braid_project::{Jdk, Module, Project};
use braid_protocol::UnitId;

pub use braid_vvm::junit::Outcome;
pub use braid_vvm::vary::{
    ClassProblem, Condition, Conditional, Printed, ProgramReport, TestReport, TestsReport,
    TraceReport, Traced, VaryStats,
};
pub use braid_vvm::{End, Limits, Stream, Vary, WovenChoice};
pub use woven::{WovenOptions, mutants_as_options};

use crate::select::{Globs, TestGlobs};
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
    /// Mutants of the classes that fit one of these globs (`com.x.*`) are options as well.
    pub mutants: Vec<String>,
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
        of_classpath(request)?
    };
    match &request.subject {
        Subject::Main(class, args) => {
            let mut fitting = spaces.iter().filter(|part| part.space.has_class(class));
            let Some(part) = fitting.next() else {
                let why = format!("no class {class} on the class path");
                return Err(EngineError::Input(why));
            };
            let mut report = part.space.run_main(class, args)?;
            report.meanings.clone_from(&part.meanings);
            report.left_out.clone_from(&part.left_out);
            Ok(VaryReport::Program(report))
        }
        Subject::Tests(globs) => {
            let globs = TestGlobs::new(globs)?;
            let mut all: Option<TestsReport> = None;
            for part in &spaces {
                let accept = |name: &str| globs.accept(&UnitId(name.to_owned()));
                let mut report = part.space.each_test(&part.tests, accept, &mut on_test)?;
                report.meanings.clone_from(&part.meanings);
                report.left_out.clone_from(&part.left_out);
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
    /// What its options stand for, where their names do not say.
    meanings: BTreeMap<String, String>,
    /// Mutants that are no option, with the reason.
    left_out: Vec<String>,
}

impl Part {
    fn new(
        request: &VaryRequest,
        mut space: Vary,
        tests: Vec<String>,
        own: &[PathBuf],
    ) -> Result<Part, EngineError> {
        let (mut meanings, mut left_out) = (BTreeMap::new(), Vec::new());
        if !request.mutants.is_empty() {
            let globs = Globs::new(&request.mutants)?;
            let mut names = space.classes_of(own)?;
            names.retain(|name| globs.accept(name));
            let classes = space.classes_named(&names)?;
            let woven = mutants_as_options(&classes, &braid_mutators::Options::default())?;
            space.choices.extend(woven.choices);
            space.instead.extend(woven.classes);
            (meanings, left_out) = (woven.meanings, woven.left_out);
        }
        Ok(Part {
            space,
            tests,
            meanings,
            left_out,
        })
    }
}

/// The part that has the mutants, where they are asked for: numbers of configurations of several parts do not compare.
fn only_mutated(request: &VaryRequest, mut parts: Vec<Part>) -> Result<Vec<Part>, EngineError> {
    if request.mutants.is_empty() {
        return Ok(parts);
    }
    parts.retain(|part| !part.meanings.is_empty() || !part.left_out.is_empty());
    let why = match parts.len() {
        1 => return Ok(parts),
        0 => "no class with tests beside it fits, or it has no mutants",
        _ => "classes of several modules fit; name those of one",
    };
    let globs = request.mutants.join(", ");
    Err(EngineError::Input(format!("--mutants {globs}: {why}")))
}

fn of_project(request: &VaryRequest) -> Result<Vec<Part>, EngineError> {
    let dir = &request.project.dir;
    let project = braid_project::discover(dir, &request.project.options())?;
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
    let mut parts = only_mutated(request, parts)?;
    keep_known_options(&mut parts)?;
    Ok(parts)
}

fn of_module(
    request: &VaryRequest,
    project: &Project,
    module: &Module,
) -> Result<Part, EngineError> {
    let mut space = request.space.clone();
    space.threads = threads(&space);
    let java = project.java_of(module);
    check_jdk(java)?;
    space.jdk.clone_from(&java.home);
    let entries = module.test_classpath.iter();
    space.classpath = entries.filter(|entry| entry.exists()).cloned().collect();
    // Relative paths of a test start where the build tool runs tests.
    let folder = module.test_cwd.display().to_string();
    let mut properties = vec![("user.dir".to_owned(), folder)];
    let given = module.system_properties.iter();
    properties.extend(given.map(|(k, v)| (k.clone(), v.clone())));
    properties.append(&mut space.properties);
    space.properties = properties;
    let tests = if module.test_classes.is_dir() {
        module.test_class_names()
    } else {
        Vec::new()
    };
    let own = [module.classes.clone()];
    let own = if own[0].is_dir() { &own[..] } else { &[] };
    Part::new(request, space, tests, own)
}

fn of_classpath(request: &VaryRequest) -> Result<Vec<Part>, EngineError> {
    let named = request.project.java.as_ref();
    let home = match named.or(request.project.jdk.as_ref()) {
        Some(home) => home.clone(),
        None => default_jdk()?,
    };
    let jdk = Jdk::at(&home, "--jdk").map_err(EngineError::Input)?;
    check_jdk(&jdk)?;
    let mut space = request.space.clone();
    space.threads = threads(&space);
    space.jdk = jdk.home;
    space.classpath.clone_from(&request.classpath);
    let tests = match &request.subject {
        Subject::Main(..) => Vec::new(),
        Subject::Tests(_) => space.classes_of(&with_tests(&request.classpath))?,
    };
    let own = with_tests(&request.classpath);
    let part = Part::new(request, space, tests, &own)?;
    let mut parts = only_mutated(request, vec![part])?;
    keep_known_options(&mut parts)?;
    Ok(parts)
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

/// Threads that run tests unless told otherwise: one for each core, as far as their heaps are modest.
const MOST_THREADS: usize = 8;

fn threads(space: &Vary) -> usize {
    match space.threads {
        0 => std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST_THREADS)),
        threads => threads,
    }
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
