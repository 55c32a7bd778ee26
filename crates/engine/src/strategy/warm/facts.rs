//! What the tests of the unpatched program do in warm JVMs: whether they do the same as in fresh ones, how much
//! they run, and which methods they reach.

use std::collections::HashMap;

use braid_exec::Ran;
use braid_protocol::{Hits, Outcome, UnitEnd, UnitId};
use braid_store::{Cache, Key, KeyBuilder};
use serde::{Deserialize, Serialize};

use crate::baseline::{Baseline, Before, UnitBaseline};
use crate::strategy::warm::program::Program;
use crate::strategy::warm::sightings::{Seen, Sight, Sightings};

/// The tests of the unpatched program in warm JVMs. Stored by content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Facts {
    units: HashMap<UnitId, UnitFacts>,
    /// Whether the tests leave files behind in the project.
    pub writes_files: bool,
}

/// One unit in a warm JVM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnitFacts {
    /// Why what it does in warm JVMs proves nothing, if so.
    pub trouble: Option<String>,
    /// Ticks used: loop iterations and calls.
    pub ticks: u64,
    /// The methods it reaches, by the numbers of its module's program.
    pub hits: Option<Hits>,
    /// How long it took.
    pub elapsed_us: u64,
    /// Only what methods it reaches is known, and neither which parts of them nor its ticks.
    #[serde(default)]
    pub coarse: bool,
}

impl UnitFacts {
    /// What fresh JVMs say of a unit.
    fn of(unit: &UnitBaseline) -> Self {
        let ends = !unit.hangs && !unit.leaves.is_empty();
        let trouble = "does not come to its end on the unpatched program";
        Self {
            trouble: (!ends).then(|| trouble.to_owned()),
            ..Self::default()
        }
    }
}

impl Facts {
    /// Whether some units are not known in detail.
    pub(crate) fn is_coarse(&self) -> bool {
        self.units.values().any(|unit| unit.coarse)
    }

    /// Keeps the facts for the next run; without a store that records again. `baseline` is the key of the baseline.
    pub(crate) fn store(&self, cache: &Cache, baseline: &Key) {
        let _ = cache.put(&key(baseline, self.is_coarse()), self);
    }

    /// What is known of a unit.
    pub(crate) fn of(&self, unit: &UnitId) -> Option<&UnitFacts> {
        self.units.get(unit)
    }

    /// Whether what the unit does in a warm JVM can be believed.
    pub(crate) fn trusts(&self, unit: &UnitId) -> bool {
        self.of(unit)
            .is_some_and(|facts| facts.trouble.is_none() && !facts.coarse)
    }

    /// What was seen in warm JVMs, as far as it can be believed: a unit that does anything else than in fresh JVMs
    /// is not.
    pub(crate) fn new(baseline: &Baseline, sightings: &Sightings<'_>) -> Self {
        let mut facts = Self {
            units: HashMap::new(),
            writes_files: sightings.writes_files,
        };
        for module in &baseline.modules {
            for unit in &module.units {
                facts.units.insert(unit.id.clone(), UnitFacts::of(unit));
            }
            let Some(seen) = sightings.modules.get(&module.name) else {
                continue;
            };
            for unit in &module.units {
                match seen.units.get(&unit.id) {
                    Some(Sight::Ran(ran)) => facts.take(unit, ran),
                    Some(Sight::Trouble(why)) => facts.distrust(&unit.id, why),
                    None => facts.distrust(&unit.id, "the warm JVM does not get to it"),
                }
            }
            for unit in &seen.coarse {
                facts.units.entry(unit.clone()).or_default().coarse = true;
            }
            facts.beware_of_state(&seen.program, &module.units);
        }
        facts
    }

    /// Takes in what was seen of units later on.
    pub(crate) fn take_all(&mut self, units: &[UnitBaseline], seen: &Seen) {
        for unit in units
            .iter()
            .filter(|unit| seen.units.contains_key(&unit.id))
        {
            self.units.insert(unit.id.clone(), UnitFacts::of(unit));
            match &seen.units[&unit.id] {
                Sight::Ran(ran) => self.take(unit, ran),
                Sight::Trouble(why) => self.distrust(&unit.id, why),
            }
        }
        self.beware_of_state(&seen.program, units);
    }

    fn take(&mut self, unit: &UnitBaseline, ran: &Ran) {
        let trouble = ran.tainted.clone().or_else(|| difference(unit, ran));
        let facts = self.units.entry(unit.id.clone()).or_default();
        facts.ticks = ran.ticks;
        facts.elapsed_us = ran.duration.as_micros() as u64;
        facts.hits.clone_from(&ran.hits);
        if facts.trouble.is_none() {
            facts.trouble = trouble;
        }
    }

    /// Units that reach a class whose state cannot be put back are not believed.
    fn beware_of_state(&mut self, program: &Program, units: &[UnitBaseline]) {
        for (class, reason) in program.not_resettable() {
            let probes = program.probes.of_class(&class);
            for unit in units {
                let hits = self.of(&unit.id).and_then(|facts| facts.hits.as_ref());
                if hits.is_some_and(|hits| probes.clone().any(|probe| hits.contains(probe))) {
                    let why = format!("the state of {class} cannot be put back: {reason}");
                    self.distrust(&unit.id, &why);
                }
            }
        }
    }

    fn distrust(&mut self, unit: &UnitId, why: &str) {
        self.units.entry(unit.clone()).or_default().trouble = Some(why.to_owned());
    }
}

/// What a unit does otherwise than in fresh JVMs.
pub(crate) fn difference(unit: &UnitBaseline, ran: &Ran) -> Option<String> {
    if ran.end != UnitEnd::Finished {
        return Some("does not come to its end in a warm JVM".to_owned());
    }
    for (leaf, state) in &unit.leaves {
        let now = ran.leaves.iter().filter(|now| now.id == *leaf);
        let same = match state.before() {
            Before::Flaky => continue,
            Before::Passes => |outcome: &Outcome| *outcome == Outcome::Passed,
            Before::Fails => |outcome: &Outcome| outcome.is_failed(),
            Before::Skipped => |outcome: &Outcome| matches!(outcome, Outcome::Skipped { .. }),
        };
        let mut now = now.peekable();
        let there = now.peek().is_some();
        let agrees = match state.before() {
            // a leaf reported twice has failed if either report says so
            Before::Fails => now.any(|now| same(&now.outcome)),
            _ => there && now.all(|now| same(&now.outcome)),
        };
        if !agrees {
            return Some(format!("{} is another in a warm JVM", leaf.0));
        }
    }
    let unknown = ran
        .leaves
        .iter()
        .find(|leaf| !unit.leaves.contains_key(&leaf.id));
    unknown.map(|leaf| format!("{} is only in a warm JVM", leaf.id.0))
}

/// The key of the facts of a project; of those that are known in detail only for some units, if they are `coarse`.
fn key(baseline: &Key, coarse: bool) -> Key {
    let mut key = KeyBuilder::new(if coarse { "warm-coarse" } else { "warm" });
    key.part("baseline", baseline.bytes());
    key.finish()
}

/// The facts of a project, by the key of its baseline; those that are known in detail only for some units, if `coarse` ones
/// will do.
pub(crate) fn stored(cache: &Cache, baseline: &Key, coarse: bool) -> Option<Facts> {
    let get = |coarse| cache.get::<Facts>(&key(baseline, coarse)).ok().flatten();
    get(false).or_else(|| coarse.then(|| get(true)).flatten())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use braid_exec::Leaf;

    fn ran(leaves: &[(&str, bool)]) -> Ran {
        let leaf = |(id, passes): &(&str, bool)| Leaf {
            id: (*id).into(),
            outcome: if *passes {
                Outcome::Passed
            } else {
                Outcome::Skipped {
                    reason: String::new(),
                }
            },
            duration: Duration::ZERO,
        };
        Ran {
            trial: 0,
            variant: 0,
            unit: "a.T#m".into(),
            leaves: leaves.iter().map(leaf).collect(),
            end: UnitEnd::Finished,
            ticks: 1,
            duration: Duration::ZERO,
            hits: None,
            had_stack: false,
            tainted: None,
        }
    }

    #[test]
    fn a_unit_that_does_the_same_is_believed() {
        let baseline: Baseline =
            crate::expect::tests::baseline(&["a.T#m[1] pass", "a.T#m[2] pass"]);
        let unit = &baseline.modules[0].units[0];
        let difference = |leaves: &[(&str, bool)]| difference(unit, &ran(leaves));
        assert_eq!(difference(&[("a.T#m[1]", true), ("a.T#m[2]", true)]), None);
        assert!(
            difference(&[("a.T#m[1]", true)]).is_some(),
            "one is missing"
        );
        assert!(difference(&[("a.T#m[1]", true), ("a.T#m[2]", false)]).is_some());
        let more = [("a.T#m[1]", true), ("a.T#m[2]", true), ("a.T#m[3]", true)];
        assert!(difference(&more).is_some(), "one is new");
    }
}
