//! Mutants go into one program: weaving takes every one of them, and the program links.

mod common;
#[path = "common/variants.rs"]
mod variants;

use std::borrow::Cow;

use braid_mutators::{OperatorSet, Options};
use braid_weave::{Variant, weave_program};
use common::*;

#[test]
fn every_mutant_of_a_library_can_be_woven() {
    let jars = braid_subjects::maven(&["org.apache.commons:commons-lang3:3.14.0"]);
    let classes = jar_classes(&jars[0]);
    let options = Options {
        operators: OperatorSet::named("strong, lcr, constructor-calls, argument-propagation")
            .unwrap(),
        ..Options::default()
    };
    let (names, variants): (Vec<String>, Vec<Variant>) =
        variants::variants(&classes, &options).into_iter().unzip();
    let find = |name: &str| classes.get(name).map(|bytes| Cow::from(bytes.as_slice()));
    let program = weave_program(&find, &variants).unwrap();
    let refused: Vec<_> = program
        .unsupported
        .iter()
        .map(|(variant, reason)| format!("{} {reason:?}", names[*variant as usize - 1]))
        .collect();
    println!("{} variants, {} refused", variants.len(), refused.len());
    assert!(
        refused.is_empty(),
        "{} {:#?}",
        refused.len(),
        &refused[..refused.len().min(9)]
    );
    let woven: Vec<(String, Vec<u8>)> = program
        .classes
        .iter()
        .filter_map(|(name, woven)| Some((name.clone(), woven.bytes.clone()?)))
        .collect();
    let problems = link(&woven, &jars);
    assert!(
        problems.is_empty(),
        "{} {:#?}",
        problems.len(),
        &problems[..problems.len().min(3)]
    );
}
