//! Recording the baseline: the unpatched program's tests, twice, in fresh JVMs and in two orders.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use braid_exec::{Event, RunEnd, UnitId};

use crate::baseline::{Baseline, Before, LeafStatus, ModuleBaseline, UnitBaseline};
use crate::jvms::{Common, SlotJvms};
use crate::relief::{Relief, Relieved, Taken};
use crate::summary::NamedReason;
use crate::trial::{Bad, Jvms};
use crate::workspace::Slot;
use crate::{EngineError, text};

/// How long a unit may take on the unpatched program.
pub(crate) const UNIT_LIMIT: Duration = Duration::from_secs(120);
/// How long a unit that did not end the first time may take the second time.
const SECOND_LIMIT: Duration = Duration::from_secs(30);

/// A baseline that is being recorded in one copy of the project.
pub(crate) struct Recording<'a> {
    common: Common<'a>,
    slot: Slot,
    pub(crate) baseline: Baseline,
}

/// Runs the tests of all modules twice.
///
/// The first run keeps to the order of discovery, the second has failing tests first, as patches have. A
/// test that depends on that order comes out as flaky.
pub(crate) fn record(
    common: Common<'_>,
    slot: Slot,
    detail: &mut dyn FnMut(&str),
) -> Result<Baseline, EngineError> {
    let mut recording = Recording::new(common, slot);
    recording.first(None, &mut |_| (), detail)?;
    recording.second(None, detail)?;
    Ok(recording.baseline)
}

impl<'a> Recording<'a> {
    pub(crate) fn new(common: Common<'a>, slot: Slot) -> Self {
        let baseline = Baseline::default();
        Self {
            common,
            slot,
            baseline,
        }
    }

    /// Finds and runs the tests of all modules; `found` is told of a module's tests before they are run. Others may take
    /// some by way of a relief.
    pub(crate) fn first(
        &mut self,
        relief: Option<&Relief<'_>>,
        found: &mut dyn FnMut(&ModuleBaseline),
        detail: &mut dyn FnMut(&str),
    ) -> Result<(), EngineError> {
        let start = Instant::now();
        let mut jvms = SlotJvms::new(self.common, &self.slot, HashMap::new(), UNIT_LIMIT);
        for module in &self.common.project.modules {
            let mut recorded = discover(&mut jvms, &module.name)?;
            found(&recorded);
            match relief {
                Some(relief) => {
                    let ids: Vec<UnitId> = recorded.units.iter().map(|u| u.id.clone()).collect();
                    relief.lay(&recorded.name, &ids);
                    run_relieved(&mut jvms, &mut recorded, None, relief, detail)?;
                }
                None => run_module(&mut jvms, &mut recorded, &Run::FIRST, detail)?,
            }
            jvms.end(&module.name);
            self.baseline.modules.push(recorded);
        }
        drop(jvms);
        self.baseline.elapsed_ms[0] = start.elapsed().as_millis() as u64;
        self.slot.restore()?;
        Ok(())
    }

    /// Runs units for the first time that were left out, in their order.
    pub(crate) fn rest(
        &mut self,
        units: &HashSet<UnitId>,
        relief: &Relief<'_>,
        detail: &mut dyn FnMut(&str),
    ) -> Result<(), EngineError> {
        let start = Instant::now();
        let mut jvms = SlotJvms::new(self.common, &self.slot, HashMap::new(), UNIT_LIMIT);
        for module in &mut self.baseline.modules {
            let ids = module.units.iter().map(|unit| &unit.id);
            let ids: Vec<UnitId> = ids.filter(|id| units.contains(*id)).cloned().collect();
            if ids.is_empty() {
                continue;
            }
            relief.lay(&module.name, &ids);
            run_relieved(&mut jvms, module, Some(units), relief, detail)?;
            jvms.end(&module.name);
        }
        drop(jvms);
        self.baseline.elapsed_ms[0] += start.elapsed().as_millis() as u64;
        self.slot.restore()?;
        Ok(())
    }

    /// Forgets what was seen and runs all tests for the first time once more.
    pub(crate) fn again(
        &mut self,
        relief: &Relief<'_>,
        detail: &mut dyn FnMut(&str),
    ) -> Result<(), EngineError> {
        self.baseline = Baseline::default();
        self.first(Some(relief), &mut |_| (), detail)
    }

    /// Runs the tests once more: all of them, or `only` these.
    pub(crate) fn second(
        &mut self,
        only: Option<&HashSet<UnitId>>,
        detail: &mut dyn FnMut(&str),
    ) -> Result<(), EngineError> {
        let start = Instant::now();
        let mut jvms = SlotJvms::new(self.common, &self.slot, HashMap::new(), UNIT_LIMIT);
        for module in &mut self.baseline.modules {
            run_module(
                &mut jvms,
                module,
                &Run {
                    number: 1,
                    only,
                    relief: None,
                },
                detail,
            )?;
            jvms.end(&module.name);
        }
        drop(jvms);
        self.baseline.elapsed_ms[1] = start.elapsed().as_millis() as u64;
        self.slot.restore()?;
        Ok(())
    }
}

fn discover(jvms: &mut SlotJvms<'_>, module: &str) -> Result<ModuleBaseline, EngineError> {
    let found = jvms.discover(module)?;
    let problem = |p: braid_exec::Problem| NamedReason {
        name: p.class,
        reason: text::one_line(&p.message),
    };
    Ok(ModuleBaseline {
        name: module.to_owned(),
        units: found
            .units
            .into_iter()
            .map(|unit| UnitBaseline::new(unit.id))
            .collect(),
        problems: found.problems.into_iter().map(problem).collect(),
    })
}

/// Which of the two runs it is, and what of it.
struct Run<'r> {
    number: usize,
    only: Option<&'r HashSet<UnitId>>,
    /// Who takes units off it.
    relief: Option<&'r Relief<'r>>,
}

impl Run<'_> {
    const FIRST: Run<'static> = Run {
        number: 0,
        only: None,
        relief: None,
    };

    fn has_lost(&self, unit: &UnitId) -> bool {
        self.relief.is_some_and(|relief| relief.has_taken(unit))
    }
}

/// Runs a module's units for the first time, all or `only` these, but for those that others take.
fn run_relieved(
    jvms: &mut SlotJvms<'_>,
    module: &mut ModuleBaseline,
    only: Option<&HashSet<UnitId>>,
    relief: &Relief<'_>,
    detail: &mut dyn FnMut(&str),
) -> Result<(), EngineError> {
    let alone = Run { only, ..Run::FIRST };
    let run = Run {
        relief: Some(relief),
        ..alone
    };
    run_module(jvms, module, &run, detail)?;
    match relief.clear() {
        Relieved::Seen(seen) => {
            let mut seen: HashMap<UnitId, UnitBaseline> = seen
                .into_iter()
                .map(|unit| (unit.id.clone(), unit))
                .collect();
            for unit in &mut module.units {
                if let Some(seen) = seen.remove(&unit.id) {
                    *unit = seen;
                }
            }
        }
        Relieved::Alone => {}
        Relieved::Again => {
            jvms.end(&module.name);
            let units = module.units.iter_mut();
            for unit in units.filter(|unit| only.is_none_or(|only| only.contains(&unit.id))) {
                *unit = UnitBaseline::new(unit.id.clone());
            }
            run_module(jvms, module, &alone, detail)?;
        }
    }
    Ok(())
}

/// Runs units in a fresh JVM that were taken off another one.
pub(crate) fn run_taken(jvms: &mut SlotJvms<'_>, taken: Taken<'_>) -> Result<(), EngineError> {
    let mut module = ModuleBaseline {
        name: taken.module.clone(),
        units: taken.units.iter().cloned().map(UnitBaseline::new).collect(),
        ..ModuleBaseline::default()
    };
    run_module(jvms, &mut module, &Run::FIRST, &mut |_| ())?;
    taken.deliver(module.units);
    Ok(())
}

/// Runs a module's units once, in as many JVMs as it takes.
fn run_module(
    jvms: &mut SlotJvms<'_>,
    module: &mut ModuleBaseline,
    run: &Run<'_>,
    detail: &mut dyn FnMut(&str),
) -> Result<(), EngineError> {
    let Run { number, only, .. } = *run;
    if number == 1 {
        for unit in module.units.iter().filter(|unit| unit.hangs) {
            jvms.set_limit(unit.id.clone(), SECOND_LIMIT);
        }
    }
    let places = module.units.iter().enumerate();
    let index: HashMap<UnitId, usize> = places.map(|(at, unit)| (unit.id.clone(), at)).collect();
    let total = only.map_or(index.len(), HashSet::len);
    let mut done = 0;
    for mut remaining in order(module, number) {
        remaining.retain(|unit| only.is_none_or(|only| only.contains(unit)));
        while !remaining.is_empty() {
            let mut taker = Taker {
                units: &mut module.units,
                index: &index,
                run: number,
                finished: HashSet::new(),
            };
            let name = &module.name;
            let end = jvms.run(name, &remaining, &mut |event| {
                if let (Event::UnitStarted { unit, .. }, Some(relief)) = (event, run.relief)
                    && !relief.begins(unit)
                {
                    return ControlFlow::Break(());
                }
                taker.event(event);
                if let (Event::LeafFinished { outcome, .. }, Some(relief)) = (event, run.relief)
                    && outcome.is_failed()
                {
                    relief.settle(); // what fails has to be seen in its order
                }
                let finished = done + taker.finished.len();
                detail(&format!(
                    "{name}: {finished} of {total} tests, run {} of 2",
                    number + 1
                ));
                ControlFlow::Continue(())
            })?;
            let finished = taker.finished;
            let culprit = blame(&mut module.units, &index, number, end)?;
            let left = remaining.len();
            let is_over = |unit: &UnitId| finished.contains(unit) || run.has_lost(unit);
            remaining.retain(|unit| !is_over(unit) && Some(unit) != culprit.as_ref());
            done += left - remaining.len();
            if remaining.len() == left {
                break; // nothing moved: going on would go on for ever
            }
        }
    }
    Ok(())
}

/// Takes down what one JVM reports.
struct Taker<'a> {
    units: &'a mut [UnitBaseline],
    index: &'a HashMap<UnitId, usize>,
    run: usize,
    finished: HashSet<UnitId>,
}

impl Taker<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::LeafFinished {
                unit,
                leaf,
                outcome,
                ..
            } => {
                if let Some(at) = self.index.get(unit) {
                    self.units[*at].leaf(self.run, leaf, outcome);
                }
            }
            Event::UnitFinished { unit, duration } => {
                if let Some(at) = self.index.get(unit) {
                    let elapsed_us = &mut self.units[*at].elapsed_us;
                    *elapsed_us = (*elapsed_us).max(duration.as_micros() as u64);
                }
                self.finished.insert(unit.clone());
            }
            Event::UnitStarted { .. } | Event::LeafStarted { .. } => {}
        }
    }
}

/// All units; in the second run the failing ones first and apart from the others.
fn order(module: &ModuleBaseline, run: usize) -> [Vec<UnitId>; 2] {
    let failed = |unit: &UnitBaseline| {
        let mut leaves = unit.leaves.values();
        run == 1 && leaves.any(|leaf| leaf.status[0] == LeafStatus::Failed)
    };
    let (first, rest): (Vec<_>, Vec<_>) = module.units.iter().partition(|unit| failed(unit));
    [first, rest].map(|units| units.into_iter().map(|unit| unit.id.clone()).collect())
}

/// Takes note of the unit that ended a JVM, if one did.
fn blame(
    units: &mut [UnitBaseline],
    index: &HashMap<UnitId, usize>,
    run: usize,
    end: RunEnd,
) -> Result<Option<UnitId>, EngineError> {
    let (unit, leaf, reason, hangs) = match end {
        RunEnd::Done | RunEnd::Stopped => return Ok(None),
        RunEnd::Cancelled => return Err(EngineError::Interrupted),
        RunEnd::Timeout(timeout) => {
            let reason = format!("did not end within {}", text::duration(timeout.limit));
            (timeout.unit, timeout.leaf, reason, true)
        }
        RunEnd::Crashed(crash) => {
            let reason = Bad::Crash(crate::trial::crash_report(&crash)).line();
            (crash.unit, crash.leaf, reason, false)
        }
    };
    let Some(unit) = unit else {
        return Err(EngineError::Baseline(format!(
            "the tests of the unpatched program cannot be run: {reason}"
        )));
    };
    if let Some(at) = index.get(&unit) {
        units[*at].broken(run, leaf.as_ref(), reason);
        units[*at].hangs |= hangs;
    }
    Ok(Some(unit))
}

/// Whether the baseline can serve, and what to say if not.
pub(crate) fn check(baseline: &Baseline, only_tests: &[String]) -> Result<(), EngineError> {
    let report = baseline.report(false);
    if report.units == 0 {
        let problems: Vec<String> = report
            .problems
            .iter()
            .map(|p| format!("\n  {}: {}", p.name, p.reason))
            .collect();
        let why = if only_tests.is_empty() {
            "no tests were found: there are no test classes, or the build's filters leave all of \
             them out"
        } else {
            "no tests fit the patterns given with --only-tests"
        };
        return Err(EngineError::Baseline(format!("{why}{}", problems.join(""))));
    }
    let useful = baseline.units().any(|(_, unit)| {
        unit.has(Before::Passes) || unit.has(Before::Fails) || unit.has(Before::Flaky)
    });
    if useful {
        Ok(())
    } else {
        Err(EngineError::Baseline(
            "every test of the unpatched program is skipped".to_owned(),
        ))
    }
}
