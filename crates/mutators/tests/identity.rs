//! Names of mutants survive recompilation and edits elsewhere in the file.

mod common;

use std::collections::BTreeSet;

use braid_mutators::{OperatorSet, Options, mutate};
use braid_subjects::classes_in;
use common::*;

const BEFORE: &str = "import java.util.function.IntUnaryOperator;
class Account {
    private int balance;
    int pay(int amount) {
        int fee = amount / 100;
        if (amount + fee > balance) {
            return -1;
        }
        balance -= amount + fee;
        return balance;
    }
    IntUnaryOperator doubled() {
        return x -> x * 2 + balance;
    }
}
";

/// Lines added above, another field and method, another lambda before, another local and
/// statement in the same method, another constant pool.
const AFTER: &str = "import java.util.function.IntUnaryOperator;

/** Now with a comment. */
class Account {
    private String owner = \"nobody\" + 7;
    private int balance;

    IntUnaryOperator tripled() {
        return x -> x * 3;
    }
    int pay(int amount) {
        long now = System.nanoTime();
        String note = owner + now;
        int fee = amount / 100;
        if (amount + fee > balance) {
            return -1;
        }
        System.out.println(note);
        balance -= amount + fee;
        return balance;
    }

    IntUnaryOperator doubled() {
        return x -> x * 2 + balance;
    }
}
";

fn ids(text: &str, only: Option<Vec<String>>) -> BTreeSet<String> {
    let (folder, classes) = (new_folder(), new_folder());
    let path = folder.join("Account.java");
    std::fs::write(&path, text).unwrap();
    javac(&classes, &[path]);
    let mut options = Options {
        operators: OperatorSet::named("all").unwrap(),
        ..Options::default()
    };
    options.only.methods = only;
    let bytes = &classes_in(&classes)["Account"];
    let mutants = mutate(bytes, &options).unwrap().mutants;
    mutants.into_iter().map(|mutant| mutant.id.0).collect()
}

#[test]
fn compiling_again_gives_the_same_names() {
    assert_eq!(ids(BEFORE, None), ids(BEFORE, None));
}

#[test]
fn edits_elsewhere_do_not_change_names() {
    let before = ids(BEFORE, None);
    let after = ids(AFTER, None);
    let lost: Vec<_> = before
        .difference(&after)
        .filter(|id| !id.contains("<init>"))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(before.len() > 60 && after.len() > before.len());
}

#[test]
fn names_do_not_depend_on_what_else_is_asked_for() {
    let all = ids(BEFORE, None);
    let one = ids(BEFORE, Some(vec!["pay".to_owned()]));
    assert!(!one.is_empty() && one.is_subset(&all));
}
