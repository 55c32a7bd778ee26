//! Without options the VM behaves as HotSpot: output and uncaught exceptions of the fixtures.

mod support;

use braid_vvm::{End, Vary};
use std::path::Path;

fn check(main: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    support::javac(
        &[support::fixtures().join(format!("{main}.java"))],
        folder.path(),
    );
    for home in support::homes() {
        check_with(&home, folder.path(), main);
    }
}

fn check_with(home: &Path, folder: &Path, main: &str) {
    println!("with {}", home.display());
    let expected = support::hotspot(home, folder, main, &[]);
    let vary = Vary {
        jdk: home.to_path_buf(),
        classpath: vec![folder.to_path_buf()],
        ..Vary::default()
    };
    let report = vary.run_main(main, &[]).expect("the VM starts");
    let out: String = report
        .output
        .iter()
        .map(|piece| piece.value.text.as_str())
        .collect();
    let ends: Vec<&End> = report.ends.iter().map(|end| &end.value).collect();
    assert_eq!(ends, [&End::Returned], "output so far:\n{out}");
    for (line, (found, wanted)) in out.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, wanted, "line {}", line + 1);
    }
    assert_eq!(out.len(), expected.len());
}

#[test]
fn arithmetic_is_exact_at_the_edges_of_every_type() {
    check("Arith");
}

#[test]
fn classes_exceptions_and_initialisation_follow_the_language() {
    check("Objects1");
}

#[test]
fn the_class_library_runs_unmodified() {
    check("Library");
}

#[test]
fn reflection_proxies_and_handles_work() {
    check("Reflect");
}

#[test]
fn fields_parameters_and_annotations_of_types_are_as_reflection_has_them() {
    check("Members");
}

#[test]
fn files_channels_and_direct_buffers_work_and_leave_the_disk_alone() {
    check("Files1");
}
