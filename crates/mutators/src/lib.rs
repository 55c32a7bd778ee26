//! Mutants of Java classes, made directly in bytecode.
//!
//! A class goes in, mutants come out: [`mutate`] proposes every change that the chosen
//! [`OperatorSet`] makes, leaves out the junk (with the reason, in [`Mutation::left_out`]) and
//! gives one class file that holds the changed code of all mutants, ready to be woven.
//! [`alone`] gives the class with just one of them, for a JVM that runs it plainly.
//!
//! One operator is one [`Operator`]; each stands in a file of its own under `operators/`, with an
//! example that is also its test. [`source`] finds the mutated expression in the Java source.
//!
//! This crate knows nothing of weaving, running, files or processes.

mod alone;
mod binary;
mod body;
mod calls;
mod condition;
mod constants;
mod differs;
mod error;
mod filter;
mod fold;
mod identity;
mod kind;
mod model;
mod mutate;
mod operator;
mod operators;
mod options;
mod returns;
mod set;
pub mod source;
mod stack;
mod variable;
mod write;

pub use alone::alone;
pub use differs::scouting;
pub use error::{MutatorsError, Result};
pub use model::{LeftOut, Mutant, MutantId, Mutation, Reason, Replacement};
pub use mutate::mutate;
pub use operator::{Example, Operator};
pub use operators::operators;
pub use options::{Filters, Only, Options};
pub use set::{OperatorSet, SETS, Set};
