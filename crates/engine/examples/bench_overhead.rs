//! What the woven program costs when no variant is active: `bench_overhead PROJECT WORK VARIANTS ROUNDS PACKAGE...`
//!
//! The same tests run in warm JVMs with the same runner, in turns: one has the program with VARIANTS variants woven in,
//! fuel and reset, but keeps its static state, one has the program as it is, and one is as the first, but starts over for
//! each test, so that it does again what the program does once. Prints the sums over all tests of the best time of each,
//! in milliseconds, then the number of tests.

#[path = "../../mutators/tests/common/variants.rs"]
mod variants;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use braid_exec::{
    Cancel, Outcome, PreparedClass, Ran, Selection, Trial, TrialUnit, UnitEnd, WarmOptions,
    WarmSpec, WarmWorker, WorkerSpec, write_classes,
};
use braid_mutators::Options;
use braid_project::{Module, ProjectOptions, discover};
use braid_weave::{Passes, Variant, World, instrument, weave_program};

const PATIENCE: Duration = Duration::from_secs(600);

/// Best time of each unit that passed.
type Times = BTreeMap<String, Duration>;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [project, work, count, rounds, packages @ ..] = &args[..] else {
        panic!("bench_overhead PROJECT WORK VARIANTS ROUNDS PACKAGE...");
    };
    let (count, rounds): (usize, u32) = (count.parse().unwrap(), rounds.parse().unwrap());
    let work = Path::new(work);
    fs::create_dir_all(work).unwrap();
    let project = discover(Path::new(project), &ProjectOptions::default()).unwrap();
    let module = &project.modules[0];
    let is_chosen = |class: &str| packages.iter().any(|package| class.starts_with(package));
    let plain = spec(module, &project.java_of(module).home, work);
    let woven = weave(module, plain.clone(), work, count, &is_chosen);
    let mut keeping = woven.clone();
    let properties = &mut keeping.worker.system_properties;
    properties.insert("braid.keep-state".to_owned(), "true".to_owned());
    let mut workers = [keeping, plain, woven].map(|spec| WarmWorker::start(&spec).unwrap());
    let classes = module.test_class_names().into_iter();
    let selection = Selection {
        classes: classes.filter(|class| is_chosen(class)).collect(),
        ..Selection::default()
    };
    let found = workers[0].discover(&selection, PATIENCE, &Cancel::new());
    let units = found.unwrap().units.into_iter();
    let units: Vec<String> = units.map(|unit| unit.id.0).collect();
    let mut times = [const { Times::new() }; 3];
    for _ in 0..=rounds {
        for (worker, times) in workers.iter_mut().zip(&mut times) {
            run(worker, &units, times);
        }
    }
    let in_all = |unit: &&String| times.iter().all(|times| times.contains_key(*unit));
    let common = times[0].keys().filter(in_all);
    let sum = |times: &Times| -> f64 {
        let sum: Duration = common.clone().map(|unit| times[unit]).sum();
        sum.as_secs_f64() * 1000.0
    };
    let [woven, plain, anew] = times.each_ref().map(sum);
    let tests = common.clone().count();
    let mut costs: Vec<_> = common
        .map(|unit| (times[0][unit].saturating_sub(times[1][unit]), unit))
        .collect();
    costs.sort_unstable();
    for (cost, unit) in costs.iter().rev().take(8) {
        eprintln!("{unit}: {cost:?} more");
    }
    println!(
        "{woven:.1} {plain:.1} {anew:.1} {tests} {}",
        units.len() - tests
    );
}

/// A warm JVM with the program as it is.
fn spec(module: &Module, java: &Path, work: &Path) -> WarmSpec {
    let payload = braid_payload::unpack(work).unwrap();
    let classpath = module.test_classpath.clone();
    let mut worker = WorkerSpec::new(java, &payload.runner, classpath, &module.test_cwd);
    worker.jvm_args.clone_from(&module.jvm_args);
    worker
        .system_properties
        .clone_from(&module.system_properties);
    worker.heap_mb = Some(1024);
    worker.quick_jit = false;
    let agent = payload.agent.expect("this build has an agent");
    let mut spec = WarmSpec::new(worker, &payload.runtime, &agent);
    spec.instrument = false;
    spec
}

/// The same with variants of the chosen classes woven in, and everything instrumented.
fn weave(
    module: &Module,
    mut spec: WarmSpec,
    work: &Path,
    count: usize,
    is_chosen: &dyn Fn(&str) -> bool,
) -> WarmSpec {
    let classes = classes_in(&module.classes);
    let chosen = classes
        .iter()
        .filter(|(name, _)| is_chosen(&name.replace('/', ".")));
    let chosen: BTreeMap<_, _> = chosen.map(|(n, b)| (n.clone(), b.clone())).collect();
    let made = variants::variants(&chosen, &Options::default());
    let step = (made.len() / count).max(1);
    let variants: Vec<Variant> = (1..)
        .zip(made.into_iter().step_by(step).take(count))
        .map(|(number, (_, variant))| Variant { number, ..variant })
        .collect();
    let find = |name: &str| classes.get(name).map(|bytes| Cow::from(bytes.as_slice()));
    let program = weave_program(&find, &variants).unwrap();
    eprintln!("{} variants woven in", variants.len());
    let woven: BTreeMap<&String, &[u8]> = classes
        .iter()
        .map(|(name, bytes)| {
            let woven = program.classes.get(name);
            let woven = woven.and_then(|class| class.bytes.as_deref());
            (name, woven.unwrap_or(bytes))
        })
        .collect();
    let mut world = World::new();
    let tests = classes_in(&module.test_classes);
    let all = woven.values().copied();
    for bytes in all.chain(tests.values().map(Vec::as_slice)) {
        world.add(bytes).unwrap();
    }
    let prepared: BTreeMap<&String, Vec<u8>> = woven
        .iter()
        .map(|(name, bytes)| {
            let passes = Passes {
                fuel: true,
                reset: Some(&world),
                coverage: None,
            };
            let out = instrument(bytes, &passes).unwrap().bytes;
            (*name, out.unwrap_or_else(|| bytes.to_vec()))
        })
        .collect();
    let place = |name: &str| -> PathBuf { work.join(name) };
    let prepared = prepared.iter().map(|(name, woven)| PreparedClass {
        name,
        original: &classes[*name],
        woven,
    });
    write_classes(&place("classes"), prepared).unwrap();
    fs::write(place("world"), world.encode()).unwrap();
    spec.instrument = true;
    spec.classes = Some(place("classes"));
    spec.world = Some(place("world"));
    spec.cache = Some(place("cache"));
    spec
}

fn classes_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = braid_exec::class_names(folder).unwrap().into_iter();
    let names = names.filter(|name| !name.ends_with("-info"));
    names
        .map(|name| {
            let name = name.replace('.', "/");
            let bytes = fs::read(folder.join(format!("{name}.class"))).unwrap();
            (name, bytes)
        })
        .collect()
}

/// Runs all units once and keeps the best time of each that passes.
fn run(worker: &mut WarmWorker, units: &[String], times: &mut Times) {
    let units = units.iter().map(|unit| TrialUnit {
        unit: unit.as_str().into(),
        fuel: None,
        wall: PATIENCE,
        idle: PATIENCE,
        stack_kb: None,
    });
    let trial = Trial {
        variant: 0,
        units: units.collect(),
        stop_at_failure: false,
    };
    let mut note = |ran: Ran| {
        let mut leaves = ran.leaves.iter();
        let passed = leaves.all(|leaf| matches!(leaf.outcome, Outcome::Passed));
        if passed && !ran.leaves.is_empty() && ran.end == UnitEnd::Finished {
            let best = times.entry(ran.unit.0).or_insert(Duration::MAX);
            *best = ran.duration.min(*best);
        }
        ControlFlow::Continue(())
    };
    let end = worker.run(&[trial], &WarmOptions::default(), &mut note);
    eprintln!("{:?}", end.unwrap());
}
