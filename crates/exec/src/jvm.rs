//! A running JVM and the connection to it: what plain and warm workers have in common.

use std::time::{Duration, Instant};

use braid_process::Running;
use braid_protocol::{FromWorker, LeafId, ToWorker, UnitId};

use crate::cancel::Cancel;
use crate::crash::{Crash, CrashKind, hs_err, tail};
use crate::error::ExecError;
use crate::event::{Discovery, Output, Problem, Selection};
use crate::launch::{STDERR_TAIL, Scratch};
use crate::link::{Heard, Link};

/// How often we look at the cancel flag.
pub(crate) const CANCEL_CHECK: Duration = Duration::from_millis(50);
/// How long a worker that takes too long may take to say where it is.
const STACK_PATIENCE: Duration = Duration::from_millis(500);
/// How long a JVM may take to end once it has closed the connection or begun to exit.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);

/// A JVM with a runner in it.
#[derive(Debug)]
pub(crate) struct Jvm {
    pub(crate) link: Link,
    pub(crate) running: Running,
    temp: Scratch,
    usable: bool,
}

/// What was running when a worker stopped.
pub(crate) type Blame = (Option<UnitId>, Option<LeafId>);

/// What a worker said of its own end before it came.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    pub(crate) exit_stack: Option<String>,
    broken: Option<String>,
}

impl LastWords {
    pub(crate) fn note(&mut self, message: FromWorker) {
        match message {
            FromWorker::Exiting { stack } => self.exit_stack = Some(stack),
            FromWorker::Broken { message } => self.broken = Some(message),
            _ => {}
        }
    }
}

impl Jvm {
    pub(crate) fn new(link: Link, running: Running, temp: Scratch) -> Self {
        Self {
            link,
            running,
            temp,
            usable: true,
        }
    }

    pub(crate) fn output(&self) -> Output {
        let (stdout, stderr) = (self.running.stdout(), self.running.stderr());
        let truncated = stdout.truncated() || stderr.truncated();
        Output {
            stdout: stdout.text(),
            stderr: stderr.text(),
            truncated,
        }
    }

    /// Sends a request; the JVM is usable again when [`Jvm::done`] says so.
    pub(crate) fn begin(&mut self, message: &ToWorker) -> Result<(), ExecError> {
        if !std::mem::take(&mut self.usable) {
            return Err(ExecError::Gone);
        }
        self.link.send(message)
    }

    /// The answer to the last request is complete.
    pub(crate) fn done(&mut self) {
        self.usable = true;
    }

    /// Searches classes for units; messages that are no answer go to `other`.
    pub(crate) fn discover(
        &mut self,
        selection: &Selection,
        timeout: Duration,
        cancel: &Cancel,
        other: &mut dyn FnMut(&FromWorker),
    ) -> Result<Discovery, ExecError> {
        self.begin(&ToWorker::Discover {
            classes: selection.classes.clone(),
            tags: selection.tags.clone(),
        })?;
        let deadline = Instant::now() + timeout;
        let mut found = Discovery::default();
        let mut words = LastWords::default();
        loop {
            let until = deadline.min(Instant::now() + CANCEL_CHECK);
            match self.link.listen(until)? {
                Heard::Message(FromWorker::Found(unit)) => found.units.push(unit),
                Heard::Message(FromWorker::Problem { class, message }) => {
                    found.problems.push(Problem { class, message });
                }
                Heard::Message(FromWorker::Discovered) => break,
                Heard::Message(message) => {
                    other(&message);
                    words.note(message);
                }
                Heard::Closed => {
                    let crash = self.crash((None, None), words);
                    return Err(ExecError::DiscoveryCrashed(Box::new(crash)));
                }
                Heard::Silence if cancel.is_cancelled() => return Err(ExecError::Cancelled),
                Heard::Silence if Instant::now() >= deadline => {
                    let stack = self.ask_for_stack();
                    return Err(ExecError::DiscoveryTimeout {
                        limit: timeout,
                        stack,
                    });
                }
                Heard::Silence => {}
            }
        }
        self.done();
        Ok(found)
    }

    pub(crate) fn ask_for_stack(&mut self) -> Option<String> {
        self.link.send(&ToWorker::Dump).ok()?;
        let deadline = Instant::now() + STACK_PATIENCE;
        while Instant::now() < deadline {
            match self.link.listen(deadline) {
                Ok(Heard::Message(FromWorker::Stack { text })) => return Some(text),
                Ok(Heard::Message(_)) => {}
                Ok(Heard::Silence | Heard::Closed) | Err(_) => return None,
            }
        }
        None
    }

    /// Says how the JVM ended, after waiting for that a little and ending it if need be.
    pub(crate) fn crash(&self, blame: Blame, words: LastWords) -> Crash {
        let status = self.running.wait_timeout(EXIT_PATIENCE);
        if status.is_none() {
            self.running.kill();
        }
        let hs_err = hs_err(self.temp.path());
        let oom = words
            .broken
            .as_ref()
            .is_some_and(|why| why.contains("OutOfMemoryError"));
        let mut stderr = tail(&self.running.stderr().text(), STDERR_TAIL);
        if let Some(why) = words.broken {
            stderr = format!("{why}\n{stderr}").trim_end().to_owned();
        }
        Crash {
            unit: blame.0,
            leaf: blame.1,
            kind: CrashKind::classify(status, hs_err.as_deref(), oom),
            stderr,
            hs_err,
            stack: words.exit_stack.filter(|stack| !stack.is_empty()),
        }
    }
}
