//! Runs that are cut short and continued, and results that are known from before.

mod common;

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::{FIX, Project, half, ran};
use serde_json::Value;

/// A project with six patches, of which number 2 is wrong and number 5 is the same as number 1.
fn six() -> Project {
    six_that_begin_with("")
}

/// The same with patches that take so long that a run can be cut short between the first verdict and the last.
fn six_slow_ones() -> Project {
    six_that_begin_with("java.util.concurrent.locks.LockSupport.parkNanos(700_000_000L); ")
}

fn six_that_begin_with(start: &str) -> Project {
    let project = Project::calc();
    let mut patches: Vec<Value> = (0..5)
        .map(|n| half(&format!("p{n}"), &format!("/* {n} */ {start}{FIX}")))
        .collect();
    patches[2] = half("p2", &format!("{start}return 0;"));
    patches.push(half("p5", &format!("/* 1 */ {start}{FIX}")));
    project.write_patches("p.jsonl", &patches);
    project
}

/// Waits until a run has so many verdicts.
fn wait_for_verdicts(project: &Project, run: u32, count: usize, child: &mut Child) {
    let start = Instant::now();
    while project.verdicts(run).len() < count {
        assert!(start.elapsed() < Duration::from_secs(240), "no verdicts");
        assert!(child.try_wait().unwrap().is_none(), "ended too early");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, signal: &str) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

fn ids(project: &Project, run: u32) -> Vec<String> {
    let verdicts = project.verdicts(run);
    let mut ids: Vec<String> = verdicts
        .iter()
        .map(|v| v["id"].as_str().unwrap().into())
        .collect();
    ids.sort();
    ids
}

const ALL: [&str; 6] = ["p0", "p1", "p2", "p3", "p4", "p5"];

/// Processes whose command line names the project.
fn processes_in(project: &Project) -> Vec<String> {
    let name = project
        .root()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&name))
        .collect()
}

#[test]
fn after_kill_9_resume_repeats_nothing_and_leaves_no_jvm() {
    let project = six_slow_ones();
    let mut child = project.start(&["validate", "p.jsonl", "--jobs", "1", "--no-cache"]);
    wait_for_verdicts(&project, 1, 2, &mut child);
    signal(&child, "-KILL");
    child.wait().unwrap();
    let before = project.verdicts(1);
    let start = Instant::now();
    while !processes_in(&project).is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            processes_in(&project)
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    // a line that was being written
    let path = project.path(".braid/runs/1/verdicts.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"id\":\"p4\",\"verd");
    std::fs::write(&path, bytes).unwrap();
    let listed = project.braid(&["runs"]).expect(0);
    assert!(listed.stdout.contains("interrupted"), "{}", listed.stdout);
    let resumed = project
        .braid(&["validate", "--resume", "--no-cache"])
        .expect(0);
    let after = project.verdicts(1);
    assert_eq!(
        after[..before.len()],
        before[..],
        "what was there is as it was"
    );
    assert_eq!(ids(&project, 1), ALL, "{}", resumed.stderr);
    assert!(
        !resumed
            .stderr
            .contains("running the tests of the unpatched"),
        "{}",
        resumed.stderr
    );
    let listed = project.braid(&["runs"]).expect(0);
    assert!(listed.stdout.contains("complete"), "{}", listed.stdout);
    // resuming a complete run is harmless
    project.braid(&["validate", "--resume", "1"]).expect(0);
    assert_eq!(project.verdicts(1).len(), 6);
}

#[test]
fn ctrl_c_keeps_what_was_judged_and_says_how_to_go_on() {
    let project = six_slow_ones();
    let mut child = project.start(&["validate", "p.jsonl", "--jobs", "1", "--no-cache"]);
    wait_for_verdicts(&project, 1, 1, &mut child);
    signal(&child, "-INT");
    let stopped = ran(&child.wait_with_output().unwrap()).expect(130);
    assert!(
        stopped.stdout.contains("--resume 1"),
        "{}\n{}",
        stopped.stdout,
        stopped.stderr
    );
    let before = project.verdicts(1);
    assert!(!before.is_empty() && before.len() < 6, "{}", before.len());
    project.write("src/main/java/calc/New.java", b"package calc; class New {}");
    let refused = project.braid(&["validate", "--resume", "1"]).expect(1);
    assert!(
        refused.stderr.contains("changed since run 1"),
        "{}",
        refused.stderr
    );
    std::fs::remove_file(project.path("src/main/java/calc/New.java")).unwrap();
    project
        .braid(&["validate", "--resume", "1", "--no-cache"])
        .expect(0);
    assert_eq!(project.verdicts(1)[..before.len()], before[..]);
    assert_eq!(ids(&project, 1), ALL);
}

#[test]
fn a_second_run_is_answered_from_the_store_until_something_changes() {
    let project = six();
    let sources = |run: u32| -> Vec<String> {
        let mut all: Vec<Value> = project.verdicts(run);
        all.sort_by_key(|verdict| verdict["seq"].as_u64());
        all.iter()
            .map(|v| v["decided"]["source"].as_str().unwrap().to_owned())
            .collect()
    };
    project.braid(&["validate", "p.jsonl"]).expect(0);
    assert_eq!(sources(1), ["run", "run", "run", "run", "run", "duplicate"]);
    assert_eq!(project.verdict(1, "p5")["decided"]["same_as"], "p1");
    let again = project.braid(&["validate", "p.jsonl"]).expect(0);
    assert_eq!(
        sources(2),
        ["store", "store", "store", "store", "store", "duplicate"]
    );
    assert!(
        again.stdout.contains("5 answered from the store"),
        "{}",
        again.stdout
    );
    for id in ALL {
        let (first, second) = (project.verdict(1, id), project.verdict(2, id));
        assert_eq!(first["verdict"], second["verdict"]);
        assert_eq!(first["evidence"], second["evidence"]);
    }
    // another limit is another question, and another test another program
    project
        .braid(&["validate", "p.jsonl", "--timeout", "20x+9s", "--only", "p0"])
        .expect(0);
    assert_eq!(sources(3), ["run"]);
    project.write("src/test/java/calc/data.txt", b"x");
    project
        .braid(&["validate", "p.jsonl", "--only", "p0"])
        .expect(0);
    assert_eq!(sources(4), ["run"]);
}
