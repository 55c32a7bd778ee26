//! In which order a patch's tests are run.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use braid_protocol::UnitId;

use crate::TimeoutRule;
use crate::baseline::Baseline;
use crate::expect::Expectations;

/// Units of one module that are run one after the other in one JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The module's name.
    pub module: String,
    /// The units, in order.
    pub units: Vec<UnitId>,
}

/// What of the baseline a patch can affect.
pub(crate) struct Reach<'a> {
    /// The modules that can see the change.
    pub modules: &'a BTreeSet<String>,
    /// The packages it changes, with dots.
    pub packages: &'a BTreeSet<String>,
}

/// The units to run, in order: those that have to pass (of every module), those in the packages that the patch
/// changes, the rest; each in the order of discovery. Units that cannot count are left out.
///
/// Batches stay apart even where two of one module follow each other: inside a batch the test framework has its
/// own order for the units of a class.
pub(crate) fn order(baseline: &Baseline, expect: &Expectations, reach: &Reach<'_>) -> Vec<Batch> {
    let mut tiers: [Vec<Batch>; 3] = Default::default();
    for (module, unit) in baseline.units() {
        let tier = if expect.is_target(&unit.id) {
            0
        } else if !reach.modules.contains(module) || expect.is_free(&unit.id) {
            continue;
        } else if reach.packages.contains(unit.id.package()) {
            1
        } else {
            2
        };
        push(&mut tiers[tier], module, &unit.id);
    }
    tiers.into_iter().flatten().collect()
}

/// Leaves out the units that `wanted` does not want.
pub(crate) fn keep(batches: &mut Vec<Batch>, wanted: impl Fn(&UnitId) -> bool) {
    for batch in batches.iter_mut() {
        batch.units.retain(&wanted);
    }
    batches.retain(|batch| !batch.units.is_empty());
}

fn push(batches: &mut Vec<Batch>, module: &str, unit: &UnitId) {
    match batches.last_mut() {
        Some(last) if last.module == module => last.units.push(unit.clone()),
        _ => batches.push(Batch {
            module: module.to_owned(),
            units: vec![unit.clone()],
        }),
    }
}

/// How long units may take that never ended in the baseline, or are new.
const UNKNOWN_BASELINE: Duration = Duration::from_secs(1);

/// The limit of every unit.
pub(crate) fn limits(baseline: &Baseline, rule: &TimeoutRule) -> HashMap<UnitId, Duration> {
    let limit = |elapsed: Option<Duration>| rule.limit(elapsed.unwrap_or(UNKNOWN_BASELINE));
    baseline
        .units()
        .map(|(_, unit)| (unit.id.clone(), limit(unit.elapsed())))
        .collect()
}

/// The limit of a unit that the baseline does not know.
pub(crate) fn unknown_limit(rule: &TimeoutRule) -> Duration {
    rule.limit(UNKNOWN_BASELINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlakyPolicy;
    use crate::baseline::ModuleBaseline;
    use crate::expect::Targets;

    fn names(batches: &[Batch]) -> Vec<String> {
        let name = |batch: &Batch| {
            let units: Vec<&str> = batch.units.iter().map(|unit| unit.0.as_str()).collect();
            format!("{}: {}", batch.module, units.join(" "))
        };
        batches.iter().map(name).collect()
    }

    fn order_of(modules: &[(&str, &[&str])], reach: &[&str], packages: &[&str]) -> Vec<String> {
        let mut all = Baseline::default();
        for (name, lines) in modules {
            let mut one = crate::expect::tests::baseline(lines);
            one.modules[0].name = (*name).to_owned();
            all.modules.append(&mut one.modules);
        }
        let expect = Expectations::new(&all, Targets::of_baseline(&all), FlakyPolicy::Skip);
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let reach = Reach {
            modules: &own(reach),
            packages: &own(packages),
        };
        names(&order(&all, &expect, &reach))
    }

    #[test]
    fn failing_tests_come_first_then_the_package_then_the_rest() {
        let module: &[&str] = &[
            "a.T#x pass",
            "b.U#x pass",
            "b.U#y flaky",
            "c.V#x fail",
            "c.V#y pass",
            "b.W#x pass",
        ];
        assert_eq!(
            order_of(&[("m", module)], &["m"], &["b"]),
            ["m: c.V#x", "m: b.U#x b.W#x", "m: a.T#x c.V#y"]
        );
    }

    #[test]
    fn other_modules_take_part_only_with_their_failing_tests() {
        let lib: &[&str] = &["l.T#x pass"];
        let app: &[&str] = &["p.T#x pass", "p.T#y fail"];
        let modules = [("lib", lib), ("app", app)];
        assert_eq!(
            order_of(&modules, &["lib", "app"], &["l"]),
            ["app: p.T#y", "lib: l.T#x", "app: p.T#x"]
        );
        assert_eq!(
            order_of(&modules, &["lib"], &["l"]),
            ["app: p.T#y", "lib: l.T#x"]
        );
    }

    #[test]
    fn a_unit_that_hangs_in_the_baseline_has_a_limit_too() {
        let mut baseline = crate::expect::tests::baseline(&["a.T#x pass", "a.T#y fail"]);
        let ModuleBaseline { units, .. } = &mut baseline.modules[0];
        units[0].elapsed_us = 200_000;
        units[1].hangs = true;
        let limits = limits(
            &baseline,
            &TimeoutRule {
                factor: 10.0,
                constant_ms: 500,
            },
        );
        assert_eq!(limits[&"a.T#x".into()], Duration::from_millis(2_500));
        assert_eq!(limits[&"a.T#y".into()], Duration::from_millis(10_500));
    }
}
