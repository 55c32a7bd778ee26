//! The `Copy` handles that callers hold: options, conditions, choices and operator ids.
//!
//! Handles are plain numbers without a reference count. They belong to the manager that made them and stay
//! valid until a collection that does not list them (directly or below another root) as live.

use crate::table::{FALSE, Id, TRUE};
use std::num::NonZeroU32;

/// A Boolean option: a variable that a configuration turns on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opt(pub(crate) u32);

impl Opt {
    /// The option with this position in order of creation.
    pub fn new(index: usize) -> Opt {
        Opt(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Position in order of creation, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A condition over options: a Boolean function in canonical form, so equality of handles is equivalence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cond(pub(crate) Id);

impl Cond {
    /// The condition no configuration meets.
    pub const FALSE: Cond = Cond(FALSE);
    /// The condition every configuration meets.
    pub const TRUE: Cond = Cond(TRUE);

    /// Is it [`Cond::FALSE`]? Canonical form makes this the test for unsatisfiability.
    #[inline]
    pub fn is_false(self) -> bool {
        self == Cond::FALSE
    }

    /// Is it [`Cond::TRUE`]? Canonical form makes this the test for a tautology.
    #[inline]
    pub fn is_true(self) -> bool {
        self == Cond::TRUE
    }

    /// Does some configuration meet it?
    #[inline]
    pub fn is_satisfiable(self) -> bool {
        !self.is_false()
    }

    /// Does every configuration meet it?
    #[inline]
    pub fn is_tautology(self) -> bool {
        self.is_true()
    }

    /// The node number, never 0, for embedding in a tagged word.
    #[inline]
    pub fn to_raw(self) -> u32 {
        self.0.get()
    }

    /// The inverse of [`Cond::to_raw`]; 0 gives `None`. The number must come from a condition.
    #[inline]
    pub fn from_raw(raw: u32) -> Option<Cond> {
        NonZeroU32::new(raw).map(Cond)
    }
}

/// A value that depends on options: a multi-terminal diagram whose leaves are 64-bit payloads.
///
/// Canonical as well: equal handles mean the same value in every configuration. The payloads 0 and 1 are the
/// terminals of conditions, so a choice between 0 and 1 *is* a condition and a condition is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice(pub(crate) Id);

impl Choice {
    /// The payload 0 in every configuration.
    pub const ZERO: Choice = Choice(FALSE);
    /// The payload 1 in every configuration.
    pub const ONE: Choice = Choice(TRUE);

    /// The node number, never 0, for embedding in a tagged word.
    #[inline]
    pub fn to_raw(self) -> u32 {
        self.0.get()
    }

    /// The inverse of [`Choice::to_raw`]; 0 gives `None`. The number must come from a choice.
    #[inline]
    pub fn from_raw(raw: u32) -> Option<Choice> {
        NonZeroU32::new(raw).map(Choice)
    }
}

impl From<Cond> for Choice {
    #[inline]
    fn from(cond: Cond) -> Choice {
        Choice(cond.0)
    }
}

/// The identity of an operator on payloads, part of the key under which results are cached.
///
/// Two calls with the same id must pass the same pure function; that is the caller's promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op(pub(crate) u32);

/// The first of the ids the crate itself uses.
pub(crate) const BUILT_IN: u32 = 1 << 31;
const COMMUTATIVE: u32 = 1 << 30;
/// Ids given out by `Manager::fresh_op` count from here; `Op::new` stays below.
pub(crate) const FRESH: u32 = 1 << 24;

impl Op {
    /// The operator with this number, which must be below 2^24.
    pub const fn new(number: u32) -> Op {
        assert!(number < FRESH, "operator numbers are below 2^24");
        Op(number)
    }

    /// The same for a commutative binary operator: both operand orders share cache entries. The number is in a
    /// space of its own.
    pub const fn commutative(number: u32) -> Op {
        assert!(number < FRESH, "operator numbers are below 2^24");
        Op(number | COMMUTATIVE)
    }

    #[inline]
    pub(crate) const fn is_commutative(self) -> bool {
        self.0 & COMMUTATIVE != 0
    }

    pub(crate) const fn built_in(number: u32) -> Op {
        Op(BUILT_IN | number)
    }
}
