//! Formulas as trees: what is parsed, and what can be compiled to a diagram or to clauses.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Cond, Opt};
use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A formula over options. Unlike a [`Cond`] it is not canonical and costs nothing to build.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// The option is on.
    Opt(Opt),
    /// The contrary.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// At least one of them.
    Or(Vec<Formula>),
    /// Exactly one of the two.
    Xor(Box<Formula>, Box<Formula>),
    /// If the first then the second.
    Implies(Box<Formula>, Box<Formula>),
    /// Both or neither.
    Iff(Box<Formula>, Box<Formula>),
    /// If the first then the second, else the third.
    Ite(Box<Formula>, Box<Formula>, Box<Formula>),
    /// At least `min` and at most `max` of the formulas hold.
    Count {
        /// At least so many.
        min: usize,
        /// At most so many.
        max: usize,
        /// Of these.
        of: Vec<Formula>,
    },
}

impl From<Opt> for Formula {
    fn from(opt: Opt) -> Formula {
        Formula::Opt(opt)
    }
}

impl Formula {
    /// If this then `other`.
    pub fn implies(self, other: Formula) -> Formula {
        Formula::Implies(Box::new(self), Box::new(other))
    }

    /// This and `other`, or neither.
    pub fn iff(self, other: Formula) -> Formula {
        Formula::Iff(Box::new(self), Box::new(other))
    }

    /// `yes` where this holds, `no` elsewhere.
    pub fn ite(self, yes: Formula, no: Formula) -> Formula {
        Formula::Ite(Box::new(self), Box::new(yes), Box::new(no))
    }

    /// All of them.
    pub fn all(of: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::And(of.into_iter().collect())
    }

    /// At least one of them.
    pub fn any(of: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::Or(of.into_iter().collect())
    }

    /// At least `min` and at most `max` of the options are on.
    pub fn count(min: usize, max: usize, of: impl IntoIterator<Item = Opt>) -> Formula {
        Formula::Count {
            min,
            max,
            of: of.into_iter().map(Formula::Opt).collect(),
        }
    }

    /// Does the configuration meet the formula?
    pub fn eval(&self, on: &mut impl FnMut(Opt) -> bool) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Opt(opt) => on(*opt),
            Formula::Not(a) => !a.eval(on),
            Formula::And(all) => all.iter().all(|a| a.eval(on)),
            Formula::Or(any) => any.iter().any(|a| a.eval(on)),
            Formula::Xor(a, b) => a.eval(on) != b.eval(on),
            Formula::Implies(a, b) => !a.eval(on) || b.eval(on),
            Formula::Iff(a, b) => a.eval(on) == b.eval(on),
            Formula::Ite(c, a, b) => {
                if c.eval(on) {
                    a.eval(on)
                } else {
                    b.eval(on)
                }
            }
            Formula::Count { min, max, of } => {
                let count = of.iter().filter(|a| a.eval(on)).count();
                *min <= count && count <= *max
            }
        }
    }

    fn parts(&self) -> Vec<&Formula> {
        match self {
            Formula::True | Formula::False | Formula::Opt(_) => Vec::new(),
            Formula::Not(a) => vec![a],
            Formula::And(of) | Formula::Or(of) | Formula::Count { of, .. } => of.iter().collect(),
            Formula::Xor(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => vec![a, b],
            Formula::Ite(c, a, b) => vec![c, a, b],
        }
    }

    /// The options it names, whether or not it depends on them.
    pub fn options(&self) -> BTreeSet<Opt> {
        let mut options = BTreeSet::new();
        let mut stack = vec![self];
        while let Some(formula) = stack.pop() {
            if let Formula::Opt(opt) = formula {
                options.insert(*opt);
            }
            stack.extend(formula.parts());
        }
        options
    }

    /// The same formula over other options, for moving it between managers.
    pub fn rename(&self, to: &mut impl FnMut(Opt) -> Opt) -> Formula {
        let mut boxed = |a: &Formula| Box::new(a.rename(to));
        match self {
            Formula::True => Formula::True,
            Formula::False => Formula::False,
            Formula::Opt(opt) => Formula::Opt(to(*opt)),
            Formula::Not(a) => Formula::Not(boxed(a)),
            Formula::And(of) => Formula::And(of.iter().map(|a| a.rename(to)).collect()),
            Formula::Or(of) => Formula::Or(of.iter().map(|a| a.rename(to)).collect()),
            Formula::Xor(a, b) => Formula::Xor(boxed(a), boxed(b)),
            Formula::Implies(a, b) => Formula::Implies(boxed(a), boxed(b)),
            Formula::Iff(a, b) => Formula::Iff(boxed(a), boxed(b)),
            Formula::Ite(c, a, b) => Formula::Ite(boxed(c), boxed(a), boxed(b)),
            Formula::Count { min, max, of } => {
                let of = of.iter().map(|a| a.rename(to)).collect();
                Formula::Count {
                    min: *min,
                    max: *max,
                    of,
                }
            }
        }
    }
}

impl Not for Formula {
    type Output = Formula;
    fn not(self) -> Formula {
        Formula::Not(Box::new(self))
    }
}

impl BitAnd for Formula {
    type Output = Formula;
    fn bitand(self, other: Formula) -> Formula {
        Formula::And(vec![self, other])
    }
}

impl BitOr for Formula {
    type Output = Formula;
    fn bitor(self, other: Formula) -> Formula {
        Formula::Or(vec![self, other])
    }
}

impl BitXor for Formula {
    type Output = Formula;
    fn bitxor(self, other: Formula) -> Formula {
        Formula::Xor(Box::new(self), Box::new(other))
    }
}

impl Manager {
    /// The diagram of a formula over this manager's options.
    pub fn compile(&mut self, formula: &Formula) -> Result<Cond, OutOfNodes> {
        Ok(match formula {
            Formula::True => Cond::TRUE,
            Formula::False => Cond::FALSE,
            Formula::Opt(opt) => self.on(*opt),
            Formula::Not(a) => {
                let a = self.compile(a)?;
                self.not(a)?
            }
            Formula::And(of) => {
                let of = self.compile_each(of)?;
                self.all(of)?
            }
            Formula::Or(of) => {
                let of = self.compile_each(of)?;
                self.any(of)?
            }
            Formula::Xor(a, b) => {
                let (a, b) = (self.compile(a)?, self.compile(b)?);
                self.xor(a, b)?
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.compile(a)?, self.compile(b)?);
                self.implies(a, b)?
            }
            Formula::Iff(a, b) => {
                let (a, b) = (self.compile(a)?, self.compile(b)?);
                self.iff(a, b)?
            }
            Formula::Ite(c, a, b) => {
                let (c, a, b) = (self.compile(c)?, self.compile(a)?, self.compile(b)?);
                self.ite(c, a, b)?
            }
            Formula::Count { min, max, of } => {
                let of = self.compile_each(of)?;
                self.between_of(&of, *min, *max)?
            }
        })
    }

    fn compile_each(&mut self, formulas: &[Formula]) -> Result<Vec<Cond>, OutOfNodes> {
        formulas
            .iter()
            .map(|formula| self.compile(formula))
            .collect()
    }
}
