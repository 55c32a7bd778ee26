//! A warm worker JVM: makes trials.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use braid_protocol::{
    FromWorker, Redefinition, ToWorker, TrialOrder, TrialUnit as OrderUnit, Trials, UnitId, UnitRan,
};

use crate::cancel::Cancel;
use crate::error::ExecError;
use crate::event::{Discovery, Output, Selection};
use crate::jvm::{CANCEL_CHECK, Jvm, LastWords};
use crate::launch::{Scratch, launch};
use crate::link::Heard;
use crate::warm::spec::WarmSpec;
use crate::warm::trial::{Leaf, Ran, Redefined, Trial, TrialUnit, WarmEnd, WarmOptions};

/// How long the worker itself may take to stop a unit and to put things back.
const GRACE: Duration = Duration::from_secs(5);

/// A warm worker JVM. Dropping it ends the JVM and every process that it started.
#[derive(Debug)]
pub struct WarmWorker {
    jvm: Jvm,
    notes: Vec<String>,
}

impl WarmWorker {
    /// Starts a JVM and waits until the runner in it is ready.
    pub fn start(spec: &WarmSpec) -> Result<Self, ExecError> {
        let temp = Scratch::create(spec.worker.temp_root.as_ref())?;
        let extra = spec.extra(temp.path())?;
        let (running, link) = launch(&spec.worker, temp.path(), &extra)?;
        Ok(Self {
            jvm: Jvm::new(link, running, temp),
            notes: Vec::new(),
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

    /// What the agent could not do for the classes that were loaded so far.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Searches classes for units. After an error the worker is gone.
    pub fn discover(
        &mut self,
        selection: &Selection,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Discovery, ExecError> {
        let notes = &mut self.notes;
        let mut other = |message: &FromWorker| {
            if let FromWorker::Note { text } = message {
                notes.push(text.clone());
            }
        };
        self.jvm.discover(selection, timeout, cancel, &mut other)
    }

    /// Makes trials in this order and shows the result of each unit to `on_ran`, which may break off.
    pub fn run(
        &mut self,
        trials: &[Trial],
        options: &WarmOptions,
        on_ran: &mut dyn FnMut(Ran) -> ControlFlow<()>,
    ) -> Result<WarmEnd, ExecError> {
        let order = order(trials, options.record);
        self.jvm.begin(&ToWorker::RunTrials(order.clone()))?;
        let mut at = Position::new(&order, Instant::now());
        let mut words = LastWords::default();
        let (mut taint, mut stopped) = (None, false);
        loop {
            let until = at.deadline.min(Instant::now() + CANCEL_CHECK);
            let heard = self.jvm.link.listen(until)?;
            if options.cancel.is_cancelled() {
                self.jvm.running.kill();
                return Ok(WarmEnd::Cancelled);
            }
            match heard {
                Heard::Message(FromWorker::TrialsFinished) => break,
                Heard::Message(FromWorker::TrialStarted { trial, unit }) => {
                    at.begin(trial, unit, &order, Instant::now());
                }
                Heard::Message(FromWorker::UnitRan(ran)) => {
                    at.end(Instant::now());
                    taint.clone_from(&ran.tainted);
                    let ran = report(*ran, trials, &order);
                    if let Some(ran) = ran.filter(|_| !stopped)
                        && on_ran(ran).is_break()
                    {
                        stopped = true;
                        self.jvm.link.send(&ToWorker::Halt)?;
                    }
                }
                Heard::Message(FromWorker::Note { text }) => self.notes.push(text),
                Heard::Message(message) => {
                    words.note(message);
                    if words.exit_stack.is_some() {
                        return Ok(self.crashed(&at, &order, words));
                    }
                }
                Heard::Closed => return Ok(self.crashed(&at, &order, words)),
                Heard::Silence if Instant::now() >= at.deadline => {
                    return Ok(self.time_out(&at, &order));
                }
                Heard::Silence => {}
            }
        }
        if let Some(reason) = taint {
            self.jvm.running.kill();
            return Ok(WarmEnd::Tainted { reason });
        }
        self.jvm.done();
        Ok(if stopped {
            WarmEnd::Stopped
        } else {
            WarmEnd::Done
        })
    }

    fn crashed(&self, at: &Position, order: &Trials, words: LastWords) -> WarmEnd {
        WarmEnd::Crashed {
            trial: at.trial,
            crash: Box::new(self.jvm.crash((at.unit(order), None), words)),
        }
    }

    fn time_out(&mut self, at: &Position, order: &Trials) -> WarmEnd {
        let stack = self.jvm.ask_for_stack();
        self.jvm.running.kill();
        WarmEnd::Timeout {
            trial: at.trial,
            unit: at.unit(order).unwrap_or_else(|| UnitId(String::new())),
            stack,
        }
    }

    /// Gives classes (`a/b/C`) other bytes, loading those that are not loaded yet.
    pub fn redefine(
        &mut self,
        classes: &[(String, Vec<u8>)],
        timeout: Duration,
    ) -> Result<Redefined, ExecError> {
        let classes = classes.iter().map(|(name, bytes)| Redefinition {
            class: name.replace('/', "."),
            bytes: bytes.clone(),
        });
        self.jvm.begin(&ToWorker::Redefine {
            classes: classes.collect(),
        })?;
        let deadline = Instant::now() + timeout;
        loop {
            match self.jvm.link.listen(deadline)? {
                Heard::Message(FromWorker::Redefined { error, message }) => {
                    self.jvm.done();
                    return Ok(if error == 0 {
                        Redefined::Done
                    } else {
                        Redefined::Refused { error, message }
                    });
                }
                Heard::Message(FromWorker::Note { text }) => self.notes.push(text),
                Heard::Message(_) => {}
                Heard::Closed | Heard::Silence => {
                    self.jvm.running.kill();
                    return Err(ExecError::Gone);
                }
            }
        }
    }
}

/// Where a request stands.
#[derive(Debug)]
struct Position {
    trial: usize,
    unit: usize,
    deadline: Instant,
    longest: Duration,
}

impl Position {
    fn new(order: &Trials, now: Instant) -> Self {
        let longest = order.units.iter().map(|unit| unit.wall_ms).max();
        let longest = Duration::from_millis(longest.unwrap_or(0).into()) + GRACE;
        let first = order.trials.first().and_then(|trial| trial.units.first());
        Self {
            trial: 0,
            unit: first.map_or(0, |unit| *unit as usize),
            deadline: now + longest,
            longest,
        }
    }

    fn begin(&mut self, trial: u32, unit: u32, order: &Trials, now: Instant) {
        (self.trial, self.unit) = (trial as usize, unit as usize);
        let wall_ms = order.units.get(self.unit).map_or(0, |unit| unit.wall_ms);
        self.deadline = now + Duration::from_millis(wall_ms.into()) + GRACE;
    }

    fn end(&mut self, now: Instant) {
        self.deadline = now + self.longest;
    }

    fn unit(&self, order: &Trials) -> Option<UnitId> {
        order.units.get(self.unit).map(|unit| unit.unit.clone())
    }
}

/// The request, in which each unit stands once.
fn order(trials: &[Trial], record: bool) -> Trials {
    let mut places: HashMap<OrderUnit, u32> = HashMap::new();
    let mut units = Vec::new();
    let mut place = |unit: &TrialUnit| {
        let unit = OrderUnit {
            unit: unit.unit.clone(),
            fuel: unit.fuel,
            wall_ms: millis(unit.wall),
            idle_ms: millis(unit.idle),
            stack_kb: unit.stack_kb,
        };
        *places.entry(unit).or_insert_with_key(|unit| {
            units.push(unit.clone());
            (units.len() - 1) as u32
        })
    };
    let trials = trials.iter().map(|trial| TrialOrder {
        variant: trial.variant,
        stop_at_failure: trial.stop_at_failure,
        units: trial.units.iter().map(&mut place).collect(),
    });
    let trials = trials.collect();
    Trials {
        units,
        trials,
        record,
    }
}

fn millis(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}

/// The result in the words of the request; `None` if it is for something that was not asked for.
fn report(ran: UnitRan, trials: &[Trial], order: &Trials) -> Option<Ran> {
    let trial = ran.trial as usize;
    Some(Ran {
        trial,
        variant: trials.get(trial)?.variant,
        unit: order.units.get(ran.unit as usize)?.unit.clone(),
        leaves: ran
            .leaves
            .into_iter()
            .map(|leaf| Leaf {
                id: leaf.leaf,
                outcome: leaf.outcome,
                duration: Duration::from_nanos(leaf.nanos),
            })
            .collect(),
        end: ran.end,
        ticks: ran.ticks,
        duration: Duration::from_nanos(ran.nanos),
        hits: ran.hits,
        had_stack: ran.had_stack,
        tainted: ran.tainted,
    })
}
