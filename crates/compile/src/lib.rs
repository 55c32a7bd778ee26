//! Compiling Java sources, by two roads with one result.
//!
//! - [`Plain`] starts a fresh JVM for each request: slow, obviously right, and the oracle for everything else.
//! - [`Warm`] keeps one JVM with a warm javac, and compiles many patches together.
//!
//! Both are a [`Javac`]. [`compile_patch`] does what a patch needs on either: the changed files, and
//! everything else of the module when somebody could notice the change ([`abi_equal`]).
//! This crate knows nothing of where patches come from and writes nothing to the project.

mod abi;
mod additions;
mod bulk;
mod constructor;
mod copies;
mod edit;
mod error;
mod model;
mod patch;
mod plain;
mod request;
mod service;
mod warm;
mod wire;

pub use abi::abi_equal;
pub use bulk::{BatchOutcome, Batched, Way};
pub use copies::MethodCopy;
pub use error::CompileError;
pub use model::{
    Changes, Classes, Diagnostic, Kind, Module, Outcome, Processing, Request, Response, Setup,
    Source, Tool,
};
pub use patch::{PatchCompiled, PatchOutcome, Recompiled, compile_all, compile_patch};
pub use plain::Plain;
pub use warm::Warm;

/// Something that compiles Java sources.
pub trait Javac {
    /// Compiles; errors in the sources are an [`Outcome`], not an error.
    fn compile(&mut self, request: &Request) -> Result<Response, CompileError>;
}
