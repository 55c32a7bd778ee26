//! Warm workers for the tests of this crate.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use braid_exec::{
    Outcome, Ran, Trial, TrialUnit, UnitEnd, WarmEnd, WarmOptions, WarmSpec, WarmWorker,
};
use braid_weave::{Passes, World, instrument};

use crate::support::{PATIENCE, Subject};

/// A warm worker for a subject; the agent instruments everything.
pub(crate) fn spec(subject: &Subject, jdk: &Path) -> WarmSpec {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let payload = braid_payload::unpack(scratch).unwrap();
    let mut worker = subject.spec_on(jdk);
    worker.heap_mb = Some(256);
    let agent = payload.agent.expect("this build has an agent");
    let mut spec = WarmSpec::new(worker, &payload.runtime, &agent);
    spec.world = Some(world(&subject.classes));
    spec.cache = Some(scratch.join("warm-cache"));
    spec
}

/// What is to be known about the classes in a folder.
fn known(classes: &Path) -> World {
    let mut world = World::new();
    for name in braid_exec::class_names(classes).unwrap() {
        let file = classes.join(name.replace('.', "/") + ".class");
        world.add(&fs::read(file).unwrap()).unwrap();
    }
    world
}

/// The classes of a subject as they run.
pub(crate) fn instrumented(subject: &Subject) -> impl Fn(&str) -> Option<Vec<u8>> {
    let folder = subject.classes.clone();
    let world = known(&folder);
    move |name| {
        let bytes = fs::read(folder.join(format!("{name}.class"))).ok()?;
        let passes = Passes {
            fuel: true,
            reset: Some(&world),
            coverage: None,
        };
        Some(instrument(&bytes, &passes).unwrap().bytes.unwrap_or(bytes))
    }
}

/// Writes what is to be known about the classes in a folder.
fn world(classes: &Path) -> PathBuf {
    let world = known(classes);
    let place = classes.with_extension("world");
    // other tests write the same one
    let fresh = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(fresh.path(), world.encode()).unwrap();
    fresh.persist(&place).unwrap();
    place
}

/// A unit with limits that only endless programs reach.
pub(crate) fn unit(id: &str, fuel: Option<u64>) -> TrialUnit {
    TrialUnit {
        unit: id.into(),
        fuel,
        wall: PATIENCE,
        idle: Duration::from_millis(500),
        stack_kb: None,
    }
}

/// One trial of the original program.
pub(crate) fn trial(units: &[&str], fuel: Option<u64>) -> Trial {
    Trial {
        variant: 0,
        units: units.iter().map(|id| unit(id, fuel)).collect(),
        stop_at_failure: false,
    }
}

pub(crate) fn run(worker: &mut WarmWorker, trials: &[Trial]) -> (Vec<Ran>, WarmEnd) {
    let mut all = Vec::new();
    let mut note = |ran: Ran| {
        all.push(ran);
        ControlFlow::Continue(())
    };
    let end = worker
        .run(trials, &WarmOptions::default(), &mut note)
        .unwrap();
    (all, end)
}

/// What came of a unit, in a few words.
pub(crate) fn summary(ran: &Ran) -> String {
    let leaves = ran.leaves.iter().map(|leaf| match &leaf.outcome {
        Outcome::Passed => "passed".to_owned(),
        Outcome::Failed(failure) => format!(
            "failed {} {}",
            failure.exception,
            failure.message.as_deref().unwrap_or("")
        ),
        Outcome::Skipped { .. } => "skipped".to_owned(),
    });
    let end = match &ran.end {
        UnitEnd::Finished => String::new(),
        UnitEnd::OutOfFuel { .. } => " (out of fuel)".to_owned(),
        UnitEnd::OverTime { .. } => " (over time)".to_owned(),
        UnitEnd::Idle { for_good, .. } => match for_good {
            true => " (idle for good)".to_owned(),
            false => " (idle)".to_owned(),
        },
    };
    leaves.collect::<Vec<_>>().join(", ") + &end
}
