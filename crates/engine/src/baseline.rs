//! What is known of the unpatched program: its tests, run twice, each time in fresh JVMs.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use braid_protocol::{LeafId, Outcome, UnitId};
use serde::{Deserialize, Serialize};

use crate::summary::{BaselineReport, NamedReason};
use crate::text;

/// The unpatched program's tests. Stored by content; see `crate::fingerprint`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Baseline {
    /// By module, in the project's order; modules without tests too.
    pub modules: Vec<ModuleBaseline>,
    /// How long the two runs took, JVM start included; 0 for a second that was not needed.
    pub elapsed_ms: [u64; 2],
}

/// The tests of one module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ModuleBaseline {
    /// The module's name.
    pub name: String,
    /// Its units, in the order of discovery.
    pub units: Vec<UnitBaseline>,
    /// Classes that could not be searched for tests, with the reason.
    pub problems: Vec<NamedReason>,
}

/// One unit in both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnitBaseline {
    /// The unit.
    pub id: UnitId,
    /// What came of its leaves in each run.
    pub leaves: BTreeMap<LeafId, LeafBaseline>,
    /// The slower of the two runs.
    pub elapsed_us: u64,
    /// It never ended by itself, in at least one run.
    pub hangs: bool,
    /// It passed in a warm JVM and was never run in a fresh one, as no patch was expected to reach it.
    #[serde(default)]
    pub once: bool,
}

/// One leaf in both runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LeafBaseline {
    /// What came of it in each run.
    pub status: [LeafStatus; 2],
    /// Why it failed, in one line, the first time that it did.
    pub reason: String,
}

/// What came of a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LeafStatus {
    /// It was not reported at all.
    #[default]
    Absent,
    /// It passed.
    Passed,
    /// It failed, did not end, or took the JVM with it.
    Failed,
    /// It was skipped.
    Skipped,
}

/// What a leaf does on the unpatched program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Passes.
    Passes,
    /// Fails.
    Fails,
    /// Is skipped.
    Skipped,
    /// Differs between the runs.
    Flaky,
}

impl LeafBaseline {
    /// What it does on the unpatched program.
    pub(crate) fn before(&self) -> Before {
        match self.status {
            [LeafStatus::Passed, LeafStatus::Passed] => Before::Passes,
            [LeafStatus::Failed, LeafStatus::Failed] => Before::Fails,
            [LeafStatus::Skipped, LeafStatus::Skipped] => Before::Skipped,
            _ => Before::Flaky,
        }
    }
}

impl UnitBaseline {
    pub(crate) fn new(id: UnitId) -> Self {
        Self {
            id,
            leaves: BTreeMap::new(),
            elapsed_us: 0,
            hangs: false,
            once: false,
        }
    }

    /// Whether it was run in a fresh JVM.
    pub(crate) fn was_run(&self) -> bool {
        self.hangs || !(self.once || self.leaves.is_empty())
    }

    /// Takes note of a leaf's end in run 0 or 1.
    pub(crate) fn leaf(&mut self, run: usize, leaf: &LeafId, outcome: &Outcome) {
        let status = match outcome {
            Outcome::Passed => LeafStatus::Passed,
            Outcome::Failed(_) => LeafStatus::Failed,
            Outcome::Skipped { .. } => LeafStatus::Skipped,
        };
        let entry = self.leaves.entry(leaf.clone()).or_default();
        // a leaf reported twice (a tear-down after a test) has failed if either report says so
        if entry.status[run] != LeafStatus::Failed {
            entry.status[run] = status;
        }
        if let Outcome::Failed(failure) = outcome
            && entry.reason.is_empty()
        {
            entry.reason = text::failure_line(failure);
        }
    }

    /// Takes note that the unit did not come to its end in run 0 or 1: the leaf it was in, or the unit itself,
    /// counts as failed.
    pub(crate) fn broken(&mut self, run: usize, leaf: Option<&LeafId>, reason: String) {
        let leaf = leaf.cloned().unwrap_or_else(|| LeafId(self.id.0.clone()));
        let entry = self.leaves.entry(leaf).or_default();
        entry.status[run] = LeafStatus::Failed;
        if entry.reason.is_empty() {
            entry.reason = reason;
        }
    }

    /// Takes it that the second run is like the first.
    pub(crate) fn assume_second(&mut self) {
        let leaves = self.leaves.values_mut();
        leaves.for_each(|leaf| leaf.status[1] = leaf.status[0]);
    }

    /// Takes note that some leaves come out now one way and now the other, whatever the two runs say.
    pub(crate) fn distrust(&mut self, unsteady: &HashSet<LeafId>) {
        let leaves = self.leaves.iter_mut();
        for (_, leaf) in leaves.filter(|(id, _)| unsteady.contains(*id)) {
            if leaf.before() != Before::Flaky {
                leaf.status[1] = match leaf.status[0] {
                    LeafStatus::Failed => LeafStatus::Passed,
                    _ => LeafStatus::Failed,
                };
            }
        }
    }

    /// Knows nothing of the second run.
    pub(crate) fn forget_second(&mut self) {
        self.leaves.retain(|_, leaf| {
            leaf.status[1] = LeafStatus::Absent;
            leaf.status[0] != LeafStatus::Absent
        });
    }

    /// Whether any of its leaves does this on the unpatched program.
    pub(crate) fn has(&self, before: Before) -> bool {
        self.leaves.values().any(|leaf| leaf.before() == before)
    }

    /// How long it takes; none where it never ended.
    pub(crate) fn elapsed(&self) -> Option<Duration> {
        (!self.hangs).then(|| Duration::from_micros(self.elapsed_us))
    }
}

impl Baseline {
    /// Every unit, with its module's name.
    pub(crate) fn units(&self) -> impl Iterator<Item = (&str, &UnitBaseline)> {
        self.modules.iter().flat_map(|module| {
            module
                .units
                .iter()
                .map(move |unit| (module.name.as_str(), unit))
        })
    }

    /// Whether there are units that were never run in a fresh JVM.
    pub(crate) fn has_once(&self) -> bool {
        self.units().any(|(_, unit)| unit.once)
    }

    /// What is worth telling.
    pub(crate) fn report(&self, from_store: bool) -> BaselineReport {
        let mut report = BaselineReport {
            from_store,
            elapsed_ms: self.elapsed_ms[0],
            ..BaselineReport::default()
        };
        for (_, unit) in self.units() {
            report.units += 1;
            for (leaf, state) in &unit.leaves {
                let named = || NamedReason {
                    name: leaf.0.clone(),
                    reason: state.reason.clone(),
                };
                match state.before() {
                    Before::Passes => report.passed += 1,
                    Before::Skipped => report.skipped += 1,
                    Before::Fails => report.failing.push(named()),
                    Before::Flaky => report.flaky.push(named()),
                }
            }
        }
        let problems = self
            .modules
            .iter()
            .flat_map(|module| module.problems.iter().cloned());
        report.problems = problems.collect::<Vec<_>>();
        report.problems.dedup();
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use braid_protocol::Failure;

    fn failed() -> Outcome {
        Outcome::Failed(Failure {
            assertion: true,
            exception: "org.x.AssertionFailedError".into(),
            message: Some("expected 1".into()),
            trace: String::new(),
        })
    }

    #[test]
    fn two_runs_tell_passing_failing_skipped_and_flaky() {
        let mut unit = UnitBaseline::new("T#m".into());
        let skipped = Outcome::Skipped {
            reason: String::new(),
        };
        for (leaf, first, second) in [
            ("T#m[1]", Outcome::Passed, Outcome::Passed),
            ("T#m[2]", failed(), failed()),
            ("T#m[3]", skipped.clone(), skipped),
            ("T#m[4]", Outcome::Passed, failed()),
        ] {
            unit.leaf(0, &leaf.into(), &first);
            unit.leaf(1, &leaf.into(), &second);
        }
        unit.leaf(1, &"T#m[5]".into(), &Outcome::Passed);
        let before: Vec<_> = unit.leaves.values().map(LeafBaseline::before).collect();
        use Before::{Fails, Flaky, Passes, Skipped};
        assert_eq!(before, [Passes, Fails, Skipped, Flaky, Flaky]);
        let module = ModuleBaseline {
            units: vec![unit],
            ..ModuleBaseline::default()
        };
        let baseline = Baseline {
            modules: vec![module],
            elapsed_ms: [7, 5],
        };
        let report = baseline.report(false);
        assert_eq!((report.units, report.passed, report.skipped), (1, 1, 1));
        assert_eq!(report.failing[0].reason, "AssertionFailedError: expected 1");
        assert_eq!(report.flaky.len(), 2);
        assert_eq!(report.elapsed_ms, 7);
    }

    #[test]
    fn a_hang_and_a_failing_tear_down_count_as_failures() {
        let mut unit = UnitBaseline::new("T#m".into());
        unit.leaf(0, &"T#m".into(), &failed());
        unit.leaf(0, &"T#m".into(), &Outcome::Passed);
        unit.broken(1, None, "did not end".into());
        assert_eq!(unit.leaves[&LeafId::from("T#m")].before(), Before::Fails);
    }
}
