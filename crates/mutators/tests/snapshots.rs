//! Every operator, text in and text out: a method assembled from text and what it becomes.

mod common;

use std::path::{Path, PathBuf};

use braid_classfile::ClassTable;
use braid_classfile_text::{assemble, print, print_method};
use braid_mutators::{Filters, Operator, OperatorSet, Options, alone, mutate, operators};
use braid_subjects::classes_in;
use common::*;

const RULE: &str = "\n=== ";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

/// The class in which the operator's example stands, as text.
fn input(operator: &Operator) -> String {
    let (folder, classes) = (new_folder(), new_folder());
    let path = folder.join("Example.java");
    let text = operator.example.before;
    std::fs::write(&path, format!("class Example {{ {text} }}")).unwrap();
    javac(&classes, &[path]);
    let text = print(&classes_in(&classes)["Example"]).unwrap();
    // Without what the constructor adds to every snapshot.
    text.trim_end().to_owned()
}

/// The input and all mutants of its method `f`.
fn output(operator: &Operator, input: &str) -> String {
    let bytes = assemble(input, &ClassTable::new().lenient()).unwrap();
    let options = Options {
        operators: OperatorSet::named(operator.id).unwrap(),
        filters: Filters::none(),
        ..Options::default()
    };
    let mutation = mutate(&bytes, &options).unwrap();
    let mut out = input.to_owned();
    for mutant in mutation.mutants.iter().filter(|m| m.method == "f") {
        let class = alone(&bytes, &mutation, mutant).unwrap();
        let code = print_method(&class, "f", &mutant.descriptor)
            .unwrap()
            .unwrap();
        let code = code.trim_end();
        out.push_str(&format!(
            "{RULE}{}: {}\n{code}",
            mutant.id, mutant.description
        ));
    }
    out.push('\n');
    out
}

#[test]
fn every_operator_makes_of_its_example_what_its_snapshot_says() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    for operator in operators() {
        let path = folder().join(format!("{}.txt", operator.id));
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        let text = match known.split(RULE).next() {
            Some(text) if !text.trim().is_empty() => text.trim_end().to_owned(),
            _ => input(operator),
        };
        let found = output(operator, &text);
        if update {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&path, &found).unwrap();
        } else {
            assert!(found == known, "{} is now\n{found}", path.display());
        }
    }
}
