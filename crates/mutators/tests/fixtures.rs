//! Java fixtures whose comments say, behind each line, which mutants it has.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use braid_mutators::{OperatorSet, Options, mutate};
use braid_subjects::classes_in;
use common::*;

/// The mutants of each line of a fixture, as its comments have them.
fn found(jdk: &Path, name: &str, text: &str) -> BTreeMap<usize, String> {
    let names = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// operators: "));
    let options = Options {
        operators: OperatorSet::named(names.expect("a first line")).unwrap(),
        ..Options::default()
    };
    let classes = new_folder();
    braid_subjects::javac(jdk, &[], &classes, &[fixture(&format!("fixtures/{name}"))]);
    let mut lines: BTreeMap<usize, BTreeMap<String, usize>> = BTreeMap::new();
    for bytes in classes_in(&classes).values() {
        for mutant in mutate(bytes, &options).unwrap().mutants {
            let line = lines.entry(mutant.line.unwrap() as usize).or_default();
            let text = match mutant.operator {
                // The others say the same as their name.
                "ror" | "crcr" | "uoi" | "operand" | "remove-switch" => mutant.operator.to_owned(),
                operator => format!("{operator}: {}", mutant.description),
            };
            *line.entry(text).or_default() += 1;
        }
    }
    let print = |counts: BTreeMap<String, usize>| {
        let parts = counts.into_iter().map(|(text, count)| match count {
            1 => text,
            count => format!("{text} x{count}"),
        });
        parts.collect::<Vec<_>>().join("; ")
    };
    lines
        .into_iter()
        .map(|(line, counts)| (line, print(counts)))
        .collect()
}

/// True for a JDK that knows records.
fn knows_records(jdk: &Path) -> bool {
    let release = std::fs::read_to_string(jdk.join("release")).unwrap_or_default();
    let version = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
    let major = version.and_then(|version| version.split(['.', '"']).next()?.parse().ok());
    major.is_some_and(|major: u32| major >= 16)
}

/// Checks a fixture with the compiler of every JDK there is.
fn check(name: &str) {
    for jdk in braid_subjects::jdks()
        .iter()
        .filter(|jdk| knows_records(jdk))
    {
        check_with(jdk, name);
    }
}

fn check_with(jdk: &Path, name: &str) {
    let path = fixture(&format!("fixtures/{name}"));
    let text = std::fs::read_to_string(&path).unwrap();
    let found = found(jdk, name, &text);
    let expected: String = text
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let code = line.split(" // = ").next().unwrap_or(line);
            match found.get(&(index + 1)) {
                Some(mutants) => format!("{code} // = {mutants}\n"),
                None => format!("{code}\n"),
            }
        })
        .collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &expected).unwrap();
        return;
    }
    for (line, (found, told)) in expected.lines().zip(text.lines()).enumerate() {
        assert_eq!(found, told, "{name}:{} by {}", line + 1, jdk.display());
    }
}

#[test]
fn expressions_have_the_mutants_that_stand_behind_them() {
    check("Arithmetic.java");
}

#[test]
fn code_that_nobody_wrote_has_no_mutants() {
    check("Junk.java");
}
