//! Presence conditions over Boolean options.
//!
//! A [`Manager`] owns hash-consed decision diagrams. A [`Cond`] is a Boolean function of options, a [`Choice`] a
//! 64-bit value that depends on options; both are `Copy` numbers, canonical, and share one node table.

mod bounds;
mod cache;
mod choice;
mod clauses;
mod collect;
mod count;
mod cover;
mod error;
mod eval;
mod formula;
mod handle;
mod leaves;
mod lex;
mod logic;
mod manager;
mod model;
mod model_text;
mod names;
mod parse;
mod quantify;
mod reason;
mod reorder;
mod run;
mod sat;
mod show;
mod solutions;
mod table;
mod visit;

pub use collect::Marks;
pub use cover::{Dnf, Product};
pub use error::{Error, OutOfNodes};
pub use formula::Formula;
pub use handle::{Choice, Cond, Op, Opt};
pub use manager::{DEFAULT_CACHE_LIMIT, DEFAULT_NODE_LIMIT, Manager, Stats};
pub use model::{Analysis, FeatureModel, Rule};
pub use names::Names;
pub use num_bigint::BigUint;
pub use reason::{Either, Found, Reasoner, Sat};
pub use sat::SatSolutions;
pub use solutions::{Order, Solutions};
