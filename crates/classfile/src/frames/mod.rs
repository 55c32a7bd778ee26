//! Stack map frames: verification types, their computation by data flow, their encoding.
//!
//! One engine ([`flow`]) serves two modes. *From nothing* it merges the states of all paths that
//! meet at a place, asking a [`Hierarchy`] for common superclasses. *Forward from the existing
//! frames* it takes the frames that the code came with as given and computes only those of new
//! branch targets, which needs no hierarchy. Both give the deepest stack on the way.

mod depth;
mod encode;
mod flow;
mod hierarchy;
mod list;
mod merge;
mod state;
mod step;
mod types;

pub use hierarchy::{ClassTable, Hierarchy, Superclass};
pub use list::{FrameList, FrameRef};
pub use types::{TypeKind, Types, VType};

pub(crate) use depth::max_stack;
pub(crate) use encode::{FrameAt, FrameScratch, encode_frames};
pub(crate) use flow::{Flow, MethodStart};
pub(crate) use merge::Lattice;
