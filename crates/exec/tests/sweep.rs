//! A real test suite gives the same results by our runner and by the JUnit console.
//!
//! Takes about a minute, so it runs only with `BRAID_SWEEP=1`.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use braid_exec::{Outcome, RunEnd, RunLimits, Worker, WorkerSpec};
use braid_process::Spawn;
use support::{PATIENCE, run, runner};

/// Packages with many parameterised, nested and inherited tests and without long ones.
const PACKAGES: [&str; 5] = ["builder", "math", "mutable", "reflect", "tuple"];

/// Passed, failed and skipped leaves of each class.
type Counts = BTreeMap<String, [usize; 3]>;

fn libraries() -> Vec<PathBuf> {
    braid_subjects::maven(&[
        "org.apache.commons:commons-lang3:3.12.0:tests",
        "org.apache.commons:commons-lang3:3.12.0",
        "org.junit-pioneer:junit-pioneer:1.3.0",
        "org.hamcrest:hamcrest:2.2",
        "org.easymock:easymock:4.2",
        "org.objenesis:objenesis:3.1",
    ])
}

/// Names of the test classes in the jar, as a build tool would select them.
fn test_classes(jar: &Path) -> Vec<String> {
    let list = Spawn::new(braid_subjects::jdk().join("bin/jar"))
        .arg("tf")
        .arg(jar);
    let names = list.run(PATIENCE).unwrap().stdout.text();
    let class = |line: &str| {
        let name = line.strip_suffix("Test.class")?.replace('/', ".");
        let package = name
            .strip_prefix("org.apache.commons.lang3.")?
            .split_once('.')?
            .0;
        (PACKAGES.contains(&package) && !name.contains('$')).then(|| format!("{name}Test"))
    };
    names.lines().filter_map(class).collect()
}

fn by_runner(classes: &[String], cwd: &Path) -> Counts {
    let mut class_path = libraries();
    class_path.extend(braid_subjects::jupiter("5.7.1", "1.7.1"));
    let spec = WorkerSpec::new(&braid_subjects::jdk(), &runner(), class_path, cwd);
    let mut worker = Worker::start(&spec).unwrap();
    let selection = braid_exec::Selection {
        classes: classes.to_vec(),
        ..braid_exec::Selection::default()
    };
    let found = worker
        .discover(&selection, PATIENCE, &braid_exec::Cancel::new())
        .unwrap();
    assert_eq!(found.problems, []);
    let units: Vec<&str> = found.units.iter().map(|unit| unit.id.0.as_str()).collect();
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done);
    let mut counts = Counts::new();
    for event in &ran.events {
        if let braid_exec::Event::LeafFinished { unit, outcome, .. } = event {
            let kind = match outcome {
                Outcome::Passed => 0,
                Outcome::Failed(_) => 1,
                Outcome::Skipped { .. } => 2,
            };
            counts.entry(unit.class().to_owned()).or_default()[kind] += 1;
        }
    }
    counts
}

fn by_console(classes: &[String], cwd: &Path) -> Counts {
    let console =
        braid_subjects::maven(&["org.junit.platform:junit-platform-console-standalone:1.7.1"]);
    let class_path: Vec<String> = libraries()
        .iter()
        .map(|jar| jar.display().to_string())
        .collect();
    let reports = cwd.join("reports");
    let java = Spawn::new(braid_subjects::jdk().join("bin/java"))
        .args(["-ea", "-XX:+UseSerialGC", "-jar"])
        .args(&console)
        .args([
            "--details",
            "none",
            "-cp",
            &class_path.join(":"),
            "--reports-dir",
        ])
        .arg(&reports)
        .args(classes.iter().map(|class| format!("-c={class}")))
        .cwd(cwd);
    // Its exit code says whether a test has failed.
    java.run(4 * PATIENCE).unwrap();
    let xml = fs::read_to_string(reports.join("TEST-junit-jupiter.xml")).unwrap();
    let mut counts = Counts::new();
    for case in xml.split("<testcase ").skip(1) {
        let class = case
            .split("classname=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        let failed = case.contains("<failure") || case.contains("<error");
        let kind = if failed {
            1
        } else {
            usize::from(case.contains("<skipped")) * 2
        };
        counts.entry(class.to_owned()).or_default()[kind] += 1;
    }
    counts
}

#[test]
fn commons_lang_has_the_same_results_by_runner_and_console() {
    if std::env::var_os("BRAID_SWEEP").is_none() {
        return;
    }
    let classes = test_classes(&libraries()[0]);
    assert!(classes.len() > 30, "{classes:?}");
    let cwd = tempfile::tempdir().unwrap();
    let counts = by_runner(&classes, cwd.path());
    let leaves: usize = counts.values().flatten().sum();
    println!("{} classes, {leaves} leaves", counts.len());
    assert_eq!(counts, by_console(&classes, cwd.path()));
}
