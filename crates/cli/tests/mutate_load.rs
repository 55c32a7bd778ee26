//! What else the machine does is nothing to a mutant's verdict.

mod common;

use std::collections::BTreeMap;
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::Project;
use serde_json::Value;

/// Runs `work` with a busy loop on each core.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        over.store(true, Ordering::Relaxed);
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Each mutant's status with the tests that did it.
fn verdicts(project: &Project, run: u32) -> BTreeMap<String, String> {
    let told = ["status", "killed_by", "timeout_by", "error_by"];
    let verdict = |one: &Value| told.map(|name| one[name].to_string()).join(" ");
    let all = project.verdicts(run).into_iter();
    all.map(|one| (one["id"].to_string(), verdict(&one)))
        .collect()
}

#[test]
fn three_runs_under_load_give_the_verdicts_of_a_quiet_machine() {
    let project = Project::plain(&[
        (
            "src/main/java/guarded/Guarded.java",
            include_str!("guarded/Guarded.java"),
        ),
        (
            "src/test/java/guarded/GuardedTest.java",
            include_str!("guarded/GuardedTest.java"),
        ),
    ]);
    let run = || {
        let args = ["mutate", "--matrix", "full", "--no-cache", "--quiet"];
        project.braid(&args).expect(0);
    };
    run();
    let quiet = verdicts(&project, 1);
    let endless = quiet.values().any(|one| one.contains("timeout"));
    assert!(endless, "{quiet:#?}");
    for number in 2..5 {
        under_load(run);
        assert_eq!(verdicts(&project, number), quiet);
    }
}
