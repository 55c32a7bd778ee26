//! Runs the mutants of a run, round by round, and takes down what comes of them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use braid_exec::run_jobs;
use braid_protocol::UnitId;
use braid_store::Run;

use super::find::Candidate;
use super::job::Job;
use super::model::{Decision, How, MutantResult, MutantTally, Status};
use super::plainly::Plainly;
use super::reach::{Kills, Units};
use super::request::When;
use super::scout::{Scouting, pays};
use super::slot::{MutantSlot, alone};
use super::trying::Trying;
use super::weaving::{Fabric, weave};
use crate::backlog::Backlog;
use crate::baseline::UnitBaseline;
use crate::expect::Expectations;
use crate::strategy::Context;
use crate::strategy::warm::base::Base;
use crate::{EngineError, Event, Progress, StrategyKind, text};

/// So many mutants are woven together at most: all their classes are in memory at once.
const MOST: usize = 6_000;
/// So many neighbours go to one slot together.
const ITEM: usize = 128;

/// So many mutants with tests that stand still are attended to at the same time.
const ATTENDANTS: usize = 8;

/// So many tests are run on a mutant until one notices it, by rule of thumb.
const RUN: usize = 6;
/// What tests cost in all, in ticks, up to which warm JVMs do without the slower compiler: two minutes or so.
const BRIEF: u64 = 12_000_000_000;

/// Everything that running mutants needs.
pub(crate) struct Mutants<'a> {
    pub context: &'a Context<'a>,
    pub expect: &'a Expectations,
    pub base: &'a Base,
    pub units: &'a Units,
    pub candidates: &'a [Candidate],
    /// The tests that reach each mutant.
    pub reaching: &'a [Vec<u32>],
    pub full: bool,
    pub scouting: When,
}

/// Mutants of earlier parts of the run: the first test that noticed each, by id.
pub(crate) type Known = HashMap<String, Option<u32>>;

/// Takes down results: one line each, flushed.
pub(crate) struct Taker<'a> {
    pub run: &'a mut Run,
    pub progress: &'a mut dyn Progress,
    pub tally: MutantTally,
    pub total: u64,
    /// How long each test took in all, on mutants.
    pub test_us: Vec<u64>,
}

impl Taker<'_> {
    fn take(&mut self, result: &MutantResult) -> Result<(), EngineError> {
        self.run.append(result)?;
        self.tally.add(result);
        let event = Event::Mutant {
            result,
            done: self.tally.total(),
            total: self.total,
        };
        self.progress.event(&event);
        Ok(())
    }
}

impl Mutants<'_> {
    /// Runs all mutants but the known ones. What was taken down before an error stays.
    pub(crate) fn run(&self, known: &Known, taker: &mut Taker<'_>) -> Result<(), EngineError> {
        for (mutant, candidate) in self.candidates.iter().enumerate() {
            if self.reaching[mutant].is_empty() && !known.contains_key(&candidate.mutant.id.0) {
                taker.take(&self.not_covered(mutant))?;
            }
        }
        for (round, start) in (0..self.candidates.len()).step_by(MOST).enumerate() {
            let end = (start + MOST).min(self.candidates.len());
            self.round(round, start..end, known, taker)?;
        }
        Ok(())
    }

    fn round(
        &self,
        round: usize,
        range: Range<usize>,
        known: &Known,
        taker: &mut Taker<'_>,
    ) -> Result<(), EngineError> {
        let candidates = &self.candidates[range.clone()];
        let is_known = |candidate: &Candidate| known.contains_key(&candidate.mutant.id.0);
        let reaching = &self.reaching[range.clone()];
        let todo = candidates.iter().zip(reaching);
        if todo
            .clone()
            .all(|(one, tests)| tests.is_empty() || is_known(one))
        {
            return Ok(());
        }
        let dir = self.context.temp_root.join(format!("woven-{round}"));
        let fabric = match self.context.settings.strategy {
            StrategyKind::Plain => Fabric::none(candidates.len()),
            _ => weave(self.base, candidates, &dir, self.is_brief(reaching))?,
        };
        let units = self.context.baseline.units();
        let baseline: HashMap<&UnitId, &UnitBaseline> =
            units.map(|(_, unit)| (&unit.id, unit)).collect();
        let scouting = match self.wants_scouts(candidates, reaching) {
            true => Scouting::write(self.base, candidates, &dir.join("scouting"))?,
            false => None,
        };
        let job = Job {
            context: self.context,
            expect: self.expect,
            base: self.base,
            units: self.units,
            baseline: &baseline,
            candidates,
            reaching,
            fabric: &fabric,
            scouting,
            may_spare: self.scouting != When::Never,
            full: self.full,
        };
        let shared = Shared {
            taker: Mutex::new(taker),
            error: Mutex::new(None),
            mutants: self,
            backlog: Backlog::default(),
            stalled: Backlog::default(),
            job: &job,
            offset: range.start,
            known,
            round,
        };
        let slots = self.context.settings.jobs;
        let stop = self.context.stop;
        let mut items = items(candidates).into_iter();
        let next = || match items.next() {
            Some(item) => {
                shared.backlog.begin();
                Some(Work::Item(item))
            }
            None => shared.backlog.wait(stop).map(Work::Rest),
        };
        shared.stalled.begin();
        let outcome = std::thread::scope(|scope| {
            let slots_work = shared.stalled.busy();
            let shared = &shared;
            for number in 0..if self.full { ATTENDANTS } else { 0 } {
                scope.spawn(move || shared.attend(number));
            }
            let outcome = run_jobs(
                slots,
                std::iter::from_fn(next),
                |slot| Ok::<_, EngineError>((slot, shared.open(slot)?)),
                |(slot, worker), work: Work| shared.serve(slot, worker, work),
                |()| (),
                stop.cancel(),
            );
            drop(slots_work);
            outcome
        });
        let error = shared
            .error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        // files of a round are large, and the next needs room
        let _ = std::fs::remove_dir_all(&dir);
        error.map_or(outcome, Err)?;
        match self.context.stop.is_requested() {
            true => Err(EngineError::Interrupted),
            false => Ok(()),
        }
    }

    /// Whether to find out which tests cannot notice a mutant.
    fn wants_scouts(&self, candidates: &[Candidate], reaching: &[Vec<u32>]) -> bool {
        let woven = self.context.settings.strategy != StrategyKind::Plain;
        woven
            && match self.scouting {
                When::Always => true,
                When::Never => false,
                When::Auto => pays(candidates, reaching, self.units, self.full),
            }
    }

    /// Whether JVMs that run mutants with these tests have so little to do that the slower compiler is not worth its
    /// time. Goes by work: on a busy machine tests take long, and a compiler would take long too.
    fn is_brief(&self, reaching: &[Vec<u32>]) -> bool {
        let of_mutant = |tests: &Vec<u32>| {
            let costs = tests.iter().map(|unit| self.units.get(*unit).cost());
            let all: u64 = costs.sum();
            match self.full || tests.len() <= RUN {
                true => all,
                false => all / tests.len() as u64 * RUN as u64,
            }
        };
        reaching.iter().map(of_mutant).sum::<u64>() < BRIEF
    }

    fn bare(&self, mutant: usize) -> MutantResult {
        let candidate = &self.candidates[mutant];
        let own = &candidate.mutant;
        MutantResult {
            id: own.id.0.clone(),
            seq: mutant as u64,
            class: candidate.class(),
            method: own.method.clone(),
            descriptor: own.descriptor.clone(),
            operator: own.operator.to_owned(),
            description: own.description.clone(),
            module: candidate.module.clone(),
            file: candidate.file.clone(),
            line: own.line,
            insn: own.insn,
            block: own.block,
            place: candidate.place.clone(),
            status: Status::NotCovered,
            reason: String::new(),
            covered_by: self.reaching[mutant].clone(),
            killed_by: Vec::new(),
            timeout_by: Vec::new(),
            error_by: Vec::new(),
            tests_run: 0,
            spared: 0,
            elapsed_us: 0,
            decided: Decision {
                how: How::Coverage,
                why: String::new(),
            },
        }
    }

    fn not_covered(&self, mutant: usize) -> MutantResult {
        MutantResult {
            reason: "no test reaches it".to_owned(),
            ..self.bare(mutant)
        }
    }

    fn result(&self, offset: usize, trying: &Trying) -> MutantResult {
        let (status, reason) = trying.status();
        MutantResult {
            status,
            reason,
            killed_by: trying.tests(Status::Killed),
            timeout_by: trying.tests(Status::Timeout),
            error_by: trying.tests(Status::Error),
            tests_run: trying.tests_run,
            spared: trying.spared,
            elapsed_us: trying.elapsed.as_micros() as u64,
            decided: trying.decided.clone(),
            ..self.bare(offset + trying.mutant)
        }
    }
}

/// Neighbours of one class, so many at a time.
fn items(candidates: &[Candidate]) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut start = 0;
    while start < candidates.len() {
        let class = &candidates[start].mutant.class;
        let own = candidates[start..].iter();
        let count = own.take_while(|one| one.mutant.class == *class).count();
        let parts = count.div_ceil(ITEM);
        for part in 0..parts {
            items.push(start + count * part / parts..start + count * (part + 1) / parts);
        }
        start += count;
    }
    // the largest first, so that no slot is left with one at the end
    items.sort_by_key(|item| std::cmp::Reverse(item.len()));
    items
}

/// A piece of work for one slot.
enum Work {
    /// Mutants that are neighbours.
    Item(Range<usize>),
    /// The other tests of one mutant.
    Rest(Box<Trying>),
}

/// What the threads of a round share.
struct Shared<'a, 't, 'r> {
    taker: Mutex<&'t mut Taker<'r>>,
    error: Mutex<Option<EngineError>>,
    /// Mutants that were put off.
    backlog: Backlog<Box<Trying>>,
    /// Mutants on which only tests are left that stood still.
    stalled: Backlog<Box<Trying>>,
    mutants: &'a Mutants<'a>,
    job: &'a Job<'a>,
    offset: usize,
    known: &'a Known,
    round: usize,
}

impl<'a, 't, 'r> Shared<'a, 't, 'r> {
    fn open(&self, slot: usize) -> Result<MutantSlot<'a>, EngineError> {
        MutantSlot::open(self.job, &format!("{}-{slot}", self.round))
    }

    fn taker(&self) -> MutexGuard<'_, &'t mut Taker<'r>> {
        self.taker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a piece of work; what fails for a reason of the machine is tried once more in a new slot.
    fn serve(&self, slot: &mut usize, worker: &mut MutantSlot<'a>, mut work: Work) {
        let _busy = self.backlog.busy();
        let mut done: HashMap<usize, Option<u32>> = HashMap::new();
        for attempt in 0..2 {
            let before = done.clone();
            let known = |mutant: usize| {
                let id = &self.job.candidates[mutant].mutant.id.0;
                before.get(&mutant).or_else(|| self.known.get(id)).copied()
            };
            let mut emit = |trying: Trying| {
                done.insert(trying.mutant, trying.killer());
                self.take(trying)
            };
            let outcome = match &mut work {
                Work::Item(item) => worker.item(item.clone(), &known, &mut emit),
                Work::Rest(trying) => {
                    let again = self.job.trying(trying.mutant, &Kills::default());
                    let rest = worker.rest(std::mem::replace(&mut **trying, again));
                    rest.and_then(emit)
                }
            };
            let Err(error) = outcome else { return };
            let stopped = self.job.context.stop.is_requested();
            let last = attempt == 1 || stopped || matches!(error, EngineError::Store(_));
            let error = match last {
                true => error,
                false => {
                    // the slot's folder is in use: the new one needs another
                    *slot += 1_000;
                    match self.open(*slot) {
                        Ok(new) => {
                            *worker = new;
                            continue;
                        }
                        Err(error) => error,
                    }
                }
            };
            self.fail(error);
            return;
        }
    }

    /// Ends the run because of an error.
    fn fail(&self, error: EngineError) {
        let error = self.job.context.stop.excuse(error);
        if !matches!(error, EngineError::Interrupted) {
            let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error);
        }
        self.job.context.stop.request();
    }

    /// Finds out in fresh JVMs what comes of tests that stood still, beside the slots: they wait and do nothing.
    fn attend(&self, number: usize) {
        let (job, stop) = (self.job, self.job.context.stop);
        let name = format!("stalled-{}-{number}", self.round);
        let mut plainly = Plainly::new(job.context, job.expect, name);
        while let Some(mut trying) = self.stalled.wait(stop) {
            let _busy = self.stalled.busy();
            let units = std::mem::take(&mut trying.stalled);
            let test = text::short_test(&job.units.get(units[0]).id.0).to_owned();
            trying.decided = Decision {
                how: How::Fresh,
                why: format!("{test} stood still in the warm JVM"),
            };
            let done = alone(job, &mut plainly, &mut trying, &units);
            if let Err(error) = done.and_then(|()| self.emit(&trying)) {
                return self.fail(error);
            }
        }
    }

    /// Puts off what is deferred and takes down what is done.
    fn take(&self, trying: Trying) -> Result<(), EngineError> {
        if !trying.stalled.is_empty() {
            self.stalled.push(0, Box::new(trying));
            return Ok(());
        }
        if !trying.deferred {
            return self.emit(&trying);
        }
        let units = trying.pending.iter();
        let cost = units
            .map(|(unit, _)| self.job.units.get(*unit).cost())
            .sum();
        self.backlog.push(cost, Box::new(trying));
        Ok(())
    }

    /// Takes down a mutant, and those that have its code.
    fn emit(&self, trying: &Trying) -> Result<(), EngineError> {
        let result = self.mutants.result(self.offset, trying);
        let mut taker = self.taker();
        for (unit, took) in &trying.spent {
            if let Some(sum) = taker.test_us.get_mut(*unit as usize) {
                *sum += took.as_micros() as u64;
            }
        }
        taker.take(&result)?;
        for (twin, first) in &self.job.fabric.twins {
            let id = &self.job.candidates[*twin].mutant.id.0;
            if *first == trying.mutant && !self.known.contains_key(id) {
                let own = self.mutants.bare(self.offset + twin);
                taker.take(&same_as(&result, own))?;
            }
        }
        Ok(())
    }
}

/// The result of a mutant that has the code of another.
fn same_as(first: &MutantResult, own: MutantResult) -> MutantResult {
    MutantResult {
        status: first.status,
        reason: first.reason.clone(),
        killed_by: first.killed_by.clone(),
        timeout_by: first.timeout_by.clone(),
        error_by: first.error_by.clone(),
        decided: Decision {
            how: How::Same,
            why: first.id.clone(),
        },
        ..own
    }
}
