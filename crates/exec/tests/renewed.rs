//! One JVM for several programs, one after the other, each in a loader of its own.

mod support;

use std::path::PathBuf;

use braid_exec::{RunEnd, RunLimits, Worker};
use support::{PATIENCE, Subject, frameworks, run};

fn outcome(worker: &mut Worker, unit: &str) -> String {
    let ran = run(worker, &[unit], &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done);
    ran.leaves().remove(unit).unwrap()
}

#[test]
fn each_program_is_a_new_one() {
    let calc = Subject::compile("calc", braid_subjects::junit4());
    let wrong = Subject::compile("calc-wrong", Vec::new());
    let mut worker = frameworks(&calc);
    let plain = vec![calc.classes.clone()];
    let patched = vec![wrong.classes, calc.classes.clone()];
    let mut seen = Vec::new();
    for program in [&plain, &patched, &plain] {
        assert_eq!(worker.renew(program).unwrap(), None);
        seen.push(outcome(&mut worker, "calc.CalcTest#triples"));
    }
    assert_eq!(
        seen,
        ["passed", "failed java.lang.AssertionError", "passed"]
    );
}

#[test]
fn what_tests_leave_behind_makes_the_jvm_unfit() {
    let state = Subject::compile("state", braid_subjects::junit4());
    let program: Vec<PathBuf> = vec![state.classes.clone()];
    let unfit = [
        "properties",
        "propertiesReplaced",
        "timeZoneByProperty",
        "locale",
        "timeZone",
    ];
    for test in unfit {
        let mut worker = frameworks(&state);
        assert_eq!(worker.renew(&program).unwrap(), None);
        assert_eq!(
            outcome(&mut worker, &format!("state.JdkTest#{test}")),
            "passed"
        );
        assert!(worker.renew(&program).unwrap().is_some(), "{test}");
    }
}

#[test]
fn properties_of_a_program_go_with_it() {
    let state = Subject::compile("state", braid_subjects::junit4());
    let program: Vec<PathBuf> = vec![state.classes.clone()];
    let mut worker = frameworks(&state);
    for _ in 0..3 {
        assert_eq!(worker.renew(&program).unwrap(), None);
        assert_eq!(outcome(&mut worker, "state.JdkTest#ownProperty"), "passed");
    }
}

#[test]
fn extensions_of_the_framework_need_a_jvm_of_their_own() {
    let mut jars = braid_subjects::jupiter("5.11.4", "1.11.4");
    jars.extend(braid_subjects::maven(&[
        "org.junit.platform:junit-platform-launcher:1.11.4",
    ]));
    let session = Subject::compile("session", jars);
    let mut worker = frameworks(&session);
    let unfit = worker
        .renew(std::slice::from_ref(&session.classes))
        .unwrap();
    assert!(unfit.is_some_and(|why| why.contains("LauncherSessionListener")));
}
