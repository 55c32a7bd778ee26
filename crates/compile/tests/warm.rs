//! Generated patches of a real library: each gets from the bulk road what compiling it alone gives.

#[allow(unused, reason = "shared with other tests")]
mod support;

use std::path::Path;

use braid_compile::{Changes, PatchOutcome, Tool, Warm, Way};
use support::generate::generate;
use support::{compare, compile_each, lang3, sweep, tool, tool_of};

/// Compares `count` patches in bulk with tasks of their own in other JVMs, and every `fresh`th with a fresh JVM.
fn compare_generated(tool: &Tool, way: Way, count: usize, seed: u64, fresh: usize) {
    let module = lang3::module(tool, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let patches = generate(&module.source_roots[0], count / 6, count, seed);
    let changes: Vec<Changes> = patches.iter().map(|patch| patch.changes.clone()).collect();
    let batched = Warm::start(tool.clone())
        .unwrap()
        .compile_patches(&module, &changes, way)
        .unwrap();
    let expected = compile_each(tool, &module, &changes, fresh);
    for ((patch, batched), expected) in patches.iter().zip(&batched).zip(&expected) {
        let name = format!("{} {:?}", patch.name, batched.alone);
        match way {
            Way::Inside => compare::same(&name, &module, batched, expected),
            Way::Outside => compare::same_verdict(&name, batched, expected),
        }
    }
    let bad = expected.iter();
    let bad = bad.filter(|outcome| matches!(outcome, PatchOutcome::Errors(_)));
    let bad = bad.count();
    let alone = batched.iter();
    let alone = alone.filter(|batched| batched.alone.is_some()).count();
    println!("{count} patches, {bad} bad, {alone} alone");
    assert!(
        (count / 3..count * 2 / 3).contains(&bad),
        "{bad} of {count} do not compile"
    );
    assert!(alone < count / 5, "{alone} of {count} were compiled alone");
}

#[test]
fn bulk_gives_each_patch_what_compiling_it_alone_gives() {
    let (count, fresh) = (sweep(90, 240, 2000), sweep(90, 60, 20));
    compare_generated(&tool(), Way::Inside, count, 1, fresh);
}

#[test]
fn the_public_interface_gives_the_same_verdicts() {
    let count = sweep(48, 90, 600);
    compare_generated(&tool(), Way::Outside, count, 2, count);
}

#[test]
fn the_newest_jdk_gives_the_same() {
    let newest = braid_subjects::jdks().pop().unwrap();
    let count = sweep(48, 90, 600);
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
