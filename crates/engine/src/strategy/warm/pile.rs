//! Tests that several warm JVMs run together: whoever is free takes some.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use braid_protocol::UnitId;

use crate::strategy::warm::program::Prepared;
use crate::strategy::warm::sightings::Sight;

/// So many units are taken at once.
const HANDFUL: usize = 4;
/// A test that may wait does so if it is not over after so long.
const ASLEEP: Duration = Duration::from_millis(300);
/// So many that may wait are run at the same time at least.
const ENOUGH: usize = 2;
/// What waits takes as long as so many other units, by rule of thumb.
const WEIGHT: usize = 8;

/// What somebody begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// What may wait: then it is over when the rest is.
    Waiting,
    /// What does not, unless few others wait.
    Working,
}

/// The units of one module after the other.
#[derive(Default)]
pub(crate) struct Pile {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    module: Option<(String, Prepared)>,
    left: VecDeque<UnitId>,
    /// Those besides that may wait, which are run one by one.
    waiting: VecDeque<UnitId>,
    /// Since when such are being run, by number.
    begun: BTreeMap<usize, Instant>,
    /// How many of them were begun.
    count: usize,
    seen: HashMap<UnitId, Sight>,
    /// Those of them that failed, until somebody asks.
    failed: Vec<UnitId>,
    /// How many units there were of the module.
    total: usize,
    /// How many handfuls are being run.
    taken: usize,
    over: bool,
}

impl State {
    /// Those that nobody has begun.
    fn units(&self) -> impl Iterator<Item = &UnitId> {
        self.waiting.iter().chain(&self.left)
    }
}

/// Units that somebody runs. Until this is dropped the pile waits for them.
pub(crate) struct Handful<'p> {
    pile: &'p Pile,
    pub(crate) units: Vec<UnitId>,
    /// The number of one that may wait.
    waiting: Option<usize>,
}

impl Drop for Handful<'_> {
    fn drop(&mut self) {
        let mut state = self.pile.state();
        state.taken -= 1;
        if let Some(number) = self.waiting {
            state.begun.remove(&number);
        }
        drop(state);
        self.pile.changed.notify_all();
    }
}

/// No more units come once this is dropped.
pub(crate) struct LastOne<'p>(&'p Pile);

impl Drop for LastOne<'_> {
    fn drop(&mut self) {
        self.0.state().over = true;
        self.0.changed.notify_all();
    }
}

impl Pile {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that units will come until what this gives is dropped.
    pub(crate) fn open(&self) -> LastOne<'_> {
        LastOne(self)
    }

    /// Puts the units of a module there: those that may wait, and the others.
    pub(crate) fn lay(
        &self,
        module: &str,
        prepared: Prepared,
        (waiting, units): (Vec<UnitId>, Vec<UnitId>),
    ) {
        let mut state = self.state();
        state.module = Some((module.to_owned(), prepared));
        state.total = waiting.len() + units.len();
        state.waiting = waiting.into();
        state.left = units.into();
        self.changed.notify_all();
    }

    /// Some of the units, if there are any left.
    pub(crate) fn take(&self, begin: Begin) -> Option<Handful<'_>> {
        let mut state = self.state();
        if state.over {
            return None;
        }
        let waits = begin == Begin::Waiting || state.begun.len() < ENOUGH || state.left.is_empty();
        if waits && let Some(unit) = state.waiting.pop_front() {
            let number = state.count;
            state.count += 1;
            state.taken += 1;
            state.begun.insert(number, Instant::now());
            return Some(Handful {
                pile: self,
                units: vec![unit],
                waiting: Some(number),
            });
        }
        let count = state.left.len().min(HANDFUL);
        if count == 0 {
            return None;
        }
        state.taken += 1;
        // from places far apart: those of a class that takes long are not all behind each other
        let step = state.left.len() / count;
        let places = (0..count).rev().map(|number| number * step);
        let mut units: Vec<UnitId> = places.filter_map(|at| state.left.remove(at)).collect();
        units.reverse();
        Some(Handful {
            pile: self,
            units,
            waiting: None,
        })
    }

    /// Takes down what was seen.
    pub(crate) fn saw(&self, seen: HashMap<UnitId, Sight>) {
        let mut state = self.state();
        let failed = seen.iter().filter(|(_, sight)| sight.has_failed());
        let failed: Vec<UnitId> = failed.map(|(unit, _)| unit.clone()).collect();
        state.failed.extend(failed);
        state.seen.extend(seen);
    }

    /// What failed since this was last asked.
    pub(crate) fn take_failed(&self) -> HashSet<UnitId> {
        self.state().failed.drain(..).collect()
    }

    /// The module that is being run, with how many of how many units were seen.
    pub(crate) fn progress(&self) -> Option<(String, usize, usize)> {
        let state = self.state();
        let (module, _) = state.module.as_ref()?;
        Some((module.clone(), state.seen.len(), state.total))
    }

    /// What was seen of the module's units, when all of them were run.
    pub(crate) fn clear(&self) -> HashMap<UnitId, Sight> {
        let mut state = self.state();
        while state.taken > 0 {
            state = self.wait(state);
        }
        state.module = None;
        std::mem::take(&mut state.seen)
    }

    /// A module with so many units left at least, if there is one.
    pub(crate) fn offer(&self, least: usize) -> Option<(String, Prepared)> {
        let state = self.state();
        let module = state.module.clone();
        module.filter(|_| !state.over && state.left.len() + WEIGHT * state.waiting.len() >= least)
    }

    /// Whether there are units that may wait, begun or not.
    pub(crate) fn may_wait(&self) -> bool {
        let state = self.state();
        !state.waiting.is_empty() || !state.begun.is_empty()
    }

    /// Whether somebody waits for a test that waits itself.
    pub(crate) fn is_asleep(&self) -> bool {
        let state = self.state();
        state.begun.values().any(|since| since.elapsed() >= ASLEEP)
    }

    /// Whether no more units come.
    pub(crate) fn is_over(&self) -> bool {
        self.state().over
    }

    /// Waits for a module with units left that cost enough in all; none if no more come.
    pub(crate) fn join(
        &self,
        cost: impl Fn(&UnitId) -> Duration,
        enough: impl Fn(&str) -> Duration,
    ) -> Option<(String, Prepared)> {
        let mut state = self.state();
        while !state.over {
            if let Some(module) = &state.module
                && !(state.left.is_empty() && state.waiting.is_empty())
                && state.units().map(&cost).sum::<Duration>() >= enough(&module.0)
            {
                return Some(module.clone());
            }
            state = self.wait(state);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    fn prepared() -> Prepared {
        Prepared {
            classes: PathBuf::new(),
            world: PathBuf::new(),
            added: None,
            probes: 0,
            initialised_once: BTreeSet::new(),
            brief: false,
            options: Vec::new(),
        }
    }

    fn units(module: &str, count: usize) -> Vec<UnitId> {
        let unit = |number| UnitId(format!("{module}.T#t{number}"));
        (0..count).map(unit).collect()
    }

    fn work_off(pile: &Pile) -> usize {
        let mut count = 0;
        while let Some(handful) = pile.take(Begin::Waiting) {
            count += handful.units.len();
            let sight = |unit: &UnitId| (unit.clone(), Sight::Trouble("seen"));
            pile.saw(handful.units.iter().map(sight).collect());
        }
        count
    }

    #[test]
    fn all_units_of_all_modules_are_run_once_however_many_take_part() {
        let pile = Pile::default();
        let helped = std::thread::scope(|scope| {
            let helper = scope.spawn(|| {
                let mut helped = 0;
                let second = |_: &UnitId| Duration::from_secs(1);
                while pile.join(second, |_| Duration::from_secs(30)).is_some() {
                    helped += work_off(&pile);
                }
                helped
            });
            let open = pile.open();
            let mut own = 0;
            for (module, count) in [("a", 1000), ("b", 20), ("c", 500)] {
                let (mut waiting, left) = (units(module, count), units(module, count));
                waiting.truncate(10);
                pile.lay(module, prepared(), (waiting, left[10..].to_vec()));
                own += work_off(&pile);
                let seen = pile.clear();
                let expected: BTreeSet<UnitId> = units(module, count).into_iter().collect();
                assert_eq!(seen.into_keys().collect::<BTreeSet<_>>(), expected);
            }
            drop(open);
            helper.join().unwrap() + own
        });
        assert_eq!(helped, 1520);
    }

    #[test]
    fn nobody_helps_where_little_is_left() {
        let pile = Pile::default();
        let open = pile.open();
        pile.lay("a", prepared(), (Vec::new(), units("a", 29)));
        let second = |_: &UnitId| Duration::from_secs(1);
        drop(open);
        assert!(pile.join(second, |_| Duration::from_secs(30)).is_none());
        assert!(
            pile.take(Begin::Waiting).is_none(),
            "whoever laid them there has given up"
        );
    }

    #[test]
    fn units_that_may_wait_are_begun_first_and_one_by_one_but_not_by_everybody() {
        let pile = Pile::default();
        let _open = pile.open();
        let all = units("a", 8);
        pile.lay("a", prepared(), (all[..3].to_vec(), all[3..].to_vec()));
        let take = |begin| pile.take(begin).unwrap();
        let first = take(Begin::Waiting);
        assert_eq!(first.units, all[..1]);
        assert!(pile.may_wait() && !pile.is_asleep());
        std::thread::sleep(ASLEEP);
        assert!(pile.is_asleep());
        let second = take(Begin::Working);
        assert_eq!(second.units, all[1..2], "one that waits is not enough");
        assert_eq!(take(Begin::Working).units.len(), HANDFUL);
        assert_eq!(take(Begin::Waiting).units, all[2..3]);
        assert_eq!(take(Begin::Working).units.len(), 1);
        drop(second);
        assert!(pile.take(Begin::Waiting).is_none());
        drop(first);
        assert!(!pile.may_wait() && !pile.is_asleep());
    }
}
