//! One worker slot: runs windows of mutants in warm JVMs, makes sure that those are still as new, and asks fresh
//! JVMs where warm ones must not decide.

use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use braid_exec::{Ran, Trial, WarmEnd, WarmOptions};
use braid_protocol::UnitEnd;

use super::job::{FUEL, Job, Said, take};
use super::model::How;
use super::plainly::Plainly;
use super::reach::Kills;
use super::scout::Scouts;
use super::trying::Trying;
use crate::strategy::warm::jvms::WarmPool;
use crate::{EngineError, text};

/// How many mutants are run before what killed them is looked at: few at first, since nothing is known of which
/// tests kill.
const WINDOWS: Range<usize> = 8..64;

/// Runs tests on a mutant in fresh JVMs.
pub(crate) fn alone(
    job: &Job<'_>,
    plainly: &mut Plainly<'_>,
    trying: &mut Trying,
    numbers: &[u32],
) -> Result<(), EngineError> {
    let start = Instant::now();
    let candidate = &job.candidates[trying.mutant];
    let cells = plainly.run(candidate, job.units, numbers, job.full)?;
    // a fresh JVM runs them all, and takes most of the time itself
    let each = start.elapsed() / cells.len().max(1) as u32;
    for (unit, cell) in cells {
        trying.ran(unit, each);
        trying.cell(unit, cell);
    }
    Ok(())
}

/// One worker slot.
pub(crate) struct MutantSlot<'a> {
    job: &'a Job<'a>,
    pool: WarmPool<'a>,
    plainly: Plainly<'a>,
    scouts: Scouts<'a>,
    /// What tests said in the present JVMs that nothing has borne out yet.
    unproven: Vec<Said>,
    /// The same of JVMs that are gone.
    lost: Vec<Said>,
    /// The test that ran last in the JVM of each module.
    last: HashMap<&'a str, u32>,
}

impl<'a> MutantSlot<'a> {
    /// Sets up copies of the project; no JVM is started yet.
    pub(crate) fn open(job: &'a Job<'a>, name: &str) -> Result<Self, EngineError> {
        let context = job.context;
        let mut pool =
            WarmPool::open(context.common(), context.workspace, &format!("warm-{name}"))?;
        for (module, prepared) in &job.fabric.prepared {
            pool.prepare(module, prepared.clone());
        }
        Ok(Self {
            job,
            pool,
            plainly: Plainly::new(job.context, job.expect, format!("fresh-{name}")),
            scouts: Scouts::new(job, name.to_owned()),
            unproven: Vec::new(),
            lost: Vec::new(),
            last: HashMap::new(),
        })
    }

    /// Runs the mutants of an item, which are neighbours. Those for which `known` has a killer (or none) were run
    /// before. What comes out deferred has tests left for [`rest`](Self::rest).
    pub(crate) fn item(
        &mut self,
        item: Range<usize>,
        known: &dyn Fn(usize) -> Option<Option<u32>>,
        emit: &mut dyn FnMut(Trying) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let job = self.job;
        let sound = self.is_sound(item.clone())?;
        let mut kills = Kills::default();
        let (mut at, mut size) = (item.start, WINDOWS.start);
        if job.base.facts.writes_files {
            size = 1;
        }
        while at < item.end {
            let end = (at + size).min(item.end);
            let (before, now): (Vec<usize>, Vec<usize>) = (at..end)
                .filter(|mutant| {
                    !job.reaching[*mutant].is_empty() && !job.fabric.twins.contains_key(mutant)
                })
                .partition(|mutant| known(*mutant).is_some());
            let tried = match sound {
                true => self.window(&now, &kills)?,
                false => self.plain_window(&now, &kills)?,
            };
            let old = before
                .iter()
                .filter_map(|mutant| Some((*mutant, known(*mutant)??)));
            let mut killers: Vec<(usize, u32)> = old.collect();
            killers.extend(tried.iter().filter_map(|t| Some((t.mutant, t.killer()?))));
            killers.sort_unstable();
            for (mutant, unit) in killers {
                kills.add(&job.candidates[mutant].mutant, unit);
            }
            for trying in tried {
                emit(trying)?;
            }
            at = end;
            if !job.base.facts.writes_files {
                size = (size * 2).min(WINDOWS.end);
            }
        }
        Ok(())
    }

    /// Whether the woven class of an item does what the original does, by the least test that reaches it: one mutant
    /// whose code the JVM refuses spoils all of its class.
    fn is_sound(&mut self, item: Range<usize>) -> Result<bool, EngineError> {
        let job = self.job;
        let woven = item.filter(|mutant| !job.fabric.refused.contains_key(mutant));
        let units = woven.flat_map(|mutant| job.reaching[mutant].iter().copied());
        let trusted = units.filter(|unit| job.units.get(*unit).trusted);
        let Some(least) = trusted.min_by_key(|unit| (job.units.get(*unit).ticks, *unit)) else {
            return Ok(true);
        };
        let good = self.originals_hold(&[(None, least)])?;
        if !good {
            self.renew()?;
        }
        Ok(good)
    }

    /// Mutants whose class cannot be run woven.
    fn plain_window(
        &mut self,
        window: &[usize],
        kills: &Kills,
    ) -> Result<Vec<Trying>, EngineError> {
        let mut tries = Vec::new();
        for mutant in window {
            let mut trying = self.job.trying(*mutant, kills);
            trying.all_fresh("its class does not work woven with all its mutants");
            self.in_fresh_jvms(&mut trying)?;
            tries.push(trying);
        }
        Ok(tries)
    }

    /// Runs mutants in one JVM and looks at whether it is still as new. If not, all that was seen in it is void: the
    /// halves are run in JVMs of their own, and the first mutant in a new JVM is always right.
    fn window(&mut self, window: &[usize], kills: &Kills) -> Result<Vec<Trying>, EngineError> {
        let tries = window.iter().map(|m| self.job.trying(*m, kills)).collect();
        self.tried(tries, window, kills)
    }

    /// The rest of a mutant that was deferred, perhaps by another slot.
    pub(crate) fn rest(&mut self, mut trying: Trying) -> Result<Trying, EngineError> {
        let window = [trying.mutant];
        loop {
            (trying.deferred, trying.settled) = (false, true);
            let tried = self.tried(vec![trying], &window, &Kills::default())?;
            match tried.into_iter().next() {
                // it was begun again in another JVM
                Some(again) if again.deferred => trying = again,
                Some(done) => return Ok(done),
                None => unreachable!("a window gives back its mutants"),
            }
        }
    }

    fn tried(
        &mut self,
        mut tries: Vec<Trying>,
        window: &[usize],
        kills: &Kills,
    ) -> Result<Vec<Trying>, EngineError> {
        let job = self.job;
        self.warm(&mut tries)?;
        let pairs = self.unproven.drain(..).map(|said| (said.before, said.unit));
        let pairs: Vec<(Option<u32>, u32)> = pairs.collect();
        if !self.originals_hold(&pairs)? || !self.files_hold()? {
            self.renew()?;
            if let [only] = window {
                tries = vec![job.trying(*only, kills)];
                if self.originals_hold(&pairs)? {
                    self.warm(&mut tries)?;
                } else {
                    tries[0].all_fresh("tests do not pass on the original in a warm JVM");
                }
                self.renew()?;
            } else {
                let (first, second) = window.split_at(window.len() / 2);
                let mut tries = self.window(first, kills)?;
                self.renew()?;
                tries.extend(self.window(second, kills)?);
                return Ok(tries);
            }
        }
        self.prove_lost(&mut tries)?;
        for trying in &mut tries {
            self.in_fresh_jvms(trying)?;
        }
        Ok(tries)
    }

    /// Gives up the JVMs and what was seen in them.
    fn renew(&mut self) -> Result<(), EngineError> {
        self.pool.end_all();
        self.pool.has_lost();
        self.pool.restore()?;
        self.unproven.clear();
        self.last.clear();
        Ok(())
    }

    /// Runs what warm JVMs may run, in as many requests as it takes.
    fn warm(&mut self, tries: &mut [Trying]) -> Result<(), EngineError> {
        loop {
            let mut modules: BTreeSet<&str> = BTreeSet::new();
            tries.iter_mut().for_each(Trying::rouse);
            self.scouts.spare(tries)?;
            for trying in tries.iter_mut().filter(|t| !t.is_warm_done(self.job.full)) {
                trying.deferred = self.job.pause(trying) == Some(0);
            }
            for trying in tries.iter().filter(|t| !t.is_warm_done(self.job.full)) {
                modules.extend(self.next_module(trying));
            }
            if modules.is_empty() {
                return Ok(());
            }
            for module in modules {
                self.request(module, tries)?;
            }
            for trying in tries.iter_mut() {
                self.settle_doubt(trying)?;
            }
        }
    }

    fn next_module(&self, trying: &Trying) -> Option<&'a str> {
        let (unit, _) = trying.pending.front()?;
        Some(&self.job.units.get(*unit).module)
    }

    /// One request to a module's JVM: all mutants whose next test is of that module.
    fn request(&mut self, module: &'a str, tries: &mut [Trying]) -> Result<(), EngineError> {
        let job = self.job;
        let (mut trials, mut places) = (Vec::new(), Vec::new());
        for (place, trying) in tries.iter().enumerate() {
            if trying.is_warm_done(job.full) || self.next_module(trying) != Some(module) {
                continue;
            }
            let own = trying.pending.iter();
            let own = own.take_while(|(unit, _)| job.units.get(*unit).module == module);
            let own = own.take(job.pause(trying).unwrap_or(usize::MAX));
            trials.push(Trial {
                variant: trying.mutant as u32 + 1,
                units: own
                    .map(|(unit, level)| job.limited(*unit, *level))
                    .collect(),
                stop_at_failure: !job.full,
            });
            places.push(place);
        }
        let options = WarmOptions {
            record: false,
            cancel: self.pool.cancel(),
        };
        let (unproven, last) = (&mut self.unproven, &mut self.last);
        let end = self.pool.run(module, &trials, &options, &mut |ran| {
            let trying = &mut tries[places[ran.trial]];
            let unit = job.units.numbers.get(&ran.unit).copied();
            let before = unit.and_then(|unit| last.insert(module, unit));
            take(job, trying, &ran, before, unproven);
            ControlFlow::Continue(())
        })?;
        let (trial, unit, why) = match end {
            WarmEnd::Done | WarmEnd::Stopped | WarmEnd::Tainted { .. } => (None, None, ""),
            WarmEnd::Cancelled => return Err(EngineError::Interrupted),
            WarmEnd::Timeout { trial, unit, .. } => {
                (Some(trial), Some(unit), "it did not end in the warm JVM")
            }
            WarmEnd::Crashed { trial, crash } => (Some(trial), crash.unit, "the warm JVM ended"),
        };
        // a JVM tells of short tests now and then only: the last one it told of may be done
        let trying = trial.map(|trial| &mut tries[places[trial]]);
        if let Some(trying) = trying.filter(|trying| !trying.is_warm_done(job.full)) {
            let unit = unit.and_then(|unit| job.units.numbers.get(&unit).copied());
            let is_pending = |unit: &u32| trying.pending.iter().any(|(own, _)| own == unit);
            let unit = unit.filter(is_pending);
            let unit = unit.or(trying.pending.front().map(|(unit, _)| *unit));
            trying.doubt = unit.map(|unit| (unit, why.to_owned()));
        }
        if self.pool.has_lost() {
            self.last.remove(module);
            let other = |said: &Said| job.units.get(said.unit).module != module;
            let all = std::mem::take(&mut self.unproven);
            let (kept, lost): (Vec<Said>, Vec<Said>) = all.into_iter().partition(other);
            self.unproven = kept;
            self.lost.extend(lost);
        }
        Ok(())
    }

    /// A fresh JVM says what a warm one could not.
    fn settle_doubt(&mut self, trying: &mut Trying) -> Result<(), EngineError> {
        let Some((unit, why)) = trying.doubt.take() else {
            return Ok(());
        };
        trying.decided.how = How::Fresh;
        trying.decided.why = why;
        self.plain(trying, &[unit])
    }

    fn plain(&mut self, trying: &mut Trying, numbers: &[u32]) -> Result<(), EngineError> {
        alone(self.job, &mut self.plainly, trying, numbers)
    }

    /// Runs the tests that need fresh JVMs.
    fn in_fresh_jvms(&mut self, trying: &mut Trying) -> Result<(), EngineError> {
        let decided = !self.job.full && trying.killer().is_some();
        if trying.fresh.is_empty() || decided || trying.deferred {
            return Ok(());
        }
        let units = std::mem::take(&mut trying.fresh);
        if trying.decided.how == How::Warm {
            let first = self.job.units.get(units[0]);
            let facts = self.job.base.facts.of(&first.id);
            let why = facts
                .and_then(|facts| facts.trouble.as_deref())
                .unwrap_or("unknown");
            trying.decided.how = How::Fresh;
            trying.decided.why =
                format!("{} needs a fresh JVM: {why}", text::short_test(&first.id.0));
        }
        self.plain(trying, &units)
    }

    /// Verdicts of JVMs that were given up: each is seen once more, and the test passes without the mutant right
    /// afterwards; otherwise fresh JVMs decide.
    fn prove_lost(&mut self, tries: &mut [Trying]) -> Result<(), EngineError> {
        for said in std::mem::take(&mut self.lost) {
            let mut all = tries.iter_mut();
            let Some(trying) = all.find(|trying| trying.mutant == said.mutant) else {
                continue;
            };
            let level = match trying.endless {
                true => 0, // what has been seen with all fuel is seen again with little
                false => FUEL.len() - 1,
            };
            if !self.is_seen_again(&said, level)? {
                trying.all_fresh("the warm JVM was given up before it could be looked at again");
            }
        }
        Ok(())
    }

    fn is_seen_again(&mut self, said: &Said, level: usize) -> Result<bool, EngineError> {
        let (job, mutant, unit) = (self.job, said.mutant, said.unit);
        let trial = |variant| Trial {
            variant,
            units: vec![job.limited(unit, level)],
            stop_at_failure: false,
        };
        let (mut bad, mut good) = (false, false);
        let module = &job.units.get(unit).module;
        let trials = [trial(mutant as u32 + 1), trial(0)];
        let end = self.run_quietly(module, &trials, &mut |ran| match ran.variant {
            0 => good = job.is_as_before(&ran),
            _ => bad = matches!(ran.end, UnitEnd::OutOfFuel { .. }) || job.judge(&ran).is_bad(),
        })?;
        Ok(end == WarmEnd::Done && bad && good)
    }

    /// Whether tests still do with the original program what they did at first, each after the one that it came
    /// after.
    fn originals_hold(&mut self, pairs: &[(Option<u32>, u32)]) -> Result<bool, EngineError> {
        let job = self.job;
        let mut by_module: HashMap<&'a str, Vec<u32>> = HashMap::new();
        let mut seen = BTreeSet::new();
        for (before, unit) in pairs.iter().filter(|pair| seen.insert(**pair)) {
            let own = by_module.entry(&job.units.get(*unit).module).or_default();
            // what came one after the other is one sequence
            if own.last() != before.as_ref() {
                own.extend(before);
            }
            own.push(*unit);
        }
        let limited = |unit| job.limited(unit, FUEL.len() - 1);
        for (module, units) in by_module {
            let trial = Trial {
                variant: 0,
                units: units.into_iter().map(limited).collect(),
                stop_at_failure: false,
            };
            let mut good = true;
            let mut each = |ran: Ran| good &= job.is_as_before(&ran);
            let end = self.run_quietly(module, &[trial], &mut each)?;
            if end != WarmEnd::Done || !good {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Brings the files of the copy back. What a mutant left behind would be seen by the next one.
    fn files_hold(&mut self) -> Result<bool, EngineError> {
        Ok(!self.pool.restore()? || self.job.base.facts.writes_files)
    }

    fn run_quietly(
        &mut self,
        module: &'a str,
        trials: &[Trial],
        each: &mut dyn FnMut(Ran),
    ) -> Result<WarmEnd, EngineError> {
        let options = WarmOptions {
            record: false,
            cancel: self.pool.cancel(),
        };
        let (job, last) = (self.job, &mut self.last);
        let end = self.pool.run(module, trials, &options, &mut |ran| {
            if let Some(unit) = job.units.numbers.get(&ran.unit) {
                last.insert(module, *unit);
            }
            each(ran);
            ControlFlow::Continue(())
        })?;
        if self.pool.has_lost() {
            self.last.remove(module);
        }
        match end {
            WarmEnd::Cancelled => Err(EngineError::Interrupted),
            end => Ok(end),
        }
    }
}
