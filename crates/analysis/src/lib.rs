//! Facts about programs: an immutable program in, facts out.
//!
//! - of graphs: [`Graph`], [`Dominators`], [`PostDominators`], [`loops`];
//! - of methods: [`Cfg`] with exception edges, [`Liveness`] of locals;
//! - of programs: [`World`], classes and method selection; [`CallGraph`]; [`Program`], reachability along paths whose calls and returns match.
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
mod world;

pub use callgraph::CallGraph;
pub use calls::{Body, Invoke, Lambda};
pub use cfg::{Block, Cfg};
pub use cfl::{Call, Program};
pub use dominators::{Dominators, PostDominators};
pub use graph::Graph;
pub use liveness::{Liveness, locals_of};
pub use loops::{Loop, loops};
pub use world::{ClassId, MethodId, Selector, World};
