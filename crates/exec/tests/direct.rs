//! Simple tests, which warm workers call without their framework: what comes of them is what their framework says.

mod support;

use std::path::PathBuf;

use braid_exec::{Event, Outcome, RunLimits, WarmEnd, WarmWorker, Worker};
use support::{PATIENCE, Subject, frameworks, run, warm};

/// A leaf and what came of it, in full but for the trace.
fn told(leaf: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed => format!("{leaf} passed"),
        Outcome::Failed(failure) => format!(
            "{leaf} failed {} {:?} {}",
            failure.exception, failure.message, failure.assertion
        ),
        Outcome::Skipped { reason } => format!("{leaf} skipped {reason}"),
    }
}

/// What a unit does where its framework runs it, as the first in its program.
fn by_framework(worker: &mut Worker, subject: &Subject, unit: &str) -> Vec<String> {
    let program = std::slice::from_ref(&subject.classes);
    if worker.renew(program).unwrap().is_some() {
        *worker = frameworks(subject);
        assert_eq!(worker.renew(program).unwrap(), None);
    }
    let ran = run(worker, &[unit], &RunLimits::new(PATIENCE));
    let leaves = ran.events.iter().filter_map(|event| match event {
        Event::LeafFinished { leaf, outcome, .. } => Some(told(&leaf.0, outcome)),
        _ => None,
    });
    leaves.collect()
}

/// Compares all units but those that look who calls them; gives what came of these in the warm worker.
fn compare(name: &str, jars: Vec<PathBuf>) -> Vec<String> {
    let subject = Subject::compile(name, jars);
    let mut plain = frameworks(&subject);
    let mut found = Worker::start(&subject.spec()).unwrap();
    let units = subject.discover(&mut found).units;
    assert!(units.len() > 15, "{units:?}");
    let mut worker = WarmWorker::start(&warm::spec(&subject, &braid_subjects::jdk())).unwrap();
    let mut direct = Vec::new();
    for unit in &units {
        let id = unit.id.0.as_str();
        // The second run finds the method called before.
        let (ran, end) = warm::run(&mut worker, &[warm::trial(&[id, id], None)]);
        assert_eq!(end, WarmEnd::Done, "{id}");
        for ran in ran {
            let leaves = ran.leaves.iter();
            let warm: Vec<_> = leaves.map(|leaf| told(&leaf.id.0, &leaf.outcome)).collect();
            if id.ends_with("#isCalledDirectly") {
                direct.extend(warm);
            } else {
                assert_eq!(warm, by_framework(&mut plain, &subject, id));
            }
        }
    }
    direct
}

#[test]
fn simple_jupiter_tests_end_as_the_engine_ends_them() {
    for (jupiter, platform) in [("5.5.2", "1.5.2"), ("5.11.4", "1.11.4")] {
        let direct = compare("simple", braid_subjects::jupiter(jupiter, platform));
        let called = "simple.BelowTest#isCalledDirectly passed";
        assert_eq!(direct, [called, called], "with Jupiter {jupiter}");
    }
}

#[test]
fn simple_junit4_tests_end_as_the_runner_ends_them() {
    let old = braid_subjects::maven(&["junit:junit:4.12", "org.hamcrest:hamcrest-core:1.3"]);
    for jars in [old, braid_subjects::junit4()] {
        let direct = compare("simple4", jars);
        let called = "simple4.AboveTest$ReplacesOneTest#isCalledDirectly passed";
        assert_eq!(direct, [called, called]);
    }
}
