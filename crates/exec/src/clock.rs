//! Which unit uses up which limit.
//!
//! The controller keeps the time, so nothing that a test does inside the JVM can stop it. A unit's
//! time is that of its leaves; leaves of several units may take turns. Outside of leaves (class
//! loading, class-level set-up and tear-down) the largest limit of the run holds.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use braid_protocol::{LeafId, UnitId};

use crate::event::{Event, RunLimits};

/// The clocks of one run.
#[derive(Debug)]
pub(crate) struct Clock<'a> {
    limits: &'a RunLimits,
    units: &'a [UnitId],
    finished: HashSet<UnitId>,
    spent: HashMap<UnitId, Duration>,
    running: Option<(UnitId, LeafId)>,
    open: Option<UnitId>,
    since: Instant,
    outside: Duration,
    /// What was given beyond the limits, to units and outside of leaves.
    granted: HashMap<Option<UnitId>, Duration>,
}

impl<'a> Clock<'a> {
    pub(crate) fn start(units: &'a [UnitId], limits: &'a RunLimits, now: Instant) -> Self {
        let outside = units
            .iter()
            .map(|unit| limits.of(unit))
            .max()
            .unwrap_or(limits.timeout);
        Self {
            limits,
            units,
            finished: HashSet::new(),
            spent: HashMap::new(),
            running: None,
            open: None,
            since: now,
            outside,
            granted: HashMap::new(),
        }
    }

    /// Takes note of what happened at `now`.
    pub(crate) fn note(&mut self, event: &Event, now: Instant) {
        let passed = now.saturating_duration_since(self.since);
        if let Some((unit, _)) = &self.running {
            *self.spent.entry(unit.clone()).or_default() += passed;
        }
        self.since = now;
        self.granted.remove(&None);
        match event {
            Event::UnitStarted { unit } => self.open = Some(unit.clone()),
            Event::LeafStarted { unit, leaf } => self.running = Some((unit.clone(), leaf.clone())),
            Event::LeafFinished { .. } => self.running = None,
            Event::UnitFinished { unit, .. } => {
                self.running = None;
                self.open = None;
                self.spent.remove(unit);
                self.finished.insert(unit.clone());
            }
        }
    }

    /// When the time is over if nothing happens until then.
    pub(crate) fn deadline(&self) -> Instant {
        let spent = self.running_unit().and_then(|unit| self.spent.get(unit));
        self.since
            + self
                .allowed()
                .saturating_sub(spent.copied().unwrap_or_default())
    }

    /// The limit that holds now, with what was granted beyond it.
    pub(crate) fn allowed(&self) -> Duration {
        let granted = self.granted.get(&self.running_unit().cloned());
        self.limit() + granted.copied().unwrap_or_default()
    }

    /// Gives what runs now more time.
    pub(crate) fn grant(&mut self, more: Duration) {
        let whom = self.running_unit().cloned();
        *self.granted.entry(whom).or_default() += more;
    }

    fn running_unit(&self) -> Option<&UnitId> {
        self.running.as_ref().map(|(unit, _)| unit)
    }

    /// The limit that holds now.
    pub(crate) fn limit(&self) -> Duration {
        self.running_unit()
            .map_or(self.outside, |unit| self.limits.of(unit))
    }

    /// Whose fault it is if the JVM stops now: the running leaf and its unit, else the unit that
    /// was begun and not ended, else the next one.
    pub(crate) fn blame(&self) -> (Option<UnitId>, Option<LeafId>) {
        if let Some((unit, leaf)) = &self.running {
            return (Some(unit.clone()), Some(leaf.clone()));
        }
        let next = || {
            self.units
                .iter()
                .find(|unit| !self.finished.contains(*unit))
                .cloned()
        };
        (self.open.clone().or_else(next), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use braid_protocol::Outcome;

    const SECOND: Duration = Duration::from_secs(1);

    fn leaf_started(unit: &str) -> Event {
        Event::LeafStarted {
            unit: unit.into(),
            leaf: unit.into(),
        }
    }

    fn leaf_finished(unit: &str) -> Event {
        let outcome = Outcome::Passed;
        Event::LeafFinished {
            unit: unit.into(),
            leaf: unit.into(),
            outcome,
            duration: SECOND,
        }
    }

    #[test]
    fn time_of_taking_turns_counts_for_each_unit_alone() {
        let limits = RunLimits::new(5 * SECOND);
        let units = ["T#a".into(), "T#b".into()];
        let start = Instant::now();
        let mut clock = Clock::start(&units, &limits, start);
        clock.note(&leaf_started("T#a"), start);
        clock.note(&leaf_finished("T#a"), start + 3 * SECOND);
        clock.note(&leaf_started("T#b"), start + 3 * SECOND);
        assert_eq!(clock.deadline(), start + 8 * SECOND);
        clock.note(&leaf_finished("T#b"), start + 4 * SECOND);
        clock.note(&leaf_started("T#a"), start + 4 * SECOND);
        assert_eq!(clock.deadline(), start + 6 * SECOND, "3 of 5 s are used up");
        assert_eq!(clock.blame().0, Some("T#a".into()));
    }

    #[test]
    fn what_is_granted_belongs_to_the_unit() {
        let limits = RunLimits::new(5 * SECOND);
        let units = ["T#a".into(), "T#b".into()];
        let start = Instant::now();
        let mut clock = Clock::start(&units, &limits, start);
        clock.grant(SECOND);
        assert_eq!(clock.deadline(), start + 6 * SECOND);
        clock.note(&leaf_started("T#a"), start + 6 * SECOND);
        assert_eq!(clock.deadline(), start + 11 * SECOND);
        clock.grant(SECOND);
        clock.grant(2 * SECOND);
        assert_eq!(clock.deadline(), start + 14 * SECOND);
        assert_eq!((clock.allowed(), clock.limit()), (8 * SECOND, 5 * SECOND));
        clock.note(&leaf_finished("T#a"), start + 10 * SECOND);
        clock.note(&leaf_started("T#b"), start + 10 * SECOND);
        assert_eq!(clock.deadline(), start + 15 * SECOND);
        clock.note(&leaf_finished("T#b"), start + 11 * SECOND);
        clock.note(&leaf_started("T#a"), start + 11 * SECOND);
        assert_eq!(
            clock.deadline(),
            start + 15 * SECOND,
            "4 of 8 s are used up"
        );
    }

    #[test]
    fn outside_of_leaves_the_largest_limit_holds_and_the_next_unit_is_blamed() {
        let mut limits = RunLimits::new(SECOND);
        limits.unit_timeouts.insert("T#b".into(), 9 * SECOND);
        let units = ["T#a".into(), "T#b".into()];
        let start = Instant::now();
        let mut clock = Clock::start(&units, &limits, start);
        assert_eq!(clock.deadline(), start + 9 * SECOND);
        assert_eq!(clock.blame().0, Some("T#a".into()));
        clock.note(
            &Event::UnitFinished {
                unit: "T#a".into(),
                duration: SECOND,
            },
            start,
        );
        assert_eq!(clock.blame().0, Some("T#b".into()));
    }
}
