//! Recording the baseline in fresh JVMs and in warm ones at the same time.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::channel;
use std::time::Duration;

use braid_protocol::UnitId;

use crate::EngineError;
use crate::baseline::{Baseline, Before, LeafStatus};
use crate::jvms::Common;
use crate::record::Recording;
use crate::relief::Relief;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::hands::{Hands, lend};
use crate::strategy::warm::pile::Pile;
use crate::strategy::warm::sightings::{Sightings, help, units_of};
use crate::workspace::Workspace;

/// Runs the tests of all modules in fresh JVMs and in warm ones.
///
/// The run in warm JVMs is also the second look that tells flaky tests from others. Where it does not show what the
/// first run showed, or where a test fails (failing tests come first for patches, which is another order), there is a
/// second run in fresh JVMs.
pub(crate) fn record(
    common: Common<'_>,
    workspace: &Workspace,
    detail: &mut dyn FnMut(&str),
) -> Result<(Baseline, Base), EngineError> {
    let mut recording = Recording::new(common, workspace.slot("baseline")?);
    let (sender, modules) = channel();
    let together = common.settings.jobs > 1;
    let (pile, relief) = (&Pile::default(), &Relief::default());
    let hands = &Hands::new(common.settings.jobs);
    let mut sightings = std::thread::scope(|scope| {
        let watch = move || Sightings::watch(common, workspace, modules.into_iter(), pile);
        let (watching, later) = match together {
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
        let relief = together.then_some(relief);
        let first = recording.first(relief, told, detail);
        drop((sender, open));
        // this core has nothing else to do now
        let helped = match (&watching, &first) {
            (Some(_), Ok(())) => {
                let times = elapsed(&recording.baseline);
                let cost = |unit: &UnitId| times.get(unit).copied().unwrap_or_default();
                help(common, workspace, pile, cost)
            }
            _ => Ok(false),
        };
        let sightings = match (watching, later) {
            (Some(watching), _) => watching
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            (None, Some(watch)) if first.is_ok() => watch(),
            _ => Err(EngineError::Interrupted),
        };
        let lent: Result<Vec<bool>, EngineError> = lent
            .into_iter()
            .map(|hand| {
                hand.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect();
        first.and(sightings).and_then(|mut sightings| {
            sightings.writes_files |= helped? | lent?.contains(&true);
            Ok(sightings)
        })
    })?;
    settle(&mut recording, &sightings, detail)?;
    let unsteady = sightings.unsteady(&recording.baseline)?;
    each_unit(&mut recording.baseline, |unit| unit.distrust(&unsteady));
    let base = Base::new(&recording.baseline, sightings);
    Ok((recording.baseline, base))
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
