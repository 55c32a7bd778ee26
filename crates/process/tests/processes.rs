//! Processes as callers see them: limits, whole groups, input and output.
#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use braid_process::{ProcessError, Spawn, find_program};

const LONG: Duration = Duration::from_secs(30);

fn sh(script: &str) -> Spawn {
    Spawn::new("sh").args(["-c", script])
}

/// Whether a process with this number exists and is not a zombie.
fn exists(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|s| {
        !s.rsplit(')')
            .next()
            .unwrap_or("")
            .trim_start()
            .starts_with('Z')
    })
}

fn gone_soon(pid: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while exists(pid) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    !exists(pid)
}

#[test]
fn output_status_and_surroundings_are_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let finished = sh("cat; echo $A; pwd; echo oops >&2; exit 3")
        .env("A", "x y")
        .cwd(dir.path())
        .stdin("in\n")
        .run(LONG)
        .unwrap();
    let cwd = dir.path().canonicalize().unwrap();
    assert_eq!(
        finished.stdout.text(),
        format!("in\nx y\n{}\n", cwd.display())
    );
    assert_eq!(finished.stderr.text(), "oops\n");
    assert_eq!(finished.code(), Some(3));
    assert!(!finished.success() && !finished.timed_out && !finished.truncated);
}

#[test]
fn a_process_without_input_reads_an_empty_one() {
    assert_eq!(Spawn::new("cat").run(LONG).unwrap().stdout.total(), 0);
}

#[test]
fn input_that_is_not_read_blocks_nobody() {
    assert!(
        Spawn::new("true")
            .stdin(vec![b'x'; 4_000_000])
            .run(LONG)
            .unwrap()
            .success()
    );
}

#[test]
fn time_over_kills_the_whole_group() {
    let finished = sh("sleep 60 & echo $!; wait")
        .run(Duration::from_millis(400))
        .unwrap();
    assert!(finished.timed_out && !finished.success());
    assert_eq!(finished.signal(), Some(9));
    assert!(finished.elapsed < LONG);
    assert!(gone_soon(finished.stdout.text().trim()));
}

#[test]
fn what_a_process_leaves_behind_ends_with_it() {
    let start = Instant::now();
    let finished = sh("sleep 60 & echo $!").run(LONG).unwrap();
    assert!(finished.success());
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(gone_soon(finished.stdout.text().trim()));
}

#[test]
fn a_process_that_left_the_group_does_not_hold_us_up() {
    if find_program("setsid").is_none() {
        return;
    }
    let start = Instant::now();
    let finished = sh("setsid sh -c 'echo $$; exec sleep 20' & sleep 0.3")
        .run(LONG)
        .unwrap();
    assert!(start.elapsed() < Duration::from_secs(15));
    sh(&format!("kill {}", finished.stdout.text().trim()))
        .run(LONG)
        .unwrap();
}

#[test]
fn endless_output_is_kept_within_the_cap() {
    let finished = sh("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo last")
        .cap(1000)
        .run(LONG)
        .unwrap();
    assert!(finished.truncated);
    let text = finished.stdout.text();
    assert!(text.starts_with("first\n") && text.ends_with("xlast\n"));
    assert_eq!(finished.stdout.total(), 5_000_011);
}

#[test]
fn dropping_a_running_process_kills_it() {
    let running = sh("echo $$; exec sleep 60").start().unwrap();
    let pid = running.pid().to_string();
    assert!(running.is_alive() && running.try_wait().is_none());
    drop(running);
    assert!(gone_soon(&pid));
}

#[test]
fn a_killer_works_from_another_thread_and_after_the_end() {
    let running = sh("exec sleep 60").start().unwrap();
    let killer = running.killer();
    let thread = std::thread::spawn({
        let killer = killer.clone();
        move || killer.kill()
    });
    assert!(running.wait_timeout(LONG).is_some());
    thread.join().unwrap();
    killer.kill();
    assert_eq!(running.finish(None).unwrap().signal(), Some(9));
}

#[test]
fn output_can_be_watched_as_it_comes() {
    let (send, receive) = std::sync::mpsc::channel();
    let send = std::sync::Mutex::new(send);
    let running = sh("echo ready; exec sleep 60")
        .observe(move |_, bytes| drop(send.lock().unwrap().send(bytes.to_vec())))
        .start()
        .unwrap();
    assert_eq!(receive.recv_timeout(LONG).unwrap(), b"ready\n");
    assert_eq!(running.stdout().text(), "ready\n");
}

#[test]
fn errors_name_the_program_and_the_reason() {
    let missing = Spawn::new("braid-no-such-program").run(LONG).unwrap_err();
    assert!(
        matches!(missing, ProcessError::NotFound { .. }),
        "{missing}"
    );
    let folder = sh("true").cwd("/no/such/folder").run(LONG).unwrap_err();
    assert_eq!(
        folder.to_string(),
        "cannot run sh in /no/such/folder: no such folder"
    );
    let long = sh("true")
        .arg("x".repeat(10_000_000))
        .run(LONG)
        .unwrap_err();
    assert!(matches!(long, ProcessError::TooLong { .. }), "{long}");
}

#[test]
fn the_command_line_is_shown_as_a_shell_would_read_it() {
    let spawn = Spawn::new("java").args(["-cp", "a:b", "it's", ""]);
    assert_eq!(spawn.command_line(), r"java -cp a:b 'it'\''s' ''");
}

/// This test runs itself as "Braid", which starts a process and is then killed.
#[test]
fn processes_end_when_braid_itself_is_killed() {
    if std::env::var_os("BRAID_PROCESS_TEST_VICTIM").is_some() {
        let running = sh("echo $$; sleep 60").start().unwrap();
        let done = sh("exit 0").run(LONG).unwrap();
        assert!(done.success());
        println!("child {}", running.pid());
        std::thread::sleep(LONG);
        return;
    }
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "processes_end_when_braid_itself_is_killed",
            "--nocapture",
        ])
        .env("BRAID_PROCESS_TEST_VICTIM", "1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = std::io::BufReader::new(victim.stdout.take().unwrap());
    let pid = std::io::BufRead::lines(output)
        .map_while(Result::ok)
        .find_map(|line| line.split("child ").nth(1).map(str::to_owned))
        .unwrap();
    assert!(exists(&pid));
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(gone_soon(&pid));
}
