//! Every mutant of real libraries verifies.

mod common;

use std::time::{Duration, Instant};

use braid_mutators::{Filters, Mutant, OperatorSet, Options, Replacement, alone, mutate, scouting};
use common::*;

fn all_unfiltered() -> Options {
    Options {
        operators: OperatorSet::named("all").unwrap(),
        filters: Filters::none(),
        ..Options::default()
    }
}

/// Mutates every `step`th class of a library with every operator and no filter, and links the
/// results: all copies at once, and one in `sample` alone.
fn every_mutant_links(coordinates: &str, step: usize, sample: usize) {
    let jars = braid_subjects::maven(&[coordinates]);
    let classes = jar_classes(&jars[0]);
    let (mut count, mut time) = (0, Duration::ZERO);
    let mut changed: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, bytes) in classes.iter().step_by(step) {
        let start = Instant::now();
        let mutation = mutate(bytes, &all_unfiltered()).unwrap();
        time += start.elapsed();
        for mutant in &mutation.mutants {
            count += 1;
            let whole = matches!(mutant.code, Replacement::Whole);
            if count % if whole { sample / 4 } else { sample } == 0 {
                changed.push((name.clone(), alone(bytes, &mutation, mutant).unwrap()));
            }
        }
        changed.push((name.clone(), mutation.bulk.to_vec()));
        let numbered: Vec<(u32, &Mutant)> = (0..).zip(&mutation.mutants).collect();
        changed.extend(
            scouting(bytes, &numbered)
                .unwrap()
                .map(|bytes| (name.clone(), bytes)),
        );
    }
    println!(
        "{count} mutants in {time:?}, {} classes linked",
        changed.len()
    );
    let problems = link(&changed, &jars);
    let first = &problems[..problems.len().min(5)];
    assert!(problems.is_empty(), "{} {first:#?}", problems.len());
    assert!(count > 15_000, "{count}");
}

#[test]
fn every_mutant_of_commons_lang_links() {
    every_mutant_links("org.apache.commons:commons-lang3:3.14.0", every(5, 1), 200);
}

#[test]
fn every_mutant_of_commons_math_links() {
    every_mutant_links(
        "org.apache.commons:commons-math3:3.6.1",
        every(30, 10),
        2000,
    );
}
