//! Every class of the JDK and of popular jars, stress-edited with frames from nothing, verified
//! by HotSpot (`-Xverify:all`). A part by default and with `BRAID_SWEEP=1`, everything with
//! `BRAID_SWEEP=full`.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use common::stress::{Stressed, counter_class, stress};
use common::{Sweep, hierarchy, hotspot, jar_classes, jdk_classes, libraries, sweep};
use rayon::prelude::*;

/// Stress-edits classes in parallel and writes them as files under a folder.
fn write_stressed(
    classes: &[(String, Vec<u8>)],
    counter: impl Fn(&str) -> Option<&'static str> + Sync,
    table: &braid_classfile::ClassTable,
    to: &Path,
) -> Stressed {
    let write = |name: &str, bytes: &[u8]| {
        let path = to.join(format!("{name}.class"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    };
    let edited = |(name, bytes): &(String, Vec<u8>)| {
        let (stressed, counts) =
            stress(bytes, counter(name), table).unwrap_or_else(|error| panic!("{name}: {error}"));
        write(name, &stressed);
        counts
    };
    let sum = |a: Stressed, b: Stressed| Stressed {
        full: a.full + b.full,
        light: a.light + b.light,
    };
    classes
        .par_iter()
        .map(edited)
        .reduce(Stressed::default, sum)
}

#[test]
fn stress_edited_libraries_verify_in_hotspot() {
    let jars = libraries();
    let table = hierarchy(&jars);
    let folder = tempfile::tempdir().unwrap();
    for jar in &jars {
        let classes = jar_classes(jar);
        if classes.len() > 1000 && sweep() < Sweep::Full {
            continue;
        }
        let names: Vec<String> = classes.iter().map(|(name, _)| name.clone()).collect();
        let to = folder.path().join("classes");
        let _ = std::fs::remove_dir_all(&to);
        let counts = write_stressed(&classes, |_| Some("braid/Counter"), &table, &to);
        std::fs::create_dir_all(to.join("braid")).unwrap();
        std::fs::write(
            to.join("braid/Counter.class"),
            counter_class("braid/Counter"),
        )
        .unwrap();
        let before = hotspot::link_all(folder.path(), &names, &[], std::slice::from_ref(jar));
        let after = hotspot::link_all(folder.path(), &names, &[], &[to]);
        let name = jar.file_name().unwrap().to_string_lossy();
        println!(
            "{name}: {} classes, {counts:?}, unlinkable {}",
            names.len(),
            before.len()
        );
        assert_same_failures(&name, &before, &after);
        assert!(counts.full > 20 * counts.light, "{name}: {counts:?}");
    }
}

/// Fails if a class that could be linked before no longer can.
fn assert_same_failures(
    what: &str,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) {
    let worse: Vec<_> = after
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .collect();
    assert!(
        worse.is_empty(),
        "{what}: {} of them: {:#?}",
        worse.len(),
        &worse[..worse.len().min(5)]
    );
}

#[test]
fn a_stress_edited_jdk_boots_and_verifies() {
    let jdk = braid_subjects::jdk();
    let table = hierarchy(&[]);
    let folder = tempfile::tempdir().unwrap();
    let mut modules: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for (module, name, bytes) in jdk_classes(&jdk, sweep()) {
        // HotSpot crashes at start when `Object` is patched, however it is changed.
        if name == "java/lang/Object" {
            continue;
        }
        modules.entry(module).or_default().push((name, bytes));
    }
    let counter = "java/lang/BraidCounter";
    let base = folder.path().join("java.base");
    std::fs::create_dir_all(base.join("java/lang")).unwrap();
    std::fs::write(
        base.join(format!("{counter}.class")),
        counter_class(counter),
    )
    .unwrap();
    // Before the VM is ready not even a field of another class can be used.
    let boot = hotspot::boot_classes();
    let counter_of = |name: &str| (!boot.contains(name)).then_some(counter);
    // Not all modules are resolved unless asked for; a class of another would be unlinkable unseen.
    let (mut options, mut resolved) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    for (module, classes) in &modules {
        let to = folder.path().join(module);
        let counts = write_stressed(classes, counter_of, &table, &to);
        println!("{module}: {} classes, {counts:?}", classes.len());
        options.push("--patch-module".to_owned());
        options.push(format!("{module}={}", to.display()));
        resolved.extend(["--add-modules".to_owned(), module.clone()]);
        names.extend(classes.iter().map(|(name, _)| name.clone()));
    }
    let names: Vec<String> = names.into_iter().collect();
    let none: [PathBuf; 0] = [];
    let before = hotspot::link_all(folder.path(), &names, &resolved, &none);
    options.extend(resolved);
    let after = hotspot::link_all(folder.path(), &names, &options, &none);
    println!("{} classes, unlinkable {}", names.len(), before.len());
    assert_same_failures("the JDK", &before, &after);
}
