//! Which long tests could notice a patch at all.
//!
//! A patch against which nothing speaks is confirmed with all tests that reach it, and some of these take seconds. Most
//! patches do there exactly what the original does: a check that they leave out never throws, a guard that they put in never
//! holds. One run of a test on the original, with a look at every such place at what each patch would do, says of all patches at
//! once whether the test could notice them (`braid_weave::scouting`). Where it could not, it need not run again. The slow
//! twin is to run it, as with `--without scouting`.
//!
//! No patch is left without a test: what takes little time runs for each, and of tests that all take long the quickest.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use braid_classpath::ClassPath;
use braid_exec::{Ran, Trial, TrialUnit, WarmEnd, WarmOptions};
use braid_protocol::{Hits, UnitId};
use braid_weave::{ClassChange, Question, Scouting, Woven, WovenProgram, scouting};

use crate::baseline::UnitBaseline;
use crate::strategy::Context;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::facts::difference;
use crate::strategy::warm::jvms::WarmPool;
use crate::{EngineError, Technique};

/// Tests that take less are run for each patch.
const LONG: Duration = Duration::from_millis(100);
/// What a run with a look costs, in runs without.
const LOOK: f64 = 1.5;
/// So many of the tests that are asked about turn out not to notice a patch, by rule of thumb.
const BLIND: f64 = 0.7;
/// A JVM costs so much.
const START: Duration = Duration::from_secs(2);
/// From this version of Java on the message of a `NullPointerException` tells of the code around, which patches change.
const HELPFUL: u32 = 14;
/// Without such messages a test that needs one does not end as usual, and has no say.
const TERSE: &str = "-XX:-ShowCodeDetailsInExceptionMessages";
/// How long a test may take that looks, in addition to ten times what it takes otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

/// A patch that is about to be confirmed.
pub(super) struct Asked<'a> {
    /// What it changes.
    pub(super) classes: &'a [(String, ClassChange)],
    /// The units that reach it.
    pub(super) units: &'a HashSet<UnitId>,
}

/// The units that cannot notice the patches that reach them, by the patches' places.
pub(super) type Blind = HashMap<usize, HashSet<UnitId>>;

/// Runs long tests on the original and finds out which patches they cannot notice, if that is likely to be worth it.
pub(super) fn look(
    context: &Context<'_>,
    base: &Base,
    pool: &mut WarmPool<'_>,
    long: &Long<'_>,
    asked: &[Asked<'_>],
    dir: &Path,
) -> Result<Blind, EngineError> {
    let worth = long.worth(asked);
    if worth.is_empty() {
        return Ok(Blind::new());
    }
    let mut blind = Blind::new();
    for (module, program) in &base.programs {
        let units: Vec<UnitId> = worth
            .iter()
            .filter(|unit| long.modules[*unit] == module)
            .map(|unit| UnitId::clone(unit))
            .collect();
        if units.is_empty() {
            continue;
        }
        let scouting = ask(context, base, module, asked)?;
        let mut woven = WovenProgram::default();
        for (class, bytes) in &scouting.classes {
            let of_class = Woven {
                bytes: Some(bytes.clone()),
                ..Woven::default()
            };
            woven.classes.insert(class.clone(), of_class);
        }
        let mut prepared = program.write_woven(&dir.join(module), &woven)?;
        prepared.probes = scouting.spoiled + 1;
        prepared.brief = true;
        if context
            .project
            .java_of(context.common().module(module)?)
            .version
            >= HELPFUL
        {
            prepared.options.push(TERSE.to_owned());
        }
        pool.prepare(module, prepared);
        let look = Look { base, long, module };
        for (unit, hits) in look.run(pool, units)? {
            let same =
                |number: &&u32| hits.contains(2 * **number) && !hits.contains(2 * **number + 1);
            let numbers = scouting.asked.iter().filter(same);
            for number in numbers.filter(|_| !hits.contains(scouting.spoiled)) {
                let place = *number as usize - 1;
                if asked[place].units.contains(&unit) {
                    blind.entry(place).or_default().insert(unit.clone());
                }
            }
        }
        pool.end(module);
    }
    pool.has_lost();
    pool.restore()?;
    for (place, blind) in &mut blind {
        if blind.len() == asked[*place].units.len() {
            // one of them runs all the same
            let quickest = blind
                .iter()
                .min_by_key(|unit| (context.times.get(*unit), *unit));
            if let Some(quickest) = quickest.cloned() {
                blind.remove(&quickest);
            }
        }
    }
    Ok(blind)
}

/// The program that looks at what patches would do; the patch at place `n` is number `n + 1`.
fn ask(
    context: &Context<'_>,
    base: &Base,
    module: &str,
    asked: &[Asked<'_>],
) -> Result<Scouting, EngineError> {
    let common = context.common();
    let module = common.module(module)?;
    let modules = &context.project.modules;
    let is_ours = |entry: &PathBuf| {
        let mut folders = modules.iter().flat_map(|m| [&m.classes, &m.test_classes]);
        folders.any(|folder| folder == entry)
    };
    let (mut path, mut program) = (ClassPath::new(), BTreeSet::new());
    for entry in &module.test_classpath {
        path.add(&context.workspace.map(entry))?;
        if let Some(last) = path.entries().last().filter(|_| is_ours(entry)) {
            program.extend(last.class_names()?);
        }
    }
    path.add_jdk(&context.project.java_of(module).home)?;
    let questions: Vec<Question<'_>> = (1u32..)
        .zip(asked)
        .map(|(number, asked)| Question {
            number,
            classes: asked.classes,
        })
        .collect();
    let original = |name: &str| match base.original(name) {
        Some(bytes) => Some(Cow::Borrowed(&**bytes)),
        None => None,
    };
    let class = |name: &str| path.find(name).ok().flatten();
    Ok(scouting(&original, &class, &program, &questions)?)
}

/// The tests that take long.
#[derive(Default)]
pub(super) struct Long<'a> {
    times: HashMap<&'a UnitId, Duration>,
    /// Where they are.
    modules: HashMap<&'a UnitId, &'a str>,
    units: HashMap<&'a UnitId, &'a UnitBaseline>,
}

impl<'a> Long<'a> {
    /// Those of which warm JVMs can be believed, and that pass on the unpatched program; none if all have to be run.
    pub(super) fn of(context: &Context<'a>, base: &Base) -> Self {
        let settings = context.settings;
        let needed = [Technique::Scouting, Technique::Coverage, Technique::Confirm];
        let mut long = Self::default();
        if settings.full || !needed.iter().all(|one| settings.uses(*one)) {
            return long;
        }
        let expect = context.expectations();
        let baseline: &'a crate::baseline::Baseline = context.baseline;
        for (module, unit) in baseline.units() {
            let Some(time) = unit.elapsed().filter(|time| *time >= LONG) else {
                continue;
            };
            if base.facts.trusts(&unit.id) && !expect.is_target(&unit.id) {
                long.times.insert(&unit.id, time);
                long.modules.insert(&unit.id, module);
                long.units.insert(&unit.id, unit);
            }
        }
        long
    }

    /// Whether one of these units is among them.
    pub(super) fn has_any(&self, units: &HashSet<UnitId>) -> bool {
        self.times.keys().any(|unit| units.contains(*unit))
    }

    /// Those that are worth a look; none if all together are not worth the JVM.
    fn worth(&self, asked: &[Asked<'_>]) -> Vec<&'a UnitId> {
        let mut runs: HashMap<&'a UnitId, u32> = HashMap::new();
        for asked in asked {
            for (unit, _) in self
                .times
                .iter()
                .filter(|(unit, _)| asked.units.contains(*unit))
            {
                *runs.entry(unit).or_default() += 1;
            }
        }
        let gain = |unit: &UnitId, runs: u32| {
            self.times[unit].as_secs_f64() * (f64::from(runs) * BLIND - LOOK)
        };
        runs.retain(|unit, runs| gain(unit, *runs) > 0.0);
        let all: f64 = runs.iter().map(|(unit, runs)| gain(unit, *runs)).sum();
        if all < START.as_secs_f64() {
            return Vec::new();
        }
        let mut units: Vec<&UnitId> = runs.into_keys().collect();
        units.sort();
        units
    }
}

/// Runs of tests that look.
struct Look<'l, 'a> {
    base: &'l Base,
    long: &'l Long<'a>,
    module: &'l str,
}

impl Look<'_, '_> {
    /// What each of these units saw; nothing of those that do not what they usually do.
    fn run(
        &self,
        pool: &mut WarmPool<'_>,
        mut left: Vec<UnitId>,
    ) -> Result<HashMap<UnitId, Hits>, EngineError> {
        let mut seen: HashMap<UnitId, Option<Hits>> = HashMap::new();
        while !left.is_empty() {
            let trial = Trial {
                variant: 0,
                units: left.iter().map(|unit| self.limited(unit)).collect(),
                stop_at_failure: false,
            };
            let options = WarmOptions {
                record: true,
                cancel: pool.cancel(),
            };
            let end = pool.run(self.module, &[trial], &options, &mut |ran: Ran| {
                let known = self.long.units.get(&ran.unit);
                let good = ran.tainted.is_none()
                    && known.is_some_and(|unit| difference(unit, &ran).is_none());
                seen.insert(ran.unit, ran.hits.filter(|_| good));
                ControlFlow::Continue(())
            })?;
            let lost = match end {
                WarmEnd::Cancelled => return Err(EngineError::Interrupted),
                WarmEnd::Timeout { unit, .. } => Some(unit),
                WarmEnd::Crashed { crash, .. } => crash.unit.clone(),
                WarmEnd::Done | WarmEnd::Stopped | WarmEnd::Tainted { .. } => None,
            };
            let before = left.len();
            // the one that the JVM did not come back from is not asked again
            left.retain(|unit| !seen.contains_key(unit) && Some(unit) != lost.as_ref());
            if left.len() == before {
                break;
            }
        }
        let known = seen.into_iter();
        Ok(known
            .filter_map(|(unit, hits)| Some((unit, hits?)))
            .collect())
    }

    fn limited(&self, unit: &UnitId) -> TrialUnit {
        let ticks = self.base.facts.of(unit).map_or(0, |facts| facts.ticks);
        let limit = self.long.times[unit] * 10 + PATIENCE;
        TrialUnit {
            unit: unit.clone(),
            fuel: Some(ticks.saturating_mul(50) + 20_000_000),
            wall: limit,
            idle: limit,
            stack_kb: None,
        }
    }
}
