//! Facts about programs: an immutable program in, facts out.
//!
//! - of graphs: [`Graph`], [`Dominators`], [`PostDominators`], [`loops`];
//! - of methods: [`Cfg`] with exception edges, [`Liveness`] of locals, [`MethodTypes`] before each instruction, [`statement_starts`];
//! - of programs: [`World`], classes and method selection; [`CallGraph`]; [`Purity`] of methods; [`Program`], reachability along paths whose calls and returns match.
//!
//! This crate knows nothing of variants or of running anything.

mod callgraph;
mod calls;
mod cfg;
mod cfl;
mod dominators;
mod graph;
mod liveness;
mod loops;
mod purity;
mod statements;
mod types;
mod world;

pub use callgraph::CallGraph;
pub use calls::{Body, Invoke, Lambda};
pub use cfg::{Block, Cfg};
pub use cfl::{Call, Program};
pub use dominators::{Dominators, PostDominators};
pub use graph::Graph;
pub use liveness::{Liveness, locals_of};
pub use loops::{Loop, loops};
pub use purity::{Fact, Purity};
pub use statements::statement_starts;
pub use types::{MethodTypes, Type, TypeState};
pub use world::{ClassId, MethodId, Selector, World};
