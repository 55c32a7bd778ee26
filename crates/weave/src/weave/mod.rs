//! Puts the changed methods of many variants into one class.
//!
//! Every distinct new body becomes a *companion*: a private synthetic method (or constructor) of
//! the same class. The changed method starts with a switch on the active variant that calls the
//! companion; without an active variant its own code runs.

pub(crate) mod canonical;
mod class;
pub(crate) mod diff;
mod dispatch;
mod header;
mod import;
mod model;
mod plain;
mod program;
pub(crate) mod region;
mod rename;
mod write;

pub use class::weave;
pub use model::{
    Added, Alternative, Change, ClassChange, MethodKey, Nest, Region, SiteMap, Variant, Woven,
    WovenProgram,
};
pub use plain::plain;
pub use program::weave_program;
