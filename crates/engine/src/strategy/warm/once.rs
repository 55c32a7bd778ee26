//! Tests that no patch reaches are run once only, in a warm JVM.
//!
//! Whether they pass in a fresh JVM as well is not known, and matters to no verdict: a patch that cannot be reached by a test
//! does not change what it does. A test that patches do reach, one that fails, and one of which a warm JVM proves nothing are run
//! in fresh JVMs, too.

use std::collections::{BTreeSet, HashSet};

use braid_exec::Ran;
use braid_protocol::{Hits, UnitId};
use braid_store::{Cache, Key};

use crate::EngineError;
use crate::baseline::{Baseline, Before, UnitBaseline};
use crate::jvms::Common;
use crate::record::Recording;
use crate::relief::Relief;
use crate::strategy::warm::facts;
use crate::strategy::warm::jvms::WarmPool;
use crate::strategy::warm::program::Program;
use crate::strategy::warm::sightings::{Seen, Sight, Sightings, close_look, closely};
use crate::survey::Survey;
use crate::workspace::Workspace;

/// Units that patches may reach, or of which a warm JVM proves nothing.
#[derive(Default)]
pub(super) struct Needed {
    /// Those that have to be run in fresh JVMs, too.
    pub fresh: HashSet<UnitId>,
    /// Those that have to be looked at in detail.
    pub closely: HashSet<UnitId>,
}

/// What has to be done yet before patches are judged.
pub(super) fn needed(baseline: &Baseline, sightings: &Sightings<'_>, survey: &Survey) -> Needed {
    let mut needed = Needed::default();
    for module in &baseline.modules {
        let seen = sightings.modules.get(&module.name);
        let probes = seen.and_then(|seen| survey.probes(&seen.program));
        let settled = |ran: &Ran| is_enough(ran) && !reaches(ran.hits.as_ref(), probes.as_ref());
        for unit in &module.units {
            if seen
                .and_then(|seen| ran(seen, &unit.id))
                .is_some_and(settled)
            {
                continue;
            }
            if !unit.was_run() {
                needed.fresh.insert(unit.id.clone());
            }
            needed.closely.insert(unit.id.clone());
        }
    }
    needed
}

fn ran<'s>(seen: &'s Seen, unit: &UnitId) -> Option<&'s Ran> {
    seen.units.get(unit).and_then(Sight::ran)
}

/// Whether a run in a warm JVM says all there is to say of a unit that no patch reaches.
fn is_enough(ran: &Ran) -> bool {
    ran.passed() && ran.tainted.is_none()
}

/// Whether one of these probes was hit; any, if they are not known.
fn reaches(hits: Option<&Hits>, probes: Option<&BTreeSet<u32>>) -> bool {
    match (hits, probes) {
        (Some(hits), Some(probes)) => probes.iter().any(|probe| hits.contains(*probe)),
        _ => true,
    }
}

/// Takes what was seen in warm JVMs for what units do that needed no fresh one.
pub(super) fn fill(baseline: &mut Baseline, sightings: &Sightings<'_>, fresh: &HashSet<UnitId>) {
    for module in &mut baseline.modules {
        let Some(seen) = sightings.modules.get(&module.name) else {
            continue;
        };
        let spared = |unit: &&mut UnitBaseline| !unit.was_run() && !fresh.contains(&unit.id);
        for unit in module.units.iter_mut().filter(spared) {
            let Some(ran) = ran(seen, &unit.id).filter(|ran| is_enough(ran)) else {
                continue;
            };
            for leaf in &ran.leaves {
                unit.leaf(0, &leaf.id, &leaf.outcome);
            }
            unit.elapsed_us = ran.duration.as_micros() as u64;
            unit.once = true;
        }
    }
}

/// A stored baseline after everything was run that patches reach and of which too little was known, with what is known of warm
/// JVMs in the store as well; none if all has to be recorded anew. What patches change is asked for if that matters.
pub(crate) fn refine(
    common: Common<'_>,
    workspace: &Workspace,
    (cache, key): (&Cache, &Key),
    mut baseline: Baseline,
    survey: &dyn Fn() -> Survey,
    detail: &mut dyn FnMut(&str),
) -> Result<Option<Baseline>, EngineError> {
    let Some(mut facts) = facts::stored(cache, key, true) else {
        return Ok((!baseline.has_once()).then_some(baseline));
    };
    if !facts.is_coarse() {
        return Ok(Some(baseline));
    }
    let survey = survey();
    let mut reached: Vec<(String, Program, Vec<UnitId>)> = Vec::new();
    for module in &baseline.modules {
        let coarse = |unit: &&UnitBaseline| facts.of(&unit.id).is_some_and(|facts| facts.coarse);
        let mut units = module.units.iter().filter(coarse).peekable();
        if units.peek().is_none() {
            continue;
        }
        let program = Program::read(common.project, workspace, common.module(&module.name)?)?;
        let probes = survey.probes(&program);
        let is_reached = |unit: &&UnitBaseline| {
            let hits = facts.of(&unit.id).and_then(|facts| facts.hits.as_ref());
            reaches(hits, probes.as_ref())
        };
        let units = units.filter(is_reached).map(|unit| unit.id.clone());
        reached.push((module.name.clone(), program, units.collect()));
    }
    let all: HashSet<&UnitId> = reached.iter().flat_map(|(_, _, units)| units).collect();
    if all.is_empty() {
        return Ok(Some(baseline));
    }
    let units = baseline
        .modules
        .iter_mut()
        .flat_map(|module| &mut module.units);
    let mut fresh = HashSet::new();
    for unit in units.filter(|unit| unit.once && all.contains(&unit.id)) {
        fresh.insert(unit.id.clone());
        *unit = UnitBaseline::new(unit.id.clone());
    }
    let mut recording = Recording::new(common, workspace.slot("baseline")?);
    recording.baseline = baseline;
    recording.rest(&fresh, &Relief::default(), detail)?;
    let mut baseline = recording.baseline;
    let units = baseline
        .modules
        .iter_mut()
        .flat_map(|module| &mut module.units);
    for unit in units.filter(|unit| fresh.contains(&unit.id)) {
        unit.assume_second();
        if unit.leaves.is_empty() || unit.has(Before::Fails) {
            return Ok(None);
        }
    }
    let mut pool = WarmPool::open(common, workspace, "warm-baseline")?;
    for (name, program, units) in reached {
        let files = close_look(common, &name, &program)?;
        let seen = Seen {
            units: closely(&mut pool, &name, files, units)?,
            program,
            coarse: HashSet::new(),
        };
        let module = baseline.modules.iter().find(|module| module.name == name);
        facts.take_all(module.map_or(&[], |module| &module.units), &seen);
    }
    facts.writes_files |= pool.restore()?;
    // without a store the next run does the same again
    facts.store(cache, key);
    let _ = cache.put(key, &baseline).and_then(|()| cache.sync());
    Ok(Some(baseline))
}
