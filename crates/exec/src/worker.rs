//! A worker JVM: finds units and runs them.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use braid_process::Running;
use braid_protocol::{FromWorker, LeafId, ToWorker, UnitId};

use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::crash::{Crash, CrashKind, hs_err, tail};
use crate::error::ExecError;
use crate::event::{Discovery, Event, Output, Problem, RunEnd, RunLimits, Selection, Timeout};
use crate::launch::{STDERR_TAIL, Scratch, launch};
use crate::link::{Heard, Link};
use crate::spec::WorkerSpec;

/// How often we look at the cancel flag.
const CANCEL_CHECK: Duration = Duration::from_millis(50);
/// How long a worker that takes too long may take to say where it is.
const STACK_PATIENCE: Duration = Duration::from_millis(500);
/// How long a JVM may take to end once it has closed the connection or begun to exit.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);

/// A worker JVM. Dropping it ends the JVM and every process that it started.
#[derive(Debug)]
pub struct Worker {
    link: Link,
    running: Running,
    temp: Scratch,
    usable: bool,
}

/// What was running when a worker stopped.
type Blame = (Option<UnitId>, Option<LeafId>);

/// What a worker said of its own end before it came.
#[derive(Debug, Default)]
struct LastWords {
    exit_stack: Option<String>,
    broken: Option<String>,
}

impl Worker {
    /// Starts a JVM and waits until the runner in it is ready.
    pub fn start(spec: &WorkerSpec) -> Result<Self, ExecError> {
        let temp = Scratch::create(spec.temp_root.as_ref())?;
        let (running, link) = launch(spec, temp.path())?;
        Ok(Self {
            link,
            running,
            temp,
            usable: true,
        })
    }

    /// The process number of the JVM.
    pub fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// What the JVM has written so far.
    pub fn output(&self) -> Output {
        let (stdout, stderr) = (self.running.stdout(), self.running.stderr());
        let truncated = stdout.truncated() || stderr.truncated();
        Output {
            stdout: stdout.text(),
            stderr: stderr.text(),
            truncated,
        }
    }

    /// Searches classes for units. After an error the worker is gone.
    pub fn discover(
        &mut self,
        selection: &Selection,
        timeout: Duration,
        cancel: &Cancel,
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
                Heard::Message(other) => words.note(other),
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
        self.usable = true;
        Ok(found)
    }

    /// Runs `units` in this order and shows each event to `on_event`, which may break off.
    ///
    /// Units of one class that stand next to each other run as one group, in the framework's order
    /// and sharing class-level set-up as the framework has it. After any end but
    /// [`RunEnd::Done`] the worker is gone.
    pub fn run(
        &mut self,
        units: &[UnitId],
        limits: &RunLimits,
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, ExecError> {
        self.begin(&ToWorker::Run {
            units: units.to_vec(),
        })?;
        let mut clock = Clock::start(units, limits, Instant::now());
        let mut words = LastWords::default();
        loop {
            let deadline = clock.deadline();
            let until = deadline.min(Instant::now() + CANCEL_CHECK);
            let heard = self.link.listen(until)?;
            if limits.cancel.is_cancelled() {
                return Ok(self.end(RunEnd::Cancelled));
            }
            match heard {
                Heard::Message(FromWorker::RunFinished) => break,
                Heard::Message(message) => {
                    if let Some(event) = words.event_of(message) {
                        clock.note(&event, Instant::now());
                        if on_event(&event).is_break() {
                            return Ok(self.end(RunEnd::Stopped));
                        }
                    } else if words.exit_stack.is_some() {
                        return Ok(self.crashed(clock.blame(), words));
                    }
                }
                Heard::Closed => return Ok(self.crashed(clock.blame(), words)),
                Heard::Silence if Instant::now() >= deadline => {
                    return Ok(self.time_out(&clock));
                }
                Heard::Silence => {}
            }
        }
        self.usable = true;
        Ok(RunEnd::Done)
    }

    fn begin(&mut self, message: &ToWorker) -> Result<(), ExecError> {
        if !std::mem::take(&mut self.usable) {
            return Err(ExecError::Gone);
        }
        self.link.send(message)
    }

    /// Ends the JVM before the worker is dropped.
    fn end(&self, end: RunEnd) -> RunEnd {
        self.running.kill();
        end
    }

    fn time_out(&mut self, clock: &Clock<'_>) -> RunEnd {
        let (unit, leaf) = clock.blame();
        let stack = self.ask_for_stack();
        self.end(RunEnd::Timeout(Timeout {
            unit,
            leaf,
            limit: clock.limit(),
            stack,
        }))
    }

    fn ask_for_stack(&mut self) -> Option<String> {
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

    fn crashed(&self, blame: Blame, words: LastWords) -> RunEnd {
        RunEnd::Crashed(Box::new(self.crash(blame, words)))
    }

    /// Says how the JVM ended, after waiting for that a little and ending it if need be.
    fn crash(&self, blame: Blame, words: LastWords) -> Crash {
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

impl LastWords {
    fn note(&mut self, message: FromWorker) {
        match message {
            FromWorker::Exiting { stack } => self.exit_stack = Some(stack),
            FromWorker::Broken { message } => self.broken = Some(message),
            _ => {}
        }
    }

    /// The event that a message reports, if it reports one.
    fn event_of(&mut self, message: FromWorker) -> Option<Event> {
        match message {
            FromWorker::UnitStarted { unit } => Some(Event::UnitStarted { unit }),
            FromWorker::LeafStarted { unit, leaf } => Some(Event::LeafStarted { unit, leaf }),
            FromWorker::LeafFinished {
                unit,
                leaf,
                outcome,
                nanos,
            } => {
                let duration = Duration::from_nanos(nanos);
                Some(Event::LeafFinished {
                    unit,
                    leaf,
                    outcome,
                    duration,
                })
            }
            FromWorker::UnitFinished { unit, nanos } => Some(Event::UnitFinished {
                unit,
                duration: Duration::from_nanos(nanos),
            }),
            other => {
                self.note(other);
                None
            }
        }
    }
}
