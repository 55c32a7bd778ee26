//! Running JUnit 3, 4 and 5 tests, mostly without JUnit's own runners.
//!
//! Tests are found by reading annotations from class files. A test is a list of steps (constructor, set-up,
//! the method, tear-down); each step is a call in the context in which it is due, so a failure in some
//! configurations does not disturb the others. Assertion libraries run as ordinary bytecode.

mod annotations;
mod discover;
mod framework;
mod params;
mod run;

pub use discover::{Discovery, Flavour, TestMethod};
pub use run::{Outcome, TestRun};
