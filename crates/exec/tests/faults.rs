//! Everything that a test can do to its JVM is survived and reported.

mod support;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use braid_exec::{
    Cancel, CrashKind, Event, ExecError, Outcome, RunEnd, RunLimits, Selection, Timeout, UnitId,
    Worker, WorkerSpec,
};
use support::{PATIENCE, Ran, Subject, run};

const CLASS: &str = "faults.FaultsTest";

fn subject() -> Subject {
    Subject::compile("faults", braid_subjects::junit4())
}

fn unit(method: &str) -> String {
    format!("{CLASS}#{method}")
}

/// Runs one method and then one that passes, in a fresh worker on each JDK of the machine.
fn run_one(method: &str, limit: Duration) -> Vec<Ran> {
    let run = |jdk| {
        let mut spec = spec();
        spec.jdk = jdk;
        run_on(&mut Worker::start(&spec).unwrap(), method, limit)
    };
    braid_subjects::jdks().into_iter().map(run).collect()
}

fn run_on(worker: &mut Worker, method: &str, limit: Duration) -> Ran {
    run(
        worker,
        &[&unit(method), &unit("passes")],
        &RunLimits::new(limit),
    )
}

fn spec() -> WorkerSpec {
    let mut spec = subject().spec();
    spec.heap_mb = Some(64);
    spec
}

fn failed_with(ran: &Ran, method: &str) -> String {
    match ran.outcome(&unit(method)) {
        Outcome::Failed(failure) => failure.exception.clone(),
        other => panic!("{method}: {other:?}"),
    }
}

fn crash(ran: Ran) -> braid_exec::Crash {
    match ran.end {
        RunEnd::Crashed(crash) => *crash,
        other => panic!("{other:?}"),
    }
}

/// Whether a process lives, zombies not counted.
fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// Whether any process of a group lives.
fn group_lives(group: u32) -> bool {
    let in_group = |entry: fs::DirEntry| -> Option<bool> {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        Some(fields[0] != "Z" && fields[2] == group.to_string())
    };
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .any(|entry| in_group(entry).unwrap_or(false))
}

#[test]
fn endless_loops_run_into_the_limit_and_say_where_they_are() {
    let methods = ["loops", "loopsAndSwallowsEverything", "waits"];
    for (method, jdk) in methods
        .into_iter()
        .zip(braid_subjects::jdks().into_iter().cycle())
    {
        let mut spec = spec();
        spec.jdk = jdk;
        let mut worker = Worker::start(&spec).unwrap();
        // Warm up, so that the time that the limit allows is that of the loop.
        assert_eq!(
            run(&mut worker, &[&unit("passes")], &RunLimits::new(PATIENCE)).end,
            RunEnd::Done
        );
        let ran = run_on(&mut worker, method, Duration::from_secs(2));
        let RunEnd::Timeout(Timeout {
            unit: blamed,
            leaf,
            stack,
            ..
        }) = ran.end
        else {
            panic!("{method}: {:?}", ran.end)
        };
        assert_eq!(blamed.unwrap().0, unit(method));
        assert_eq!(leaf.unwrap().0, unit(method));
        let stack = stack.expect("the worker still listens");
        assert!(stack.contains(&format!("{CLASS}.{method}")), "{stack}");
        let again = worker.run(&[], &RunLimits::new(PATIENCE), &mut |_| {
            ControlFlow::Continue(())
        });
        assert!(matches!(again, Err(ExecError::Gone)));
    }
}

#[test]
fn endless_recursion_is_a_failure_like_others() {
    for ran in run_one("recurses", PATIENCE) {
        assert_eq!(ran.end, RunEnd::Done);
        assert_eq!(
            failed_with(&ran, "recurses"),
            "java.lang.StackOverflowError"
        );
        assert_eq!(*ran.outcome(&unit("passes")), Outcome::Passed);
        let Outcome::Failed(failure) = ran.outcome(&unit("recurses")) else {
            unreachable!()
        };
        assert!(failure.trace.len() < 20_000);
        assert!(!failure.assertion);
    }
}

#[test]
fn memory_that_can_be_had_back_is_a_failure_like_others() {
    for ran in run_one("asksForTooMuchMemory", PATIENCE) {
        assert_eq!(ran.end, RunEnd::Done);
        assert_eq!(
            failed_with(&ran, "asksForTooMuchMemory"),
            "java.lang.OutOfMemoryError"
        );
        assert_eq!(*ran.outcome(&unit("passes")), Outcome::Passed);
    }
}

#[test]
fn memory_that_is_gone_for_good_is_reported_in_any_case() {
    for ran in run_one("fillsMemoryForGood", PATIENCE) {
        if ran.end == RunEnd::Done {
            assert_eq!(
                failed_with(&ran, "fillsMemoryForGood"),
                "java.lang.OutOfMemoryError"
            );
        } else {
            assert_eq!(crash(ran).kind, CrashKind::OutOfMemory);
        }
    }
}

#[test]
fn exit_is_a_crash_with_its_code_and_its_caller() {
    for (method, code) in [("exits", 7), ("exitsFromAnotherThread", 8)] {
        for ran in run_one(method, PATIENCE) {
            let crash = crash(ran);
            assert_eq!(crash.kind, CrashKind::Exit { code });
            assert_eq!(crash.unit.unwrap().0, unit(method));
            let stack = crash.stack.unwrap();
            assert!(stack.contains("faults.FaultsTest"), "{stack}");
        }
    }
}

#[test]
fn exit_that_never_comes_to_its_end_is_ended() {
    let started = Instant::now();
    let mut worker = Worker::start(&spec()).unwrap();
    let crash = crash(run_on(&mut worker, "exitsWithHookThatHangs", PATIENCE));
    assert_eq!(crash.kind, CrashKind::Disconnected);
    assert!(crash.stack.unwrap().contains("exitsWithHookThatHangs"));
    assert!(started.elapsed() < PATIENCE);
}

#[test]
fn halt_is_a_crash_with_its_code() {
    for ran in run_one("halts", PATIENCE) {
        let crash = crash(ran);
        assert_eq!(
            (crash.kind, crash.stack),
            (CrashKind::Exit { code: 3 }, None)
        );
        assert_eq!(crash.unit.unwrap().0, unit("halts"));
    }
}

#[test]
fn a_killed_jvm_is_a_crash_with_its_signal() {
    for (name, number) in [("KILL", 9), ("SEGV", 6)] {
        let mut worker = Worker::start(&spec()).unwrap();
        let pid = worker.pid().to_string();
        let units = [UnitId(unit("waits"))];
        let mut kill = |event: &Event| {
            if matches!(event, Event::LeafStarted { .. }) {
                let kill = braid_process::Spawn::new("kill").args(["-s", name, pid.as_str()]);
                assert!(kill.run(PATIENCE).unwrap().success());
            }
            ControlFlow::Continue(())
        };
        let end = worker
            .run(&units, &RunLimits::new(PATIENCE), &mut kill)
            .unwrap();
        let crash = crash(Ran {
            end,
            events: Vec::new(),
        });
        assert_eq!(crash.unit.unwrap().0, unit("waits"));
        if number == 9 {
            assert_eq!(
                (crash.kind, crash.hs_err),
                (CrashKind::Signal { number }, None)
            );
        } else {
            assert_eq!(crash.kind, CrashKind::JvmError);
            assert!(crash.hs_err.unwrap().contains("SIGSEGV"));
        }
    }
}

#[test]
fn threads_and_processes_left_running_hold_nobody_up() {
    let mut worker = Worker::start(&spec()).unwrap();
    let ran = run_on(&mut worker, "leavesThreads", PATIENCE);
    assert_eq!(ran.end, RunEnd::Done);
    assert_eq!(*ran.outcome(&unit("passes")), Outcome::Passed);
    let ran = run_on(&mut worker, "leavesProcess", PATIENCE);
    assert_eq!(ran.end, RunEnd::Done);
    let pid = worker.pid();
    let started = Instant::now();
    drop(worker);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(!lives(pid));
    assert!(
        !group_lives(pid),
        "the process that the test has started is ended too"
    );
}

#[test]
fn endless_output_is_cut_and_does_not_block() {
    let mut worker = Worker::start(&spec()).unwrap();
    let ran = run_on(&mut worker, "printsMuch", PATIENCE);
    assert_eq!(ran.end, RunEnd::Done);
    let ran = run_on(&mut worker, "printsForEver", Duration::from_secs(2));
    assert!(matches!(ran.end, RunEnd::Timeout(_)), "{:?}", ran.end);
    let output = worker.output();
    assert!(output.truncated);
    assert!(output.stdout.len() < 2 * spec().output_cap);
    assert!(
        output.stdout.contains("This is line 0\n"),
        "the beginning is kept"
    );
    assert!(output.stdout.contains("without end"), "the end is kept");
}

#[test]
fn strange_habits_harm_nobody() {
    let mut worker = Worker::start(&spec()).unwrap();
    for (method, fails) in [
        ("readsInput", false),
        ("closesStreams", false),
        ("interruptsItself", false),
        ("throwsStrangely", true),
        ("seesItsOwnClassPath", false),
    ] {
        let ran = run_on(&mut worker, method, PATIENCE);
        assert_eq!(ran.end, RunEnd::Done);
        assert_eq!(ran.outcome(&unit(method)).is_failed(), fails, "{method}");
        assert_eq!(*ran.outcome(&unit("passes")), Outcome::Passed);
    }
}

#[test]
fn a_class_that_does_not_load_is_a_problem_when_searched_and_a_failure_when_run() {
    let mut subject = subject();
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("faults")).unwrap();
    for entry in fs::read_dir(subject.classes.join("faults")).unwrap() {
        let file = entry.unwrap().path();
        if !file.ends_with("Never.class") {
            fs::copy(
                &file,
                copy.path().join("faults").join(file.file_name().unwrap()),
            )
            .unwrap();
        }
    }
    subject.classes = copy.path().to_owned();
    let mut worker = Worker::start(&subject.spec()).unwrap();
    let discovery = subject.discover(&mut worker);
    assert_eq!(discovery.problems.len(), 1);
    assert_eq!(discovery.problems[0].class, "faults.NeedsNeverTest");
    assert!(
        discovery.problems[0].message.contains("faults/Never"),
        "{discovery:?}"
    );
    assert!(
        discovery
            .units
            .iter()
            .any(|found| found.id.0 == unit("passes"))
    );

    let units = [
        "faults.NeedsNeverTest#one",
        "faults.NeedsNeverTest#two",
        &unit("passes"),
    ];
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done);
    let missing = "failed java.lang.NoClassDefFoundError";
    assert_eq!(
        ran.leaves().into_values().collect::<Vec<_>>(),
        ["passed", missing, missing]
    );
}

#[test]
fn units_and_classes_that_do_not_exist_are_failures() {
    let mut worker = Worker::start(&spec()).unwrap();
    let units = [
        &unit("gone"),
        "faults.GoneTest#gone",
        "faults.Late#none",
        &unit("passes"),
    ];
    let ran = run(&mut worker, &units, &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done);
    let leaves = ran.leaves();
    assert_eq!(leaves[&unit("gone")], "failed braid.runner.NotFound");
    assert_eq!(
        leaves["faults.GoneTest#gone"],
        "failed java.lang.ClassNotFoundException"
    );
    assert_eq!(leaves["faults.Late#none"], "failed braid.runner.NotFound");
    assert_eq!(leaves[&unit("passes")], "passed");
}

#[test]
fn no_tests_are_no_error() {
    let mut worker = Worker::start(&spec()).unwrap();
    for classes in [vec![], vec!["faults.Late".to_owned()]] {
        let selection = Selection {
            classes,
            ..Selection::default()
        };
        let discovery = worker
            .discover(&selection, PATIENCE, &Cancel::new())
            .unwrap();
        assert_eq!(discovery, braid_exec::Discovery::default());
    }
    assert_eq!(
        run(&mut worker, &[], &RunLimits::new(PATIENCE)).end,
        RunEnd::Done
    );
}

#[test]
fn a_class_path_without_a_framework_has_no_tests() {
    let subject = subject();
    let mut spec = subject.spec();
    spec.classpath.truncate(1);
    let mut worker = Worker::start(&spec).unwrap();
    assert!(subject.discover(&mut worker).units.is_empty());
}

#[test]
fn a_jvm_that_does_not_start_says_why() {
    let mut bad = spec();
    bad.jvm_args.push("-XX:+NoSuchOption".to_owned());
    let Err(ExecError::DiedAtStart { stderr, .. }) = Worker::start(&bad) else {
        panic!()
    };
    assert!(stderr.contains("NoSuchOption"), "{stderr}");

    let mut none = spec();
    none.jdk = PathBuf::from("/no/such/jdk");
    assert!(matches!(Worker::start(&none), Err(ExecError::Start(_))));

    let mut nowhere = spec();
    nowhere.cwd = PathBuf::from("/no/such/folder");
    assert!(matches!(Worker::start(&nowhere), Err(ExecError::Start(_))));
}

#[cfg(unix)]
#[test]
fn a_worker_that_never_connects_is_given_up() {
    use std::os::unix::fs::PermissionsExt;
    let jdk = tempfile::tempdir().unwrap();
    let java = jdk.path().join("bin/java");
    fs::create_dir(jdk.path().join("bin")).unwrap();
    fs::write(&java, "#!/bin/sh\necho sleeping >&2\nsleep 600\n").unwrap();
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).unwrap();
    let mut spec = spec();
    spec.jdk = jdk.path().to_owned();
    spec.start_timeout = Duration::from_millis(500);
    let Err(ExecError::NeverConnected { stderr, .. }) = Worker::start(&spec) else {
        panic!()
    };
    assert_eq!(stderr, "sleeping");
}

#[test]
fn the_caller_can_break_off_and_the_flag_can_cancel() {
    let units: Vec<UnitId> = ["passes", "waits"]
        .map(|method| UnitId(unit(method)))
        .into();
    let mut worker = Worker::start(&spec()).unwrap();
    let mut stop = |event: &Event| match event {
        Event::LeafFinished { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let end = worker
        .run(&units, &RunLimits::new(PATIENCE), &mut stop)
        .unwrap();
    assert_eq!(end, RunEnd::Stopped);

    let mut worker = Worker::start(&spec()).unwrap();
    let limits = RunLimits::new(PATIENCE);
    let cancel = limits.cancel.clone();
    let mut on_event = |event: &Event| {
        if matches!(event, Event::LeafStarted { leaf, .. } if leaf.0 == unit("waits")) {
            cancel.cancel();
        }
        ControlFlow::Continue(())
    };
    let end = worker.run(&units, &limits, &mut on_event).unwrap();
    assert_eq!(end, RunEnd::Cancelled);
}

#[test]
fn long_class_paths_fit() {
    let subject = subject();
    let mut spec = subject.spec();
    let long = "x".repeat(200);
    spec.classpath
        .extend((0..1000).map(|i| Path::new("/nowhere").join(format!("{long} {i}.jar"))));
    let mut worker = Worker::start(&spec).unwrap();
    let ran = run(&mut worker, &[&unit("passes")], &RunLimits::new(PATIENCE));
    assert_eq!(*ran.outcome(&unit("passes")), Outcome::Passed);
}

#[test]
fn a_worker_whose_controller_is_gone_ends_itself_in_the_middle_of_a_test() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let class_path = std::iter::once(support::runner()).chain(subject().class_path());
    let class_path: Vec<_> = class_path
        .map(|entry| entry.display().to_string())
        .collect();
    let running = braid_process::Spawn::new(braid_subjects::jdk().join("bin/java"))
        .args(["-Xmx64m", "-cp", &class_path.join(":"), "braid.runner.Main"])
        .stdin(format!("{port}\nsecret\n"))
        .start()
        .unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let run = braid_protocol::ToWorker::Run {
        units: vec![UnitId(unit("loops"))],
    };
    std::io::Write::write_all(&mut stream, &run.encode().unwrap()).unwrap();
    let mut frames = braid_protocol::FrameReader::new();
    let mut buffer = [0; 4096];
    'started: loop {
        let length = std::io::Read::read(&mut stream, &mut buffer).unwrap();
        frames.push(&buffer[..length]);
        while let Some(body) = frames.next_body().unwrap() {
            let message = braid_protocol::FromWorker::decode(body).unwrap();
            if matches!(message, braid_protocol::FromWorker::LeafStarted { .. }) {
                break 'started;
            }
        }
    }
    drop(stream);
    assert!(running.wait_timeout(PATIENCE).is_some(), "the JVM lives on");
}
