//! Places in the source of a real library: how many mutants have one, and whether the text given
//! for a mutant, compiled by javac, is the mutant.

mod common;
#[path = "common/normal.rs"]
mod normal;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use braid_mutators::source::{Place, Source};
use braid_mutators::{Mutant, Mutation, OperatorSet, Options, alone, mutate};
use braid_subjects::classes_in;
use common::*;

/// The library's sources, compiled.
struct Library {
    sources: PathBuf,
    classes: PathBuf,
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let sources = unpacked("org.apache.commons:commons-lang3:3.14.0:sources");
        let classes = new_folder();
        javac(&classes, &braid_subjects::files(&sources, "java"));
        Library { sources, classes }
    })
}

fn all() -> Options {
    Options {
        operators: OperatorSet::named("all").unwrap(),
        ..Options::default()
    }
}

/// The source file of a class.
fn source_of(name: &str) -> PathBuf {
    let top = name.split('$').next().unwrap();
    library().sources.join(format!("{top}.java"))
}

type Located = (Mutation, Vec<Option<Place>>);

fn located(name: &str, bytes: &[u8]) -> Located {
    let mutation = mutate(bytes, &all()).unwrap();
    let text = std::fs::read_to_string(source_of(name)).unwrap();
    let places = Source::parse(&text).locate(bytes, &mutation.mutants);
    (mutation, places)
}

#[test]
fn nearly_every_mutant_of_a_library_has_a_place() {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut missing: Vec<String> = Vec::new();
    let mut number = 0;
    for (name, bytes) in classes_in(&library().classes) {
        number += 1;
        if number % every(4, 2) > 0 {
            continue;
        }
        let (mutation, places) = located(&name, &bytes);
        for (mutant, place) in mutation.mutants.iter().zip(&places) {
            for operator in [mutant.operator, "total"] {
                let count = counts.entry(operator).or_default();
                count[0] += 1;
                count[1] += usize::from(place.is_some());
                count[2] += usize::from(place.as_ref().is_some_and(|p| p.replacement.is_some()));
                count[3] += usize::from(place.as_ref().is_some_and(|p| p.exact));
            }
            if place.is_none() {
                missing.push(format!(
                    "{:?} {} {}",
                    mutant.line, mutant.id, mutant.description
                ));
            }
        }
    }
    for (operator, [all, found, text, exact]) in &counts {
        let share = 100.0 * *found as f64 / *all as f64;
        println!(
            "{operator:32} {all:6} located {found:6} ({share:5.1}%) text {text:6} exact {exact:6}"
        );
    }
    if let Some(file) = std::env::var_os("BRAID_MISSING") {
        std::fs::write(file, missing.join("\n")).unwrap();
    }
    let [all, found, ..] = counts["total"];
    assert!(found * 100 > all * 95, "{found} of {all}");
}

struct Check {
    mutant: Mutant,
    /// What the mutant's method is.
    expected: Vec<String>,
    name: String,
    folder: PathBuf,
    place: Place,
}

fn prepare(
    name: &str,
    bytes: &[u8],
    mutation: &Mutation,
    mutant: &Mutant,
    place: &Place,
) -> Option<(Check, String)> {
    let replacement = place.replacement.as_ref()?;
    let mut text = std::fs::read_to_string(source_of(name)).unwrap();
    text.replace_range(place.start.byte..place.end.byte, replacement);
    let folder = new_folder();
    let path = folder.join(source_of(name).file_name().unwrap());
    std::fs::write(&path, text).unwrap();
    let class = alone(bytes, mutation, mutant).unwrap();
    let check = Check {
        expected: normal::method(&class, &mutant.method, &mutant.descriptor)?,
        mutant: mutant.clone(),
        name: name.to_owned(),
        place: place.clone(),
        folder: folder.clone(),
    };
    let line = format!(
        "-g\t-nowarn\t-proc:none\t-implicit:none\t-cp\t{}\t-d\t{}\t{}",
        library().classes.display(),
        folder.display(),
        path.display()
    );
    Some((check, line))
}

#[test]
fn the_text_of_a_mutant_compiles_to_the_mutant() {
    let classes = classes_in(&library().classes);
    let wanted = [
        "org/apache/commons/lang3/math/Fraction",
        "org/apache/commons/lang3/CharRange",
        "org/apache/commons/lang3/BitField",
        "org/apache/commons/lang3/text/StrTokenizer",
        "org/apache/commons/lang3/time/DurationFormatUtils",
        "org/apache/commons/lang3/Conversion",
    ];
    let step = every(131, 61).max(11);
    let (mut checks, mut lines, mut number) = (Vec::new(), Vec::new(), 0);
    for name in wanted {
        let bytes = &classes[name];
        let (mutation, places) = located(name, bytes);
        for (mutant, place) in mutation.mutants.iter().zip(&places) {
            number += 1;
            if let Some(place) = place
                && place.exact
                && number % step == 0
                && let Some((check, line)) = prepare(name, bytes, &mutation, mutant, place)
            {
                checks.push(check);
                lines.push(line);
            }
        }
    }
    let results = tool("compile", &lines, &[]);
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (check, result) in checks.iter().zip(&results) {
        let path = check.folder.join(format!("{}.class", check.name));
        let outcome = match result.is_empty() {
            false => 1,
            true => {
                let bytes = std::fs::read(path).unwrap();
                let found = normal::method(&bytes, &check.mutant.method, &check.mutant.descriptor);
                usize::from(found.as_ref() != Some(&check.expected)) * 2
            }
        };
        if outcome > 0 {
            println!(
                "{} {} {:?}: `{}` -> `{}` {}",
                ["", "does not compile", "differs"][outcome],
                check.mutant.id,
                check.mutant.line,
                check.place.original,
                check.place.replacement.as_deref().unwrap_or(""),
                &result[..result.len().min(300)]
            );
        }
        for operator in [check.mutant.operator, "total"] {
            counts.entry(operator).or_default()[outcome] += 1;
        }
    }
    for (operator, [same, broken, other]) in &counts {
        println!("{operator:32} same {same:5} not compilable {broken:5} other {other:5}");
    }
    let [same, broken, _] = counts["total"];
    assert!(same > 50 && broken * 25 < same, "{same} {broken}");
    let exact = counts
        .iter()
        .filter(|(operator, _)| REPLACING.contains(operator));
    let (same, other) = exact.fold((0, 0), |sum, (_, count)| {
        (sum.0 + count[0], sum.1 + count[2])
    });
    assert!(other * 25 <= same, "{same} {other}");
}

/// Operators that put one operation in the place of another: javac's code must be the mutant's.
/// The others drop values that the mutant still computes, where the code differs in form. What is
/// left of differences are javac's own short cuts (`t -= 2` is one instruction, `x == 0` too).
const REPLACING: [&str; 15] = [
    "absolute-value",
    "aor",
    "bitwise",
    "conditionals-boundary",
    "crcr",
    "increments",
    "inline-constants",
    "lcr",
    "math",
    "negate-conditionals",
    "negation",
    "numeric-constants",
    "ror",
    "shift",
    "uoi",
];
