//! Mutants and what was left out, as the caller sees them.

use std::fmt;
use std::sync::Arc;

use crate::differs::{Check, Difference};
use crate::operator::Edit;

/// Names a mutant in a way that survives recompilation and unrelated edits of the file.
///
/// Made of the class, the method, the operator, the replacement, a hash of the statement's
/// instructions (without local slots, lines and constant indices) and, for equal ones, a number:
/// `a/b/C.add(II)I:math:sub:5f1c03aa` or `…:5f1c03aa.2`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MutantId(pub String);

impl fmt::Display for MutantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Where a mutant's changed code is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Replacement {
    /// In the extra private method of this name in [`Mutation::bulk`]: `Change::Copy` of weaving.
    Copy(String),
    /// In a constructor or initialiser, which cannot be an extra method: the whole class that
    /// [`alone`](crate::alone) gives, `Change::Class` of weaving. Made when asked for: the mutants
    /// of one large initialiser would fill the memory.
    Whole,
}

/// One change of one method.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Its name.
    pub id: MutantId,
    /// The class, as `a/b/C`.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// Id of the operator that made it.
    pub operator: &'static str,
    /// Which of the operator's replacements this is: `sub`, `le`, `null`.
    pub variant: String,
    /// The line of the mutated instruction, if the class has lines.
    pub line: Option<u32>,
    /// Index of the mutated instruction in the method's code, counted without labels.
    pub insn: u32,
    /// The same of the other copies that javac made of its `finally` block: they are mutated together, and each is
    /// reached by itself.
    pub copies: Vec<u32>,
    /// Number of the basic block it stands in: mutants of one block are reached together.
    pub block: u32,
    /// What was done, in the words of the source: "replaced < by <=".
    pub description: String,
    /// The source file's name, from the class file.
    pub source_file: Option<String>,
    /// Where the changed code is.
    pub code: Replacement,
    /// What is changed, for [`Replacement::Whole`]; empty otherwise.
    pub(crate) edits: Vec<Edit>,
    /// Where it may differ from the original; empty if that is not known.
    pub(crate) checks: Vec<Check>,
}

impl Mutant {
    /// Whether [`scouting`](crate::scouting) tells when it differs from the original.
    pub fn can_be_scouted(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether it does nothing but return a constant where the original returns something: where nobody looks at the
    /// value, it is the original.
    pub fn only_returns_otherwise(&self) -> bool {
        let returned = |check: &Check| matches!(check.1, Difference::Returned(..));
        !self.checks.is_empty() && self.checks.iter().all(returned)
    }
}

/// The mutants of one class.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The class, as `a/b/C`.
    pub class: String,
    /// The mutants in the order of their places.
    pub mutants: Vec<Mutant>,
    /// The class with one extra private method for each mutant that is a [`Replacement::Copy`].
    pub bulk: Arc<[u8]>,
    /// What was proposed and not made, and why.
    pub left_out: Vec<LeftOut>,
}

/// A mutant that was not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Id of the operator; none if a whole method or class was left out.
    pub operator: Option<&'static str>,
    /// The method's name; empty if the whole class was left out.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// The line, if known.
    pub line: Option<u32>,
    /// What it would have been.
    pub description: String,
    /// Why it was not made.
    pub reason: Reason,
}

/// Why a mutant was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// Code that the compiler made; the text says for what.
    Compiler(&'static str),
    /// Part of a call that only logs.
    Logging,
    /// The class or method carries this annotation.
    Annotated(String),
    /// A null check that Kotlin's compiler put in.
    Kotlin,
    /// The mutant is the original after simple folding.
    Equivalent,
    /// Another mutant has the same code after simple folding.
    Duplicate(MutantId),
    /// A comment asks for it; its reason.
    Suppressed(String),
    /// It cannot be expressed in this method's code.
    Impossible(&'static str),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Compiler(what) => write!(f, "made by the compiler: {what}"),
            Reason::Logging => f.write_str("only logs"),
            Reason::Annotated(name) => write!(f, "annotated with @{name}"),
            Reason::Kotlin => f.write_str("a null check made by Kotlin's compiler"),
            Reason::Equivalent => f.write_str("equivalent to the original"),
            Reason::Duplicate(id) => write!(f, "the same code as {id}"),
            Reason::Suppressed(why) if why.is_empty() => f.write_str("suppressed by a comment"),
            Reason::Suppressed(why) => write!(f, "suppressed by a comment: {why}"),
            Reason::Impossible(why) => write!(f, "not possible here: {why}"),
        }
    }
}
