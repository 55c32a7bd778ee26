//! The unit tests of commons-lang3 on a stress-edited commons-lang3: the same tests pass.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::stress::{counter_class, stress};
use common::{Sweep, hierarchy, jar_classes, sweep};
use rayon::prelude::*;

/// The numbers of tests that passed and failed.
fn run_suite(work: &Path, under_test: &Path, class_path: &[PathBuf]) -> (usize, usize) {
    let packages = match sweep() {
        Sweep::Full => vec![""],
        _ => vec![".builder", ".math", ".mutable", ".text.translate", ".tuple"],
    };
    let console =
        braid_subjects::maven(&["org.junit.platform:junit-platform-console-standalone:1.10.1"]);
    let entries = std::iter::once(under_test.to_path_buf()).chain(class_path.iter().cloned());
    let output = Command::new(braid_subjects::jdk().join("bin/java"))
        .args([
            "-Xmx1g",
            "-Xverify:all",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Duser.language=en",
            "-Duser.country=US",
        ])
        .args(["--add-opens", "java.base/java.lang=ALL-UNNAMED"])
        .args(["--add-opens", "java.base/java.util=ALL-UNNAMED"])
        .args(["--add-opens", "java.base/java.lang.reflect=ALL-UNNAMED"])
        .arg("-jar")
        .arg(&console[0])
        .args([
            "execute",
            "--details=summary",
            "--disable-banner",
            "--class-path",
        ])
        .arg(std::env::join_paths(entries).expect("a class path"))
        .args(
            packages
                .iter()
                .map(|p| format!("--select-package=org.apache.commons.lang3{p}")),
        )
        .current_dir(work)
        .output()
        .expect("java runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let number = |what: &str| -> usize {
        let line = text.lines().find(|line| line.contains(what));
        let line = line.unwrap_or_else(|| panic!("no summary in {text}{errors}"));
        line.split_whitespace()
            .nth(1)
            .and_then(|n| n.parse().ok())
            .expect("a number")
    };
    (number("tests successful"), number("tests failed"))
}

#[test]
fn commons_lang_passes_its_own_tests_after_the_stress_edit() {
    let jar = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.14.0"]);
    let mut class_path = braid_subjects::maven(&[
        "org.apache.commons:commons-lang3:3.14.0:tests",
        "org.apache.commons:commons-text:1.11.0",
        "org.easymock:easymock:5.2.0",
        "org.junit-pioneer:junit-pioneer:1.9.1",
        "org.hamcrest:hamcrest:2.2",
    ]);
    class_path.extend(braid_subjects::maven(&[
        "com.google.code.findbugs:jsr305:3.0.2",
    ]));
    let table = hierarchy(&jar);
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("stressed");
    jar_classes(&jar[0]).par_iter().for_each(|(name, bytes)| {
        let path = to.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(
            path,
            stress(bytes, Some("braid/Counter"), &table).unwrap().0,
        )
        .unwrap();
    });
    std::fs::create_dir_all(to.join("braid")).unwrap();
    std::fs::write(
        to.join("braid/Counter.class"),
        counter_class("braid/Counter"),
    )
    .unwrap();
    let before = run_suite(folder.path(), &jar[0], &class_path);
    let after = run_suite(folder.path(), &to, &class_path);
    println!("passed, failed: original {before:?}, stressed {after:?}");
    assert!(before.0 > 500, "{before:?}");
    assert_eq!(after, before);
}
