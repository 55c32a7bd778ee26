//! Which units run, in which order, and what they share.

mod support;

use braid_exec::{
    Cancel, Event, RunEnd, RunLimits, Selection, Snapshot, SnapshotOptions, TagFilter, Worker,
};
use support::{PATIENCE, Subject, run};

fn mixed() -> Vec<std::path::PathBuf> {
    let mut jars = braid_subjects::junit4();
    jars.extend(braid_subjects::junit5());
    jars.extend(braid_subjects::testng());
    jars
}

#[test]
fn tags_categories_and_groups_select_units() {
    let subject = Subject::compile("groups", mixed());
    let mut worker = Worker::start(&subject.spec()).unwrap();
    let mut found = |include: &[&str], exclude: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let tags = TagFilter {
            include: list(include),
            exclude: list(exclude),
        };
        let selection = Selection {
            tags,
            ..subject.selection()
        };
        let units = worker
            .discover(&selection, PATIENCE, &Cancel::new())
            .unwrap()
            .units;
        let short = |id: &str| id.replace("groups.", "").replace("TaggedTest$", "");
        let mut units: Vec<String> = units.iter().map(|unit| short(&unit.id.0)).collect();
        units.sort();
        units.join(" ")
    };
    let all = "Five#both Five#slow FivePlain#plain Four#both Four#slow FourPlain#plain \
               GroupedTest#both GroupedTest#slow";
    assert_eq!(found(&[], &[]), all);
    let slow = "Five#both Five#slow Four#both Four#slow GroupedTest#both GroupedTest#slow";
    assert_eq!(found(&["slow", "Slow"], &[]), slow);
    assert_eq!(
        found(&["groups.TaggedTest$VerySlow"], &["Number"]),
        "Four#slow"
    );
    assert_eq!(found(&["slow & !net"], &[]), "Five#slow GroupedTest#slow");
    assert_eq!(
        found(&[], &["(slow | Slow)"]),
        "FivePlain#plain FourPlain#plain"
    );
}

#[test]
fn neighbours_of_a_class_share_its_set_up_and_others_do_not() {
    let subject = Subject::compile("order", mixed());
    let mut worker = Worker::start(&subject.spec()).unwrap();
    let units = [
        "order.FirstTest#b",
        "order.FirstTest#a",
        "order.FirstTest#once",
        "order.SecondTest#a",
        "order.ThirdTest#a",
        "order.FirstTest#b",
    ];
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done);
    let failed = |event: &&Event| match event {
        Event::LeafFinished { outcome, .. } => outcome.is_failed(),
        _ => false,
    };
    // The third class is not public, which JUnit 4 does not allow.
    let failures: Vec<_> = ran.events.iter().filter(failed).collect();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    let mut finished = ran.finished();
    finished[..3].sort();
    let expected = [1, 0, 2, 3, 4, 5].map(|index: usize| units[index]);
    assert_eq!(finished, expected);
}

#[test]
fn every_unit_begins_before_its_leaves_and_ends_after_them() {
    let subject = Subject::compile("junit4", braid_subjects::junit4());
    let mut worker = Worker::start(&subject.spec()).unwrap();
    let discovery = subject.discover(&mut worker);
    let units: Vec<&str> = discovery
        .units
        .iter()
        .map(|unit| unit.id.0.as_str())
        .collect();
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    let mut open = std::collections::HashMap::new();
    for event in &ran.events {
        match event {
            Event::UnitStarted { unit } => assert!(open.insert(unit, true).is_none()),
            Event::LeafStarted { unit, .. } | Event::LeafFinished { unit, .. } => {
                assert_eq!(open.get(unit), Some(&true), "{event:?}");
            }
            Event::UnitFinished { unit, .. } => assert_eq!(open.insert(unit, false), Some(true)),
        }
    }
    assert!(open.values().all(|open| !open));
    assert_eq!(open.len(), units.len());
}

#[test]
fn a_subset_runs_alone() {
    let subject = Subject::compile("junit4", braid_subjects::junit4());
    let mut worker = Worker::start(&subject.spec()).unwrap();
    let units = ["junit4.ParamsTest#odd", "junit4.BasicTest#inherited"];
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    let leaves: Vec<_> = ran.leaves().into_keys().collect();
    let odd = [0, 1, 2].map(|i| format!("junit4.ParamsTest#odd[{i}]"));
    assert_eq!(leaves[0], "junit4.BasicTest#inherited");
    assert_eq!(leaves[1..], odd);
}

#[test]
fn tests_that_change_files_leave_no_trace_in_the_next_run() {
    let subject = Subject::compile("faults", braid_subjects::junit4());
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    for file in ["data.txt", "doomed.txt", "locked.txt"] {
        std::fs::write(root.join(file), "original").unwrap();
    }
    std::os::unix::fs::symlink("data.txt", root.join("link.txt")).unwrap();
    std::fs::create_dir_all(root.join("out/faults")).unwrap();
    for entry in std::fs::read_dir(subject.classes.join("faults")).unwrap() {
        let file = entry.unwrap();
        std::fs::copy(file.path(), root.join("out/faults").join(file.file_name())).unwrap();
    }
    let place = tempfile::tempdir().unwrap();
    let snapshot = Snapshot::take(root, &place.path().join("s"), &SnapshotOptions::default());
    let snapshot = std::sync::Arc::new(snapshot.unwrap());
    let mut sandbox = braid_exec::Sandbox::create(&snapshot, &place.path().join("0")).unwrap();
    let mut spec = subject.spec();
    spec.cwd = sandbox.map(root);
    spec.classpath[0] = sandbox.map(&root.join("out"));
    let units = ["changesFiles", "changesClassPath"].map(|m| format!("faults.FaultsTest#{m}"));
    let units = units.each_ref().map(String::as_str);
    for _ in 0..2 {
        let mut worker = Worker::start(&spec).unwrap();
        let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
        drop(worker);
        assert_eq!(
            ran.leaves().into_values().collect::<Vec<_>>(),
            ["passed", "passed"]
        );
        assert_eq!(
            std::fs::read_to_string(sandbox.root().join("data.txt")).unwrap(),
            "changed"
        );
        let restored = sandbox.restore().unwrap();
        // Changed: data, locked, link, Late.class; deleted: doomed, Never.class; created: a folder.
        assert_eq!(
            (restored.changed, restored.deleted, restored.created),
            (4, 2, 1)
        );
    }
    assert_eq!(
        std::fs::read_to_string(root.join("doomed.txt")).unwrap(),
        "original"
    );
}
