//! Which tests reach a mutant, and in which order they are run on it.

use std::collections::HashMap;

use braid_mutators::Mutant;
use braid_protocol::UnitId;
use braid_weave::State;

use super::model::TestInfo;
use crate::baseline::Baseline;
use crate::expect::Expectations;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::program::Program;

/// A test method that counts: it passes on the original program.
pub(crate) struct Unit {
    pub id: UnitId,
    pub module: String,
    /// Whether warm JVMs may run it.
    pub trusted: bool,
    pub ticks: u64,
}

impl Unit {
    /// What running it once costs, in ticks.
    pub(crate) fn cost(&self) -> u64 {
        START + self.ticks
    }
}

/// The test methods that count, in the baseline's order. A unit's place here is its number.
pub(crate) struct Units {
    pub all: Vec<Unit>,
    pub numbers: HashMap<UnitId, u32>,
}

impl Units {
    pub(crate) fn new(baseline: &Baseline, expect: &Expectations, base: &Base) -> Self {
        let counting = baseline
            .units()
            .filter(|(_, unit)| !unit.leaves.is_empty() && !expect.is_free(&unit.id));
        let all: Vec<Unit> = counting
            .map(|(module, unit)| Unit {
                id: unit.id.clone(),
                module: module.to_owned(),
                trusted: base.facts.trusts(&unit.id),
                ticks: base.facts.of(&unit.id).map_or(0, |facts| facts.ticks),
            })
            .collect();
        let numbers = (0u32..)
            .zip(&all)
            .map(|(number, unit)| (unit.id.clone(), number));
        let numbers = numbers.collect();
        Self { all, numbers }
    }

    pub(crate) fn get(&self, number: u32) -> &Unit {
        &self.all[number as usize]
    }

    /// What reports are told of each test.
    pub(crate) fn infos(
        &self,
        base: &Base,
        file: impl Fn(&Unit) -> Option<String>,
    ) -> Vec<TestInfo> {
        let info = |unit: &Unit| TestInfo {
            name: unit.id.0.clone(),
            module: unit.module.clone(),
            file: file(unit),
            ticks: unit.ticks,
            trouble: base
                .facts
                .of(&unit.id)
                .and_then(|facts| facts.trouble.clone()),
        };
        self.all.iter().map(info).collect()
    }

    /// The units that reach a mutant, by number; where that is not known, all of a module's.
    pub(crate) fn reaching(&self, base: &Base, mutant: &Mutant) -> Vec<u32> {
        let probes: HashMap<&str, Reach> = base
            .programs
            .iter()
            .map(|(module, program)| (module.as_str(), Reach::of(program, mutant)))
            .collect();
        let reaches = |unit: &Unit| match probes.get(unit.module.as_str()) {
            None | Some(Reach::None) => false,
            Some(Reach::All) => true,
            Some(Reach::Probes(probes)) => {
                let hits = base
                    .facts
                    .of(&unit.id)
                    .and_then(|facts| facts.hits.as_ref());
                hits.is_none_or(|hits| probes.iter().any(|probe| hits.contains(*probe)))
            }
        };
        let numbered = (0u32..).zip(&self.all);
        numbered
            .filter(|(_, unit)| reaches(unit))
            .map(|(number, _)| number)
            .collect()
    }
}

/// Which units of a module reach a mutant.
enum Reach {
    /// The class is not on their class path.
    None,
    /// Those that hit one of these probes.
    Probes(Vec<u32>),
    /// It is not known.
    All,
}

impl Reach {
    fn of(program: &Program, mutant: &Mutant) -> Self {
        let (class, method) = (mutant.class.as_str(), mutant.method.as_str());
        if !program.originals.contains_key(class) {
            return Self::None;
        }
        let once = match method {
            "<clinit>" => program.state(class) != Some(State::Resettable),
            _ => program.builds_once(class, method),
        };
        let block = |insn: &u32| {
            let probes = &program.probes;
            probes.block(class, method, &mutant.descriptor, *insn)
        };
        let places = std::iter::once(&mutant.insn).chain(&mutant.copies);
        match places.map(block).collect() {
            Some(probes) if !once => Self::Probes(probes),
            _ => Self::All,
        }
    }
}

/// What has killed mutants nearby: tests that did come first.
#[derive(Default)]
pub(crate) struct Kills {
    by_method: HashMap<(String, String), HashMap<u32, u32>>,
    by_class: HashMap<u32, u32>,
}

impl Kills {
    pub(crate) fn add(&mut self, mutant: &Mutant, unit: u32) {
        let key = (mutant.method.clone(), mutant.descriptor.clone());
        *self
            .by_method
            .entry(key)
            .or_default()
            .entry(unit)
            .or_default() += 1;
        *self.by_class.entry(unit).or_default() += 1;
    }

    /// Puts the units first that promise most for what they cost: those that killed others of the mutant's method or
    /// class, that are named after the class or of its package, and that have little to do. Units that need fresh JVMs
    /// come last. Nothing here depends on time, so that every run has the same order.
    pub(crate) fn order(&self, units: &Units, mutant: &Mutant, reaching: &mut [u32]) {
        let key = (mutant.method.clone(), mutant.descriptor.clone());
        let own = self.by_method.get(&key);
        let kills = |map: Option<&HashMap<u32, u32>>, unit: &u32| {
            u64::from(map.and_then(|map| map.get(unit)).copied().unwrap_or(0))
        };
        reaching.sort_by_cached_key(|number| {
            let unit = units.get(*number);
            let near = u64::from(2 - nearness(&mutant.class, &unit.id));
            let promise =
                1 + near + 2 * kills(Some(&self.by_class), number) + 20 * kills(own, number);
            let cost = unit.cost().saturating_mul(SCALE);
            (!unit.trusted, cost / promise, *number)
        });
    }
}

/// What a test costs however little it does, in ticks.
const START: u64 = 100_000;
/// Keeps apart what differs little.
const SCALE: u64 = 1_000;

/// 0 for a test named after the class, 1 for one of its package, 2 for others.
fn nearness(class: &str, unit: &UnitId) -> u8 {
    let (package, name) = class.rsplit_once('/').unwrap_or(("", class));
    let name = name.split('$').next().unwrap_or(name);
    let test = unit.class();
    let test = test.rsplit('.').next().unwrap_or(test);
    if unit.package() != package.replace('/', ".") {
        2
    } else if test
        .strip_prefix(name)
        .or(test.strip_suffix(name))
        .is_some()
    {
        0
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_named_after_the_class_come_first_then_its_package() {
        let near = |unit: &str| nearness("com/x/Foo$Bar", &unit.into());
        assert_eq!(near("com.x.FooTest#a"), 0);
        assert_eq!(near("com.x.TestFoo#a"), 0);
        assert_eq!(near("com.x.BarTest#a"), 1);
        assert_eq!(near("com.y.FooTest#a"), 2);
    }
}
