//! Mutants woven into one program.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use braid_mutators::{Mutant, Mutation, Replacement, alone};
use braid_weave::{Change, ClassChange, MethodKey, Variant, weave_program};

use super::find::Candidate;
use crate::EngineError;
use crate::strategy::warm::base::Base;
use crate::strategy::warm::program::Prepared;
use crate::strategy::warm::woven::{Code, codes};

/// A woven program on disk. Mutant `i` of those that were woven is variant `i + 1`.
pub(crate) struct Fabric {
    /// What each module's JVMs read.
    pub prepared: BTreeMap<String, Prepared>,
    /// Mutants that are no part of it, with the reason.
    pub refused: BTreeMap<usize, String>,
    /// Mutants with the very code of another one, by place.
    pub twins: HashMap<usize, usize>,
}

impl Fabric {
    /// Nothing is woven: fresh JVMs decide on all of so many mutants.
    pub(crate) fn none(mutants: usize) -> Self {
        let why = || "the strategy is plain".to_owned();
        Self {
            prepared: BTreeMap::new(),
            refused: (0..mutants).map(|mutant| (mutant, why())).collect(),
            twins: HashMap::new(),
        }
    }
}

/// Weaves mutants, which should stand in the order of the program, and writes what JVMs need into `dir`; `brief` if
/// those have little to do.
pub(crate) fn weave(
    base: &Base,
    candidates: &[Candidate],
    dir: &Path,
    brief: bool,
) -> Result<Fabric, EngineError> {
    let variants: Result<Vec<Variant>, EngineError> = (1u32..)
        .zip(candidates)
        .map(|(number, own)| variant(number, &own.original, &own.mutation, &own.mutant))
        .collect();
    let variants = variants?;
    let original = |name: &str| base.original(name).map(|bytes| Cow::Borrowed(&**bytes));
    let woven = weave_program(&original, &variants)?;
    let mut prepared = BTreeMap::new();
    for (module, program) in &base.programs {
        let mut files = program.write_woven(&dir.join(module), &woven)?;
        files.brief = brief;
        prepared.insert(module.clone(), files);
    }
    let mut refused: BTreeMap<usize, String> = woven
        .unsupported
        .iter()
        .map(|(number, why)| (place(*number), format!("it cannot be woven: {why}")))
        .collect();
    let fixed: BTreeSet<&String> = prepared
        .values()
        .flat_map(|prepared| &prepared.initialised_once)
        .collect();
    for (name, class) in woven
        .classes
        .iter()
        .filter(|(name, _)| fixed.contains(name))
    {
        let why = format!(
            "{} is not initialised anew for each test",
            name.replace('/', ".")
        );
        for number in &class.needs_reset {
            refused.insert(place(*number), why.clone());
        }
    }
    let twins = twins(&codes(&woven), &refused);
    Ok(Fabric {
        prepared,
        refused,
        twins,
    })
}

fn place(number: u32) -> usize {
    number as usize - 1
}

/// A mutant as a variant of a woven program; `original` is its class.
pub(crate) fn variant(
    number: u32,
    original: &[u8],
    mutation: &Mutation,
    mutant: &Mutant,
) -> Result<Variant, EngineError> {
    let change = match &mutant.code {
        Replacement::Whole => Change::Class(alone(original, mutation, mutant)?.into()),
        Replacement::Copy(copy) => Change::Copy {
            class: Arc::clone(&mutation.bulk),
            method: MethodKey {
                name: mutant.method.clone(),
                descriptor: mutant.descriptor.clone(),
            },
            copy: copy.clone(),
        },
    };
    Ok(Variant {
        number,
        classes: vec![(mutant.class.clone(), ClassChange::Change(change))],
    })
}

/// Mutants whose code is that of an earlier one.
fn twins(codes: &BTreeMap<u32, Code>, refused: &BTreeMap<usize, String>) -> HashMap<usize, usize> {
    let mut first: HashMap<&Code, usize> = HashMap::new();
    let mut twins = HashMap::new();
    let woven = codes
        .iter()
        .filter(|(number, _)| !refused.contains_key(&place(**number)));
    for (number, code) in woven {
        let own = place(*number);
        let known = *first.entry(code).or_insert(own);
        if known != own {
            twins.insert(own, known);
        }
    }
    twins
}
