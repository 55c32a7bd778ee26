//! Requests and projects that cannot work: a clear message and the right exit code.

mod common;

use std::path::Path;
use std::process::Command;

use common::{CALC, CALC_TEST, FIX, Project, half};

#[test]
fn without_patches_there_is_nothing_to_do() {
    let project = Project::calc();
    std::fs::create_dir(project.path("patches")).unwrap();
    let ran = project.braid(&["validate", "patches"]).expect(1);
    assert!(ran.stderr.contains("no patches"), "{}", ran.stderr);
    let ran = project.braid(&["validate", "nowhere.diff"]).expect(1);
    assert!(ran.stderr.contains("nowhere.diff"), "{}", ran.stderr);
    project.braid(&["validate"]).expect(1);
    project
        .braid(&["validate", "patches", "--strategy", "magic"])
        .expect(1);
    assert!(!project.path(".braid/runs").exists(), "nothing was run");
}

#[test]
fn a_project_that_does_not_compile_is_said_to_be_so() {
    let project = Project::plain(&[
        (
            "src/main/java/calc/Calc.java",
            &CALC.replace("n / 2;", "n / 2"),
        ),
        ("src/test/java/calc/CalcTest.java", CALC_TEST),
    ]);
    project.write_patches("p.jsonl", &[half("fix", FIX)]);
    let ran = project.braid(&["validate", "p.jsonl"]).expect(4);
    assert!(ran.stderr.contains("Calc.java:5"), "{}", ran.stderr);
    assert!(ran.stderr.contains("does not compile"), "{}", ran.stderr);
}

#[test]
fn a_project_without_tests_is_said_to_be_so() {
    let project = Project::plain(&[("src/main/java/calc/Calc.java", CALC)]);
    project.write_patches("p.jsonl", &[half("fix", FIX)]);
    let ran = project.braid(&["validate", "p.jsonl"]).expect(4);
    assert!(ran.stderr.contains("test"), "{}", ran.stderr);
}

#[test]
fn without_a_jdk_it_says_how_to_get_one() {
    let project = Project::calc();
    project.write_patches("p.jsonl", &[half("fix", FIX)]);
    let ran = project
        .braid(&["validate", "p.jsonl", "--jdk", "/nonexistent"])
        .expect(4);
    assert!(ran.stderr.contains("/nonexistent"), "{}", ran.stderr);
}

#[test]
fn a_folder_without_a_project_is_said_to_be_so() {
    let project = Project::empty();
    project.write_patches("p.jsonl", &[half("fix", FIX)]);
    let ran = project.braid(&["validate", "p.jsonl"]).expect(4);
    assert!(ran.stderr.contains("no Java project"), "{}", ran.stderr);
}

#[test]
fn an_unknown_failing_test_is_an_input_error() {
    let project = Project::calc();
    project.write_patches("p.jsonl", &[half("fix", FIX)]);
    let ran = project
        .braid(&["validate", "p.jsonl", "--failing", "NoTest#x"])
        .expect(1);
    assert!(ran.stderr.contains("NoTest#x"), "{}", ran.stderr);
}

/// The superclass has a method whose parameter type is nowhere, so that reflection on the test class fails.
#[test]
fn a_test_class_that_does_not_load_is_listed_and_left_out() {
    let project = Project::calc();
    make_half_a_library(&project);
    let test = "package calc; class BrokenTest extends lost.Base { @org.junit.jupiter.api.Test void x() {} }";
    project.write("src/test/java/calc/BrokenTest.java", test.as_bytes());
    project.write_patches("p.jsonl", &[half("fix", FIX), half("wrong", "return n;")]);
    let ran = project.braid(&["validate", "p.jsonl"]);
    assert!(ran.stderr.contains("BrokenTest"), "{}", ran.stderr);
    assert_eq!(
        project.verdict(1, "fix")["verdict"],
        "plausible",
        "{}",
        ran.stderr
    );
    assert_eq!(project.verdict(1, "wrong")["verdict"], "test_fail");
}

/// `lib/lost.jar` with `lost.Base` and without `lost.Type`.
fn make_half_a_library(project: &Project) {
    let source = project.path("lost-src");
    project.write(
        "lost-src/lost/Type.java",
        b"package lost; public class Type {}",
    );
    project.write(
        "lost-src/lost/Base.java",
        b"package lost; public class Base { public void other(Type type) {} }",
    );
    let bin = braid_subjects::jdk().join("bin");
    let out = project.path("lost-out");
    call(
        Command::new(bin.join("javac"))
            .arg("-d")
            .arg(&out)
            .args([source.join("lost/Type.java"), source.join("lost/Base.java")]),
    );
    std::fs::remove_file(out.join("lost/Type.class")).unwrap();
    let jar = project.path("lib/lost.jar");
    call(
        Command::new(bin.join("jar"))
            .arg("cf")
            .arg(jar)
            .arg("-C")
            .arg(&out)
            .arg("."),
    );
    for folder in [source, out] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

fn call(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

#[test]
fn a_full_disk_keeps_what_was_written() {
    let project = Project::calc();
    let runs = project.path(".braid/runs");
    std::fs::create_dir_all(&runs).unwrap();
    let Some(_mount) = Tmpfs::mount(&runs, "256k") else {
        eprintln!("left out: no right to mount a small file system");
        return;
    };
    // each patch has a diff of 60 kB, so that the fourth does not fit any more
    let filler = "x".repeat(60_000);
    let patches: Vec<_> = (0..6)
        .map(|n| half(&format!("p{n}"), &format!("/* {n}{filler} */ {FIX}")))
        .collect();
    project.write_patches("p.jsonl", &patches);
    let ran = project
        .braid(&["validate", "p.jsonl", "--jobs", "1"])
        .expect(70);
    assert!(ran.stderr.contains("disk is full"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--resume"), "{}", ran.stderr);
    let kept = project.verdicts(1);
    assert!(!kept.is_empty() && kept.len() < 6, "{}", kept.len());
    assert!(kept.iter().all(|verdict| verdict["verdict"] == "plausible"));
    project.braid(&["report"]).expect(0);
}

/// A small file system, gone when dropped.
struct Tmpfs<'a>(&'a Path);

impl<'a> Tmpfs<'a> {
    fn mount(at: &'a Path, size: &str) -> Option<Self> {
        let mut command = Command::new("mount");
        command
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(at);
        let done = command.output().is_ok_and(|output| output.status.success());
        done.then_some(Self(at))
    }
}

impl Drop for Tmpfs<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}
