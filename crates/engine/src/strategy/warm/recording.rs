//! Recording the baseline in fresh JVMs and in warm ones at the same time.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use braid_protocol::UnitId;

use crate::EngineError;
use crate::baseline::{Baseline, Before, LeafStatus};
use crate::jvms::Common;
use crate::record::Recording;
use crate::relief::Relief;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::hands::{Hands, lend};
use crate::strategy::warm::once::{Needed, fill, needed};
use crate::strategy::warm::pile::Pile;
use crate::strategy::warm::sightings::{Helper, Sightings, units_of};
use crate::survey::Surveyed;
use crate::workspace::Workspace;

/// How often somebody looks whether it is known what patches change.
const LOOK: Duration = Duration::from_millis(10);

/// Runs the tests of all modules in fresh JVMs and in warm ones.
///
/// The run in warm JVMs is also the second look that tells flaky tests from others. Where it does not show what the
/// first run showed, or where a test fails (failing tests come first for patches, which is another order), there is a
/// second run in fresh JVMs.
///
/// If it is known in time what patches change, and no test fails, fresh JVMs run only the tests that may see it.
pub(crate) fn record(
    common: Common<'_>,
    workspace: &Workspace,
    survey: Option<&Surveyed>,
    detail: &mut dyn FnMut(&str),
) -> Result<(Baseline, Base), EngineError> {
    let mut together = Together {
        common,
        workspace,
        recording: Recording::new(common, workspace.slot("baseline")?),
        pile: &Pile::default(),
        relief: &Relief::pausing(survey),
    };
    let start = Instant::now();
    let mut sightings = together.run(survey, detail)?;
    let mut recording = together.recording;
    recording.baseline.elapsed_ms[0] = start.elapsed().as_millis() as u64;
    settle(&mut recording, &sightings, detail)?;
    let unsteady = sightings.unsteady(&recording.baseline)?;
    each_unit(&mut recording.baseline, |unit| unit.distrust(&unsteady));
    let base = Base::new(&recording.baseline, sightings);
    Ok((recording.baseline, base))
}

/// Both runs and those who take part in them.
struct Together<'a, 'r> {
    common: Common<'a>,
    workspace: &'r Workspace,
    recording: Recording<'a>,
    pile: &'r Pile,
    relief: &'r Relief<'r>,
}

impl<'a> Together<'a, '_> {
    fn run(
        &mut self,
        survey: Option<&Surveyed>,
        detail: &mut dyn FnMut(&str),
    ) -> Result<Sightings<'a>, EngineError> {
        let Self {
            common,
            workspace,
            pile,
            relief,
            ..
        } = *self;
        let (sender, modules) = channel();
        let hands = &Hands::new(common.settings.jobs);
        std::thread::scope(|scope| {
            let light = survey.is_some();
            let watch =
                move || Sightings::watch(common, workspace, modules.into_iter(), pile, light);
            let (watching, later) = match common.settings.jobs > 1 {
                true => (Some(scope.spawn(watch)), None),
                false => (None, Some(watch)),
            };
            let told = &mut |module: &_| {
                // whoever watches may have failed, which is seen below
                let _ = sender.send(units_of(module));
            };
            let lent: Vec<_> = hands
                .iter()
                .map(|hand| scope.spawn(move || lend(common, workspace, relief, pile, hand)))
                .collect();
            let open = relief.open();
            let relieved = watching.is_some().then_some(relief);
            let first = self.recording.first(relieved, told, detail);
            drop(sender);
            // this core has nothing else to do now
            let helped = match (&watching, &first) {
                (Some(_), Ok(())) => self.help(detail),
                _ => Ok(false),
            };
            let mut sightings = match (watching, later) {
                (Some(watching), _) => join(watching),
                (None, Some(watch)) if first.is_ok() => watch(),
                _ => Err(EngineError::Interrupted),
            };
            let rest = match (&mut sightings, &first, &helped, survey) {
                (Ok(sightings), Ok(()), Ok(_), Some(survey)) => {
                    self.rest(sightings, survey, detail)
                }
                _ => Ok(()),
            };
            drop(open);
            let lent: Result<Vec<bool>, EngineError> = lent.into_iter().map(join).collect();
            first.and(sightings).and_then(|mut sightings| {
                sightings.writes_files |= helped? | lent?.contains(&true);
                rest.map(|()| sightings)
            })
        })
    }

    /// Takes part in the run in warm JVMs; true if it left files behind. Where the run in fresh ones has paused, what fails is
    /// run there at once, and everything if it fails there, too.
    fn help(&mut self, detail: &mut dyn FnMut(&str)) -> Result<bool, EngineError> {
        let Self { common, pile, .. } = *self;
        let times = elapsed(&self.recording.baseline);
        let unknown = match self.relief.paused() {
            Some(_) => Duration::from_secs(1),
            None => Duration::ZERO,
        };
        let cost = |unit: &UnitId| times.get(unit).map_or(unknown, |time| unknown.max(*time));
        let mut helper = Helper::new(common, self.workspace, pile);
        while helper.help(cost)? {
            if let Some((module, seen, total)) = pile.progress() {
                detail(&format!("{module}: {seen} of {total} tests"));
            }
            let failed = pile.take_failed();
            if self.relief.paused().is_some() && !failed.is_empty() {
                self.recording.rest(&failed, &Relief::default(), detail)?;
                self.run_all_if_some_fail(true, detail)?;
            }
        }
        helper.end()
    }

    /// Has a closer look at what patches reach, and runs what of it was not in fresh JVMs yet.
    fn rest(
        &mut self,
        sightings: &mut Sightings<'a>,
        survey: &Surveyed,
        detail: &mut dyn FnMut(&str),
    ) -> Result<(), EngineError> {
        let Self {
            common,
            workspace,
            relief,
            ..
        } = *self;
        let survey = loop {
            match survey.get() {
                Some(survey) => break survey,
                None => std::thread::sleep(LOOK),
            }
        };
        let paused = relief.paused().is_some();
        relief.settle();
        let Needed { fresh, closely } = needed(&self.recording.baseline, sightings, survey);
        std::thread::scope(|scope| {
            let closer = &mut *sightings;
            let looking = scope.spawn(move || closer.look_closer(common, workspace, &closely));
            let rest = match paused {
                true => self.recording.rest(&fresh, relief, detail),
                false => Ok(()),
            };
            join(looking).and(rest)
        })?;
        if !self.run_all_if_some_fail(paused, detail)? {
            fill(&mut self.recording.baseline, sightings, &fresh);
        }
        Ok(())
    }

    /// If a test fails, all have to be seen in their order.
    fn run_all_if_some_fail(
        &mut self,
        paused: bool,
        detail: &mut dyn FnMut(&str),
    ) -> Result<bool, EngineError> {
        let fails = paused && fails(&self.recording.baseline);
        if fails {
            self.relief.settle();
            self.recording.again(self.relief, detail)?;
        }
        Ok(fails)
    }
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    let joined = thread.join();
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Runs tests a second time where that is needed.
fn settle(
    recording: &mut Recording<'_>,
    sightings: &Sightings<'_>,
    detail: &mut dyn FnMut(&str),
) -> Result<(), EngineError> {
    let failed = fails(&recording.baseline);
    if !failed {
        each_unit(
            &mut recording.baseline,
            crate::baseline::UnitBaseline::assume_second,
        );
        let unsure = sightings.differing(&recording.baseline);
        if unsure.is_empty() {
            return Ok(());
        }
        forget(&mut recording.baseline, &|unit| unsure.contains(unit));
        recording.second(Some(&unsure), detail)?;
        if !differs(&recording.baseline, &unsure) {
            return Ok(());
        }
        if recording.baseline.has_once() {
            recording.again(&Relief::default(), detail)?;
        }
    }
    forget(&mut recording.baseline, &|_| true);
    recording.second(None, detail)
}

/// How long each unit took.
fn elapsed(baseline: &Baseline) -> HashMap<UnitId, Duration> {
    let units = baseline.units();
    units
        .map(|(_, unit)| (unit.id.clone(), Duration::from_micros(unit.elapsed_us)))
        .collect()
}

/// Whether a test failed in the first run.
fn fails(baseline: &Baseline) -> bool {
    let mut leaves = baseline.units().flat_map(|(_, unit)| unit.leaves.values());
    leaves.any(|leaf| leaf.status[0] == LeafStatus::Failed)
}

/// Whether one of these units was another in the second run.
fn differs(baseline: &Baseline, units: &HashSet<UnitId>) -> bool {
    let mut all = baseline.units();
    all.any(|(_, unit)| units.contains(&unit.id) && unit.has(Before::Flaky))
}

fn forget(baseline: &mut Baseline, which: &dyn Fn(&UnitId) -> bool) {
    each_unit(baseline, |unit| {
        if which(&unit.id) {
            unit.forget_second();
        }
    });
}

fn each_unit(baseline: &mut Baseline, mut work: impl FnMut(&mut crate::baseline::UnitBaseline)) {
    let modules = baseline.modules.iter_mut();
    modules
        .flat_map(|module| &mut module.units)
        .for_each(&mut work);
}
