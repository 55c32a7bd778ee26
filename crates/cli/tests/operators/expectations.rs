//! What the comments of the fixture expect of its mutants.
//!
//! Below a line of code, `// kill[operator] text: tests` means that exactly these tests kill the mutant, `timeout` the same for
//! mutants that never end, `// survives[operator] text` and `// uncovered[operator] text` that none does. The text is what stands in the place of
//! the mutated expression, `old -> new` where that is not enough, or the description of what Java has no words for. Every
//! mutant of an operator that is named at a line has to be there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::common::Project;

/// A mutant, or what is expected of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Fate {
    file: String,
    line: u64,
    operator: String,
    text: String,
    status: String,
    tests: BTreeSet<String>,
}

/// Compares the first run of a project with what its sources say.
pub(crate) fn check<'s>(
    project: &Project,
    sources: impl Iterator<Item = &'s (&'static str, &'static str)>,
) {
    let expected: Vec<Fate> = sources
        .flat_map(|(path, text)| expectations(path, text))
        .collect();
    let named: BTreeSet<_> = expected.iter().map(place).collect();
    let tests = tests(project);
    let verdicts = project.verdicts(1);
    let made = verdicts.iter().map(|verdict| found(verdict, &tests));
    let found: Vec<Vec<Fate>> = made
        .filter(|ways| named.contains(&place(&ways[0])))
        .collect();
    let mut problems: Vec<String> = Vec::new();
    for ways in &found {
        if !ways.iter().any(|fate| expected.contains(fate)) {
            problems.push(format!("nobody expects {:?}", ways.last().unwrap()));
        }
    }
    for fate in &expected {
        let fits = found.iter().filter(|ways| ways.contains(fate)).count();
        if fits != 1 {
            problems.push(format!("{fits} mutants are {fate:?}"));
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    every_operator_is_killed(project, &expected);
}

fn place(fate: &Fate) -> (String, u64, String) {
    (fate.file.clone(), fate.line, fate.operator.clone())
}

fn every_operator_is_killed(project: &Project, expected: &[Fate]) {
    let listed = project.braid(&["mutate", "--list-operators"]).expect(0);
    let killed: BTreeSet<&str> = expected
        .iter()
        .filter(|fate| fate.status == "killed")
        .map(|fate| fate.operator.as_str())
        .collect();
    let (_, operators) = listed.stdout.split_once("Operators\n").unwrap();
    let lines = operators.lines().filter_map(|line| line.strip_prefix("  "));
    let operators: BTreeSet<&str> = lines
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(killed, operators);
}

/// What the comments of a file say.
fn expectations(path: &str, text: &str) -> Vec<Fate> {
    let mut code_line = 0;
    let mut expected = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(comment) = line.trim().strip_prefix("// ") else {
            code_line = number;
            continue;
        };
        let (kind, rest) = comment.split_once('[').expect("kind[operator]");
        let (operator, rest) = rest.split_once("] ").expect("kind[operator] text");
        let (status, has_tests) = match kind {
            "kill" => ("killed", true),
            "timeout" => ("timeout", true),
            "survives" => ("survived", false),
            "uncovered" => ("not_covered", false),
            _ => panic!("{path}:{number}: what is {kind}?"),
        };
        let (text, tests) = match has_tests {
            true => rest.rsplit_once(": ").expect("text: tests"),
            false => (rest, ""),
        };
        expected.push(Fate {
            file: path.to_owned(),
            line: code_line,
            operator: operator.to_owned(),
            text: text.to_owned(),
            status: status.to_owned(),
            tests: tests
                .split(", ")
                .filter(|test| !test.is_empty())
                .map(str::to_owned)
                .collect(),
        });
    }
    expected
}

/// The short names of tests by their number.
fn tests(project: &Project) -> BTreeMap<u64, String> {
    let info = std::fs::read(project.path(".braid/runs/1/run.json")).unwrap();
    let info: Value = serde_json::from_slice(&info).unwrap();
    let names = info["tests"].as_array().unwrap().iter().map(|test| {
        let name = test["name"].as_str().unwrap();
        let name = name.rsplit('#').next().unwrap();
        name.trim_end_matches("()").to_owned()
    });
    (0..).zip(names).collect()
}

/// A mutant in each of the ways in which a comment may tell of it.
fn found(verdict: &Value, tests: &BTreeMap<u64, String>) -> Vec<Fate> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let lists = ["killed_by", "timeout_by", "error_by"];
    let numbers = lists
        .iter()
        .filter_map(|list| verdict[*list].as_array())
        .flatten();
    let killers = numbers.map(|number| tests[&number.as_u64().unwrap()].clone());
    let fate = Fate {
        file: text(&verdict["file"]),
        line: verdict["line"].as_u64().unwrap(),
        operator: text(&verdict["operator"]),
        text: text(&verdict["description"]),
        status: text(&verdict["status"]),
        tests: killers.collect(),
    };
    let Some(new) = verdict["place"]["replacement"].as_str() else {
        return vec![fate];
    };
    let old = text(&verdict["place"]["original"]);
    let new = match new.strip_prefix('(').and_then(|new| new.strip_suffix(')')) {
        Some(inner) => inner,
        None => new,
    };
    let told = |text: String| Fate {
        text,
        ..fate.clone()
    };
    vec![told(new.to_owned()), told(format!("{old} -> {new}"))]
}
