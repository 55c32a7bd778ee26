//! What is left out is told, with the reason.

mod common;

use std::collections::BTreeSet;

use braid_classfile::ClassTable;
use braid_mutators::{Filters, Mutation, OperatorSet, Options, Reason, mutate};
use braid_subjects::classes_in;
use common::*;

fn all() -> Options {
    Options {
        operators: OperatorSet::named("all").unwrap(),
        ..Options::default()
    }
}

fn reasons(mutation: &Mutation) -> BTreeSet<String> {
    let text = |reason: &Reason| match reason {
        Reason::Duplicate(_) => "duplicate".to_owned(),
        reason => reason.to_string(),
    };
    mutation
        .left_out
        .iter()
        .map(|left| text(&left.reason))
        .collect()
}

#[test]
fn every_kind_of_junk_has_its_reason() {
    let classes = new_folder();
    javac(&classes, &[fixture("fixtures/Junk.java")]);
    let mut found = BTreeSet::new();
    for bytes in classes_in(&classes).values() {
        found.extend(reasons(&mutate(bytes, &all()).unwrap()));
    }
    let expected = [
        "annotated with @ToolGenerated",
        "duplicate",
        "equivalent to the original",
        "made by the compiler: a captured variable",
        "made by the compiler: a class of its own",
        "made by the compiler: a field of a record",
        "made by the compiler: a loop over all elements",
        "made by the compiler: a member of a record",
        "made by the compiler: a member of every enum",
        "made by the compiler: a method of its own",
        "made by the compiler: a switch on an enum",
        "made by the compiler: a switch on strings",
        "made by the compiler: a variable of the compiler",
        "made by the compiler: an array initialiser",
        "made by the compiler: an assertion",
        "made by the compiler: an enum constant",
        "made by the compiler: boxing",
        "made by the compiler: the value of a condition",
        "made by the compiler: try with resources",
        "only logs",
    ];
    for reason in expected {
        assert!(found.contains(reason), "{reason} is not among {found:#?}");
    }
}

#[test]
fn a_mutant_of_a_finally_block_changes_every_copy() {
    let classes = new_folder();
    javac(&classes, &[fixture("fixtures/Junk.java")]);
    let bytes = &classes_in(&classes)["Junk"];
    let options = Options {
        operators: OperatorSet::named("void-calls").unwrap(),
        ..Options::default()
    };
    let mutation = mutate(bytes, &options).unwrap();
    let of_block = |m: &&braid_mutators::Mutant| m.method == "finallyBlock";
    let mutant = mutation.mutants.iter().find(of_block).expect("a mutant");
    let class = braid_mutators::alone(bytes, &mutation, mutant).unwrap();
    let count = |bytes: &[u8]| {
        let code = braid_classfile_text::print_method(bytes, "finallyBlock", &mutant.descriptor);
        code.unwrap().unwrap().matches("setLength").count()
    };
    assert_eq!((count(bytes), count(&class)), (3, 0));
    assert_eq!(mutation.mutants.iter().filter(of_block).count(), 1);
}

/// A class with one method, from text.
fn class_of(body: &str) -> Vec<u8> {
    let text = format!(
        "version 61
class public super Sample extends java/lang/Object

method public static f (Ljava/lang/Object;)V
{body}"
    );
    braid_classfile_text::assemble(&text, &ClassTable::new().lenient()).unwrap()
}

#[test]
fn null_checks_of_kotlin_are_left_out() {
    let bytes = class_of(
        "    aload 0
    ldc string \"value\"
    invokestatic kotlin/jvm/internal/Intrinsics checkNotNullParameter (Ljava/lang/Object;Ljava/lang/String;)V
    return
",
    );
    let options = Options {
        operators: OperatorSet::named("void-calls").unwrap(),
        ..Options::default()
    };
    let mutation = mutate(&bytes, &options).unwrap();
    assert!(mutation.mutants.is_empty());
    assert_eq!(mutation.left_out[0].reason, Reason::Kotlin);
    let options = Options {
        filters: Filters::none(),
        ..options
    };
    assert_eq!(mutate(&bytes, &options).unwrap().mutants.len(), 1);
}

#[test]
fn loggers_of_libraries_are_known() {
    let bytes = class_of(
        "    getstatic Sample LOG Lorg/slf4j/Logger;
    ldc string \"value {}\"
    aload 0
    invokevirtual java/lang/Object toString ()Ljava/lang/String;
    invokeinterface org/slf4j/Logger info (Ljava/lang/String;Ljava/lang/Object;)V
    return
",
    );
    let mutation = mutate(&bytes, &all()).unwrap();
    let made: Vec<_> = mutation.mutants.iter().map(|m| m.operator).collect();
    assert_eq!(made, ["method-body"]);
    assert!(reasons(&mutation).contains("only logs"));
}
