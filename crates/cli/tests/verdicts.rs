//! What users rely on: selection, policies, formats, class files, modules.

mod common;

use std::process::Stdio;
use std::sync::OnceLock;

use common::{CALC, CALC_TEST, FIX, Project, half, ran};
use serde_json::{Value, json};

/// A run with one patch of most kinds, shared by the tests that only look at it.
fn looked_at() -> &'static Project {
    static SHARED: OnceLock<Project> = OnceLock::new();
    SHARED.get_or_init(|| {
        let project = Project::calc();
        let test_edit = json!({"id": "test-edit", "search_replace": [
            {"path": "src/test/java/calc/CalcTest.java", "search": "-2", "replace": "-1"}
        ]});
        let test_gone = json!({"id": "test-gone", "search_replace": [
            {"path": "src/test/java/calc/CalcTest.java",
             "search": "@Test\n    void halvesRoundDown", "replace": "void halvesRoundDown"}
        ]});
        let mut names_no_test = half("names-no-test", FIX);
        names_no_test["failing"] = json!(["CalcTest#triples"]);
        let renames = json!({"id": "renames", "search_replace": [
            {"path": "src/main/java/calc/Calc.java", "search": "twice", "replace": "doubled"},
            {"path": "src/main/java/calc/Calc.java", "search": "return n / 2;", "replace": FIX},
        ]});
        let patches = [
            half("good", FIX),
            half("wrong", "return n;"),
            half("no-type", "return \"\";"),
            renames,
            test_edit,
            test_gone,
            names_no_test,
        ];
        project.write_patches("p.jsonl", &patches);
        project.braid(&["validate", "p.jsonl", "--full"]).expect(0);
        project
    })
}

#[test]
fn verdicts_have_their_evidence() {
    let project = looked_at();
    let good = project.verdict(1, "good");
    assert_eq!(good["verdict"], "plausible");
    assert_eq!(good["summary"], "2 tests pass, 1 of them failed before");
    assert_eq!(good["decided"]["strategy"], "woven");
    let unseen = "1 test method that cannot reach what it changes: not run";
    assert_eq!(good["notes"][0], unseen);
    let wrong = project.verdict(1, "wrong");
    assert_eq!(wrong["verdict"], "test_fail");
    let failures = wrong["evidence"]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 2, "--full goes on: {wrong:#}");
    assert_eq!(failures[0]["test"], "calc.CalcTest#halvesRoundDown");
    assert_eq!(failures[0]["failed_before"], true);
    assert!(
        failures[0]["trace"]
            .as_str()
            .unwrap()
            .contains("CalcTest.java"),
        "{wrong:#}"
    );
    assert_eq!(failures[1]["failed_before"], false);
    let no_type = project.verdict(1, "no-type");
    assert_eq!(no_type["verdict"], "compile_error");
    let diagnostic = &no_type["evidence"]["diagnostics"][0];
    assert_eq!(diagnostic["file"], "src/main/java/calc/Calc.java");
    assert_eq!(diagnostic["line"], 5);
}

#[test]
fn what_tests_use_must_still_be_there() {
    let renames = looked_at().verdict(1, "renames");
    assert_eq!(renames["verdict"], "compile_error", "{renames:#}");
    let file = renames["evidence"]["diagnostics"][0]["file"]
        .as_str()
        .unwrap();
    assert_eq!(file, "src/test/java/calc/CalcTest.java");
}

#[test]
fn patches_of_tests_need_permission() {
    let project = looked_at();
    let refused = project.verdict(1, "test-edit");
    assert_eq!(refused["verdict"], "unsupported");
    assert!(
        refused["summary"]
            .as_str()
            .unwrap()
            .contains("--allow-test-edits")
    );
    let copy = Project::calc();
    let patches = std::fs::read(project.path("p.jsonl")).unwrap();
    copy.write("p.jsonl", &patches);
    copy.braid(&[
        "validate",
        "p.jsonl",
        "--only",
        "test-*",
        "--allow-test-edits",
    ])
    .expect(0);
    assert_eq!(copy.verdict(1, "test-edit")["verdict"], "plausible");
    let gone = copy.verdict(1, "test-gone");
    assert_eq!(gone["verdict"], "test_fail", "{gone:#}");
    assert_eq!(
        gone["evidence"]["failures"][0]["test"],
        "calc.CalcTest#halvesRoundDown"
    );
}

#[test]
fn a_patch_that_names_tests_which_are_not_there_is_not_judged() {
    let verdict = looked_at().verdict(1, "names-no-test");
    assert_eq!(verdict["verdict"], "unsupported", "{verdict:#}");
    assert!(
        verdict["summary"]
            .as_str()
            .unwrap()
            .contains("CalcTest#triples")
    );
}

#[test]
fn reports_come_in_every_format() {
    let project = looked_at();
    let report = |format: &str| {
        project
            .braid(&["report", "--format", format])
            .expect(0)
            .stdout
    };
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["patches"].as_array().unwrap().len(), 7);
    assert_eq!(json["verdicts"]["plausible"], 1);
    for line in report("jsonl").lines() {
        let verdict: Value = serde_json::from_str(line).unwrap();
        assert_eq!(verdict["schema_version"], 1);
    }
    let sarif: Value = serde_json::from_str(&report("sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 7);
    assert!(report("junit").contains("<testsuite name=\"braid validate, run 1\" tests=\"7\""));
    assert!(report("github").starts_with("::notice file=src/main/java/calc/Calc.java"));
    let table = report("table");
    assert!(table.contains("plausible      good"), "{table}");
    assert!(!table.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn show_tells_everything_of_one_patch() {
    let project = looked_at();
    let shown = project.braid(&["show", "wrong"]).expect(0).stdout;
    for part in [
        "test_fail",
        "calc.CalcTest#halvesRoundDown",
        "-        return n / 2;",
        "tests ",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    project.braid(&["show", "goo"]).expect(0);
    project.braid(&["show", "nothing"]).expect(1);
    project.braid(&["show", "good", "--run", "9"]).expect(1);
}

#[test]
fn patches_come_from_standard_input_and_verdicts_stream() {
    let project = Project::calc();
    let mut command = project.command(&[
        "validate",
        "-",
        "--format",
        "jsonl",
        "--quiet",
        "--no-cache",
    ]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let patches = format!("{}\n{}\n", half("a", "return n;"), half("b", "return 0;"));
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), patches.as_bytes()).unwrap();
    let ran = ran(&child.wait_with_output().unwrap()).expect(2);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    assert!(
        project.path(".braid/runs/1/stdin").is_file(),
        "kept for a later resume"
    );
}

#[test]
fn named_tests_take_the_place_of_failing_ones() {
    let test = CALC_TEST.replace("assertEquals(6,", "assertEquals(7,");
    let project = Project::plain(&[
        ("src/main/java/calc/Calc.java", CALC),
        ("src/test/java/calc/CalcTest.java", &test),
    ]);
    let mut named = half("names-its-test", &format!("/* */ {FIX}"));
    named["failing"] = json!(["calc.CalcTest#halvesRoundDown"]);
    project.write_patches("p.jsonl", &[half("fix", FIX), named]);
    project.braid(&["validate", "p.jsonl"]).expect(0);
    assert_eq!(
        project.verdict(1, "fix")["verdict"],
        "test_fail",
        "the other bug is still there"
    );
    assert_eq!(project.verdict(1, "names-its-test")["verdict"], "plausible");
    project
        .braid(&[
            "validate",
            "p.jsonl",
            "--failing",
            "CalcTest#halvesRoundDown",
        ])
        .expect(0);
    assert_eq!(project.verdict(2, "fix")["verdict"], "plausible");
}

#[test]
fn a_test_that_passes_when_run_again_makes_a_patch_flaky() {
    let project = Project::calc();
    let body = "try { if (new java.io.File(\"seen\").createNewFile()) return 99; }
        catch (java.io.IOException e) { } return Math.floorDiv(n, 2);";
    project.write_patches("p.jsonl", &[half("unsteady", body)]);
    project
        .braid(&["validate", "p.jsonl", "--flaky", "retry"])
        .expect(3);
    assert_eq!(project.verdict(1, "unsteady")["verdict"], "flaky");
    project.braid(&["validate", "p.jsonl"]).expect(2);
    assert_eq!(project.verdict(2, "unsteady")["verdict"], "test_fail");
}

#[test]
fn flaky_tests_of_the_unpatched_program_are_left_out_and_listed() {
    let flaky = "package calc;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.assertEquals;
class FlakyTest {
    @Test void differs() throws Exception {
        String now = Long.toString(System.nanoTime());
        java.nio.file.Path p = java.nio.file.Paths.get(System.getProperty(\"user.home\"), \"MARK\");
        boolean first = !java.nio.file.Files.exists(p);
        if (first) java.nio.file.Files.write(p, now.getBytes()); else java.nio.file.Files.delete(p);
        assertEquals(true, first);
    }
}
"
    .replace("MARK", &format!(".braid-flaky-{}", std::process::id()));
    let project = Project::plain(&[
        ("src/main/java/calc/Calc.java", CALC),
        ("src/test/java/calc/CalcTest.java", CALC_TEST),
        ("src/test/java/calc/FlakyTest.java", &flaky),
    ]);
    project.write_patches("p.jsonl", &[half("fix", FIX)]);
    let ran = project
        .braid(&["validate", "p.jsonl", "--no-cache"])
        .expect(0);
    assert!(
        ran.stderr.contains("flaky: calc.FlakyTest#differs"),
        "{}",
        ran.stderr
    );
    let ran = project
        .braid(&["validate", "p.jsonl", "--flaky", "fail", "--no-cache"])
        .expect(4);
    assert!(
        ran.stderr.contains("calc.FlakyTest#differs"),
        "{}",
        ran.stderr
    );
}

#[test]
fn compiled_classes_are_patches_too() {
    let project = Project::calc();
    for (id, source) in [
        ("right", CALC.replace("n / 2", "n >> 1")),
        ("wrong", CALC.replace("n / 2", "n")),
    ] {
        project.write(&format!("src-{id}/calc/Calc.java"), source.as_bytes());
        let javac = braid_subjects::jdk().join("bin/javac");
        let mut command = std::process::Command::new(javac);
        command.arg("-d").arg(project.path(&format!("pool/{id}")));
        command.arg(project.path(&format!("src-{id}/calc/Calc.java")));
        assert!(command.status().unwrap().success());
        std::fs::remove_dir_all(project.path(&format!("src-{id}"))).unwrap();
    }
    let ran = project.braid(&["validate", "pool"]).expect(0);
    assert_eq!(
        project.verdict(1, "right")["verdict"],
        "plausible",
        "{}",
        ran.stderr
    );
    assert_eq!(project.verdict(1, "wrong")["verdict"], "test_fail");
}

#[test]
fn the_example_is_part_of_the_binary() {
    let project = Project::empty();
    let help = project.braid(&["--help"]).expect(0).stdout;
    assert!(
        help.contains("validate") && help.contains("Exit codes"),
        "{help}"
    );
    project.write("other.txt", b"x");
    project.braid(&["demo", "--dir", "."]).expect(1);
    let init = project.braid(&["init", "--schema"]).expect(0).stdout;
    serde_json::from_str::<Value>(&init).unwrap();
    let completions = project.braid(&["completions", "bash"]).expect(0).stdout;
    assert!(completions.contains("validate"));
}
