//! A real test suite gives the same results in a warm worker, run after run, as in a plain one; and what
//! that costs.
//!
//! Takes minutes, so it runs only with `BRAID_SWEEP=1`.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use braid_exec::{
    Cancel, Event, Ran, RunEnd, RunLimits, Selection, WarmEnd, WarmSpec, WarmWorker, Worker,
    WorkerSpec,
};
use braid_process::Spawn;
use braid_weave::World;

use support::warm::{run, trial};
use support::{PATIENCE, outcome, runner};

/// Packages with state, reflection, threads and parameterised tests, and few long ones.
const PACKAGES: [&str; 9] = [
    "builder",
    "event",
    "exception",
    "function",
    "math",
    "mutable",
    "reflect",
    "tuple",
    "util",
];
/// Long tests say nothing that short ones do not.
const LONG: Duration = Duration::from_millis(300);

fn libraries() -> Vec<PathBuf> {
    braid_subjects::maven(&[
        "org.apache.commons:commons-lang3:3.12.0:tests",
        "org.apache.commons:commons-lang3:3.12.0",
        "org.junit-pioneer:junit-pioneer:1.3.0",
        "org.hamcrest:hamcrest:2.2",
        "org.easymock:easymock:4.2",
        "org.objenesis:objenesis:3.1",
    ])
}

/// Unpacks jars into one folder and says which classes have static state.
fn world(jars: &[PathBuf], place: &Path) -> (PathBuf, Vec<String>) {
    let (mut world, mut tests) = (World::new(), Vec::new());
    for (number, jar) in jars.iter().enumerate() {
        let folder = place.join(number.to_string());
        fs::create_dir_all(&folder).unwrap();
        let unpack = Spawn::new(braid_subjects::jdk().join("bin/jar"));
        let unpack = unpack.arg("xf").arg(jar).cwd(&folder);
        assert!(unpack.run(PATIENCE).unwrap().success());
        for name in braid_exec::class_names(&folder).unwrap() {
            let bytes = fs::read(folder.join(name.replace('.', "/") + ".class")).unwrap();
            if !name.starts_with("org.hamcrest.") && !name.contains("module-info") {
                world.add(&bytes).unwrap();
            }
            let package = name.strip_prefix("org.apache.commons.lang3.");
            let package = package.and_then(|rest| rest.split_once('.'));
            let chosen = package.is_some_and(|(package, _)| PACKAGES.contains(&package));
            if chosen && number == 0 && name.ends_with("Test") && !name.contains('$') {
                tests.push(name);
            }
        }
    }
    let file = place.join("world");
    fs::write(&file, world.encode()).unwrap();
    (file, tests)
}

/// Leaves with what came of them.
type Leaves = BTreeMap<String, String>;

fn of(ran: &[Ran]) -> Leaves {
    let leaves = ran.iter().flat_map(|ran| &ran.leaves);
    leaves
        .map(|leaf| (leaf.id.0.clone(), outcome(&leaf.outcome)))
        .collect()
}

fn plain(worker: &mut Worker, units: &[&str]) -> (Leaves, Vec<(String, Duration)>) {
    let ran = support::run(worker, units, &RunLimits::new(PATIENCE));
    assert_eq!(ran.end, RunEnd::Done);
    let times = ran.events.iter().filter_map(|event| match event {
        Event::UnitFinished { unit, duration } => Some((unit.0.clone(), *duration)),
        _ => None,
    });
    (ran.leaves(), times.collect())
}

/// How often each way is tried; the compiler of the JVM takes a few to come to rest.
fn rounds() -> usize {
    let wanted = std::env::var("BRAID_ROUNDS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(3)
}

/// Seconds that a process has computed so far: other processes disturb this less than the clock.
fn cpu(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(11).take(2);
    times
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// Tests that look at what weaving changes: static fields lose `final`.
fn sees_weaving(leaf: &str) -> bool {
    leaf.contains("FieldUtilsTest#testRemoveFinal") || leaf.contains("FieldUtilsTest#testWrite")
}

/// Leaves of `warm` with another result in `plain`, which has more of them.
fn differences<'w>(plain: &Leaves, warm: &'w Leaves) -> Vec<&'w str> {
    let differ = warm
        .iter()
        .filter(|(leaf, outcome)| !sees_weaving(leaf) && plain.get(*leaf) != Some(outcome));
    differ.map(|(leaf, _)| leaf.as_str()).collect()
}

fn timed(name: &str, spec: &WarmSpec, units: &[&str]) -> Vec<Leaves> {
    let start = Instant::now();
    let mut worker = WarmWorker::start(spec).unwrap();
    println!("{name}: start {:?}", start.elapsed());
    let mut all = Vec::new();
    for round in 0..rounds() {
        let before = cpu(worker.pid());
        let (ran, end) = run(&mut worker, &[trial(units, None)]);
        assert_eq!(
            end,
            WarmEnd::Done,
            "{}: {:?}",
            ran.len(),
            ran.last().map(support::warm::summary)
        );
        let inside: Duration = ran.iter().map(|ran| ran.duration).sum();
        let ticks: u64 = ran.iter().map(|ran| ran.ticks).sum();
        let cpu = cpu(worker.pid()) - before;
        println!("{name} {round}: {cpu:.2} s of processor, in units {inside:?}, {ticks} ticks");
        all.push(of(&ran));
    }
    for note in worker.notes() {
        println!("note: {note}");
    }
    all
}

#[test]
fn commons_lang_has_the_same_results_in_a_warm_worker() {
    if std::env::var_os("BRAID_SWEEP").is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let jars = libraries();
    let (world, classes) = world(&jars, place.path());
    let mut class_path = jars;
    class_path.extend(braid_subjects::jupiter("5.7.1", "1.7.1"));
    let mut spec = WorkerSpec::new(&braid_subjects::jdk(), &runner(), class_path, place.path());
    spec.heap_mb = Some(512);
    spec.quick_jit = std::env::var_os("BRAID_QUICK").is_some();
    let mut worker = Worker::start(&spec).unwrap();
    let selection = Selection {
        classes,
        ..Selection::default()
    };
    let found = worker
        .discover(&selection, PATIENCE, &Cancel::new())
        .unwrap();
    let units: Vec<&str> = found.units.iter().map(|unit| unit.id.0.as_str()).collect();
    // Only the first run finds the program as in a new JVM.
    let (expected, times) = plain(&mut worker, &units);
    let short: Vec<&str> = times
        .iter()
        .filter(|(_, time)| *time < LONG)
        .map(|(unit, _)| unit.as_str())
        .collect();
    println!("{} units, {} short", units.len(), short.len());
    for round in 0..rounds() {
        let before = cpu(worker.pid());
        let (_, times) = plain(&mut worker, &short);
        let inside: Duration = times.iter().map(|(_, time)| time).sum();
        let cpu = cpu(worker.pid()) - before;
        println!("plain {round}: {cpu:.2} s of processor, in units {inside:?}");
    }
    drop(worker);
    let payload = braid_payload::unpack(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let mut warm = WarmSpec::new(spec, &payload.runtime, &payload.agent.unwrap());
    warm.instrument = false;
    timed("warm, nothing instrumented", &warm, &short);
    warm.instrument = true;
    warm.cache = Some(place.path().join("cache"));
    timed("warm, fuel", &warm, &short);
    warm.world = Some(world);
    let results = timed("warm, fuel and reset", &warm, &short);
    for result in &results {
        // Whoever differs depends on the tests before: a JVM of its own decides, for a few of them.
        let differ = differences(&expected, result);
        println!("{} depend on others", differ.len());
        for leaf in differ.iter().step_by(differ.len().div_ceil(4).max(1)) {
            let unit = leaf.split('[').next().unwrap();
            let mut worker = Worker::start(&warm.worker).unwrap();
            let (alone, _) = plain(&mut worker, &[unit]);
            assert_eq!(alone.get(*leaf), result.get(*leaf), "{leaf}");
        }
    }
}
