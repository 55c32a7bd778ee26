//! What all worker slots know, and what a test that ran says of a mutant.

use std::collections::HashMap;
use std::time::Duration;

use braid_exec::{Ran, TrialUnit};
use braid_mutators::Mutant;
use braid_protocol::{Outcome, UnitEnd, UnitId};

use super::find::Candidate;
use super::plainly::{is_memory, wall_limit};
use super::reach::{Kills, Units};
use super::scout::Scouting;
use super::trying::{Cell, Trying};
use super::weaving::Fabric;
use crate::baseline::UnitBaseline;
use crate::expect::{Expect, Expectations};
use crate::strategy::Context;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::facts::difference;
use crate::strategy::warm::jvms::{Fuel, STANDSTILL};
use crate::text;
use crate::verdict::TickLimit;

/// What a test may use on a mutant at first, and if that was not enough. The multiple is that of the time limit in
/// fresh JVMs; the rest leaves room for loops over all values of a `char` and for tables of some size, and ends an
/// endless loop in less than a second: many mutants are endless, and few are slow.
pub(crate) const FUEL: [Fuel; 2] = [Fuel::new(3, 250_000), Fuel::new(10, 5_000_000)];

/// So many tests are run on a mutant at first: few mutants that are noticed at all need more.
const FIRST: usize = 8;
/// What its other tests must cost, in ticks, for it to be worth thinking about them.
const COSTLY: u64 = 5_000_000;

/// What all slots of a round know.
pub(crate) struct Job<'a> {
    pub context: &'a Context<'a>,
    pub expect: &'a Expectations,
    pub base: &'a Base,
    pub units: &'a Units,
    pub baseline: &'a HashMap<&'a UnitId, &'a UnitBaseline>,
    pub candidates: &'a [Candidate],
    /// The tests that reach each mutant.
    pub reaching: &'a [Vec<u32>],
    pub fabric: &'a Fabric,
    /// Tells which tests could notice a mutant, unless that is not wanted.
    pub scouting: Option<Scouting>,
    /// Whether tests that cannot notice a mutant are left out.
    pub may_spare: bool,
    /// Whether every test is run.
    pub full: bool,
}

impl Job<'_> {
    /// A mutant before any test was run on it: what killed its neighbours comes first.
    pub(crate) fn trying(&self, mutant: usize, kills: &Kills) -> Trying {
        let mut reaching = self.reaching[mutant].clone();
        kills.order(self.units, &self.candidates[mutant].mutant, &mut reaching);
        if let Some(why) = self.fabric.refused.get(&mutant) {
            let mut trying = Trying::new(mutant, Vec::new(), Vec::new());
            trying.start_over(reaching, why);
            return trying;
        }
        let trusted = |unit: &u32| self.units.get(*unit).trusted;
        let (warm, fresh): (Vec<u32>, Vec<u32>) = reaching.into_iter().partition(trusted);
        let unseen: Vec<u32> = self.never_seen(mutant, &warm).collect();
        let mut trying = Trying::new(mutant, warm, fresh);
        for unit in unseen {
            trying.spare(unit);
        }
        trying
    }

    /// The tests in which nobody looks at the value that a mutant changes, by the recording of the original. With
    /// `--scouting never` they are run.
    fn never_seen<'u>(&'u self, mutant: usize, tests: &'u [u32]) -> impl Iterator<Item = u32> + 'u {
        let mutant = &self.candidates[mutant].mutant;
        let can = self.may_spare && mutant.only_returns_otherwise() && !self.is_built_once(mutant);
        let unseen = |unit: &u32| {
            let unit = self.units.get(*unit);
            let program = self.base.programs.get(&unit.module)?;
            let probes = &program.probes;
            let probe = probes.value(&mutant.class, &mutant.method, &mutant.descriptor)?;
            let hits = self.base.facts.of(&unit.id)?.hits.as_ref()?;
            Some(!hits.contains(probe))
        };
        let own = tests.iter().filter(move |_| can);
        own.filter(move |unit| unseen(unit) == Some(true)).copied()
    }

    pub(crate) fn limited(&self, unit: u32, level: usize) -> TrialUnit {
        let elapsed = Duration::from_micros(self.elapsed_us(unit));
        let unit = self.units.get(unit);
        TrialUnit {
            unit: unit.id.clone(),
            fuel: Some(FUEL[level].of(unit.ticks)),
            wall: wall_limit(self.context, &unit.id),
            idle: elapsed * 3 + STANDSTILL,
            stack_kb: None,
        }
    }

    /// How long a unit takes on the original in a warm JVM.
    fn elapsed_us(&self, unit: u32) -> u64 {
        let facts = self.base.facts.of(&self.units.get(unit).id);
        facts.map_or(0, |facts| facts.elapsed_us)
    }

    /// How many more tests are run on a mutant before one thinks again; none if the others cost little, or if all are
    /// to be run anyway. Goes by work, not by time, so that every run does the same.
    pub(crate) fn pause(&self, trying: &Trying) -> Option<usize> {
        if self.full || trying.settled {
            return None;
        }
        let first = FIRST.saturating_sub(trying.tests_run as usize);
        let rest = trying.pending.iter().skip(first);
        let cost: u64 = rest.map(|(unit, _)| self.units.get(*unit).cost()).sum();
        (cost > COSTLY).then_some(first)
    }

    /// Whether a mutant's method makes constants, for the first test that needs them and not for the others.
    pub(crate) fn is_built_once(&self, mutant: &Mutant) -> bool {
        let mut programs = self.base.programs.values();
        programs.any(|program| program.builds_once(&mutant.class, &mutant.method))
    }

    /// What a unit that came to its end says of a mutant.
    pub(crate) fn judge(&self, ran: &Ran) -> Cell {
        for leaf in &ran.leaves {
            if let Outcome::Failed(failure) = &leaf.outcome
                && self.expect.of(&ran.unit, &leaf.id) != Expect::Free
            {
                let line = format!(
                    "{}: {}",
                    text::short_test(&leaf.id.0),
                    text::failure_line(failure)
                );
                return match is_memory(&failure.exception) {
                    true => Cell::Error(line),
                    false => Cell::Killed(line),
                };
            }
        }
        Cell::Passed
    }

    pub(crate) fn out_of_fuel(&self, unit: u32, level: usize) -> Cell {
        let unit = self.units.get(unit);
        let ticks = TickLimit {
            limit: FUEL[level].of(unit.ticks),
            baseline: unit.ticks,
        };
        Cell::Timeout(format!(
            "{} did not end within {} loop iterations and calls (original: {})",
            text::short_test(&unit.id.0),
            ticks.limit,
            ticks.baseline
        ))
    }
}

impl Job<'_> {
    /// Whether a unit does on the original what it did at first.
    pub(crate) fn is_as_before(&self, ran: &Ran) -> bool {
        let known = self.baseline.get(&ran.unit);
        known.is_some_and(|known| difference(known, ran).is_none())
    }
}

/// A test that speaks against a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said {
    /// The test.
    pub unit: u32,
    /// The one that ran just before it in its JVM, which may have left something behind.
    pub before: Option<u32>,
    pub mutant: usize,
}

/// Takes down what a warm JVM reports of a test. A pass bears out what that test said of earlier mutants: the JVM
/// was as new for it.
pub(crate) fn take(
    job: &Job<'_>,
    trying: &mut Trying,
    ran: &Ran,
    before: Option<u32>,
    unproven: &mut Vec<Said>,
) {
    let Some(unit) = job.units.numbers.get(&ran.unit).copied() else {
        return;
    };
    trying.ran(unit, ran.duration);
    let cell = match &ran.end {
        UnitEnd::Finished => job.judge(ran),
        UnitEnd::OutOfFuel { .. } => {
            let level = trying.level(unit);
            if level + 1 < FUEL.len() && !trying.endless {
                match job.full {
                    true => trying.tire(unit, before),
                    false => trying.raise(unit),
                }
                return;
            }
            trying.endless = true;
            job.out_of_fuel(unit, level)
        }
        UnitEnd::Idle { for_good: true, .. } => {
            let test = text::short_test(&ran.unit.0);
            Cell::Timeout(format!("{test} {}", text::WAITS_FOR_GOOD))
        }
        UnitEnd::OverTime { .. } | UnitEnd::Idle { .. } => {
            trying.pending.retain(|(pending, _)| *pending != unit);
            if job.full {
                trying.stalled.push(unit);
            } else {
                trying.doubt = Some((unit, "it stood still in the warm JVM".to_owned()));
            }
            return;
        }
    };
    match &cell {
        Cell::Passed => unproven.retain(|said| (said.before, said.unit) != (before, unit)),
        _ => unproven.push(Said {
            unit,
            before,
            mutant: trying.mutant,
        }),
    }
    trying.cell(unit, cell);
    if trying.endless {
        give_up_tired(job, trying, unproven);
    }
}

/// Once one test has shown that a mutant is endless, those that used up their first fuel on it need no more.
fn give_up_tired(job: &Job<'_>, trying: &mut Trying, unproven: &mut Vec<Said>) {
    for (unit, before) in std::mem::take(&mut trying.tired) {
        let mutant = trying.mutant;
        unproven.push(Said {
            unit,
            before,
            mutant,
        });
        trying.cell(unit, job.out_of_fuel(unit, 0));
    }
}
