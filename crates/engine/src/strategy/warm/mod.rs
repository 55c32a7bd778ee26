//! What the strategies that keep JVMs warm have in common: the program as those JVMs see it, what its tests do
//! there when it is not patched, and running tests in them.

mod ahead;
pub(crate) mod base;
pub(crate) mod compiling;
pub(crate) mod facts;
mod hands;
mod hotswap;
pub(crate) mod jvms;
mod once;
mod overflow;
mod pile;
pub(crate) mod program;
mod recording;
mod scout;
mod sightings;
mod slot;
mod suite;
mod waits;
pub(crate) mod woven;

pub(crate) use ahead::Ahead;
pub(crate) use base::{Base, Shared};
pub(crate) use facts::Facts;
pub(crate) use hotswap::Hotswap;
pub(crate) use once::refine;
pub(crate) use recording::record;
pub(crate) use woven::Woven;
