//! Sets of operators by name.

use crate::error::{MutatorsError, Result};
use crate::operator::Operator;
use crate::operators::operators;

/// A named set of operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it is for.
    pub summary: &'static str,
    /// Ids of its operators; empty for every operator.
    pub operators: &'static [&'static str],
}

const RETURNS: [&str; 5] = [
    "empty-returns",
    "false-returns",
    "true-returns",
    "null-returns",
    "primitive-returns",
];

/// The sets there are.
pub const SETS: &[Set] = &[
    Set {
        name: "default",
        aliases: &["defaults"],
        summary: "what PIT's default group mutates",
        operators: &[
            "invert-negs",
            "math",
            "void-calls",
            "remove-conditionals-order-else",
            "remove-conditionals-equal-else",
            "conditionals-boundary",
            "increments",
            RETURNS[0],
            RETURNS[1],
            RETURNS[2],
            RETURNS[3],
            RETURNS[4],
        ],
    },
    Set {
        name: "old-default",
        aliases: &["old_defaults"],
        summary: "the default group of PIT before it removed conditionals instead of negating them",
        operators: &[
            "invert-negs",
            "math",
            "void-calls",
            "negate-conditionals",
            "conditionals-boundary",
            "increments",
            RETURNS[0],
            RETURNS[1],
            RETURNS[2],
            RETURNS[3],
            RETURNS[4],
        ],
    },
    Set {
        name: "strong",
        aliases: &["stronger"],
        summary: "the default set, both sides of every conditional, and switches",
        operators: &[
            "invert-negs",
            "math",
            "void-calls",
            "remove-conditionals-order-if",
            "remove-conditionals-order-else",
            "remove-conditionals-equal-if",
            "remove-conditionals-equal-else",
            "conditionals-boundary",
            "increments",
            "switch",
            RETURNS[0],
            RETURNS[1],
            RETURNS[2],
            RETURNS[3],
            RETURNS[4],
        ],
    },
    Set {
        name: "all",
        aliases: &[],
        summary: "every operator",
        operators: &[],
    },
    Set {
        name: "extreme",
        aliases: &["descartes"],
        summary: "whole method bodies removed, as Descartes does",
        operators: &["method-body"],
    },
    Set {
        name: "paper",
        aliases: &[],
        summary: "AOR, ROR and LCR, as studies of higher-order mutants use them",
        operators: &["aor", "ror", "lcr"],
    },
    Set {
        name: "javalanche",
        aliases: &["remt"],
        summary: "Javalanche's four: constants, jump conditions, arithmetic operators, calls omitted",
        operators: &[
            "numeric-constants",
            "negate-conditionals",
            "math",
            "void-calls",
            "non-void-calls",
        ],
    },
    Set {
        name: "returns",
        aliases: &[],
        summary: "the five operators on returned values",
        operators: &RETURNS,
    },
    Set {
        name: "remove-conditionals",
        aliases: &[],
        summary: "conditions replaced by true and by false",
        operators: &[
            "remove-conditionals-equal-if",
            "remove-conditionals-equal-else",
            "remove-conditionals-order-if",
            "remove-conditionals-order-else",
        ],
    },
];

/// A choice of operators.
///
/// ```
/// use braid_mutators::OperatorSet;
/// let set = OperatorSet::named("paper, void-calls").unwrap();
/// let ids: Vec<_> = set.iter().map(|operator| operator.id).collect();
/// assert_eq!(ids, ["aor", "ror", "lcr", "void-calls"]);
/// assert!(OperatorSet::named("VOID_METHOD_CALLS").is_ok());
/// assert!(OperatorSet::named("paperr").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorSet {
    /// Positions in [`operators`], in order.
    chosen: Vec<usize>,
}

impl Default for OperatorSet {
    fn default() -> Self {
        OperatorSet::named("default").unwrap_or(OperatorSet { chosen: Vec::new() })
    }
}

impl OperatorSet {
    /// The operators that a comma-separated list names: sets, ids of operators, names of PIT. A
    /// name with `-` in front takes its operators out again.
    pub fn named(names: &str) -> Result<OperatorSet> {
        let mut chosen = vec![false; operators().len()];
        for name in names.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            let (name, wanted) = match name.strip_prefix('-') {
                Some(rest) => (rest, false),
                None => (name, true),
            };
            let found = find(name).ok_or_else(|| unknown(name))?;
            found.into_iter().for_each(|index| chosen[index] = wanted);
        }
        let chosen = (0..chosen.len()).filter(|i| chosen[*i]).collect();
        Ok(OperatorSet { chosen })
    }

    /// Its operators.
    pub fn iter(&self) -> impl Iterator<Item = &'static Operator> + '_ {
        self.chosen.iter().map(|index| operators()[*index])
    }

    /// True if the operator with this id is chosen.
    pub fn contains(&self, id: &str) -> bool {
        self.iter().any(|operator| operator.id == id)
    }
}

/// Positions of the operators with a name.
fn find(name: &str) -> Option<Vec<usize>> {
    let dashed = name.to_ascii_lowercase().replace('_', "-");
    let all = operators();
    if let Some(set) = SETS
        .iter()
        .find(|set| set.name == dashed || set.aliases.iter().any(|a| a.replace('_', "-") == dashed))
    {
        let has = |op: &Operator| set.operators.is_empty() || set.operators.contains(&op.id);
        return Some((0..all.len()).filter(|i| has(all[*i])).collect());
    }
    // PIT's numbered operators (AOR_2) are parts of one of ours.
    let upper = name.to_ascii_uppercase().replace('-', "_");
    let whole = upper.trim_end_matches(|c: char| c.is_ascii_digit());
    let whole = whole.trim_end_matches('_');
    let same =
        |op: &Operator| op.id == dashed || op.pit.iter().any(|pit| *pit == upper || *pit == whole);
    let found: Vec<usize> = (0..all.len()).filter(|i| same(all[*i])).collect();
    (!found.is_empty()).then_some(found)
}

fn unknown(name: &str) -> MutatorsError {
    let ids = operators().iter().map(|operator| operator.id);
    let known = ids.chain(SETS.iter().map(|set| set.name));
    let near = known
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .min()
        .filter(|(distance, known)| *distance <= known.len() / 3);
    MutatorsError::UnknownOperator {
        name: name.to_owned(),
        nearest: near.map(|(_, known)| known),
    }
}
