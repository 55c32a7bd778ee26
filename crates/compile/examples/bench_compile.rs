//! Measures the bulk road against a fresh javac for each patch; `bench/compile/run` calls it.
//!
//! Arguments: a folder to work in, the number of patches, of repetitions, and of patches in the
//! sample that a fresh javac compiles.

#[path = "../tests/support/mod.rs"]
#[allow(unused, reason = "shared with the tests")]
mod support;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use braid_compile::{BatchOutcome, Changes, Module, Warm, Way};
use braid_process::Spawn;
use support::generate::{Generated, generate};
use support::{lang3, tool_in};

const METHODS: usize = 48;

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("the folder to work in");
    let mut number = |default: usize| {
        args.next()
            .map_or(default, |arg| arg.parse().expect("a number"))
    };
    let (count, repetitions, sample) = (number(1000), number(5), number(15));
    let folder = Path::new(&folder);
    let tool = tool_in(&braid_subjects::jdk(), folder);
    let module = lang3::module(&tool, folder);
    let root = &module.source_roots[0];
    let changes = |patches: &[Generated]| -> Vec<Changes> {
        patches.iter().map(|patch| patch.changes.clone()).collect()
    };
    let patches = generate(root, METHODS, count, 7);
    let warm_up = changes(&generate(root, METHODS, count, 8));
    let measured = changes(&patches);
    let mut warm = Warm::start(tool.clone()).unwrap();
    let before = Cost::now(&warm);
    let first = Instant::now();
    warm.compile_patches(&module, &warm_up, Way::Inside)
        .unwrap();
    println!(
        "warm-up, {count} other patches from a cold JVM: {:.0} ms, {:.0} ms CPU",
        first.elapsed().as_secs_f64() * 1e3,
        Cost::now(&warm).since(&before)
    );
    let (mut bulk, mut bulk_wall, mut fresh, mut fresh_wall) = (vec![], vec![], vec![], vec![]);
    for repetition in 0..repetitions {
        let (before, start) = (Cost::now(&warm), Instant::now());
        let outcomes = warm
            .compile_patches(&module, &measured, Way::Inside)
            .unwrap();
        bulk_wall.push(start.elapsed().as_secs_f64() * 1e3 / count as f64);
        bulk.push(Cost::now(&warm).since(&before) / count as f64);
        if repetition == 0 {
            tell(&outcomes, &patches);
        }
        for at in (repetition..sample).step_by(repetitions) {
            let patch = &patches[at * count / sample];
            let (before, start) = (children_ms(), Instant::now());
            let good = fresh_javac(&tool.jdk, &module, &patch.changes, folder);
            fresh_wall.push(start.elapsed().as_secs_f64() * 1e3);
            fresh.push(children_ms() - before);
            let told = !matches!(
                outcomes[at * count / sample].outcome,
                BatchOutcome::Errors(_)
            );
            assert_eq!(good, told, "{} has another verdict in bulk", patch.name);
        }
    }
    let sampled = format!("sample of {sample}: every {}th patch", count / sample);
    println!(
        "fresh javac ({sampled}): {:.0} ms CPU a patch, {:.0} ms",
        median(&mut fresh),
        median(&mut fresh_wall)
    );
    println!(
        "warm bulk javac: {:.2} ms CPU a patch, {:.2} ms",
        median(&mut bulk),
        median(&mut bulk_wall)
    );
    let ratio = median(&mut fresh) / median(&mut bulk);
    println!(
        "compile: {ratio:.0}x warm bulk javac against a fresh javac each, on {count} patches of commons-lang3"
    );
}

fn tell(outcomes: &[braid_compile::Batched], patches: &[Generated]) {
    let bad = outcomes
        .iter()
        .filter(|o| matches!(o.outcome, BatchOutcome::Errors(_)))
        .count();
    let mut reasons = std::collections::BTreeMap::new();
    for reason in outcomes.iter().filter_map(|outcome| outcome.alone.as_ref()) {
        *reasons.entry(reason.as_str()).or_insert(0) += 1;
    }
    println!(
        "{} patches over {METHODS} methods, {bad} do not compile",
        patches.len()
    );
    println!("compiled alone: {reasons:?}");
}

/// Compiles the patched file with the JDK's own program.
fn fresh_javac(jdk: &Path, module: &Module, changes: &Changes, folder: &Path) -> bool {
    let dir = tempfile::tempdir_in(folder).unwrap();
    let (path, bytes) = changes.written.iter().next().unwrap();
    let file = dir.path().join(path.file_name().unwrap());
    fs::write(&file, bytes).unwrap();
    let javac = Spawn::new(jdk.join("bin/javac"))
        .args(&module.setup.javac_args)
        .args([
            "-nowarn",
            "-Xlint:none",
            "-proc:none",
            "-implicit:none",
            "-d",
        ])
        .arg(dir.path())
        .arg("-cp")
        .arg(&module.classes)
        .arg(&file);
    javac.run(Duration::from_secs(60)).unwrap().success()
}

/// CPU time of the service and of this process, in ms.
struct Cost(f64);

impl Cost {
    fn now(warm: &Warm) -> Cost {
        let service = warm
            .pid()
            .map_or(0.0, |pid| cpu_ms(&format!("/proc/{pid}/stat"), 11));
        Cost(service + cpu_ms("/proc/self/stat", 11))
    }

    fn since(&self, before: &Cost) -> f64 {
        self.0 - before.0
    }
}

/// CPU time of ended children, in ms.
fn children_ms() -> f64 {
    cpu_ms("/proc/self/stat", 13)
}

/// Two fields of a stat file after the name: ticks of 10 ms.
fn cpu_ms(file: &str, field: usize) -> f64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(field) + ticks(field + 1)) * 10.0
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
