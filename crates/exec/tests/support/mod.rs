//! Java subjects for the tests of this crate: compiled once, kept by content.

#![allow(dead_code, reason = "each test binary uses a part of this")]

pub(crate) mod warm;

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use braid_exec::{
    Cancel, Discovery, Event, Outcome, RunEnd, RunLimits, Selection, UnitId, Worker, WorkerSpec,
    class_names,
};
use braid_process::Spawn;

/// Enough for anything that is not meant to run for ever, on a busy machine too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Compiled test classes with the jars they need.
pub(crate) struct Subject {
    pub(crate) sources: PathBuf,
    pub(crate) classes: PathBuf,
    pub(crate) jars: Vec<PathBuf>,
}

impl Subject {
    /// Compiles `tests/java/<name>` for Java 8 against `jars`; a file `X.services` becomes the
    /// list of providers of the service `X`.
    pub(crate) fn compile(name: &str, jars: Vec<PathBuf>) -> Self {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/java")
            .join(name);
        let mut files: Vec<PathBuf> = fs::read_dir(&sources)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let mut hasher = DefaultHasher::new();
        for file in &files {
            fs::read(file).unwrap().hash(&mut hasher);
        }
        jars.hash(&mut hasher);
        let place = format!("{name}-{:016x}", hasher.finish());
        let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(place);
        if !classes.is_dir() {
            let fresh = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))
                .unwrap()
                .keep();
            let javac = Spawn::new(braid_subjects::jdk().join("bin/javac"))
                .args(["-g", "-nowarn", "-Xlint:-options", "-proc:none"])
                .args([
                    "--release",
                    if name == "jupiter6" { "17" } else { "8" },
                    "-cp",
                ])
                .arg(join(&jars))
                .arg("-d")
                .arg(&fresh)
                .args(
                    files
                        .iter()
                        .filter(|file| file.extension().is_some_and(|e| e == "java")),
                );
            let finished = javac.run(2 * PATIENCE).unwrap();
            assert!(finished.success(), "{}", finished.stderr.text());
            for file in files
                .iter()
                .filter(|f| f.extension().is_some_and(|e| e == "services"))
            {
                let services = fresh.join("META-INF/services");
                fs::create_dir_all(&services).unwrap();
                fs::copy(file, services.join(file.file_stem().unwrap())).unwrap();
            }
            // Another test process may have been quicker.
            if fs::rename(&fresh, &classes).is_err() {
                fs::remove_dir_all(&fresh).unwrap();
            }
        }
        Self {
            sources,
            classes,
            jars,
        }
    }

    pub(crate) fn class_path(&self) -> Vec<PathBuf> {
        std::iter::once(self.classes.clone())
            .chain(self.jars.iter().cloned())
            .collect()
    }

    pub(crate) fn spec(&self) -> WorkerSpec {
        self.spec_on(&braid_subjects::jdk())
    }

    pub(crate) fn spec_on(&self, jdk: &Path) -> WorkerSpec {
        WorkerSpec::new(jdk, &runner(), self.class_path(), &self.classes)
    }

    /// All classes of the subject.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            classes: class_names(&self.classes).unwrap(),
            ..Selection::default()
        }
    }

    pub(crate) fn discover(&self, worker: &mut Worker) -> Discovery {
        worker
            .discover(&self.selection(), PATIENCE, &Cancel::new())
            .unwrap()
    }
}

fn join(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| path.to_str().unwrap())
        .collect::<Vec<_>>()
        .join(":")
}

/// The runner's jar.
pub(crate) fn runner() -> PathBuf {
    static RUNNER: OnceLock<PathBuf> = OnceLock::new();
    let unpack = || {
        braid_payload::unpack(Path::new(env!("CARGO_TARGET_TMPDIR")))
            .unwrap()
            .runner
    };
    RUNNER.get_or_init(unpack).clone()
}

/// What came of a leaf: `passed`, `failed Exception` or `skipped`.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed => "passed".to_owned(),
        Outcome::Failed(failure) => format!("failed {}", failure.exception),
        Outcome::Skipped { .. } => "skipped".to_owned(),
    }
}

/// What a run did.
pub(crate) struct Ran {
    pub(crate) end: RunEnd,
    pub(crate) events: Vec<Event>,
}

impl Ran {
    /// Leaves with what came of them: `passed`, `failed Exception` or `skipped`.
    pub(crate) fn leaves(&self) -> BTreeMap<String, String> {
        let mut leaves = BTreeMap::new();
        for event in &self.events {
            if let Event::LeafFinished { leaf, outcome, .. } = event {
                assert_eq!(
                    leaves.insert(leaf.0.clone(), self::outcome(outcome)),
                    None,
                    "{leaf} came twice"
                );
            }
        }
        leaves
    }

    pub(crate) fn outcome(&self, id: &str) -> &Outcome {
        let found = self.events.iter().find_map(|event| match event {
            Event::LeafFinished { leaf, outcome, .. } if leaf.0 == id => Some(outcome),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no leaf {id} in {:?}", self.leaves()))
    }

    /// Units in the order in which they were finished.
    pub(crate) fn finished(&self) -> Vec<String> {
        let unit = |event: &Event| match event {
            Event::UnitFinished { unit, .. } => Some(unit.0.clone()),
            _ => None,
        };
        self.events.iter().filter_map(unit).collect()
    }
}

/// A JVM with nothing but the test framework.
pub(crate) fn frameworks(subject: &Subject) -> Worker {
    let spec = WorkerSpec {
        classpath: subject.jars.clone(),
        ..subject.spec()
    };
    Worker::start(&spec).unwrap()
}

pub(crate) fn run(worker: &mut Worker, units: &[&str], limits: &RunLimits) -> Ran {
    let units: Vec<UnitId> = units.iter().map(|unit| UnitId::from(*unit)).collect();
    let mut events = Vec::new();
    let mut note = |event: &Event| {
        events.push(event.clone());
        ControlFlow::Continue(())
    };
    let end = worker.run(&units, limits, &mut note).unwrap();
    Ran { end, events }
}

/// Runs everything that discovery finds and compares with the expectations that stand in the
/// sources: a comment `//= leaf outcome` for each leaf, `//! class` for a class that cannot be
/// searched.
pub(crate) fn check_expectations(subject: &Subject, jdk: &Path) {
    let (leaves, problems) = expectations(&subject.sources);
    let mut worker = Worker::start(&subject.spec_on(jdk)).unwrap();
    let discovery = subject.discover(&mut worker);
    let found: Vec<&str> = discovery
        .problems
        .iter()
        .map(|p| p.class.as_str())
        .collect();
    assert_eq!(found, problems, "{:#?}", discovery.problems);
    let units: Vec<&str> = discovery
        .units
        .iter()
        .map(|unit| unit.id.0.as_str())
        .collect();
    // A new JVM, so that nothing depends on the search.
    let mut worker = Worker::start(&subject.spec_on(jdk)).unwrap();
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done, "{}", worker.output().stderr);
    let jars = &subject.jars;
    assert_eq!(
        ran.leaves(),
        leaves,
        "on {} with {jars:?}: {:#?}",
        jdk.display(),
        ran.events
    );
    let mut finished = ran.finished();
    finished.sort();
    let mut units = units;
    units.sort_unstable();
    assert_eq!(finished, units, "every unit is finished once");
}

/// Leaves with what comes of them, and classes that cannot be searched, as the sources say.
pub(crate) fn expectations(sources: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut leaves, mut problems) = (BTreeMap::new(), Vec::new());
    for entry in fs::read_dir(sources).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines() {
            if let Some((_, expected)) = line.split_once("//= ") {
                let (leaf, outcome) = expected.trim().split_once(' ').unwrap();
                leaves.insert(leaf.to_owned(), outcome.to_owned());
            } else if let Some((_, class)) = line.split_once("//! ") {
                problems.push(class.trim().to_owned());
            }
        }
    }
    problems.sort();
    (leaves, problems)
}
