//! Test classes of the unpatched program that others take off the JVM that runs all of them.
//!
//! That JVM goes through the classes in the order of discovery, as plain runs do; others take some from the back, and in the
//! end some of the units of a class that takes long. What they saw counts only if nothing failed there. If something did,
//! it may hang on what ran before: then the one JVM runs everything after all.
//!
//! Where only the tests that patches reach need a fresh JVM, the one JVM pauses until it is known which these are.

use std::collections::{HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use braid_protocol::UnitId;

use crate::baseline::{LeafStatus, UnitBaseline};
use crate::survey::{Survey, Surveyed};

/// Suites that take no longer than this are left to one JVM.
const PATIENCE: Duration = Duration::from_secs(3);
/// In a run that pauses suites that take no longer than this are left to one JVM.
const PAUSE: Duration = Duration::from_secs(1);
/// So many classes are taken at once at most.
const MOST: usize = 16;

/// The classes of one module after the other.
#[derive(Default)]
pub(crate) struct Relief<'s> {
    state: Mutex<State>,
    changed: Condvar,
    /// What patches change, for a run that pauses; none for one that does not.
    survey: Option<&'s Surveyed>,
}

#[derive(Default)]
struct State {
    module: Option<Module>,
    over: bool,
    /// Since when tests are run.
    since: Option<Instant>,
    /// The JVM begins with nothing more for now.
    paused: bool,
    /// It does not pause any more.
    settled: bool,
}

struct Module {
    name: String,
    since: Instant,
    /// Before this is over nobody takes anything.
    patience: Duration,
    /// The units of each class that nobody has begun.
    left: VecDeque<Vec<UnitId>>,
    /// The other units of the class that the JVM has come to.
    begun: Vec<UnitId>,
    /// Since when it has been at that class.
    begun_since: Instant,
    /// Units that others run or have run.
    taken: HashSet<UnitId>,
    /// What they saw.
    seen: Vec<UnitBaseline>,
    /// How many of them are at it.
    busy: usize,
    /// Something failed there, so that nobody takes anything any more.
    closed: bool,
    /// The JVM that runs all of them has come to what others took.
    parted: bool,
}

impl Module {
    fn offers(&self) -> bool {
        let patience = self.patience;
        let class = !self.left.is_empty() && self.since.elapsed() >= patience;
        let units = !self.begun.is_empty() && self.begun_since.elapsed() >= patience;
        !self.closed && (class || units)
    }

    /// Takes some from the back.
    fn split(&mut self) -> Vec<UnitId> {
        if self.left.is_empty() {
            return self.begun.split_off(self.begun.len() / 2);
        }
        let count = (self.left.len() / 8).clamp(1, MOST);
        let from = self.left.len() - count;
        self.left.split_off(from).into_iter().flatten().collect()
    }

    /// Takes note that the JVM begins with a unit.
    fn begin(&mut self, unit: &UnitId) {
        let class = outermost(unit);
        let is_it = |units: &Vec<UnitId>| units.first().is_some_and(|it| outermost(it) == class);
        if let Some(units) = self
            .left
            .iter()
            .position(is_it)
            .and_then(|at| self.left.remove(at))
        {
            self.begun = units;
            self.begun_since = Instant::now();
        }
        self.begun.retain(|other| other != unit);
    }
}

/// What has become of a module.
pub(crate) enum Relieved {
    /// Others saw this of the units that are left.
    Seen(Vec<UnitBaseline>),
    /// One JVM ran all of it.
    Alone,
    /// One JVM has to run all of it from the beginning.
    Again,
}

/// Units that somebody takes off the JVM. What is not [delivered](Taken::deliver) has failed.
pub(crate) struct Taken<'r> {
    relief: &'r Relief<'r>,
    pub(crate) module: String,
    pub(crate) units: Vec<UnitId>,
    delivered: bool,
}

impl Taken<'_> {
    /// Tells what was seen of the units. One of which nothing was seen has failed, too.
    pub(crate) fn deliver(mut self, seen: Vec<UnitBaseline>) {
        let failed = |unit: &UnitBaseline| {
            let mut leaves = unit.leaves.values();
            unit.leaves.is_empty() || leaves.any(|leaf| leaf.status[0] == LeafStatus::Failed)
        };
        if seen.iter().any(failed) {
            return;
        }
        if let Some(module) = &mut self.relief.state().module {
            module.seen.extend(seen);
            self.delivered = true;
        }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(module) = &mut self.relief.state().module {
            module.busy -= 1;
            if !self.delivered {
                module.closed = true;
                module.taken.clear();
                module.seen.clear();
            }
        }
        self.relief.changed.notify_all();
    }
}

/// No more modules come once this is dropped.
pub(crate) struct Last<'r>(&'r Relief<'r>);

impl Drop for Last<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.over = true;
        if let Some(module) = &mut state.module {
            module.closed = true;
        }
    }
}

impl<'s> Relief<'s> {
    /// For a run that pauses after some seconds if it is known by then what patches change.
    pub(crate) fn pausing(survey: Option<&'s Surveyed>) -> Self {
        Self {
            survey,
            ..Self::default()
        }
    }

    /// The JVM does not pause, or not any more.
    pub(crate) fn settle(&self) {
        let mut state = self.state();
        (state.settled, state.paused) = (true, false);
    }

    /// What patches change, if the JVM has paused.
    pub(crate) fn paused(&self) -> Option<&'s Survey> {
        let paused = self.state().paused;
        self.survey?.get().filter(|_| paused)
    }

    /// Whether the JVM may pause yet.
    fn may_pause(&self, state: &State) -> bool {
        let known = self.survey.map(Surveyed::get);
        !state.settled && known.is_some_and(|known| known.is_none_or(|survey| !survey.any_test))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that modules will come until what this gives is dropped.
    pub(crate) fn open(&self) -> Last<'_> {
        Last(self)
    }

    /// Whether no more modules come.
    pub(crate) fn is_over(&self) -> bool {
        self.state().over
    }

    /// Says which units one JVM is about to run.
    pub(crate) fn lay(&self, name: &str, units: &[UnitId]) {
        self.lay_for(name, units, PATIENCE);
    }

    /// The same, of which others may take some after so long.
    pub(crate) fn lay_for(&self, name: &str, units: &[UnitId], patience: Duration) {
        let same = |a: &UnitId, b: &UnitId| outermost(a) == outermost(b);
        let mut state = self.state();
        state.since.get_or_insert_with(Instant::now);
        state.module = Some(Module {
            name: name.to_owned(),
            since: Instant::now(),
            patience,
            begun: Vec::new(),
            begun_since: Instant::now(),
            left: units.chunk_by(same).map(<[UnitId]>::to_vec).collect(),
            taken: HashSet::new(),
            seen: Vec::new(),
            busy: 0,
            closed: false,
            parted: false,
        });
    }

    /// The JVM begins with a unit; false if others have taken it, or the JVM is to pause.
    pub(crate) fn begins(&self, unit: &UnitId) -> bool {
        let mut state = self.state();
        let known = self.survey.and_then(Surveyed::get);
        let long = state.since.is_some_and(|since| since.elapsed() >= PAUSE);
        let pauses = known.is_some_and(|survey| !survey.any_test);
        state.paused |= long && !state.settled && pauses;
        if state.paused {
            return false;
        }
        let Some(module) = &mut state.module else {
            return true;
        };
        if module.taken.contains(unit) {
            module.parted = true;
            return false;
        }
        module.begin(unit);
        true
    }

    /// Whether others have taken a unit, or it has to wait.
    pub(crate) fn has_taken(&self, unit: &UnitId) -> bool {
        let state = self.state();
        let module = state.module.as_ref();
        state.paused || module.is_some_and(|module| module.taken.contains(unit))
    }

    /// Some classes from the back, if the JVM has been at it for long.
    pub(crate) fn take(&self) -> Option<Taken<'_>> {
        let mut state = self.state();
        let held = self.may_pause(&state);
        let module = state.module.as_mut()?;
        if held || !module.offers() {
            return None;
        }
        let units = module.split();
        module.taken.extend(units.iter().cloned());
        module.busy += 1;
        Some(Taken {
            relief: self,
            module: module.name.clone(),
            units,
            delivered: false,
        })
    }

    /// Whether there is something to take.
    pub(crate) fn is_offering(&self) -> bool {
        let state = self.state();
        let module = state.module.as_ref();
        !self.may_pause(&state) && module.is_some_and(Module::offers)
    }

    /// Waits for those who still run something of the module.
    pub(crate) fn clear(&self) -> Relieved {
        let mut state = self.state();
        while state.module.as_ref().is_some_and(|module| module.busy > 0) {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match state.module.take() {
            Some(module) if module.closed && module.parted => Relieved::Again,
            Some(module) if !module.closed => Relieved::Seen(module.seen),
            _ => Relieved::Alone,
        }
    }
}

/// The outermost class of a unit. What is nested in it may share its state.
fn outermost(unit: &UnitId) -> &str {
    let class = unit.class();
    class.split_once('$').map_or(class, |(outer, _)| outer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use braid_protocol::{Failure, LeafId, Outcome};

    fn units(classes: usize) -> Vec<UnitId> {
        let methods = |class| (0..3).map(move |method| format!("a.T{class}#m{method}"));
        (0..classes).flat_map(methods).map(UnitId).collect()
    }

    fn seen(units: &[UnitId], passes: bool) -> Vec<UnitBaseline> {
        let failed = Outcome::Failed(Failure {
            assertion: true,
            exception: "E".into(),
            message: None,
            trace: String::new(),
        });
        let outcome = if passes { Outcome::Passed } else { failed };
        let one = |unit: &UnitId| {
            let mut baseline = UnitBaseline::new(unit.clone());
            baseline.leaf(0, &LeafId(unit.0.clone()), &outcome);
            baseline
        };
        units.iter().map(one).collect()
    }

    /// Lays units that others may take at once.
    fn lay(relief: &Relief<'_>, units: &[UnitId]) {
        relief.lay_for("m", units, Duration::ZERO);
    }

    /// Begins with units until one is taken; gives those that were begun.
    fn run(relief: &Relief<'_>, units: &[UnitId]) -> Vec<UnitId> {
        let mut begun = Vec::new();
        for unit in units {
            if !relief.begins(unit) {
                break;
            }
            begun.push(unit.clone());
        }
        begun
    }

    #[test]
    fn each_unit_is_run_once_the_last_ones_by_others() {
        let (relief, all) = (Relief::default(), units(40));
        lay(&relief, &all);
        assert!(relief.begins(&all[0]));
        let mut theirs = Vec::new();
        for _ in 0..4 {
            let taken = relief.take().unwrap();
            theirs.splice(0..0, taken.units.clone());
            let seen = seen(&taken.units, true);
            taken.deliver(seen);
        }
        let begun = run(&relief, &all);
        assert_eq!([begun, theirs.clone()].concat(), all);
        assert!(theirs.iter().all(|unit| relief.has_taken(unit)));
        let Relieved::Seen(seen) = relief.clear() else {
            panic!("nothing failed");
        };
        assert_eq!(seen.len(), theirs.len());
    }

    #[test]
    fn of_a_class_that_was_begun_units_are_taken_in_the_end() {
        let (relief, all) = (Relief::default(), units(1));
        lay(&relief, &all);
        assert!(relief.begins(&all[0]));
        let taken = relief.take().unwrap();
        assert_eq!(taken.units, all[2..]);
        let seen = seen(&taken.units, true);
        taken.deliver(seen);
        assert_eq!(run(&relief, &all[1..]), all[1..2]);
        assert!(relief.take().is_none());
        assert!(matches!(relief.clear(), Relieved::Seen(seen) if seen.len() == 1));
    }

    #[test]
    fn what_failed_elsewhere_is_run_in_its_order() {
        let (relief, all) = (Relief::default(), units(8));
        lay(&relief, &all);
        let taken = relief.take().unwrap();
        let bad = seen(&taken.units, false);
        taken.deliver(bad);
        assert!(relief.take().is_none(), "nobody takes more");
        assert_eq!(run(&relief, &all), all);
        assert!(matches!(relief.clear(), Relieved::Alone));
    }

    #[test]
    fn if_the_order_is_lost_already_everything_is_run_again() {
        let (relief, all) = (Relief::default(), units(8));
        lay(&relief, &all);
        let taken = relief.take().unwrap();
        assert!(run(&relief, &all).len() < all.len());
        drop(taken);
        assert!(matches!(relief.clear(), Relieved::Again));
    }

    #[test]
    fn a_unit_of_which_nothing_was_seen_is_run_in_its_order() {
        let (relief, all) = (Relief::default(), units(8));
        lay(&relief, &all);
        let taken = relief.take().unwrap();
        let none = taken.units.iter().cloned().map(UnitBaseline::new);
        let none = none.collect();
        taken.deliver(none);
        assert_eq!(run(&relief, &all), all);
        assert!(matches!(relief.clear(), Relieved::Alone));
    }

    #[test]
    fn a_run_pauses_once_it_is_known_what_patches_change() {
        let (survey, all) = (Surveyed::new(), units(8));
        let relief = Relief::pausing(Some(&survey));
        lay(&relief, &all);
        relief.state().since = Some(Instant::now() - PAUSE);
        assert!(relief.begins(&all[0]), "it is not known yet");
        assert!(relief.take().is_none(), "it may pause yet");
        assert!(survey.set(Survey::default()).is_ok());
        assert!(!relief.begins(&all[1]) && relief.paused().is_some());
        assert!(relief.has_taken(&all[1]), "it has to wait");
        relief.settle();
        assert!(relief.begins(&all[1]) && relief.paused().is_none());
        assert!(relief.take().is_some());
    }

    #[test]
    fn a_run_does_not_pause_if_any_test_may_see_a_patch() {
        let (survey, all) = (Surveyed::new(), units(8));
        let relief = Relief::pausing(Some(&survey));
        lay(&relief, &all);
        relief.state().since = Some(Instant::now() - PAUSE);
        assert!(survey.set(Survey::blind()).is_ok());
        assert_eq!(run(&relief, &all), all);
        assert!(relief.take().is_none() && relief.paused().is_none());
    }

    #[test]
    fn short_suites_are_left_alone() {
        let relief = Relief::default();
        relief.lay("m", &units(8));
        assert!(relief.take().is_none());
        drop(relief.open());
        assert!(relief.is_over() && relief.take().is_none());
    }
}
