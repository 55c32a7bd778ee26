//! Runs tests over a space of options, then configurations of it one by one, and compares.
//!
//! `spaces -jdk HOME -cp PATH -options N -degree D -samples K [-times] -tests Class…`: the options are `Mutants.m0`, ….
//! Prints how long the whole space took and how many outcomes differ.

use braid_vvm::Vary;
use braid_vvm::junit::Outcome;
use braid_vvm::vary::TestReport;
use std::path::PathBuf;
use std::time::Instant;

/// What kind of outcome; messages may differ in identity hash codes.
fn kind(outcome: Option<&Outcome>) -> String {
    match outcome {
        None => "none".into(),
        Some(Outcome::Failed(class, message)) => format!("failed {class} {message:?}"),
        Some(Outcome::Skipped(_)) => "skipped".into(),
        Some(other) => format!("{other:?}"),
    }
}

fn samples(options: usize, degree: usize, count: usize) -> Vec<Vec<String>> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n
    };
    let mut all = vec![Vec::new()];
    for _ in 1..count {
        let mut on: Vec<String> = (0..=below(degree))
            .map(|_| format!("m{}", below(options)))
            .collect();
        on.sort();
        on.dedup();
        all.push(on);
    }
    all
}

/// Seconds that the process has computed so far, where the system says (hundredths, in fields 14 and 15).
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or("").split_whitespace();
    fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn main() {
    let (mut options, mut count, mut times) = (0, 0, false);
    let mut vary = Vary::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        match arg.as_str() {
            "-jdk" => vary.jdk = value().into(),
            "-cp" => vary.classpath = value().split(':').map(PathBuf::from).collect(),
            "-options" => options = value().parse().unwrap_or(0),
            "-degree" => vary.degree = value().parse().ok(),
            "-samples" => count = value().parse().unwrap_or(0),
            "-threads" => vary.threads = value().parse().unwrap_or(1),
            "-fuel-factor" => vary.fuel_factor = value().parse().ok(),
            "-times" => times = true,
            _ => break,
        }
    }
    let classes: Vec<String> = args.collect();
    vary.option_fields = (0..options).map(|i| format!("Mutants.m{i}")).collect();
    vary.samples = samples(options, vary.degree.unwrap_or(options), count);
    let started = Instant::now();
    let mut last = 0.0;
    let show = |test: &TestReport| {
        let now = processor_time();
        if times {
            eprintln!("{:.2} s {}", now - last, test.name);
        }
        last = now;
    };
    let whole = match vary.each_test(&classes, |_| true, show) {
        Ok(report) => report,
        Err(error) => return eprintln!("spaces: {error}"),
    };
    let (spent, busy) = (started.elapsed().as_secs_f64(), processor_time());
    let undecided = whole.tests.iter().flat_map(|test| &test.outcomes);
    let undecided = undecided
        .filter(|o| matches!(o.value, Outcome::Unknown(_)))
        .count();
    let started = Instant::now();
    let mut differ = 0;
    for (index, on) in vary.samples.iter().enumerate() {
        let mut one = vary.clone();
        let literal = |i| match on.contains(&format!("m{i}")) {
            true => format!("m{i}"),
            false => format!("!m{i}"),
        };
        let fixed: Vec<String> = (0..options).map(literal).collect();
        one.feature_model = Some(format!("rule {}", fixed.join(" & ")));
        one.degree = None;
        one.samples = Vec::new();
        let single = match one.run_tests(&classes) {
            Ok(report) => report,
            Err(error) => return eprintln!("spaces: {error}"),
        };
        for (test, alone) in whole.tests.iter().zip(&single.tests) {
            let found = test.sampled[index].map(|outcome| &test.outcomes[outcome].value);
            // Alone, a configuration is its own baseline and has more fuel.
            if matches!(found, Some(Outcome::Endless)) {
                continue;
            }
            let expected = alone.outcomes.first().map(|outcome| &outcome.value);
            if kind(found) != kind(expected) {
                differ += 1;
                eprintln!(
                    "{} {on:?}: {}, alone {}",
                    test.name,
                    kind(found),
                    kind(expected)
                );
            }
        }
    }
    println!(
        "{} tests, {} configurations in {spent:.2} s ({busy:.2} s of processor time); {} of them alone in {:.2} s, {differ} differ; {undecided} outcomes unknown; {} nodes",
        whole.tests.len(),
        whole.configurations,
        vary.samples.len(),
        started.elapsed().as_secs_f64(),
        whole.stats.peak_nodes
    );
}
