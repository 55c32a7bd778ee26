//! One mutant while its tests are run on it.

use std::collections::VecDeque;
use std::time::Duration;

use super::model::{Decision, How, Status};

/// What came of one test on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// The test does not notice it.
    Passed,
    /// It fails, for this reason.
    Killed(String),
    /// It does not end.
    Timeout(String),
    /// It runs out of memory.
    Error(String),
}

impl Cell {
    /// Whether the test notices the mutant.
    pub(crate) fn is_bad(&self) -> bool {
        *self != Self::Passed
    }

    /// The status of a mutant whose first test to notice it does this.
    fn status(&self) -> (Status, &str) {
        match self {
            Self::Passed => (Status::Survived, ""),
            Self::Killed(why) => (Status::Killed, why),
            Self::Timeout(why) => (Status::Timeout, why),
            Self::Error(why) => (Status::Error, why),
        }
    }
}

/// A mutant with the tests that are still to be run.
#[derive(Debug)]
pub(crate) struct Trying {
    /// Its place among the mutants.
    pub mutant: usize,
    /// For warm JVMs, in order: the test and how often it has used up its fuel.
    pub pending: VecDeque<(u32, usize)>,
    /// Tests that used up their first fuel and wait until all others have run: the test, and the one before it in
    /// its JVM.
    pub tired: VecDeque<(u32, Option<u32>)>,
    /// Whether a test used up all the fuel that there is.
    pub endless: bool,
    /// Whether the tests that cannot notice it were taken from it.
    pub scouted: bool,
    /// Whether its other tests wait until all mutants have had their first ones.
    pub deferred: bool,
    /// Whether it has waited.
    pub settled: bool,
    /// For fresh JVMs.
    pub fresh: Vec<u32>,
    /// Tests that stood still in a warm JVM. Fresh JVMs say what comes of them, which takes long and no processor.
    pub stalled: Vec<u32>,
    /// What came of the tests that were run.
    pub cells: Vec<(u32, Cell)>,
    /// A test that must be run in a fresh JVM before the others, and why.
    pub doubt: Option<(u32, String)>,
    pub tests_run: u32,
    /// Tests that were not run, because they cannot notice it.
    pub spared: u32,
    pub elapsed: Duration,
    /// How long each run of a test took.
    pub spent: Vec<(u32, Duration)>,
    pub decided: Decision,
}

impl Trying {
    pub(crate) fn new(mutant: usize, warm: Vec<u32>, fresh: Vec<u32>) -> Self {
        Self {
            mutant,
            pending: warm.into_iter().map(|unit| (unit, 0)).collect(),
            tired: VecDeque::new(),
            endless: false,
            scouted: false,
            deferred: false,
            settled: false,
            fresh,
            stalled: Vec::new(),
            cells: Vec::new(),
            doubt: None,
            tests_run: 0,
            spared: 0,
            elapsed: Duration::ZERO,
            spent: Vec::new(),
            decided: Decision {
                how: How::Warm,
                why: String::new(),
            },
        }
    }

    /// How often a test that is being run has used up its fuel.
    pub(crate) fn level(&self, unit: u32) -> usize {
        let mut own = self.pending.iter().filter(|(pending, _)| *pending == unit);
        own.next().map_or(0, |(_, level)| *level)
    }

    /// A test is to be run again with more fuel, right away.
    pub(crate) fn raise(&mut self, unit: u32) {
        for (_, level) in self.pending.iter_mut().filter(|(own, _)| *own == unit) {
            *level += 1;
        }
    }

    /// The same, once the other tests have run: one that is endless speaks for all of them.
    pub(crate) fn tire(&mut self, unit: u32, before: Option<u32>) {
        self.pending.retain(|(pending, _)| *pending != unit);
        self.tired.push_back((unit, before));
    }

    /// When no other tests are left, the first of the tired ones is to be run.
    pub(crate) fn rouse(&mut self) {
        if self.pending.is_empty()
            && let Some((unit, _)) = self.tired.pop_front()
        {
            self.pending.push_back((unit, 1));
        }
    }

    /// Takes down that a test was run.
    pub(crate) fn ran(&mut self, unit: u32, took: Duration) {
        self.tests_run += 1;
        self.elapsed += took;
        self.spent.push((unit, took));
    }

    /// Takes down what came of a test.
    pub(crate) fn cell(&mut self, unit: u32, cell: Cell) {
        self.pending.retain(|(pending, _)| *pending != unit);
        self.cells.push((unit, cell));
    }

    /// Takes down that a test cannot notice it.
    pub(crate) fn spare(&mut self, unit: u32) {
        self.spared += 1;
        self.cell(unit, Cell::Passed);
    }

    /// The first test that notices the mutant.
    pub(crate) fn killer(&self) -> Option<u32> {
        let mut bad = self.cells.iter().filter(|(_, cell)| cell.is_bad());
        bad.next().map(|(unit, _)| *unit)
    }

    /// Whether warm JVMs have nothing more to do for it now.
    pub(crate) fn is_warm_done(&self, full: bool) -> bool {
        let all_run = self.pending.is_empty() && self.tired.is_empty();
        all_run || self.deferred || (!full && self.killer().is_some())
    }

    /// What came of it, and why.
    pub(crate) fn status(&self) -> (Status, String) {
        let mut bad = self.cells.iter().filter(|(_, cell)| cell.is_bad());
        let unseen = match self.spared as usize == self.cells.len() {
            true => "in no test does it give anybody another value than the original",
            false => "",
        };
        let (status, why) = bad
            .next()
            .map_or((Status::Survived, unseen), |(_, cell)| cell.status());
        (status, why.to_owned())
    }

    /// The tests that did this, by number.
    pub(crate) fn tests(&self, wanted: Status) -> Vec<u32> {
        let fitting = self
            .cells
            .iter()
            .filter(|(_, cell)| cell.status().0 == wanted);
        let mut units: Vec<u32> = fitting.map(|(unit, _)| *unit).collect();
        if wanted != Status::Survived && units.len() > 1 {
            units.sort_unstable();
        }
        units
    }

    /// Fresh JVMs decide on all tests, in their order, from the beginning.
    pub(crate) fn all_fresh(&mut self, why: &str) {
        let seen = self.cells.iter().map(|(unit, _)| *unit);
        let pending = self.pending.iter().map(|(unit, _)| *unit);
        let tired = self.tired.iter().map(|(unit, _)| *unit);
        let stalled = self.stalled.iter().copied();
        let mut units: Vec<u32> = seen.chain(pending).chain(tired).chain(stalled).collect();
        units.extend(
            self.fresh
                .iter()
                .copied()
                .filter(|unit| !units.contains(unit))
                .collect::<Vec<_>>(),
        );
        self.start_over(units, why);
    }

    /// Fresh JVMs decide on these tests from the beginning.
    pub(crate) fn start_over(&mut self, mut units: Vec<u32>, why: &str) {
        self.pending.clear();
        self.tired.clear();
        self.stalled.clear();
        self.endless = false;
        self.deferred = false;
        self.spared = 0;
        self.cells.clear();
        std::mem::swap(&mut self.fresh, &mut units);
        self.decided = Decision {
            how: How::Fresh,
            why: why.to_owned(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_use_up_their_fuel_wait_for_the_others() {
        let mut trying = Trying::new(0, vec![3, 5, 7], Vec::new());
        trying.tire(3, None);
        trying.rouse();
        assert_eq!(trying.pending, [(5, 0), (7, 0)]);
        trying.cell(5, Cell::Passed);
        trying.tire(7, Some(5));
        assert!(!trying.is_warm_done(true));
        trying.rouse();
        assert_eq!(trying.pending, [(3, 1)]);
        assert_eq!(trying.level(3), 1);
        assert_eq!(trying.tired, [(7, Some(5))]);
    }

    #[test]
    fn fresh_jvms_get_tired_and_stalled_tests_too() {
        let mut trying = Trying::new(0, vec![3, 5], vec![9]);
        trying.tire(3, None);
        trying.stalled.push(7);
        trying.all_fresh("so");
        assert_eq!(trying.fresh, [5, 3, 7, 9]);
        assert!(trying.stalled.is_empty());
        assert!(trying.is_warm_done(true));
    }
}
