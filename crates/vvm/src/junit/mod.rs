//! Running JUnit 3, 4 and 5 tests, mostly without JUnit's own runners.
//!
//! Tests are found by reading annotations from class files. A test is a list of steps (constructor, set-up,
//! the method, tear-down); each step is a call in the context in which it is due, so a failure in some
//! configurations does not disturb the others. Assertion libraries run as ordinary bytecode. What needs more of JUnit than
//! that is run by JUnit itself, as ordinary bytecode too.

mod annotations;
mod discover;
mod framework;
pub(crate) mod jupiter;
mod order;
mod params;
mod run;
mod shape;

pub use discover::{Discovery, Flavour, TestMethod};
pub use run::{Outcome, TestRun};
