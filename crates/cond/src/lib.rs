//! Presence conditions over Boolean options.
//!
//! A [`Manager`] owns hash-consed decision diagrams. A [`Cond`] is a Boolean function of options, a [`Choice`] a
//! 64-bit value that depends on options; both are `Copy` numbers, canonical (equal handles, equal meaning), and
//! share one node table, so a choice between 0 and 1 *is* a condition. Around them:
//!
//! - [`Formula`]: trees that are parsed, printed and compiled to a diagram or to clauses;
//! - [`FeatureModel`]: constraints between options, from text or DIMACS;
//! - [`Reasoner`]: the same questions answered by diagrams ([`Manager`]), a SAT solver ([`Sat`]) or whichever copes
//!   ([`Either`]);
//! - [`Order`], [`Dnf`]: solutions one by one in a given order, conditions as short formulas.
//!
//! Nothing here knows about Java, programs or variants.
//!
//! ```
//! use braid_cond::{FeatureModel, Manager, Order};
//! # fn main() -> Result<(), braid_cond::Error> {
//! let model = FeatureModel::parse("alternative: Directed, Undirected\nMst requires Undirected, Weighted")?;
//! let mut m = Manager::new();
//! let valid = model.condition(&mut m)?;
//! let failing = m.parse("Mst | Directed & Weighted")?;
//! let failing = m.and(failing, valid)?;
//! assert_eq!(m.show_in(failing, valid)?, "Mst | Directed & Weighted");
//! let over = m.order().to_vec();
//! let first = m.solutions(failing, &over, Order::FewestOn)?.next().unwrap()?;
//! let names: Vec<&str> = first.iter().map(|&opt| m.name(opt)).collect();
//! assert_eq!(names, ["Directed", "Weighted"]);
//! # Ok(())
//! # }
//! ```

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
mod levels;
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
pub use show::Shown;
pub use solutions::{Order, Solutions};
