//! Broken classes and sources give errors or nothing, never a panic.

mod common;

use braid_mutators::source::{Source, suppressions};
use braid_mutators::{OperatorSet, Options, alone, mutate};
use braid_subjects::classes_in;
use common::*;

/// A small generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

fn fixture_classes() -> (String, Vec<Vec<u8>>) {
    let (classes, path) = (new_folder(), fixture("fixtures/Junk.java"));
    javac(&classes, std::slice::from_ref(&path));
    let text = std::fs::read_to_string(path).unwrap();
    (text, classes_in(&classes).into_values().collect())
}

#[test]
fn changed_bytes_never_panic() {
    let (text, classes) = fixture_classes();
    let source = Source::parse(&text);
    let options = Options {
        operators: OperatorSet::named("all").unwrap(),
        ..Options::default()
    };
    let mut random = Random(7);
    let mut read = 0;
    for number in 0..8000 / every(8, 4) {
        let mut bytes = classes[number % classes.len()].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        let Ok(mutation) = mutate(&bytes, &options) else {
            continue;
        };
        read += 1;
        source.locate(&bytes, &mutation.mutants);
        if let Some(mutant) = mutation.mutants.first() {
            let _ = alone(&bytes, &mutation, mutant);
        }
    }
    assert!(read > 100, "{read}");
}

#[test]
fn broken_sources_never_panic() {
    let (text, classes) = fixture_classes();
    let options = Options {
        operators: OperatorSet::named("all").unwrap(),
        ..Options::default()
    };
    let mutations: Vec<_> = classes
        .iter()
        .map(|c| mutate(c, &options).unwrap())
        .collect();
    let mut random = Random(11);
    for _ in 0..400 / every(8, 4) {
        let mut broken = text.clone();
        for _ in 0..1 + random.below(3) {
            let (from, to) = (random.below(broken.len()), random.below(40));
            let to = (from + to).min(broken.len());
            if broken.is_char_boundary(from) && broken.is_char_boundary(to) {
                broken.replace_range(from..to, ["", "{", "\"", "ü", "/*", "- -"][random.below(6)]);
            }
        }
        let source = Source::parse(&broken);
        for (class, mutation) in classes.iter().zip(&mutations) {
            source.locate(class, &mutation.mutants);
        }
        suppressions(&broken);
    }
}
