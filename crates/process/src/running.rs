//! A started process, and how it ended.

use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::capture::{Capture, Captured};
use crate::error::ProcessError;
use crate::group;

/// How long to wait for the rest of the output once the process has ended.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(1);

/// A process that is running, or has ended and was not asked about yet.
///
/// Dropping it kills the process and everything in its group.
#[derive(Debug)]
pub struct Running {
    program: String,
    pid: u32,
    started: Instant,
    life: Arc<Life>,
    stdout: Capture,
    stderr: Capture,
}

/// How a process ended and what it wrote.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The exit status; killed by a signal if it was ended by force.
    pub status: ExitStatus,
    /// What was kept of its standard output.
    pub stdout: Captured,
    /// What was kept of its error output.
    pub stderr: Captured,
    /// Whether it was ended because its time was over.
    pub timed_out: bool,
    /// From start to end.
    pub elapsed: Duration,
    /// Whether part of its output was thrown away.
    pub truncated: bool,
}

impl Finished {
    /// Whether the process ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        !self.timed_out && self.status.success()
    }

    /// The exit code, if it ended by itself.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended the process, if one did.
    pub fn signal(&self) -> Option<i32> {
        #[cfg(unix)]
        return std::os::unix::process::ExitStatusExt::signal(&self.status);
        #[cfg(not(unix))]
        None
    }
}

/// Ends one process from any thread.
#[derive(Debug, Clone)]
pub struct Killer {
    pid: u32,
    life: Arc<Life>,
}

impl Killer {
    /// Kills the process and everything in its group; nothing happens if it is gone.
    pub fn kill(&self) {
        self.life.kill(self.pid);
    }
}

/// The state that the owner of a process, its waiting thread and its killers share.
#[derive(Debug)]
struct Life {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
enum State {
    Alive(Child),
    Ended(ExitStatus, Instant),
    Lost(std::io::ErrorKind),
}

impl Life {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the group while its leader is not reaped, so that the number is surely its own.
    fn kill(&self, pid: u32) {
        if let State::Alive(child) = &mut *self.lock() {
            group::kill(pid);
            if cfg!(not(unix)) {
                // Fails only if the process has ended, which is what was asked for.
                let _ = child.kill();
            }
        }
    }

    /// Reaps the process, which has ended, after killing what is left of its group.
    fn reap(&self, pid: u32) {
        let mut state = self.lock();
        if let State::Alive(child) = &mut *state {
            group::kill(pid);
            group::leave(pid);
            *state = match child.wait() {
                Ok(status) => State::Ended(status, Instant::now()),
                Err(e) => State::Lost(e.kind()),
            };
        }
        self.changed.notify_all();
    }

    /// Waits until the process is reaped or the deadline has passed.
    fn wait(&self, deadline: Option<Instant>) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while matches!(*state, State::Alive(_)) {
            let Some(deadline) = deadline else {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state
    }
}

/// Watches the process from a thread of its own and reaps it when it has ended.
#[cfg(unix)]
fn watch(life: &Life, pid: u32) {
    group::wait_for_end(pid);
    life.reap(pid);
}

#[cfg(not(unix))]
fn watch(life: &Life, pid: u32) {
    loop {
        if let State::Alive(child) = &mut *life.lock()
            && !matches!(child.try_wait(), Ok(None))
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    life.reap(pid);
}

impl Running {
    pub(crate) fn new(
        program: String,
        child: Child,
        started: Instant,
        (stdout, stderr): (Capture, Capture),
    ) -> Result<Self, ProcessError> {
        let pid = child.id();
        let state = Mutex::new(State::Alive(child));
        let life = Arc::new(Life {
            state,
            changed: Condvar::new(),
        });
        let watched = Arc::clone(&life);
        let watcher = std::thread::Builder::new()
            .name(format!("wait-{pid}"))
            .spawn(move || watch(&watched, pid));
        if let Err(source) = watcher {
            life.kill(pid);
            life.reap(pid);
            return Err(ProcessError::Wait { pid, source });
        }
        Ok(Self {
            program,
            pid,
            started,
            life,
            stdout,
            stderr,
        })
    }

    /// The process number, which is also the number of its group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The program as it was asked for.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether the process has not ended yet.
    pub fn is_alive(&self) -> bool {
        matches!(*self.life.lock(), State::Alive(_))
    }

    /// A handle that can end the process from another thread.
    pub fn killer(&self) -> Killer {
        Killer {
            pid: self.pid,
            life: Arc::clone(&self.life),
        }
    }

    /// Kills the process and everything in its group; returns at once.
    pub fn kill(&self) {
        self.life.kill(self.pid);
    }

    /// The exit status if the process has ended.
    pub fn try_wait(&self) -> Option<ExitStatus> {
        match &*self.life.lock() {
            State::Ended(status, _) => Some(*status),
            _ => None,
        }
    }

    /// Waits at most `timeout` for the end; the exit status if it came.
    pub fn wait_timeout(&self, timeout: Duration) -> Option<ExitStatus> {
        match &*self.life.wait(Instant::now().checked_add(timeout)) {
            State::Ended(status, _) => Some(*status),
            _ => None,
        }
    }

    /// What the process has written to its standard output so far, within the cap.
    pub fn stdout(&self) -> Captured {
        self.stdout.snapshot()
    }

    /// What the process has written to its error output so far, within the cap.
    pub fn stderr(&self) -> Captured {
        self.stderr.snapshot()
    }

    /// Waits for the end, or kills the process when `timeout` has passed.
    pub fn finish(self, timeout: Option<Duration>) -> Result<Finished, ProcessError> {
        let deadline = timeout.and_then(|t| self.started.checked_add(t));
        let mut timed_out = false;
        let mut state = self.life.wait(deadline);
        if matches!(*state, State::Alive(_)) {
            timed_out = true;
            drop(state);
            self.kill();
            state = self.life.wait(None);
        }
        let (status, ended) = match &*state {
            State::Ended(status, at) => (*status, *at),
            State::Lost(kind) => {
                return Err(ProcessError::Wait {
                    pid: self.pid,
                    source: (*kind).into(),
                });
            }
            State::Alive(_) => unreachable!("waited without a deadline"),
        };
        drop(state);
        let patience = Instant::now() + OUTPUT_PATIENCE;
        self.stdout.wait(patience);
        self.stderr.wait(patience);
        let (stdout, stderr) = (self.stdout.snapshot(), self.stderr.snapshot());
        let truncated = stdout.truncated() || stderr.truncated();
        let elapsed = ended.duration_since(self.started);
        Ok(Finished {
            status,
            stdout,
            stderr,
            timed_out,
            elapsed,
            truncated,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        drop(self.life.wait(None));
    }
}
