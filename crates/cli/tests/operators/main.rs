//! Every operator from the outside: a project whose comments say what becomes of its mutants, and the reports on them.

mod browser;
#[path = "../common/mod.rs"]
mod common;
mod expectations;
mod schema;

use std::fs;

use common::Project;

/// The fixture: classes and their tests.
const FILES: [(&str, &str); 6] = [
    (
        "src/main/java/operators/Conditions.java",
        include_str!("main/Conditions.java"),
    ),
    (
        "src/main/java/operators/Numbers.java",
        include_str!("main/Numbers.java"),
    ),
    (
        "src/main/java/operators/Objects.java",
        include_str!("main/Objects.java"),
    ),
    (
        "src/test/java/operators/ConditionsTest.java",
        include_str!("test/ConditionsTest.java"),
    ),
    (
        "src/test/java/operators/NumbersTest.java",
        include_str!("test/NumbersTest.java"),
    ),
    (
        "src/test/java/operators/ObjectsTest.java",
        include_str!("test/ObjectsTest.java"),
    ),
];

/// One run serves all: mutants of every operator on every test that reaches them.
#[test]
fn every_operator_does_what_comments_say_and_reports_hold_everywhere() {
    let project = Project::plain(&FILES);
    let trap = browser::Trap::set(&project);
    let args = ["mutate", "--operators", "all", "--matrix", "full"];
    project.braid(&args).expect(0);
    let sources = FILES.iter().filter(|(path, _)| path.contains("/main/"));
    expectations::check(&project, sources);
    let report = project.path(".braid/runs/1/report.json");
    let text = fs::read_to_string(&report).unwrap();
    schema::check(&report);
    browser::check(&project, &serde_json::from_str(&text).unwrap(), &trap);
}

/// Says on the terminal, past the test harness, that something was not looked at.
fn skip(what: &str, why: &str) {
    use std::io::Write;
    let line = format!("skipped: {what}, because {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
