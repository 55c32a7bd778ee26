//! Run folders: numbering, torn lines, locks, a full disk.

use std::fs;

use braid_store::{RunState, Runs, StoreError};

fn runs() -> (tempfile::TempDir, Runs) {
    let dir = tempfile::tempdir().unwrap();
    let runs = Runs::new(&dir.path().join(".braid"));
    (dir, runs)
}

fn values(runs: &Runs, number: u32) -> Vec<u64> {
    let index = runs.verdicts(number, |value: &u64| *value).unwrap();
    let mut seen = Vec::new();
    index
        .for_each(|value: u64| {
            seen.push(value);
            Ok::<(), StoreError>(())
        })
        .unwrap();
    seen
}

#[test]
fn numbers_increase_and_latest_points_to_the_last() {
    let (dir, runs) = runs();
    assert!(matches!(runs.latest(), Err(StoreError::NoRuns { .. })));
    for expected in 1..=3 {
        let run = runs.create(&"info").unwrap();
        assert_eq!(run.number(), expected);
    }
    assert_eq!(runs.latest().unwrap(), 3);
    assert_eq!(runs.list().unwrap(), [1, 2, 3]);
    assert_eq!(runs.info::<String>(2).unwrap(), "info");
    assert!(matches!(
        runs.info::<String>(9),
        Err(StoreError::NoSuchRun { number: 9, .. })
    ));
    let ignore = fs::read_to_string(dir.path().join(".braid/.gitignore")).unwrap();
    assert_eq!(ignore, "*\n");
}

#[test]
fn threads_never_share_a_number() {
    let (_dir, runs) = runs();
    let numbers: Vec<u32> = std::thread::scope(|scope| {
        let start = || scope.spawn(|| runs.create(&()).unwrap().number());
        let handles: Vec<_> = (0..8).map(|_| start()).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect()
    });
    let distinct: std::collections::BTreeSet<_> = numbers.iter().collect();
    assert_eq!(distinct.len(), 8);
}

#[test]
fn resume_cuts_a_torn_line_and_goes_on() {
    let (_dir, runs) = runs();
    let mut run = runs.create(&()).unwrap();
    run.append(&1u64).unwrap();
    let second = run.append(&2u64).unwrap();
    assert_eq!(run.read_at::<u64>(second).unwrap(), 2);
    let path = run.verdicts_path();
    drop(run);
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"torn");
    fs::write(&path, bytes).unwrap();
    assert_eq!(values(&runs, 1), [1, 2]);
    let mut run = runs.resume(1).unwrap();
    run.append(&3u64).unwrap();
    assert_eq!(values(&runs, 1), [1, 2, 3]);
}

#[test]
fn the_state_tells_running_interrupted_and_complete() {
    let (_dir, runs) = runs();
    let run = runs.create(&()).unwrap();
    assert_eq!(runs.state(1).unwrap(), RunState::Running);
    assert!(matches!(
        runs.resume(1),
        Err(StoreError::Busy { number: 1 })
    ));
    drop(run);
    assert_eq!(runs.state(1).unwrap(), RunState::Interrupted);
    runs.resume(1).unwrap().finish(RunState::Complete).unwrap();
    assert_eq!(runs.state(1).unwrap(), RunState::Complete);
}

#[test]
fn logs_and_diffs_are_found_by_any_id() {
    let (_dir, runs) = runs();
    let run = runs.create(&()).unwrap();
    for id in ["plain", "../up", "a/b"] {
        run.write_log(id, &format!("log of {id}")).unwrap();
        run.write_diff(id, &format!("diff of {id}")).unwrap();
        assert_eq!(runs.log(1, id).unwrap(), format!("log of {id}"));
        assert_eq!(runs.diff(1, id).unwrap(), format!("diff of {id}"));
    }
    assert_eq!(runs.log(1, "absent"), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_as_such() {
    let (_dir, runs) = runs();
    let run = runs.create(&()).unwrap();
    // the file that is written beside the log before it takes its name
    let beside = run.dir().join("logs/a.log.tmp");
    std::os::unix::fs::symlink("/dev/full", &beside).unwrap();
    let error = run.write_log("a", "text").unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
}
