//! `braid mutate` from the outside.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use common::{Project, Ran, compare_statuses, statuses_in};
use serde_json::Value;

/// Code whose mutants end in every way there is.
fn guarded() -> Project {
    Project::plain(&[
        (
            "src/main/java/guarded/Guarded.java",
            include_str!("guarded/Guarded.java"),
        ),
        (
            "src/test/java/guarded/GuardedTest.java",
            include_str!("guarded/GuardedTest.java"),
        ),
    ])
}

/// Code of every shape and static state of every kind.
fn strands() -> Project {
    Project::plain(&[
        (
            "src/main/java/strands/Shapes.java",
            include_str!("strands/main/Shapes.java"),
        ),
        (
            "src/main/java/strands/State.java",
            include_str!("strands/main/State.java"),
        ),
        (
            "src/test/java/strands/ShapesTest.java",
            include_str!("strands/test/ShapesTest.java"),
        ),
        (
            "src/test/java/strands/StateTest.java",
            include_str!("strands/test/StateTest.java"),
        ),
    ])
}

fn mutate(project: &Project, args: &[&str]) -> Ran {
    project.braid(&[&["mutate"], args].concat())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The status of each mutant of a run, by id.
fn statuses(project: &Project, run: u32) -> BTreeMap<String, String> {
    let path = project.path(&format!(".braid/runs/{run}/verdicts.jsonl"));
    statuses_in(&fs::read_to_string(path).unwrap())
}

/// How many mutants of a method have each status.
fn of_method(project: &Project, run: u32, method: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for one in project.verdicts(run) {
        if one["method"] == method {
            *counts.entry(text(&one["status"])).or_default() += 1;
        }
    }
    counts
}

#[test]
fn mutants_end_in_every_way_and_reports_tell() {
    let project = guarded();
    let ran = mutate(&project, &["--operators", "default", "--min-score", "99"]).expect(2);
    assert!(ran.stderr.contains("is below 99%"), "{}", ran.stderr);
    assert!(ran.stdout.contains("replaced > by >="), "{}", ran.stdout);
    let status = |method: &str| of_method(&project, 1, method);
    let has = |method: &str, name: &str| status(method).get(name).copied().unwrap_or(0) > 0;
    assert!(
        has("sum", "timeout") && has("sum", "killed"),
        "{:?}",
        status("sum")
    );
    assert!(!has("factorial", "survived") || has("factorial", "killed"));
    assert_eq!(
        status("count").get("survived"),
        None,
        "{:?}",
        status("count")
    );
    assert!(has("quit", "killed"), "{:?}", status("quit"));
    assert!(has("isLarge", "survived"), "{:?}", status("isLarge"));
    assert!(has("unseen", "not_covered") && status("unseen").len() == 1);
    let ignored = project.verdicts(1);
    let ignored = ignored.iter().filter(|one| one["method"] == "ignored");
    assert!(ignored.clone().all(|one| one["operator"] != "math"));
    reports(&project);
    show_and_apply(&project);
}

#[test]
fn thresholds_set_the_exit_code_and_the_command_line_overrules_the_file() {
    let project = guarded();
    project.write("braid.toml", b"[mutate]\nmax-survived = 0\nmin-score = 5\n");
    let ran = mutate(&project, &[]).expect(2);
    assert!(ran.stderr.contains("at most 0 may"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("is below"), "{}", ran.stderr);
    mutate(&project, &["--max-survived", "1000"]).expect(0);
    let ran = mutate(&project, &["--max-survived", "1000", "--min-score", "100"]).expect(2);
    assert!(ran.stderr.contains("is below 100%"), "{}", ran.stderr);
}

/// The launcher of the desktop is another program elsewhere.
#[cfg(target_os = "linux")]
#[test]
fn the_report_is_opened_where_that_is_asked_for() {
    use std::os::unix::fs::PermissionsExt;

    let project = guarded();
    let launcher = project.path("bin/xdg-open");
    let script = b"#!/bin/sh\necho \"$1\" >opened.new && mv opened.new opened\n";
    project.write("bin/xdg-open", script);
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", launcher.parent().unwrap().display());
    let mut command = project.command(&["mutate", "--sample", "1", "--open"]);
    common::ran(&command.env("PATH", path).output().unwrap()).expect(0);
    let opened = project.path("opened");
    let start = Instant::now();
    while !opened.exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing opened");
        std::thread::sleep(Duration::from_millis(20));
    }
    let page = fs::read_to_string(opened).unwrap();
    let page = project.root().join(page.trim());
    assert!(page.ends_with(".braid/runs/1/report.html"), "{page:?}");
    assert!(page.is_file(), "{page:?}");
}

#[test]
fn ctrl_c_keeps_what_was_run_and_says_how_to_go_on() {
    let project = strands();
    let args = [
        "mutate",
        "--operators",
        "all",
        "--jobs",
        "1",
        "--strategy",
        "plain",
    ];
    let mut child = project.start(&args);
    let start = Instant::now();
    while project.verdicts(1).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(240), "no mutants");
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let stopped = common::ran(&child.wait_with_output().unwrap()).expect(130);
    assert!(
        stopped.stdout.contains("--resume 1"),
        "{}\n{}",
        stopped.stdout,
        stopped.stderr
    );
    assert!(!project.verdicts(1).is_empty());
}

/// Every form of report of the latest run.
fn reports(project: &Project) {
    let report = |format: &str| {
        project
            .braid(&["report", "--format", format])
            .expect(0)
            .stdout
    };
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    check_elements(&json);
    let html = fs::read_to_string(project.path(".braid/runs/1/report.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && !html.contains("src=\"http"));
    let pit = report("pit");
    assert!(pit.contains("status=\"TIMED_OUT\"") && pit.contains("<mutatedClass>guarded.Guarded<"));
    assert!(report("junit").contains("<failure type=\"survived\""));
    let sarif: Value = serde_json::from_str(&report("sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let github = report("github");
    assert!(github.contains("::warning file=src/main/java/guarded/Guarded.java,line="));
    assert!(report("table").contains("mutation score"));
    let lines = report("jsonl");
    assert_eq!(lines.lines().count(), project.verdicts(1).len());
}

/// What the schema of mutation-testing-elements demands.
fn check_elements(report: &Value) {
    const STATUSES: [&str; 8] = [
        "Killed",
        "Survived",
        "NoCoverage",
        "CompileError",
        "RuntimeError",
        "Timeout",
        "Ignored",
        "Pending",
    ];
    assert_eq!(report["schemaVersion"], "2");
    for threshold in ["high", "low"] {
        let percent = report["thresholds"][threshold].as_u64().unwrap();
        assert!(percent <= 100);
    }
    let mut tests = Vec::new();
    for file in report["testFiles"].as_object().unwrap().values() {
        for test in file["tests"].as_array().unwrap() {
            assert!(test["name"].is_string());
            tests.push(text(&test["id"]));
        }
    }
    let files = report["files"].as_object().unwrap();
    assert!(!files.is_empty());
    let mut ids = std::collections::BTreeSet::new();
    for file in files.values() {
        assert!(file["language"].is_string() && !text(&file["source"]).is_empty());
        for mutant in file["mutants"].as_array().unwrap() {
            assert!(ids.insert(text(&mutant["id"])), "ids are unique in a file");
            assert!(mutant["mutatorName"].is_string());
            assert!(STATUSES.contains(&text(&mutant["status"]).as_str()));
            let position = |end: &str, part: &str| mutant["location"][end][part].as_u64().unwrap();
            let start = (position("start", "line"), position("start", "column"));
            let end = (position("end", "line"), position("end", "column"));
            assert!(start.0 >= 1 && start.1 >= 1 && start < end, "{mutant}");
            for list in ["coveredBy", "killedBy"] {
                for test in mutant[list].as_array().unwrap() {
                    assert!(tests.contains(&text(test)), "{mutant}");
                }
            }
        }
    }
}

/// A mutant is shown, and can be written into the source where its place is sure.
fn show_and_apply(project: &Project) {
    let verdicts = project.verdicts(1);
    let survivor = verdicts
        .iter()
        .find(|one| one["method"] == "isLarge" && one["status"] == "survived");
    let id = text(&survivor.unwrap()["id"]);
    let shown = project.braid(&["show", &id]).expect(0).stdout;
    assert!(shown.contains("replaced > by >=") && shown.contains("GuardedTest#largeAndSmall"));
    let dry = project.braid(&["apply", &id, "--dry-run"]).expect(0);
    assert!(dry.stdout.contains("+        return n >= 100;"));
    project.braid(&["apply", &id]).expect(0);
    let source = fs::read_to_string(project.path("src/main/java/guarded/Guarded.java"));
    assert!(source.unwrap().contains("return n >= 100;"));
    // it compiles, and what could be mutated is now the mutant
    let list = mutate(project, &["--list", "--quiet", "--methods", "isLarge"]).expect(0);
    assert!(list.stdout.contains("replaced >= by >"), "{}", list.stdout);
    // and it is there already
    project.braid(&["apply", &id]).expect(1);
}

#[test]
fn every_verdict_is_that_of_the_mutant_alone_in_a_fresh_jvm() {
    for project in [guarded(), strands()] {
        mutate(&project, &["--operators", "strong"]).expect(0);
        mutate(&project, &["--operators", "strong", "--strategy", "plain"]).expect(0);
        compare_statuses(&statuses(&project, 1), &statuses(&project, 2));
    }
}

/// Every cell of the matrix, by mutant, and how many tests were spared.
fn cells(project: &Project, run: u32) -> (BTreeMap<String, String>, u64) {
    let told = [
        "status",
        "covered_by",
        "killed_by",
        "timeout_by",
        "error_by",
    ];
    let all = project.verdicts(run);
    let spared = all.iter().filter_map(|one| one["spared"].as_u64()).sum();
    let row = |one: &Value| told.map(|name| one[name].to_string()).join(" ");
    let rows = all.iter().map(|one| (text(&one["id"]), row(one)));
    (rows.collect(), spared)
}

#[test]
fn tests_that_are_spared_would_pass() {
    for project in [guarded(), strands()] {
        for scouting in ["always", "never"] {
            let args = [
                "--operators",
                "all",
                "--matrix",
                "full",
                "--scouting",
                scouting,
            ];
            mutate(&project, &args).expect(0);
        }
        let ((scouted, spared), (run, none)) = (cells(&project, 1), cells(&project, 2));
        assert_eq!(scouted, run);
        assert!(spared > 0 && none == 0, "{spared} {none}");
    }
}

/// `add` and `note` return what nobody in their class looks at; tests do, one of them by reflection.
const CHAIN: [(&str, &str); 2] = [
    (
        "src/main/java/a/Chain.java",
        "package a; public class Chain { static int last; int sum;
        private Chain add(int n) { sum += n; return this; }
        static boolean note(int n) { last = n; return n > 0; }
        public int twice(int n) { add(n); add(n); note(n); return sum; } }",
    ),
    (
        "src/test/java/a/ChainTest.java",
        "package a; import static org.junit.jupiter.api.Assertions.*; import org.junit.jupiter.api.Test;
        class ChainTest {
        @Test void twice() { assertEquals(4, new Chain().twice(2)); }
        @Test void thrice() { assertEquals(6, new Chain().twice(3)); }
        @Test void looksByReflection() throws Exception { Chain chain = new Chain(); chain.twice(1);
            java.lang.reflect.Method add = Chain.class.getDeclaredMethod(\"add\", int.class);
            add.setAccessible(true); assertSame(chain, add.invoke(chain, 1)); }
        @Test void looks() { new Chain().twice(1); assertTrue(Chain.note(1)); assertFalse(Chain.note(-1)); } }",
    ),
];

#[test]
fn a_value_that_nobody_looks_at_is_seen_only_where_somebody_does() {
    let project = Project::plain(&CHAIN);
    for scouting in ["auto", "never"] {
        let args = ["--operators", "null-returns,true-returns,false-returns"];
        let how = ["--matrix", "full", "--scouting", scouting];
        mutate(&project, &[&args[..], &how].concat()).expect(0);
    }
    let ((spared_rows, spared), (run_rows, none)) = (cells(&project, 1), cells(&project, 2));
    assert_eq!(spared_rows, run_rows);
    // three tests of each of the three mutants do not look
    assert_eq!((spared, none), (9, 0), "{spared_rows:?}");
    let verdicts = project.verdicts(1);
    let killed = verdicts.iter().filter(|one| one["status"] == "killed");
    assert_eq!(killed.count(), 3);
}

#[test]
fn a_finally_block_is_reached_by_every_way_out() {
    let class = "package a; public class Ends { static int count;
        static void end(boolean early) { try { if (early) throw new IllegalStateException(); } finally { count += 2; } } }";
    let test = "package a; class EndsTest {
        @org.junit.jupiter.api.Test void early() { try { Ends.end(true); } catch (IllegalStateException e) { }
            org.junit.jupiter.api.Assertions.assertEquals(2, Ends.count); } }";
    let project = Project::plain(&[
        ("src/main/java/a/Ends.java", class),
        ("src/test/java/a/EndsTest.java", test),
    ]);
    mutate(&project, &["--operators", "math"]).expect(0);
    let statuses = statuses(&project, 1);
    assert_eq!(statuses.into_values().collect::<Vec<_>>(), ["killed"]);
}

#[test]
fn parts_merged_are_the_whole_though_one_was_killed_and_a_matrix_has_every_cell() {
    let project = guarded();
    mutate(&project, &["--matrix", "full", "--operators", "strong"]).expect(0);
    let part = |part: &'static str| ["--operators", "strong", "--shard", part, "--jobs", "1"];
    mutate(&project, &part("1/2")).expect(0);
    killed_and_resumed(&project, &[&["mutate"][..], &part("2/2")].concat(), 3);
    let parts = [".braid/runs/2", ".braid/runs/3"];
    let merged = project.braid(&["merge", parts[0], parts[1]]).expect(0);
    assert_eq!(statuses(&project, 1), statuses(&project, 4));
    assert!(merged.stdout.contains("score"), "{}", merged.stdout);
    project.braid(&["merge", parts[0]]).expect(130);
    let other = project.braid(&["merge", ".braid/runs/1", parts[1]]);
    assert!(other.expect(1).stderr.contains("asked for other mutants"));
    for one in project.verdicts(1) {
        let count = |list: &str| one[list].as_array().map_or(0, Vec::len);
        let noticed = count("killed_by") + count("timeout_by") + count("error_by");
        assert!(noticed <= count("covered_by"), "{one}");
        if one["decided"]["how"] == "warm" {
            let number = |name: &str| one[name].as_u64().unwrap_or(0) as usize;
            let done = number("tests_run") + number("spared");
            assert!(done >= count("covered_by"), "{one}");
        }
    }
}

/// Comments, annotations and `braid.toml` take mutants out, and `--explain` says so.
fn suppressions(project: &Project) {
    let source = include_str!("guarded/Suppressed.java");
    project.write("src/main/java/guarded/Suppressed.java", source.as_bytes());
    project.write(
        "braid.toml",
        b"[mutate]\nexclude-methods = [\"quit\"]\n[[mutate.ignore]]\nclasses = [\"Suppressed\"]\n\
          methods = [\"configured\"]\noperators = \"math\"\nreason = \"checked elsewhere\"\n",
    );
    let list = mutate(project, &["--list", "--quiet"]).expect(0).stdout;
    assert!(!list.contains(".quit(") && list.contains(".sum("));
    let explained = mutate(project, &["--explain", "--quiet"]).expect(0).stdout;
    let expected = source.lines().zip(1..).filter_map(|(line, number)| {
        let (_, reason) = line.split_once("// left out: ")?;
        Some((format!("Suppressed.java:{number}  "), reason))
    });
    for (place, reason) in expected {
        let told = |line: &str| line.contains(&place) && line.ends_with(reason);
        assert!(explained.lines().any(told), "{place}{reason}: {explained}");
        let math = |line: &str| line.contains(&place) && line.contains("  math  ");
        assert!(!list.lines().any(math), "{place}: {list}");
    }
    let of_class = "Suppressed.java  guarded.Suppressed$Whole  all mutants of the class: annotated with @DoNotMutate";
    assert!(explained.contains(of_class), "{explained}");
    let made = |line: &str| line.contains("Suppressed.java:") && line.contains("  math  ");
    assert_eq!(list.lines().filter(|line| made(line)).count(), 1, "{list}");
}

/// Kills a run in the middle and lets it go on: nothing is run twice, nothing is missing.
fn killed_and_resumed(project: &Project, args: &[&str], run: u32) {
    let mut child = project.start(args);
    let start = Instant::now();
    while project.verdicts(run).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(240), "no verdicts");
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = project.verdicts(run);
    let listed = mutate(project, &[&args[1..], &["--list", "--quiet"]].concat()).expect(0);
    let all = listed.stdout.lines().count();
    assert!(before.len() < all, "it was killed too late");
    let resumed = mutate(project, &["--resume"]).expect(0);
    let after = project.verdicts(run);
    assert_eq!(after[..before.len()], before[..], "{}", resumed.stderr);
    assert_eq!(after.len(), all);
    assert_eq!(statuses(project, run).len(), all, "nothing is there twice");
    assert!(!resumed.stderr.contains("testing the original"));
}

#[test]
fn selections_leave_out_and_say_why() {
    let project = guarded();
    let list = |args: &[&str]| mutate(&project, &[args, &["--list", "--quiet"]].concat()).expect(0);
    let all = list(&[]).stdout.lines().count();
    let some = list(&["--methods", "sum,Guarded#quit"]).stdout;
    assert!(some.lines().count() < all && some.contains(".sum(I)I") && !some.contains("factorial"));
    assert_eq!(list(&["--classes", "other.*"]).stdout, "");
    assert_eq!(list(&["--sample", "3"]).stdout.lines().count(), 3);
    let parts: usize = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|part| list(&["--shard", part]).stdout.lines().count())
        .sum();
    assert_eq!(parts, all);
    let diff = "--- a/src/main/java/guarded/Guarded.java\n+++ b/src/main/java/guarded/Guarded.java\n\
                @@ -12,1 +12,1 @@\n-        for (int i = 0; i <= n; i++) {\n+        for (int i = 0; i < n; i++) {\n";
    project.write("change.diff", diff.as_bytes());
    let changed = list(&["--in-diff", "change.diff"]).stdout;
    assert!(
        !changed.is_empty()
            && changed
                .lines()
                .all(|line| line.contains("Guarded.java:12 "))
    );
    suppressions(&project);
    mutate(&project, &["--operators", "no-such-operator", "--list"]).expect(1);
    assert!(
        mutate(&project, &["--list-operators"])
            .expect(0)
            .stdout
            .contains("CONDITIONALS_BOUNDARY")
    );
}
