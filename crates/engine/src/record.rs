//! Recording the baseline: the unpatched program's tests, twice, in fresh JVMs and in two orders.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use braid_exec::{Event, RunEnd, UnitId};

use crate::baseline::{Baseline, Before, LeafStatus, ModuleBaseline, UnitBaseline};
use crate::jvms::{Common, SlotJvms};
use crate::summary::NamedReason;
use crate::trial::{Bad, Jvms};
use crate::workspace::Slot;
use crate::{EngineError, text};

/// How long a unit may take on the unpatched program.
pub(crate) const UNIT_LIMIT: Duration = Duration::from_secs(120);
/// How long a unit that did not end the first time may take the second time.
const SECOND_LIMIT: Duration = Duration::from_secs(30);

/// Runs the tests of all modules twice.
///
/// The first run keeps to the order of discovery, the second has failing tests first, as patches have. A
/// test that depends on that order comes out as flaky.
pub(crate) fn record(
    common: Common<'_>,
    slot: &mut Slot,
    detail: &mut dyn FnMut(&str),
) -> Result<Baseline, EngineError> {
    let mut baseline = Baseline::default();
    for run in 0..2 {
        let start = Instant::now();
        let mut jvms = SlotJvms::new(common, slot, HashMap::new(), UNIT_LIMIT);
        for module in &common.project.modules {
            if run == 0 {
                let found = discover(&mut jvms, &module.name)?;
                baseline.modules.push(found);
            }
            let recorded = baseline.modules.iter_mut().find(|m| m.name == module.name);
            let recorded = recorded.expect("pushed in the first run");
            run_module(&mut jvms, recorded, run, detail)?;
            jvms.end(&module.name);
        }
        drop(jvms);
        baseline.elapsed_ms[run] = start.elapsed().as_millis() as u64;
        slot.restore()?;
    }
    Ok(baseline)
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

/// Runs a module's units once, in as many JVMs as it takes.
fn run_module(
    jvms: &mut SlotJvms<'_>,
    module: &mut ModuleBaseline,
    run: usize,
    detail: &mut dyn FnMut(&str),
) -> Result<(), EngineError> {
    if run == 1 {
        for unit in module.units.iter().filter(|unit| unit.hangs) {
            jvms.set_limit(unit.id.clone(), SECOND_LIMIT);
        }
    }
    let places = module.units.iter().enumerate();
    let index: HashMap<UnitId, usize> = places.map(|(at, unit)| (unit.id.clone(), at)).collect();
    let mut done = 0;
    for mut remaining in order(module, run) {
        while !remaining.is_empty() {
            let mut taker = Taker {
                units: &mut module.units,
                index: &index,
                run,
                finished: HashSet::new(),
            };
            let name = &module.name;
            let end = jvms.run(name, &remaining, 1, &mut |event| {
                taker.event(event);
                let finished = done + taker.finished.len();
                detail(&format!(
                    "{name}: {finished} of {} tests, run {} of 2",
                    index.len(),
                    run + 1
                ));
                ControlFlow::Continue(())
            })?;
            let finished = taker.finished;
            let culprit = blame(&mut module.units, &index, run, end)?;
            let left = remaining.len();
            remaining.retain(|unit| !finished.contains(unit) && Some(unit) != culprit.as_ref());
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
