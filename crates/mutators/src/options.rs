//! What to mutate and what to leave out.

use std::ops::RangeInclusive;

use crate::set::OperatorSet;

/// What to mutate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The operators.
    pub operators: OperatorSet,
    /// The junk that is left out.
    pub filters: Filters,
    /// Restricts mutants to lines and methods.
    pub only: Only,
}

/// Which junk is left out; everything by default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filters {
    /// Code that javac made: resources, loops over collections, switches on strings and enums,
    /// record members, bridges, assertions, boxing.
    pub compiler: bool,
    /// Calls of loggers with everything that computes their arguments.
    pub logging: bool,
    /// Classes and methods with one of these annotations, by simple name; a name that starts
    /// with `*` matches any simple name that contains the rest.
    pub annotations: Vec<String>,
    /// Null checks of Kotlin.
    pub kotlin: bool,
    /// Mutants that equal the original or another mutant after simple folding.
    pub equivalent: bool,
}

impl Default for Filters {
    fn default() -> Self {
        let names = ["*Generated", "DoNotMutate", "CoverageIgnore", "BraidIgnore"];
        Filters {
            compiler: true,
            logging: true,
            annotations: names.map(str::to_owned).to_vec(),
            kotlin: true,
            equivalent: true,
        }
    }
}

impl Filters {
    /// Nothing is left out.
    pub fn none() -> Filters {
        Filters {
            compiler: false,
            logging: false,
            annotations: Vec::new(),
            kotlin: false,
            equivalent: false,
        }
    }
}

/// Restricts mutants; what is outside is not even listed as left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Only {
    /// Mutants on these lines only.
    pub lines: Option<Vec<RangeInclusive<u32>>>,
    /// Mutants of these methods only: names, or names with descriptor (`add(II)I`).
    pub methods: Option<Vec<String>>,
}

impl Only {
    pub(crate) fn has_line(&self, line: Option<u32>) -> bool {
        let Some(lines) = &self.lines else {
            return true;
        };
        line.is_some_and(|line| lines.iter().any(|range| range.contains(&line)))
    }

    pub(crate) fn has_method(&self, name: &str, descriptor: &str) -> bool {
        let Some(methods) = &self.methods else {
            return true;
        };
        methods.iter().any(|method| {
            method == name || method.strip_prefix(name).is_some_and(|d| d == descriptor)
        })
    }
}
