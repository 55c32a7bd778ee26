//! Which set-up and tear-down methods run, and in which order.

use super::discover::{Flavour, TestMethod};
use crate::class::{ClassId, MethodId};
use crate::symbol::Sym;
use crate::vm::Vm;

/// What is run around a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    BeforeAll,
    Before,
    After,
}

/// The annotation of a stage, or for JUnit 3 the name.
fn mark(flavour: Flavour, stage: Stage) -> Option<&'static str> {
    Some(match (flavour, stage) {
        (Flavour::JUnit3, Stage::BeforeAll) => return None,
        (Flavour::JUnit3, Stage::Before) => "setUp",
        (Flavour::JUnit3, Stage::After) => "tearDown",
        (Flavour::JUnit4, Stage::BeforeAll) => "org/junit/BeforeClass",
        (Flavour::JUnit4, Stage::Before) => "org/junit/Before",
        (Flavour::JUnit4, Stage::After) => "org/junit/After",
        (Flavour::JUnit5, Stage::BeforeAll) => "org/junit/jupiter/api/BeforeAll",
        (Flavour::JUnit5, Stage::Before) => "org/junit/jupiter/api/BeforeEach",
        (Flavour::JUnit5, Stage::After) => "org/junit/jupiter/api/AfterEach",
    })
}

impl Vm {
    /// The methods of a stage in the order in which JUnit calls them: those of superclasses first before a test and last
    /// after it; within a class by the hash of the name, which for JUnit 4 is the other way round before a test.
    pub(super) fn stage(
        &mut self,
        class: ClassId,
        test: &TestMethod,
        stage: Stage,
    ) -> Vec<MethodId> {
        let Some(mark) = mark(test.flavour, stage) else {
            return Vec::new();
        };
        let mut groups: Vec<Vec<MethodId>> = Vec::new();
        let mut seen: Vec<(Sym, Sym)> = Vec::new();
        for owner in self.lineage(class) {
            if test.flavour == Flavour::JUnit4 && self.classes[owner as usize].is_interface() {
                continue;
            }
            let mut methods = self.classes[owner as usize].methods.clone();
            methods.sort_by_cached_key(|&method| {
                let name = self.text(self.methods[method as usize].name);
                (hash(&name), name)
            });
            let mut group = Vec::new();
            let mut shadowing = Vec::new();
            for method in methods {
                let entry = &self.methods[method as usize];
                let key = (entry.name, entry.descriptor);
                let marked = match test.flavour {
                    Flavour::JUnit3 => &*self.text(entry.name) == mark && entry.params.len() == 1,
                    _ => self
                        .method_annotations(method)
                        .iter()
                        .any(|a| a.name == mark),
                };
                if marked && !seen.contains(&key) {
                    group.push(self.select(class, method).unwrap_or(method));
                }
                // In Jupiter a method without the annotation hides the one that it overrides.
                if marked || test.flavour == Flavour::JUnit5 {
                    shadowing.push(key);
                }
            }
            seen.extend(shadowing);
            if test.flavour == Flavour::JUnit4 && stage != Stage::After {
                group.reverse();
            }
            groups.push(group);
        }
        if stage != Stage::After {
            groups.reverse();
        }
        groups.concat()
    }
}

/// `String.hashCode`.
fn hash(text: &str) -> i32 {
    let units = text.encode_utf16();
    units.fold(0, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_have_the_hash_that_java_gives_them() {
        assert_eq!(super::hash("setUp"), 109_328_029);
    }
}
