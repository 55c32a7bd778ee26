//! Mutants as variants that can be woven.

use std::collections::BTreeMap;
use std::sync::Arc;

use braid_mutators::{Mutant, Mutation, Options, Replacement, alone, mutate};
use braid_weave::{Change, ClassChange, MethodKey, Variant};

/// The mutants of classes as variants from 1 on, each with its mutant's id.
pub(crate) fn variants(
    classes: &BTreeMap<String, Vec<u8>>,
    options: &Options,
) -> Vec<(String, Variant)> {
    let mut variants = Vec::new();
    for (name, bytes) in classes {
        let mutation = mutate(bytes, options).unwrap();
        for mutant in &mutation.mutants {
            let change = change(bytes, &mutation, mutant);
            let variant = Variant {
                number: variants.len() as u32 + 1,
                classes: vec![(name.clone(), ClassChange::Change(change))],
            };
            variants.push((mutant.id.0.clone(), variant));
        }
    }
    variants
}

fn change(bytes: &[u8], mutation: &Mutation, mutant: &Mutant) -> Change {
    match &mutant.code {
        Replacement::Copy(copy) => Change::Copy {
            class: Arc::clone(&mutation.bulk),
            method: MethodKey {
                name: mutant.method.clone(),
                descriptor: mutant.descriptor.clone(),
            },
            copy: copy.clone(),
        },
        Replacement::Whole => Change::Class(alone(bytes, mutation, mutant).unwrap().into()),
    }
}
