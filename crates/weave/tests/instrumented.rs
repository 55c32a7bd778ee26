//! Instrumented programs in real JVMs: fuel ends what does not end by itself, every epoch starts
//! as a new JVM does, classes verify.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use braid_subjects::classes_in;
use braid_weave::{Passes, ProbeMap, State, World, instrument};
use common::*;
use rayon::prelude::*;

/// Instruments classes with all passes.
fn instrument_all(classes: &BTreeMap<String, Vec<u8>>) -> (BTreeMap<String, Vec<u8>>, World) {
    let (mut world, mut probes) = (World::new(), ProbeMap::with_blocks());
    for bytes in classes.values() {
        world.add(bytes).unwrap();
        probes.add(bytes).unwrap();
    }
    let world = World::decode(&world.encode()).unwrap();
    let out = classes
        .par_iter()
        .map(|(name, bytes)| {
            let passes = Passes {
                fuel: true,
                reset: Some(&world),
                coverage: probes.base(name),
            };
            let out = instrument(bytes, &passes).unwrap_or_else(|e| panic!("{name}: {e}"));
            (name.clone(), out.bytes.unwrap_or_else(|| bytes.clone()))
        })
        .collect();
    (out, world)
}

fn compiled(fixture: &str) -> PathBuf {
    let folder = new_folder();
    javac(&[], &folder, &java_files(&fixtures(fixture)));
    folder
}

fn instrumented(folder: &Path) -> (PathBuf, World) {
    let (classes, world) = instrument_all(&classes_in(folder));
    let folder = write_classes(classes.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
    (folder, world)
}

#[test]
fn fuel_ends_every_shape_of_endless_program() {
    let (folder, _) = instrumented(&compiled("fuel"));
    let output = run_fuel(&[folder], "Loops");
    println!("{output}");
    assert_eq!(output.lines().count(), 18);
    for line in output.lines() {
        let (shape, end) = line.split_once(' ').unwrap();
        // Deep recursion may also end as it would without fuel, or have caught everything.
        let recursive = shape.to_lowercase().contains("recursion") || shape.starts_with("p_");
        let other = ["StackOverflowError", "returned"].contains(&end);
        assert!(end == "OutOfFuel" || (recursive && other), "{line}");
    }
}

#[test]
fn every_epoch_prints_what_a_new_jvm_prints() {
    let plain = compiled("reset");
    let expected = run_plainly(&[(plain.clone(), "Statics".to_owned())]);
    let (folder, world) = instrumented(&plain);
    let epochs = run_warm(&[folder], "Statics", &[0, 0, 0]);
    assert_eq!(epochs.len(), 3);
    for (number, epoch) in epochs.iter().enumerate() {
        let lines = |text: &str| text.replace(", ", ",\n");
        expect_same(&lines(&expected[0]), &lines(epoch), number);
    }
    assert_eq!(world.state("Statics$Plain"), Some(State::Constant));
    assert_eq!(world.state("Statics$Stateful"), Some(State::Resettable));
    assert_eq!(world.state("Statics$Counting"), Some(State::Resettable));
    let once = world.built_once();
    assert!(
        once.contains("Statics$Plain") && !once.contains("Statics$Counting"),
        "{once:?}"
    );
    assert_eq!(world.not_resettable(), vec![]);
}

fn expect_same(expected: &str, found: &str, number: usize) {
    let differing: Vec<_> = expected
        .lines()
        .zip(found.lines())
        .filter(|(a, b)| a != b)
        .collect();
    assert!(differing.is_empty(), "epoch {number}: {differing:#?}");
    assert_eq!(expected, found, "epoch {number}");
}

#[test]
fn real_libraries_verify_with_all_passes() {
    let mut libraries = vec![
        "org.apache.commons:commons-lang3:3.14.0",
        "com.google.guava:guava:33.0.0-jre",
    ];
    if std::env::var_os("BRAID_SWEEP").is_some_and(|value| value != "0") {
        // Old class files, and what other compilers write.
        libraries.extend([
            "org.apache.commons:commons-math3:3.6.1",
            "commons-collections:commons-collections:3.2.2",
            "org.jetbrains.kotlin:kotlin-stdlib:1.9.22",
            "org.codehaus.groovy:groovy:3.0.20",
        ]);
    }
    let jars = braid_subjects::maven(&libraries);
    let mut classes = BTreeMap::new();
    for jar in &jars {
        classes.extend(jar_classes(jar));
    }
    let names: Vec<String> = classes.keys().cloned().collect();
    let (out, world) = instrument_all(&classes);
    let folder = write_classes(out.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
    let before = link_all(&names, &jars);
    let after = link_all(&names, &[folder]);
    let worse: Vec<_> = after
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .collect();
    println!(
        "{} classes, not resettable: {:?}",
        names.len(),
        world.not_resettable()
    );
    assert!(
        worse.is_empty(),
        "{} {:#?}",
        worse.len(),
        &worse[..worse.len().min(5)]
    );
}
