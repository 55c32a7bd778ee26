//! Warm workers: one JVM that runs many variants, each test as if the JVM were new.
//!
//! The JVM has our agent, which gives the program its woven classes, and our runtime on its boot class
//! path. A *trial* is a variant with units to run; several go into one request. What the JVM cannot put
//! back after a unit it reports as taint, and the worker is given up.

mod classes;
mod spec;
mod trial;
mod worker;

pub use classes::{PreparedClass, PreparedClasses, write_classes};
pub use spec::{FRAMEWORKS, WarmSpec};
pub use trial::{Leaf, Ran, Redefined, Trial, TrialUnit, WarmEnd, WarmOptions};
pub use worker::WarmWorker;
