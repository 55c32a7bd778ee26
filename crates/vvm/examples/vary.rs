//! Runs tests or a main class for all configurations.
//!
//! `vary [-jdk HOME] -cp PATH [-o a.b.C.field]… [-p property]… [-degree N] [-model FILE] [-fuel N] (-main Class args… | -tests Class…)`

use braid_vvm::Vary;
use braid_vvm::junit::Outcome;
use std::path::PathBuf;

fn main() {
    let mut vary = Vary {
        jdk: PathBuf::from(std::env::var("JAVA_HOME").unwrap_or_default()),
        ..Vary::default()
    };
    let mut args = std::env::args().skip(1);
    let mut tests = false;
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        match arg.as_str() {
            "-jdk" => vary.jdk = value().into(),
            "-cp" => vary.classpath = value().split(':').map(PathBuf::from).collect(),
            "-o" => vary.option_fields.push(value()),
            "-p" => vary.option_properties.push(value()),
            "-annotated" => vary.annotated = true,
            "-ea" => vary.assertions = true,
            "-degree" => vary.degree = value().parse().ok(),
            "-fuel" => vary.limits.fuel = value().parse().unwrap_or(u64::MAX),
            "-sample" => vary
                .samples
                .push(value().split(',').map(str::to_owned).collect()),
            "-fuel-factor" => vary.fuel_factor = value().parse().ok(),
            "-partitions" => vary.partitions = value().parse().ok(),
            "-fast" => vary.fast = true,
            "-stats" => vary.measure = true,
            "-model" => vary.feature_model = std::fs::read_to_string(value()).ok(),
            "-main" => break,
            "-tests" => {
                tests = true;
                break;
            }
            other => return eprintln!("vary: unknown option {other}"),
        }
    }
    let rest: Vec<String> = args.collect();
    let started = std::time::Instant::now();
    if tests {
        run_tests(&vary, &rest)
    } else {
        run_main(&vary, &rest)
    }
    eprintln!("{:.3} s", started.elapsed().as_secs_f64());
}

fn run_main(vary: &Vary, rest: &[String]) {
    let Some((main, args)) = rest.split_first() else {
        return eprintln!("vary: no main class");
    };
    match vary.run_main_in(main, args, &vary.samples) {
        Ok(report) if !vary.samples.is_empty() => {
            for sample in &report.samples {
                println!("== {}\n{}", sample.on.join(","), sample.out);
            }
        }
        Ok(report) => {
            for piece in &report.output {
                print!("[{}] {}", piece.when.formula, piece.value.text);
            }
            for end in &report.ends {
                println!(
                    "{:?} when {} ({} configurations)",
                    end.value, end.when.formula, end.when.configurations
                );
            }
            eprintln!("{:?}", report.stats);
        }
        Err(error) => eprintln!("vary: {error}"),
    }
}

fn run_tests(vary: &Vary, classes: &[String]) {
    let done = vary.each_test(
        classes,
        |_| true,
        |test| {
            for outcome in &test.outcomes {
                let when = match outcome.when.interacting.is_empty() {
                    true => String::new(),
                    false => format!(" when {}", outcome.when.formula),
                };
                println!("{} {}{when}", test.name, outcome_text(&outcome.value));
            }
        },
    );
    match done {
        Ok(report) => {
            for problem in &report.problems {
                let first = problem.problem.lines().next().unwrap_or("");
                println!("problem {}: {first}", problem.class);
            }
            eprintln!("{:?}", report.stats);
        }
        Err(error) => eprintln!("vary: {error}"),
    }
}

fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed => "passed".to_owned(),
        Outcome::Failed(class, message) => {
            let message = message.as_deref().unwrap_or("").replace('\n', "\\n");
            let short: String = message.chars().take(160).collect();
            format!("failed {class}: {short}")
        }
        Outcome::Skipped(reason) => format!("skipped {reason}"),
        Outcome::Endless => "endless".to_owned(),
        Outcome::Unknown(reason) => format!("unknown {}", reason.replace('\n', " ")),
    }
}
