//! Starts, limits and ends operating-system processes.
//!
//! Every process starts in a process group of its own, so that ending it ends whatever it
//! started, and its output is kept within a cap (the head and the tail of each stream). A
//! process ends with the value that stands for it ([`Running`]), and with Braid itself: a small
//! guardian process ends the groups that are left when Braid dies without a chance to clean up.
//!
//! This crate knows nothing of Java, projects or tests; [`argfile`] is only a text format.

pub mod argfile;
mod capture;
mod error;
mod group;
mod running;
mod spawn;

pub use capture::Captured;
pub use error::ProcessError;
pub use group::end_all;
pub use running::{Finished, Killer, Running};
pub use spawn::{Spawn, Stream, find_program};
