//! The example of every operator is what it does: compiled before and after, the mutant of the
//! one is the other. And the documentation lists every operator.

mod common;
#[path = "common/normal.rs"]
mod normal;

use std::fmt::Write;
use std::path::Path;

use braid_mutators::{Filters, OperatorSet, Options, SETS, alone, mutate, operators};
use braid_subjects::classes_in;
use common::*;

fn class_name(id: &str, which: &str) -> String {
    format!("{}_{which}", id.replace('-', "_"))
}

#[test]
fn the_example_of_every_operator_is_what_it_does() {
    let (folder, classes) = (new_folder(), new_folder());
    let mut sources = Vec::new();
    for operator in operators() {
        for (which, text) in [
            ("before", operator.example.before),
            ("after", operator.example.after),
        ] {
            let name = class_name(operator.id, which);
            let path = folder.join(format!("{name}.java"));
            std::fs::write(&path, format!("class {name} {{ {text} }}")).unwrap();
            sources.push(path);
        }
    }
    javac(&classes, &sources);
    let classes = classes_in(&classes);
    for operator in operators() {
        let options = Options {
            operators: OperatorSet::named(operator.id).unwrap(),
            filters: Filters::none(),
            ..Options::default()
        };
        let before = &classes[&class_name(operator.id, "before")];
        let after = &classes[&class_name(operator.id, "after")];
        let mutation = mutate(before, &options).unwrap();
        let own = |code: Vec<String>| {
            let text = code.join("\n");
            text.replace("_after", "_before")
        };
        let same = mutation
            .mutants
            .iter()
            .filter(|m| m.method == "f")
            .any(|mutant| {
                let bytes = alone(before, &mutation, mutant).unwrap();
                let found = normal::method(&bytes, "f", &mutant.descriptor).unwrap();
                let wanted = normal::method(after, "f", &mutant.descriptor).unwrap();
                own(found) == own(wanted)
            });
        assert!(same, "{}: {:#?}", operator.id, mutation.mutants);
    }
}

#[test]
fn every_name_of_an_operator_is_one_of_it_alone() {
    for operator in operators() {
        for name in operator.pit.iter().chain([&operator.id]) {
            let set = OperatorSet::named(name).unwrap();
            assert!(set.contains(operator.id), "{name}");
        }
    }
    for set in SETS {
        let chosen = OperatorSet::named(set.name).unwrap();
        let missing = set.operators.iter().find(|id| !chosen.contains(id));
        assert_eq!(missing, None, "{}", set.name);
    }
}

/// The list of operators as the documentation has it.
fn documentation() -> String {
    let mut text = "# Operators

What `braid mutate` changes. Made from the list in the code; a test compares them
(`UPDATE_EXPECT=1 cargo test -p braid-mutators documentation` writes this file anew).

## Sets

`--operators` takes names of sets and operators, separated by commas; a name with `-` in front takes
operators out again. PIT's names are understood where they mean the same.

| set | what it is for | operators |
| --- | --- | --- |
"
    .to_owned();
    for set in SETS {
        let names = match set.operators {
            [] => "every one".to_owned(),
            names => names
                .iter()
                .map(|n| format!("`{n}`"))
                .collect::<Vec<_>>()
                .join(", "),
        };
        writeln!(text, "| `{}` | {} | {names} |", set.name, set.summary).unwrap();
    }
    text.push_str(
        "\n## Operators\n\nEach with its names in PIT and an example that a test holds it to.\n",
    );
    for operator in operators() {
        let pit = match operator.pit {
            [] => String::new(),
            names => format!(" (PIT: {})", names.join(", ")),
        };
        let example = operator.example;
        let (id, summary) = (operator.id, operator.summary);
        writeln!(text, "\n### {id}\n\nIt {summary}{pit}.\n").unwrap();
        writeln!(
            text,
            "```java\n{}\n// becomes\n{}\n```",
            example.before, example.after
        )
        .unwrap();
    }
    text.push_str(include_str!("documentation_end.md"));
    text
}

#[test]
fn the_documentation_lists_every_operator() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operators.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, documentation()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == documentation(),
        "run UPDATE_EXPECT=1 cargo test -p braid-mutators documentation"
    );
}
