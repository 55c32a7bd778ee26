//! How long proposing and writing mutants takes: only told, as machines differ.

mod common;

use std::time::{Duration, Instant};

use braid_mutators::source::Source;
use braid_mutators::{OperatorSet, Options, mutate};
use common::*;

#[test]
fn mutants_of_a_library_are_made_in_no_time() {
    let jars = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.14.0"]);
    let classes = jar_classes(&jars[0]);
    let sets = ["default", "strong", "paper", "javalanche", "extreme", "all"];
    // Without optimisation the numbers tell nothing.
    let sets = if cfg!(debug_assertions) {
        &sets[..1]
    } else {
        &sets
    };
    for set in sets {
        let options = Options {
            operators: OperatorSet::named(set).unwrap(),
            ..Options::default()
        };
        let (mut mutants, mut left_out, mut bytes) = (0, 0, 0);
        let start = Instant::now();
        for class in classes.values() {
            let mutation = mutate(class, &options).unwrap();
            mutants += mutation.mutants.len();
            left_out += mutation.left_out.len();
            bytes += mutation.bulk.len();
        }
        let time = start.elapsed();
        let each = time.as_secs_f64() * 10_000.0 / mutants as f64;
        println!(
            "{set}: {mutants} mutants, {left_out} left out, {bytes} bytes in {time:?}; {each:.3} s for 10,000"
        );
        assert!(mutants > 2000);
    }
}

#[test]
fn places_of_mutants_are_found_in_no_time() {
    let jars = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.14.0"]);
    let sources = unpacked("org.apache.commons:commons-lang3:3.14.0:sources");
    let classes = jar_classes(&jars[0]);
    let (mut mutants, mut found, mut parsed, mut located) = (0, 0, Duration::ZERO, Duration::ZERO);
    for (name, class) in &classes {
        let top = name.split('$').next().expect("a name");
        let text = std::fs::read_to_string(sources.join(format!("{top}.java"))).unwrap();
        let mutation = mutate(class, &Options::default()).unwrap();
        let start = Instant::now();
        let source = Source::parse(&text);
        parsed += start.elapsed();
        let start = Instant::now();
        let places = source.locate(class, &mutation.mutants);
        located += start.elapsed();
        mutants += places.len();
        found += places.iter().flatten().count();
    }
    println!("{found} places of {mutants} mutants: parsed in {parsed:?}, located in {located:?}");
    assert!(found * 100 > mutants * 98);
}
