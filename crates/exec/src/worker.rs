//! A worker JVM: finds units and runs them.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use braid_protocol::{FromWorker, ToWorker, UnitId};

use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::error::ExecError;
use crate::event::{Discovery, Event, Output, RunEnd, RunLimits, Selection, Timeout};
use crate::jvm::{Blame, CANCEL_CHECK, Jvm, LastWords};
use crate::launch::{Extra, Scratch, launch};
use crate::link::Heard;
use crate::spec::WorkerSpec;

/// How long a JVM may take to start over.
const RENEW_LIMIT: Duration = Duration::from_secs(10);

/// A worker JVM. Dropping it ends the JVM and every process that it started.
#[derive(Debug)]
pub struct Worker {
    jvm: Jvm,
}

impl Worker {
    /// Starts a JVM and waits until the runner in it is ready.
    pub fn start(spec: &WorkerSpec) -> Result<Self, ExecError> {
        let temp = Scratch::create(spec.temp_root.as_ref())?;
        let (running, link) = launch(spec, temp.path(), &Extra::default())?;
        Ok(Self {
            jvm: Jvm::new(link, running, temp),
        })
    }

    /// The process number of the JVM.
    pub fn pid(&self) -> u32 {
        self.jvm.running.pid()
    }

    /// What the JVM has written so far.
    pub fn output(&self) -> Output {
        self.jvm.output()
    }

    /// Searches classes for units. After an error the worker is gone.
    pub fn discover(
        &mut self,
        selection: &Selection,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Discovery, ExecError> {
        self.jvm.discover(selection, timeout, cancel, &mut |_| ())
    }

    /// Has a JVM with nothing but test frameworks on its class path start over with a program in a loader of its own.
    /// Gives the reason why this JVM is not fit for it, if so; it is of no more use then.
    pub fn renew(&mut self, classpath: &[PathBuf]) -> Result<Option<String>, ExecError> {
        let entries = classpath.iter().map(|path| path.to_string_lossy());
        self.jvm.begin(&ToWorker::Renew {
            classpath: entries.map(std::borrow::Cow::into_owned).collect(),
        })?;
        let deadline = Instant::now() + RENEW_LIMIT;
        loop {
            match self.jvm.link.listen(deadline)? {
                Heard::Message(FromWorker::Renewed { unfit }) => {
                    self.jvm.done();
                    return Ok(unfit);
                }
                Heard::Message(_) => {}
                Heard::Closed | Heard::Silence => {
                    self.jvm.running.kill();
                    return Ok(Some("the JVM is gone".to_owned()));
                }
            }
        }
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
        self.run_patiently(units, limits, &|_, _| Duration::ZERO, on_event)
    }

    /// The same, but what has come to its limit gets the time that `more` gives it, which is told how long it had by
    /// now and what the limit is. None means that it has had its time.
    pub fn run_patiently(
        &mut self,
        units: &[UnitId],
        limits: &RunLimits,
        more: &dyn Fn(Duration, Duration) -> Duration,
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, ExecError> {
        self.jvm.begin(&ToWorker::Run {
            units: units.to_vec(),
        })?;
        let mut clock = Clock::start(units, limits, Instant::now());
        let mut words = LastWords::default();
        loop {
            let deadline = clock.deadline();
            let until = deadline.min(Instant::now() + CANCEL_CHECK);
            let heard = self.jvm.link.listen(until)?;
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
                    match more(clock.allowed(), clock.limit()) {
                        Duration::ZERO => return Ok(self.time_out(&clock)),
                        more => clock.grant(more),
                    }
                }
                Heard::Silence => {}
            }
        }
        self.jvm.done();
        Ok(RunEnd::Done)
    }

    /// Ends the JVM before the worker is dropped.
    fn end(&self, end: RunEnd) -> RunEnd {
        self.jvm.running.kill();
        end
    }

    fn time_out(&mut self, clock: &Clock<'_>) -> RunEnd {
        let (unit, leaf) = clock.blame();
        let stack = self.jvm.ask_for_stack();
        self.end(RunEnd::Timeout(Timeout {
            unit,
            leaf,
            limit: clock.limit(),
            stack,
        }))
    }

    fn crashed(&self, blame: Blame, words: LastWords) -> RunEnd {
        RunEnd::Crashed(Box::new(self.jvm.crash(blame, words)))
    }
}

impl LastWords {
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
