//! Tests of unusual shapes: in each configuration each must end as HotSpot says, whoever runs it.

mod support;

use braid_vvm::Vary;
use braid_vvm::junit::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Verdicts, add};

const OPTIONS: [&str; 2] = ["o0", "o1"];

/// The options that are on.
fn on(config: usize) -> Vec<String> {
    let all = OPTIONS.iter().enumerate();
    let chosen = all.filter(|(index, _)| config >> index & 1 == 1);
    chosen.map(|(_, name)| (*name).to_owned()).collect()
}

/// What HotSpot says of each method; of a class that fails as a whole, `Class#*`.
fn hotspot(classpath: &[PathBuf], classes: &[String], config: usize) -> Verdicts {
    let output = Command::new(support::jdk().join("bin/java"))
        .args(["-Xmx256m", "-XX:TieredStopAtLevel=1", "-ea"])
        .args(on(config).iter().map(|name| format!("-D{name}=true")))
        .arg("-cp")
        .arg(std::env::join_paths(classpath).expect("a class path"))
        .arg("Oracle")
        .args(classes)
        .output()
        .expect("java runs");
    let mut verdicts = Verdicts::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (name, verdict) = line.split_once('\t').expect("a name and a status");
        // A class that JUnit 4 refuses has one failure of its own.
        let name = name.replace("#initializationError", "#*");
        let known = ["passed", "skipped"].into_iter().find(|v| *v == verdict);
        add(&mut verdicts, &name, known.unwrap_or("failed"));
    }
    assert!(
        !verdicts.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    verdicts
}

/// What one run says of each method in each configuration.
fn ours(classpath: &[PathBuf], classes: &[String]) -> Vec<Verdicts> {
    let configs = 1 << OPTIONS.len();
    let vary = Vary {
        jdk: support::jdk(),
        classpath: classpath.to_vec(),
        option_fields: OPTIONS.map(|name| format!("Opt.{name}")).to_vec(),
        assertions: true,
        samples: (0..configs).map(on).collect(),
        ..Vary::default()
    };
    let report = vary.run_tests(classes).expect("runs");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    let mut all = vec![Verdicts::new(); configs];
    for test in &report.tests {
        let method = test.name.split('[').next().unwrap_or(&test.name);
        for (verdicts, sample) in all.iter_mut().zip(&test.sampled) {
            // An invocation that only other configurations have.
            let Some(index) = *sample else { continue };
            let verdict = match &test.outcomes[index].value {
                Outcome::Passed => "passed",
                Outcome::Skipped(_) => "skipped",
                Outcome::Failed(..) => "failed",
                other => panic!("{}: {other:?}", test.name),
            };
            add(verdicts, method, verdict);
        }
    }
    all
}

/// Runs the tests of a fixture (without inner classes that belong to others) both ways.
fn compare(fixture: &str, jars: Vec<PathBuf>, oracle_jars: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut classpath = vec![folder.path().to_path_buf()];
    classpath.extend(jars);
    let mut all = classpath.clone();
    all.extend(braid_subjects::maven(oracle_jars));
    compile(fixture, folder.path(), &all);
    let vary = Vary {
        jdk: support::jdk(),
        ..Vary::default()
    };
    let mut classes = vary.classes_of(&classpath[..1]).expect("a folder");
    classes.retain(|name| name != "Oracle" && !name.starts_with("Oracle$"));
    let ours = ours(&classpath, &classes);
    let mut compared = 0;
    for (config, ours) in ours.iter().enumerate() {
        let expected = hotspot(&all, &classes, config);
        for (name, verdict) in ours {
            let class = name.split('#').next().unwrap_or(name);
            let whole = expected.get(&format!("{class}#*"));
            let expected = expected.get(name).or(whole);
            assert_eq!(Some(verdict), expected, "{name} with {:?}", on(config));
            compared += 1;
        }
        let missing = expected
            .keys()
            .find(|name| !name.contains("#*") && !ours.contains_key(*name));
        assert_eq!(missing, None, "with {:?}", on(config));
    }
    assert!(compared > 40, "{compared}");
}

fn compile(fixture: &str, folder: &Path, classpath: &[PathBuf]) {
    let fixtures = support::fixtures();
    let output = Command::new(support::jdk().join("bin/javac"))
        .args(["-nowarn", "-parameters", "-d"])
        .arg(folder)
        .arg("-cp")
        .arg(std::env::join_paths(classpath).expect("a class path"))
        .arg(fixtures.join(format!("suites/{fixture}.java")))
        .arg(fixtures.join("Oracle.java"))
        .output()
        .expect("javac runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn tests_that_jupiter_runs_end_as_on_hotspot() {
    let launcher = ["org.junit.platform:junit-platform-launcher:1.11.4"];
    compare("ShapesTest", braid_subjects::junit5(), &launcher);
}

#[test]
fn unusual_classes_of_junit_4_and_3_end_as_on_hotspot() {
    let vintage = [
        "org.junit.platform:junit-platform-launcher:1.11.4",
        "org.junit.platform:junit-platform-engine:1.11.4",
        "org.junit.platform:junit-platform-commons:1.11.4",
        "org.junit.vintage:junit-vintage-engine:5.11.4",
        "org.opentest4j:opentest4j:1.3.0",
        "org.apiguardian:apiguardian-api:1.1.2",
    ];
    compare("OldShapesTest", braid_subjects::junit4(), &vintage);
}
