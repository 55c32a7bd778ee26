//! What the strategies that keep JVMs warm have in common: the program as those JVMs see it, what its tests do
//! there when it is not patched, and running tests in them.

mod base;
mod compiling;
mod facts;
mod hotswap;
mod jvms;
mod program;
mod recording;
mod sightings;
mod slot;
mod woven;

pub(crate) use base::{Base, Shared};
pub(crate) use facts::Facts;
pub(crate) use hotswap::Hotswap;
pub(crate) use recording::record;
pub(crate) use woven::Woven;
