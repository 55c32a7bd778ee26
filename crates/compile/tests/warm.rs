//! Generated patches of a real library: each gets from the bulk road what compiling it alone gives.

#[allow(unused, reason = "shared with other tests")]
mod support;

use std::path::Path;

use braid_compile::{Changes, PatchOutcome, Plain, Tool, Warm, Way, compile_patch};
use support::generate::generate;
use support::{compare, lang3, sweeping, tool, tool_of};

/// Compares `count` patches in bulk with tasks of their own in another JVM, and each of `fresh`
/// with a fresh JVM.
fn compare_generated(tool: &Tool, way: Way, count: usize, seed: u64, fresh: usize) {
    let module = lang3::module(tool, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let patches = generate(&module.source_roots[0], count / 6, count, seed);
    let changes: Vec<Changes> = patches.iter().map(|patch| patch.changes.clone()).collect();
    let batched = Warm::start(tool.clone())
        .unwrap()
        .compile_patches(&module, &changes, way)
        .unwrap();
    let mut other = Warm::start(tool.clone()).unwrap();
    let mut bad = 0;
    for (at, (patch, batched)) in patches.iter().zip(&batched).enumerate() {
        let expected = compile_patch(&mut other, &module, &patch.changes).unwrap();
        bad += usize::from(matches!(expected, PatchOutcome::Errors(_)));
        let name = format!("{} {:?}", patch.name, batched.alone);
        match way {
            Way::Inside => compare::same(&name, &module, batched, &expected),
            Way::Outside => compare::same_verdict(&name, batched, &expected),
        }
        if at % fresh == 0 {
            let plain = compile_patch(&mut Plain::new(tool.clone()), &module, &patch.changes);
            assert_eq!(plain.unwrap(), expected, "{name}");
        }
    }
    let alone = batched
        .iter()
        .filter(|batched| batched.alone.is_some())
        .count();
    println!("{count} patches, {bad} bad, {alone} alone");
    assert!(
        (count / 3..count * 2 / 3).contains(&bad),
        "{bad} of {count} do not compile"
    );
    assert!(alone < count / 5, "{alone} of {count} were compiled alone");
}

#[test]
fn bulk_gives_each_patch_what_compiling_it_alone_gives() {
    let (count, fresh) = if sweeping() { (800, 20) } else { (240, 30) };
    compare_generated(&tool(), Way::Inside, count, 1, fresh);
}

#[test]
fn the_public_interface_gives_the_same_verdicts() {
    let count = if sweeping() { 300 } else { 120 };
    compare_generated(&tool(), Way::Outside, count, 2, count);
}

#[test]
fn the_newest_jdk_gives_the_same() {
    let newest = braid_subjects::jdks().pop().unwrap();
    let count = if sweeping() { 300 } else { 120 };
    compare_generated(&tool_of(&newest), Way::Inside, count, 3, count);
}

#[test]
fn a_dead_service_is_started_again() {
    let mut warm = Warm::start(tool()).unwrap();
    let compiles = |warm: &mut Warm| {
        let outcome = support::compile_one(warm, "/x/A.java", "class A { }");
        assert!(matches!(outcome, braid_compile::Outcome::Compiled(_)));
    };
    compiles(&mut warm);
    let pid = warm.pid().unwrap().to_string();
    let kill = braid_process::Spawn::new("kill").args(["-9", &pid]);
    assert!(
        kill.run(std::time::Duration::from_secs(10))
            .unwrap()
            .success()
    );
    compiles(&mut warm);
    compiles(&mut warm);
    assert_ne!(warm.pid().unwrap().to_string(), pid);
}
