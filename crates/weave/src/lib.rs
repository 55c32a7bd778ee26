//! Class files and variants in, woven class files and maps out. Nothing here runs anything or
//! reads a file: bytes go in, bytes come out.
//!
//! - [`instrument()`] prepares any class for a warm JVM: fuel at loop heads and method entries,
//!   coverage probes, and static state that is initialised again in every epoch.
//! - [`weave()`] puts the changed methods of many variants into one class, each behind a switch on
//!   the active variant; [`weave_program`] does it for a set of classes and patches, with the
//!   classes that patches add; [`plain()`] gives a class as one variant has it, without weaving.
//!
//! - [`is_endless`] says of a loop that has come round in the same state whether it can ever end.
//! - [`scouting()`] gives classes that do what the original does and say which variants would make a difference.
//!
//! The order is: weave first, build the [`World`] from the woven classes, then instrument.

/// Grows whenever the same input gives another output, for caches of woven classes.
pub const VERSION: u32 = 3;

mod error;
mod instrument;
mod names;
mod probes;
mod rounds;
mod scout;
mod serial;
mod weave;
mod world;

pub use error::WeaveError;
pub use instrument::{Instrumented, Note, Passes, instrument};
pub use probes::{ProbeBase, ProbeMap};
pub use rounds::{Round, is_endless};
pub use scout::{Question, Scouting, scouting};
pub use weave::{
    Added, Alternative, Change, ClassChange, MethodKey, Nest, Region, SiteMap, Variant, Woven,
    WovenProgram, plain, weave, weave_program,
};
pub use world::{State, World};
