//! Warm JVMs for the modules of one copy of the project, and a patch's tests in them.

use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use braid_exec::{
    Cancel, Event, LoopRound, PreparedClasses, Ran, Redefined, RunEnd, Timeout, Trial, TrialUnit,
    WarmEnd, WarmOptions, WarmSpec, WarmWorker,
};
use braid_protocol::{UnitEnd, UnitId};
use braid_weave::World;

use crate::jvms::Common;
use crate::strategy::warm::Facts;
use crate::strategy::warm::overflow::Overflow;
use crate::strategy::warm::program::{Prepared, instrumented};
use crate::trial::{Jvms, limit_hit};
use crate::verdict::{LimitHit, TickLimit};
use crate::workspace::{Slot, Workspace};
use crate::{EngineError, Technique, text};

/// How long a warm JVM may take to redefine classes.
const REDEFINE_LIMIT: Duration = Duration::from_secs(60);
/// A test stands still, and a fresh JVM has to say what comes of it, when for so long (and three times its usual time)
/// all threads wait and nothing ticks. A thread that waits for a busy processor does not count as waiting.
pub(crate) const STANDSTILL: Duration = Duration::from_millis(250);

/// The warm JVMs of one worker slot, one for each module.
pub(crate) struct WarmPool<'a> {
    common: Common<'a>,
    /// Before the copy that they work in, so that they end before it is given back.
    workers: HashMap<String, WarmWorker>,
    slot: Slot,
    prepared: HashMap<String, Prepared>,
    /// Where instrumented classes are kept.
    cache: PathBuf,
    /// Whether a JVM was given up since this was last asked.
    lost: bool,
}

impl<'a> WarmPool<'a> {
    /// A copy of the project without JVMs.
    pub(crate) fn open(
        common: Common<'a>,
        workspace: &Workspace,
        name: &str,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            common,
            slot: workspace.slot(name)?,
            prepared: HashMap::new(),
            workers: HashMap::new(),
            cache: common.project.braid_dir().join("classes"),
            lost: false,
        })
    }

    /// Gives a module's tests another program to run.
    pub(crate) fn prepare(&mut self, module: &str, prepared: Prepared) {
        self.workers.remove(module);
        self.prepared.insert(module.to_owned(), prepared);
    }

    /// Starts a module's JVM, if there is none.
    pub(crate) fn start(&mut self, module: &str) -> Result<(), EngineError> {
        self.worker(module).map(|_| ())
    }

    /// Ends a module's JVM; the next run starts another.
    pub(crate) fn end(&mut self, module: &str) {
        self.lost |= self.workers.remove(module).is_some();
    }

    /// Ends all JVMs.
    pub(crate) fn end_all(&mut self) {
        self.lost |= !self.workers.is_empty();
        self.workers.clear();
    }

    /// Whether a JVM was given up since this was last asked.
    pub(crate) fn has_lost(&mut self) -> bool {
        std::mem::take(&mut self.lost)
    }

    /// Whether a JVM was given up, without forgetting it.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Brings the files of the copy back; true if anything had changed.
    pub(crate) fn restore(&mut self) -> Result<bool, EngineError> {
        self.slot.restore()
    }

    /// Set when the run is to stop.
    pub(crate) fn cancel(&self) -> Cancel {
        self.common.stop.cancel().clone()
    }

    fn worker(&mut self, module: &str) -> Result<&mut WarmWorker, EngineError> {
        if self.common.stop.is_requested() {
            return Err(EngineError::Interrupted);
        }
        if !self.workers.contains_key(module) {
            let worker = WarmWorker::start(&self.spec(module)?)?;
            self.workers.insert(module.to_owned(), worker);
        }
        Ok(self.workers.get_mut(module).expect("inserted above"))
    }

    fn spec(&self, module: &str) -> Result<WarmSpec, EngineError> {
        let mut worker = self.common.spec(self.common.module(module)?, &self.slot);
        let payload = self.common.payload;
        let agent = payload.agent.as_ref().ok_or_else(|| {
            EngineError::Baseline("this build of Braid has no agent for warm JVMs".to_owned())
        })?;
        let prepared = self.prepared.get(module);
        if let Some(added) = prepared.and_then(|prepared| prepared.added.clone()) {
            worker.classpath.push(added);
        }
        worker.quick_jit = prepared.is_some_and(|prepared| prepared.brief);
        let options = prepared.into_iter().flat_map(|prepared| &prepared.options);
        worker.jvm_args.extend(options.cloned());
        let mut spec = WarmSpec::new(worker, &payload.runtime, agent);
        spec.cache = Some(self.cache.clone());
        spec.direct = self.common.settings.uses(Technique::Direct);
        if let Some(prepared) = prepared {
            spec.classes = Some(prepared.classes.clone());
            spec.world = Some(prepared.world.clone());
            spec.probes = prepared.probes;
        }
        Ok(spec)
    }

    /// The stack on which a plain JVM would run a module's tests; none if that is not known.
    pub(crate) fn main_stack_kb(&self, module: &str) -> Result<Option<u32>, EngineError> {
        Ok(self.spec(module)?.worker.main_stack_kb())
    }

    /// Whether a loop of the woven program that came round cannot end.
    fn is_endless(&self, module: &str, variant: u32, round: &LoopRound) -> bool {
        let Some(classes) = self.running(module) else {
            return false;
        };
        let class = round.class.replace('.', "/");
        let round = braid_weave::Round {
            class: &class,
            method: &round.method,
            descriptor: &round.descriptor,
            places: &round.places,
            changing: &round.changing,
            reach: round.reach.as_deref(),
        };
        braid_weave::is_endless(&round, variant, &classes)
    }

    /// The classes of a module as they run: the prepared ones, and those of folders at the beginning of the class path as
    /// the agent instruments them.
    fn running(&self, module: &str) -> Option<impl Fn(&str) -> Option<Vec<u8>>> {
        let prepared = self.prepared.get(module)?;
        let classes = PreparedClasses::open(&prepared.classes).ok()?;
        let world = World::decode(&fs::read(&prepared.world).ok()?).ok()?;
        let mut folders = self.spec(module).ok()?.worker.classpath;
        let jar = folders.iter().position(|entry| !entry.is_dir());
        folders.truncate(jar.unwrap_or(folders.len()));
        Some(move |name: &str| {
            classes.class(name).or_else(|| {
                let files = folders.iter().map(|dir| dir.join(format!("{name}.class")));
                let bytes = fs::read(files.into_iter().find(|file| file.is_file())?).ok()?;
                instrumented(&bytes, &world, None, true).ok()
            })
        })
    }

    /// Makes trials in a module's JVM, which is started if there is none.
    pub(crate) fn run(
        &mut self,
        module: &str,
        trials: &[Trial],
        options: &WarmOptions,
        on_ran: &mut dyn FnMut(Ran) -> ControlFlow<()>,
    ) -> Result<WarmEnd, EngineError> {
        let end = self.worker(module)?.run(trials, options, on_ran)?;
        match end {
            WarmEnd::Done | WarmEnd::Stopped => {}
            _ => self.end(module),
        }
        Ok(end)
    }

    /// Gives loaded classes new bytes; why it cannot be done, if so.
    pub(crate) fn redefine(
        &mut self,
        module: &str,
        classes: &[(String, Vec<u8>)],
    ) -> Result<Option<String>, EngineError> {
        match self.worker(module)?.redefine(classes, REDEFINE_LIMIT)? {
            Redefined::Done => Ok(None),
            Redefined::Refused { message, .. } => Ok(Some(message)),
        }
    }
}

/// How much a variant may use of its tests' own work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fuel {
    times: u64,
    at_least: u64,
}

/// What a patch's test may use at first, and if that was not enough. One that uses the first up and is not proven to
/// go on for ever may be slow; for one that uses both up fresh JVMs decide, which go by the clock.
const FUEL: [Fuel; 2] = [Fuel::new(3, 250_000), Fuel::new(50, 20_000_000)];

impl Fuel {
    /// So many times what a test uses on the unpatched program, and so many ticks more.
    pub(crate) const fn new(times: u64, at_least: u64) -> Self {
        Self { times, at_least }
    }

    pub(crate) fn of(self, ticks: u64) -> u64 {
        ticks
            .saturating_mul(self.times)
            .saturating_add(self.at_least)
    }
}

/// One variant's tests in warm JVMs.
pub(crate) struct WarmJvms<'p, 'a> {
    pool: &'p mut WarmPool<'a>,
    facts: &'p Facts,
    limits: &'p HashMap<UnitId, Duration>,
    variant: u32,
    /// Why what was seen proves nothing, if so.
    pub doubt: Option<String>,
    /// The units whose stacks ran out.
    pub overflows: Vec<Overflow>,
    /// The ticks that a unit used up, and those it uses on the unpatched program.
    exhausted: Option<TickLimit>,
    /// Whether a unit waits and nobody is left who could wake it.
    waits: bool,
}

/// A unit that did not end.
enum Unended {
    /// It used up its fuel; with loops that were seen to come round.
    Tired(UnitId, Vec<LoopRound>),
    /// It waits and nobody is left who could wake it; with the place where it does so.
    Waits(UnitId, String),
}

impl<'p, 'a> WarmJvms<'p, 'a> {
    /// The tests of variant number `variant` of the prepared programs.
    pub(crate) fn new(
        pool: &'p mut WarmPool<'a>,
        facts: &'p Facts,
        limits: &'p HashMap<UnitId, Duration>,
        variant: u32,
    ) -> Self {
        Self {
            pool,
            facts,
            limits,
            variant,
            doubt: None,
            overflows: Vec::new(),
            exhausted: None,
            waits: false,
        }
    }

    /// Whether one of the loops that came round cannot end. Variant 0 may be a program that is not the prepared one.
    fn is_endless(&self, module: &str, rounds: &[LoopRound]) -> bool {
        let variant = self.variant;
        let prove = |round| variant != 0 && self.pool.is_endless(module, variant, round);
        rounds.iter().any(prove)
    }

    /// The end of a unit that goes on for ever.
    fn timeout(&mut self, unit: UnitId) -> RunEnd {
        let baseline = self.facts.of(&unit).map_or(0, |facts| facts.ticks);
        self.exhausted = Some(TickLimit {
            limit: FUEL[0].of(baseline),
            baseline,
        });
        RunEnd::Timeout(Timeout {
            unit: Some(unit),
            leaf: None,
            limit: Duration::ZERO,
            stack: None,
        })
    }

    fn trial(&self, units: &[UnitId], fuel: Fuel) -> Trial {
        let limited = |unit: &UnitId| self.limited(unit, fuel);
        Trial {
            variant: self.variant,
            units: units.iter().map(limited).collect(),
            stop_at_failure: false,
        }
    }

    fn limited(&self, unit: &UnitId, fuel: Fuel) -> TrialUnit {
        let facts = self.facts.of(unit);
        let elapsed = Duration::from_micros(facts.map_or(0, |facts| facts.elapsed_us));
        TrialUnit {
            unit: unit.clone(),
            fuel: Some(fuel.of(facts.map_or(0, |facts| facts.ticks))),
            wall: self
                .limits
                .get(unit)
                .copied()
                .unwrap_or(Duration::from_secs(10))
                * 4,
            idle: elapsed * 3 + STANDSTILL,
            stack_kb: None,
        }
    }

    /// Whether a stack that ran out here would run out in a plain JVM, too.
    pub(crate) fn is_certain(&mut self, overflow: &Overflow) -> Result<bool, EngineError> {
        // more calls than one stack holds
        let unit = self.limited(&overflow.ran.unit, FUEL[1]);
        overflow.is_certain(self.pool, self.variant, unit)
    }

    /// The end of a unit that waits for ever.
    fn waits(&mut self, unit: UnitId, stack: String) -> RunEnd {
        self.waits = true;
        RunEnd::Timeout(Timeout {
            limit: self.limits.get(&unit).copied().unwrap_or_default(),
            unit: Some(unit),
            leaf: None,
            stack: Some(stack),
        })
    }

    /// Runs units; gives the one that did not end, if there is one.
    fn attempt(
        &mut self,
        module: &str,
        units: &[UnitId],
        fuel: Fuel,
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<(RunEnd, Option<Unended>), EngineError> {
        let trial = self.trial(units, fuel);
        let options = WarmOptions {
            record: false,
            cancel: self.pool.cancel(),
        };
        let (mut unended, mut doubt) = (None, None);
        let overflows = &mut self.overflows;
        let end = self
            .pool
            .run(module, &[trial], &options, &mut |ran| match &ran.end {
                UnitEnd::Finished => {
                    let flow = deliver(&ran, on_event);
                    overflows.extend(Overflow::of(module, ran));
                    flow
                }
                UnitEnd::OutOfFuel { rounds } => {
                    unended = Some(Unended::Tired(ran.unit.clone(), rounds.clone()));
                    ControlFlow::Break(())
                }
                UnitEnd::Idle {
                    stack,
                    for_good: true,
                } => {
                    unended = Some(Unended::Waits(ran.unit.clone(), stack.clone()));
                    ControlFlow::Break(())
                }
                UnitEnd::OverTime { .. } | UnitEnd::Idle { .. } => {
                    doubt = Some(format!(
                        "{} stood still in the warm JVM",
                        text::short_test(&ran.unit.0)
                    ));
                    ControlFlow::Break(())
                }
            })?;
        let end = match end {
            WarmEnd::Done => RunEnd::Done,
            WarmEnd::Stopped | WarmEnd::Tainted { .. } => RunEnd::Stopped,
            WarmEnd::Cancelled => RunEnd::Cancelled,
            WarmEnd::Timeout { unit, .. } => {
                doubt = Some(format!(
                    "{} did not end in the warm JVM",
                    text::short_test(&unit.0)
                ));
                RunEnd::Stopped
            }
            WarmEnd::Crashed { .. } => {
                doubt = Some("the warm JVM ended".to_owned());
                RunEnd::Stopped
            }
        };
        self.doubt = doubt;
        Ok((end, unended))
    }
}

/// What a unit did, as events.
fn deliver(ran: &Ran, on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    for leaf in &ran.leaves {
        let event = Event::LeafFinished {
            unit: ran.unit.clone(),
            leaf: leaf.id.clone(),
            outcome: leaf.outcome.clone(),
            duration: leaf.duration,
        };
        if on_event(&event).is_break() {
            flow = ControlFlow::Break(());
        }
    }
    let event = Event::UnitFinished {
        unit: ran.unit.clone(),
        duration: ran.duration,
    };
    if on_event(&event).is_break() {
        flow = ControlFlow::Break(());
    }
    flow
}

impl Jvms for WarmJvms<'_, '_> {
    fn run(
        &mut self,
        module: &str,
        units: &[UnitId],
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, EngineError> {
        if self.doubt.is_some() {
            return Ok(RunEnd::Stopped);
        }
        let (end, unended) = self.attempt(module, units, FUEL[0], on_event)?;
        let (unit, rounds) = match unended.filter(|_| self.doubt.is_none()) {
            Some(Unended::Tired(unit, rounds)) => (unit, rounds),
            Some(Unended::Waits(unit, stack)) => return Ok(self.waits(unit, stack)),
            None => return Ok(end),
        };
        if self.is_endless(module, &rounds) {
            return Ok(self.timeout(unit));
        }
        let (end, unended) =
            self.attempt(module, std::slice::from_ref(&unit), FUEL[1], on_event)?;
        let rounds = match unended.filter(|_| self.doubt.is_none()) {
            Some(Unended::Tired(_, rounds)) => rounds,
            Some(Unended::Waits(unit, stack)) => return Ok(self.waits(unit, stack)),
            // it was slow, not endless; the caller goes on with the others
            None => {
                return Ok(match end {
                    RunEnd::Done => RunEnd::Stopped,
                    end => end,
                });
            }
        };
        if self.is_endless(module, &rounds) {
            return Ok(self.timeout(unit));
        }
        // it may run out of memory, or end after all
        let test = text::short_test(&unit.0);
        self.doubt = Some(format!("{test} does very much more than before"));
        Ok(RunEnd::Stopped)
    }

    fn end(&mut self, _module: &str) {}

    fn limit_hit(&self, timeout: Timeout, baseline: Option<Duration>) -> LimitHit {
        let mut hit = limit_hit(timeout, baseline);
        hit.ticks = self.exhausted;
        hit.for_good = self.waits;
        hit
    }
}
