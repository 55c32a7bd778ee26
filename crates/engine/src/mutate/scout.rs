//! Which tests could notice a mutant at all.
//!
//! A mutant of `a < b` or `a + b` does what the original does as long as both have the same value there. One run of a test
//! on the original, with a look at the values at every such place, says of all mutants at once whether the test could
//! notice them: where a place was passed and the mutant's value never was another, the test does on the mutant exactly
//! what it does on the original. Running the mutant is the slow twin, and what happens with `--scouting never`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use braid_exec::{Trial, WarmEnd, WarmOptions};
use braid_mutators::{Mutant, scouting};
use braid_protocol::Hits;
use braid_weave::{Woven, WovenProgram};

use super::find::Candidate;
use super::job::{FUEL, Job};
use super::reach::Units;
use super::trying::Trying;
use crate::EngineError;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::jvms::WarmPool;
use crate::strategy::warm::program::Prepared;

/// What is known of the tests, and the program that tells it.
pub(crate) struct Scouting {
    /// What each module's JVMs read.
    prepared: BTreeMap<String, Prepared>,
    /// What each test passes and what would differ; nothing if that could not be seen.
    known: Mutex<HashMap<u32, Option<Hits>>>,
}

/// What the JVMs of scouts cost, in ticks.
const START: u64 = 1_500_000_000;
/// One cell in so many is spared of those that scouts are asked about, by rule of thumb.
const SPARED: u64 = 4;
/// One mutant in so many is not noticed by its first tests.
const STUBBORN: u64 = 10;

/// Whether scouts are likely to save more than they cost: these tests reach each mutant.
pub(crate) fn pays(
    candidates: &[Candidate],
    reaching: &[Vec<u32>],
    units: &Units,
    full: bool,
) -> bool {
    let all = candidates.iter().zip(reaching);
    let asked = all.filter(|(candidate, _)| candidate.mutant.can_be_scouted());
    let cost = |unit: &u32| units.get(*unit).cost();
    let cells: u64 = asked.flat_map(|(_, tests)| tests).map(cost).sum();
    let saved = match full {
        true => cells / SPARED,
        false => cells / SPARED / STUBBORN,
    };
    saved > START + units.all.iter().map(|unit| unit.cost()).sum::<u64>()
}

impl Scouting {
    /// Writes the program that looks at values into `dir`; none if no mutant can be asked for.
    pub(crate) fn write(
        base: &Base,
        candidates: &[Candidate],
        dir: &Path,
    ) -> Result<Option<Self>, EngineError> {
        let mut by_class: BTreeMap<&str, Vec<(u32, &Mutant)>> = BTreeMap::new();
        for (number, candidate) in (0u32..).zip(candidates) {
            let mutant = &candidate.mutant;
            by_class
                .entry(&mutant.class)
                .or_default()
                .push((number, mutant));
        }
        let mut program = WovenProgram::default();
        for (class, mutants) in by_class {
            let Some(original) = base.original(class) else {
                continue;
            };
            let woven = Woven {
                bytes: scouting(original, &mutants)?,
                ..Woven::default()
            };
            if woven.bytes.is_some() {
                program.classes.insert(class.to_owned(), woven);
            }
        }
        if program.classes.is_empty() {
            return Ok(None);
        }
        let mut prepared = BTreeMap::new();
        for (module, own) in &base.programs {
            let mut files = own.write_woven(&dir.join(module), &program)?;
            files.probes = 2 * candidates.len() as u32;
            files.brief = true;
            prepared.insert(module.clone(), files);
        }
        Ok(Some(Self {
            prepared,
            known: Mutex::new(HashMap::new()),
        }))
    }

    fn known(&self) -> MutexGuard<'_, HashMap<u32, Option<Hits>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a test that reaches a mutant does the same on it as on the original.
    fn is_blind(&self, unit: u32, mutant: usize) -> bool {
        let number = 2 * mutant as u32;
        let known = self.known();
        let hits = known.get(&unit).and_then(Option::as_ref);
        hits.is_some_and(|hits| hits.contains(number) && !hits.contains(number + 1))
    }
}

/// The scouts of one worker slot: JVMs of their own, which are started when they are first needed.
pub(crate) struct Scouts<'a> {
    job: &'a Job<'a>,
    name: String,
    pool: Option<WarmPool<'a>>,
}

impl<'a> Scouts<'a> {
    /// For worker slot `name`; nothing is started yet.
    pub(crate) fn new(job: &'a Job<'a>, name: String) -> Self {
        Self {
            job,
            name,
            pool: None,
        }
    }

    /// Takes from mutants the tests that cannot notice them, where finding that out is worth it.
    pub(crate) fn spare(&mut self, tries: &mut [Trying]) -> Result<(), EngineError> {
        let Some(scouting) = &self.job.scouting else {
            return Ok(());
        };
        let mut due: Vec<&mut Trying> = Vec::new();
        for trying in tries.iter_mut().filter(|t| !t.is_warm_done(self.job.full)) {
            if self.is_due(trying) {
                due.push(trying);
            }
        }
        let unknown: BTreeSet<u32> = {
            let known = scouting.known();
            let pending = due.iter().flat_map(|trying| &trying.pending);
            let units = pending.map(|(unit, _)| *unit);
            units.filter(|unit| !known.contains_key(unit)).collect()
        };
        self.look(scouting, &unknown)?;
        for trying in due {
            let pending = trying.pending.iter().map(|(unit, _)| *unit);
            let blind = pending.filter(|unit| scouting.is_blind(*unit, trying.mutant));
            for unit in blind.collect::<Vec<u32>>() {
                trying.spare(unit);
            }
            trying.scouted = true;
        }
        Ok(())
    }

    /// Whether it is time to ask for a mutant.
    fn is_due(&self, trying: &Trying) -> bool {
        let job = self.job;
        let mutant = &job.candidates[trying.mutant].mutant;
        let can = mutant.can_be_scouted() && !job.is_built_once(mutant);
        can && !trying.scouted && (job.full || job.pause(trying) == Some(0))
    }

    /// Runs tests on the original and takes down what they pass.
    fn look(&mut self, scouting: &Scouting, units: &BTreeSet<u32>) -> Result<(), EngineError> {
        let job = self.job;
        let mut by_module: BTreeMap<&'a str, Vec<u32>> = BTreeMap::new();
        for unit in units {
            let module = &job.units.get(*unit).module;
            by_module.entry(module).or_default().push(*unit);
        }
        for (module, mut left) in by_module {
            while !left.is_empty() {
                let seen = self.run(scouting, module, &left)?;
                let mut known = scouting.known();
                // the one that a JVM did not come back from is not asked again
                let lost = left.iter().copied().find(|unit| !seen.contains_key(unit));
                known.extend(lost.map(|unit| (unit, None)));
                left.retain(|unit| !seen.contains_key(unit) && Some(*unit) != lost);
                known.extend(seen);
            }
        }
        if let Some(pool) = self.pool.as_mut().filter(|_| !units.is_empty()) {
            pool.restore()?;
        }
        Ok(())
    }

    /// Runs tests in one JVM, up to the first that it does not come back from.
    fn run(
        &mut self,
        scouting: &Scouting,
        module: &'a str,
        units: &[u32],
    ) -> Result<HashMap<u32, Option<Hits>>, EngineError> {
        let job = self.job;
        let pool = self.pool(scouting)?;
        let limited = |unit: &u32| job.limited(*unit, FUEL.len() - 1);
        let trial = Trial {
            variant: 0,
            units: units.iter().map(limited).collect(),
            stop_at_failure: false,
        };
        let options = WarmOptions {
            record: true,
            cancel: pool.cancel(),
        };
        let mut seen = HashMap::new();
        let end = pool.run(module, &[trial], &options, &mut |ran| {
            if let Some(unit) = job.units.numbers.get(&ran.unit) {
                let good = ran.tainted.is_none() && job.is_as_before(&ran);
                seen.insert(*unit, ran.hits.filter(|_| good));
            }
            ControlFlow::Continue(())
        })?;
        match end {
            WarmEnd::Cancelled => Err(EngineError::Interrupted),
            _ => Ok(seen),
        }
    }

    fn pool(&mut self, scouting: &Scouting) -> Result<&mut WarmPool<'a>, EngineError> {
        if self.pool.is_none() {
            let context = self.job.context;
            let name = format!("scout-{}", self.name);
            let mut pool = WarmPool::open(context.common(), context.workspace, &name)?;
            for (module, prepared) in &scouting.prepared {
                pool.prepare(module, prepared.clone());
            }
            self.pool = Some(pool);
        }
        Ok(self.pool.as_mut().expect("made above"))
    }
}
