//! Variational execution equals brute force: random programs, every configuration on HotSpot.

mod support;

use braid_vvm::{End, Vary};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use support::generate::{Program, program};

/// End and output of each program and configuration.
type Results = HashMap<(String, usize), (String, String)>;

/// What the HotSpot of a Java does with them.
fn oracle(home: &Path, folder: &Path, programs: &[Program]) -> Results {
    let mut names = String::new();
    for program in programs {
        let _ = writeln!(names, "{}", program.name);
    }
    let list = folder.join("names.txt");
    std::fs::write(&list, names).expect("written");
    let text = support::hotspot(
        home,
        folder,
        "BruteForce",
        &[&folder.display().to_string(), &list.display().to_string()],
    );
    let mut results = HashMap::new();
    for part in text.split("@@ ").skip(1) {
        let (head, out) = part.split_once('\n').expect("a line");
        let mut words = head.splitn(3, ' ');
        let (name, config) = (words.next().expect("name"), words.next().expect("number"));
        let end = words.next().expect("end");
        results.insert(
            (name.to_owned(), config.parse().expect("a number")),
            (end.to_owned(), out.to_owned()),
        );
    }
    results
}

fn end_text(end: &End) -> String {
    match end {
        End::Returned => "returned".into(),
        End::Threw(class, message) => {
            format!("{class}:{}", message.as_deref().unwrap_or("null")).replace('\n', "\\n")
        }
        other => format!("{other:?}"),
    }
}

/// Differences of one program.
fn check(home: &Path, folder: &Path, program: &Program, expected: &Results) -> Vec<String> {
    let options: Vec<String> = (0..program.options)
        .map(|index| format!("o{index}"))
        .collect();
    let configs: Vec<Vec<String>> = (0..1usize << program.options)
        .map(|config| {
            (0..program.options)
                .filter(|i| config >> i & 1 == 1)
                .map(|i| options[i].clone())
                .collect()
        })
        .collect();
    let vary = Vary {
        jdk: home.to_path_buf(),
        classpath: vec![folder.to_path_buf()],
        option_fields: options
            .iter()
            .map(|option| format!("{}.{option}", program.name))
            .collect(),
        ..Vary::default()
    };
    let report = match vary.run_main_in(&program.name, &[], &configs) {
        Ok(report) => report,
        Err(error) => return vec![format!("{}: {error}", program.name)],
    };
    let mut problems = Vec::new();
    for (config, sample) in report.samples.iter().enumerate() {
        let (end, out) = &expected[&(program.name.clone(), config)];
        let found = sample
            .end
            .as_ref()
            .map_or_else(|| "no end".into(), end_text);
        if found != *end || sample.out != *out {
            problems.push(format!(
                "{} {:?}\nexpected {end}\n{out}\nfound {found}\n{}",
                program.name, sample.on, sample.out
            ));
        }
    }
    problems
}

fn check_all(home: &Path, folder: &Path, programs: &[Program]) -> Vec<String> {
    let expected = oracle(home, folder, programs);
    let mut problems = Vec::new();
    let mut configurations = 0;
    for program in programs {
        configurations += 1 << program.options;
        problems.extend(check(home, folder, program, &expected));
    }
    println!(
        "{}: {} programs, {configurations} configurations, {} differ",
        home.display(),
        programs.len(),
        problems.len()
    );
    problems
}

/// Sharing is measured honestly: no configuration alone takes more steps than the longest way of all together, which is
/// part of what they take.
#[test]
fn the_longest_way_bounds_every_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs: Vec<Program> = (100..104).map(program).collect();
    for program in &programs {
        let file = folder.path().join(format!("{}.java", program.name));
        std::fs::write(&file, &program.source).expect("written");
        support::javac(&[file], folder.path());
        let names = |mark: &dyn Fn(usize) -> String| (0..program.options).map(mark).collect();
        let vary = Vary {
            jdk: support::jdk(),
            classpath: vec![folder.path().to_path_buf()],
            option_fields: names(&|option| format!("{}.o{option}", program.name)),
            ..Vary::default()
        };
        let stats = |model: Option<String>| {
            let vary = Vary {
                feature_model: model,
                ..vary.clone()
            };
            vary.run_main(&program.name, &[]).expect("it starts").stats
        };
        let all = stats(None);
        assert!(all.longest <= all.steps);
        for config in 0..1usize << program.options {
            let fixed: Vec<String> = names(&|option| {
                let off = if config >> option & 1 == 0 { "!" } else { "" };
                format!("rule {off}o{option}")
            });
            let alone = stats(Some(fixed.join("\n")));
            assert_eq!(alone.steps, alone.longest);
            assert!(
                alone.longest <= all.longest,
                "{} {config}: {} alone, {} together",
                program.name,
                alone.longest,
                all.longest
            );
        }
    }
}

#[test]
fn random_programs_behave_in_every_configuration_as_on_hotspot() {
    let sweep: u64 = match std::env::var("BRAID_SWEEP").as_deref() {
        Ok("full") => 2000,
        Ok(text) => text.parse().unwrap_or(60).max(60),
        Err(_) => 60,
    };
    let first: u64 = std::env::var("BRAID_FIRST")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let folder = tempfile::tempdir().expect("a folder");
    let programs: Vec<Program> = (first..first + sweep).map(program).collect();
    let mut sources = vec![support::fixtures().join("BruteForce.java")];
    for program in &programs {
        let file = folder.path().join(format!("{}.java", program.name));
        std::fs::write(&file, &program.source).expect("written");
        sources.push(file);
    }
    support::javac(&sources, folder.path());
    let mut problems = Vec::new();
    for (index, home) in support::homes().iter().enumerate() {
        // The class library matters little to these programs: other versions run a part of them.
        let part = programs.len() / if index == 0 { 1 } else { 4 };
        problems.extend(check_all(home, folder.path(), &programs[..part]));
    }
    if let Ok(keep) = std::env::var("BRAID_KEEP") {
        for program in &programs {
            let _ = std::fs::write(
                Path::new(&keep).join(format!("{}.java", program.name)),
                &program.source,
            );
        }
    }
    assert!(
        problems.is_empty(),
        "{} differences, first:\n{}",
        problems.len(),
        problems[..problems.len().min(3)].join("\n")
    );
}
