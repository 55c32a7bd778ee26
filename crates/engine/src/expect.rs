//! What a patch's run is compared with: which leaves have to pass, may fail, or do not count.

use std::collections::{BTreeSet, HashMap};

use braid_protocol::{LeafId, UnitId};

use crate::FlakyPolicy;
use crate::baseline::{Baseline, Before};

/// What is expected of one leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Must not fail; it passed before, or is new.
    StaysGood,
    /// Must pass; it failed before or was named.
    MustPass,
    /// May do as it likes: it failed before and was not asked for, or is left out as flaky.
    Free,
}

/// The tests that a patch has to make pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets {
    /// Whole units.
    pub units: BTreeSet<UnitId>,
    /// Single leaves.
    pub leaves: BTreeSet<LeafId>,
}

impl Targets {
    /// The failing leaves of the baseline.
    pub(crate) fn of_baseline(baseline: &Baseline) -> Self {
        let mut leaves = BTreeSet::new();
        for (_, unit) in baseline.units() {
            for (leaf, state) in &unit.leaves {
                if state.before() == Before::Fails {
                    leaves.insert(leaf.clone());
                }
            }
        }
        Self {
            units: BTreeSet::new(),
            leaves,
        }
    }

    /// The tests that users or patches name: `a.b.CTest#m`, `CTest#m[2]`, `CTest::m`, `CTest.m`, `a.b.CTest`.
    /// Gives back the names that fit no test.
    pub(crate) fn named(names: &[String], baseline: &Baseline) -> (Self, Vec<String>) {
        let mut targets = Self::default();
        let mut unknown = Vec::new();
        for name in names {
            let before = (targets.units.len(), targets.leaves.len());
            targets.add_named(&canonical(name), baseline);
            if before == (targets.units.len(), targets.leaves.len())
                && !targets.already_has(&canonical(name))
            {
                unknown.push(name.clone());
            }
        }
        (targets, unknown)
    }

    fn add_named(&mut self, name: &str, baseline: &Baseline) {
        for (_, unit) in baseline.units() {
            if fits(name, &unit.id.0) || fits(name, unit.id.class()) {
                self.units.insert(unit.id.clone());
                continue;
            }
            let leaves = unit.leaves.keys().filter(|leaf| fits(name, &leaf.0));
            self.leaves.extend(leaves.cloned());
        }
    }

    fn already_has(&self, name: &str) -> bool {
        self.units
            .iter()
            .any(|unit| fits(name, &unit.0) || fits(name, unit.class()))
            || self.leaves.iter().any(|leaf| fits(name, &leaf.0))
    }
}

/// `CTest::m`, `CTest.m` and `CTest > m` in the form `CTest#m`; other forms stay as they are.
fn canonical(name: &str) -> String {
    let name = name.trim().trim_end_matches("()");
    for separator in ["::", " > "] {
        if let Some((class, method)) = name.split_once(separator) {
            return format!("{class}#{method}");
        }
    }
    name.to_owned()
}

/// Whether `name` means the test or class `id`: all of it, or without its package; `a.b.CTest.m` too, and a
/// method without its parameter types.
fn fits(name: &str, id: &str) -> bool {
    let bare = |id: &str| id.split('(').next().unwrap_or(id).to_owned();
    let candidates = [id.to_owned(), bare(id)];
    candidates.iter().any(|id| {
        let simple = crate::text::short_test(id);
        let dotted = |id: &str| id.replacen('#', ".", 1);
        name == id || name == simple || name == dotted(id) || name == dotted(simple)
    })
}

/// What is expected of every leaf.
pub(crate) struct Expectations {
    leaves: HashMap<LeafId, Expect>,
    units: HashMap<UnitId, Vec<LeafId>>,
    targets: Targets,
    failed_before: BTreeSet<LeafId>,
}

impl Expectations {
    /// Expectations from the baseline, the targets and the policy for flaky tests.
    pub(crate) fn new(baseline: &Baseline, targets: Targets, flaky: FlakyPolicy) -> Self {
        let mut leaves = HashMap::new();
        let mut units: HashMap<UnitId, Vec<LeafId>> = HashMap::new();
        let mut failed_before = BTreeSet::new();
        for (_, unit) in baseline.units() {
            for (leaf, state) in &unit.leaves {
                let named = targets.leaves.contains(leaf) || targets.units.contains(&unit.id);
                let expect = match state.before() {
                    _ if named => Expect::MustPass,
                    Before::Passes | Before::Skipped => Expect::StaysGood,
                    Before::Fails => Expect::Free,
                    Before::Flaky if flaky == FlakyPolicy::Skip => Expect::Free,
                    Before::Flaky => Expect::StaysGood,
                };
                if state.before() == Before::Fails {
                    failed_before.insert(leaf.clone());
                }
                leaves.insert(leaf.clone(), expect);
                units.entry(unit.id.clone()).or_default().push(leaf.clone());
            }
        }
        Self {
            leaves,
            units,
            targets,
            failed_before,
        }
    }

    /// What is expected of one leaf of a unit.
    pub(crate) fn of(&self, unit: &UnitId, leaf: &LeafId) -> Expect {
        match self.leaves.get(leaf) {
            Some(expect) => *expect,
            // an invocation that was not there before
            None if self.targets.units.contains(unit) => Expect::MustPass,
            None if self.is_free(unit) => Expect::Free,
            None => Expect::StaysGood,
        }
    }

    /// The leaves of a unit that have to pass, as far as the baseline knows them.
    pub(crate) fn must_pass<'a>(&'a self, unit: &UnitId) -> impl Iterator<Item = &'a LeafId> {
        let leaves = self.units.get(unit).into_iter().flatten();
        leaves.filter(|leaf| self.leaves.get(*leaf) == Some(&Expect::MustPass))
    }

    /// Whether nothing that the unit does can count.
    pub(crate) fn is_free(&self, unit: &UnitId) -> bool {
        self.units.get(unit).is_some_and(|leaves| {
            leaves
                .iter()
                .all(|leaf| self.leaves.get(leaf) == Some(&Expect::Free))
        })
    }

    /// Whether the unit has a leaf that must pass.
    pub(crate) fn is_target(&self, unit: &UnitId) -> bool {
        self.targets.units.contains(unit) || self.must_pass(unit).next().is_some()
    }

    /// Whether the leaf fails on the unpatched program.
    pub(crate) fn failed_before(&self, leaf: &LeafId) -> bool {
        self.failed_before.contains(leaf)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::baseline::{LeafBaseline, LeafStatus, ModuleBaseline, UnitBaseline};

    /// A baseline of one module from lines such as `a.T#m pass`, `a.T#m[2] fail`, `a.T#m flaky`.
    pub(crate) fn baseline(lines: &[&str]) -> Baseline {
        let mut units: Vec<UnitBaseline> = Vec::new();
        for line in lines {
            let (leaf, state) = line.split_once(' ').unwrap();
            let id = UnitId::from(leaf.split('[').next().unwrap());
            let status = match state {
                "pass" => [LeafStatus::Passed; 2],
                "fail" => [LeafStatus::Failed; 2],
                "skip" => [LeafStatus::Skipped; 2],
                _ => [LeafStatus::Passed, LeafStatus::Failed],
            };
            if units.last().is_none_or(|unit| unit.id != id) {
                units.push(UnitBaseline::new(id));
            }
            let unit = units.last_mut().unwrap();
            unit.leaves.insert(
                leaf.into(),
                LeafBaseline {
                    status,
                    reason: String::new(),
                },
            );
        }
        let module = ModuleBaseline {
            name: "m".into(),
            units,
            problems: Vec::new(),
        };
        Baseline {
            modules: vec![module],
            elapsed_ms: [0; 2],
        }
    }

    #[test]
    fn failing_leaves_are_the_targets_where_none_are_named() {
        let baseline = baseline(&["a.T#m[1] pass", "a.T#m[2] fail", "a.U#n flaky"]);
        let targets = Targets::of_baseline(&baseline);
        let expect = Expectations::new(&baseline, targets, FlakyPolicy::Skip);
        let of = |leaf: &str| expect.of(&leaf.split('[').next().unwrap().into(), &leaf.into());
        assert_eq!(of("a.T#m[1]"), Expect::StaysGood);
        assert_eq!(of("a.T#m[2]"), Expect::MustPass);
        assert_eq!(of("a.T#m[3]"), Expect::StaysGood, "a new invocation");
        assert_eq!(of("a.U#n"), Expect::Free);
        assert!(expect.is_target(&"a.T#m".into()));
        assert!(expect.is_free(&"a.U#n".into()) && !expect.is_free(&"a.T#m".into()));
        assert!(expect.failed_before(&"a.T#m[2]".into()));
        let kept = Targets::of_baseline(&baseline);
        let retry = Expectations::new(&baseline, kept, FlakyPolicy::Retry);
        assert_eq!(
            retry.of(&"a.U#n".into(), &"a.U#n".into()),
            Expect::StaysGood
        );
    }

    #[test]
    fn naming_tests_frees_the_other_failing_ones() {
        let baseline = baseline(&["a.T#m fail", "a.T#n fail", "a.U#o pass"]);
        let (targets, unknown) = Targets::named(&["T#m".into()], &baseline);
        assert!(unknown.is_empty());
        let expect = Expectations::new(&baseline, targets, FlakyPolicy::Skip);
        assert_eq!(
            expect.of(&"a.T#m".into(), &"a.T#m".into()),
            Expect::MustPass
        );
        assert_eq!(expect.of(&"a.T#n".into(), &"a.T#n".into()), Expect::Free);
        assert_eq!(
            expect.of(&"a.U#o".into(), &"a.U#o".into()),
            Expect::StaysGood
        );
    }

    #[test]
    fn tests_can_be_named_in_the_forms_of_other_tools() {
        let baseline = baseline(&["a.T#m(int) fail", "a.T#p[1] fail", "a.T#p[2] fail"]);
        for name in [
            "a.T#m(int)",
            "a.T#m",
            "T#m",
            "a.T::m",
            "T > m()",
            "a.T.m",
            "T.m",
        ] {
            let (targets, unknown) = Targets::named(&[name.to_owned()], &baseline);
            assert!(unknown.is_empty(), "{name}");
            assert_eq!(
                targets.units,
                BTreeSet::from(["a.T#m(int)".into()]),
                "{name}"
            );
        }
        let (targets, _) = Targets::named(&["T#p[2]".into()], &baseline);
        assert_eq!(targets.leaves, BTreeSet::from(["a.T#p[2]".into()]));
        let (targets, unknown) = Targets::named(&["a.T".into(), "T#p".into()], &baseline);
        assert_eq!(targets.units.len(), 2);
        assert!(unknown.is_empty(), "named twice is not unknown");
        let (targets, unknown) = Targets::named(&["a.X#m".into()], &baseline);
        assert_eq!(targets, Targets::default());
        assert_eq!(unknown, ["a.X#m"]);
    }
}
