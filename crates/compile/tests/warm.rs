//! The warm road: each patch gets what compiling it alone with a fresh javac gives.

#[allow(unused, reason = "shared with other tests")]
mod support;

use std::path::Path;

use braid_compile::{
    BatchOutcome, Changes, Diagnostic, Module, PatchOutcome, Plain, Warm, Way, compile_patch,
};
use support::generate::{Generated, generate};
use support::{lang3, tool};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// The errors of a patch; none if it compiles.
fn errors(outcome: PatchOutcome) -> Option<Vec<Diagnostic>> {
    match outcome {
        PatchOutcome::Errors(errors) => Some(errors),
        PatchOutcome::Compiled(_) => None,
    }
}

fn batch_errors(outcome: BatchOutcome) -> Option<Vec<Diagnostic>> {
    match outcome {
        BatchOutcome::Errors(errors) => Some(errors),
        _ => None,
    }
}

fn changes(patches: &[Generated]) -> Vec<Changes> {
    patches.iter().map(|patch| patch.changes.clone()).collect()
}

#[test]
fn bulk_says_of_each_patch_what_compiling_it_alone_says() {
    let module = lang3::module(&tool(), folder());
    let patches = generate(&module.source_roots[0], 60, 400, 1);
    let mut warm = Warm::start(tool()).unwrap();
    let batched = warm
        .compile_patches(&module, &changes(&patches), Way::Inside)
        .unwrap();
    let mut bad = 0;
    let mut alone = 0;
    for (patch, batched) in patches.iter().zip(batched) {
        alone += usize::from(batched.alone.is_some());
        let expected = errors(compile_patch(&mut warm, &module, &patch.changes).unwrap());
        bad += usize::from(expected.is_some());
        let road = batched.alone.clone();
        assert_eq!(
            batch_errors(batched.outcome),
            expected,
            "{} {road:?}",
            patch.name
        );
    }
    println!("{bad} bad, {alone} alone");
    assert!((100..300).contains(&bad), "{bad} of 400 do not compile");
    assert!(alone < 60, "{alone} of 400 were compiled alone");
}
