//! Sandboxes and worker JVMs: runs tests, and survives whatever they do.
//!
//! A [`Snapshot`] is a pristine copy of the project; each worker slot has a [`Sandbox`], a private
//! copy that is brought back to the snapshot's state between jobs. A [`Worker`] is a JVM with
//! the runner in it; it finds and runs *units* (test methods) and reports *leaves* (results, several
//! for a parameterised method). The controller never loads the code under test, keeps all clocks
//! itself, and ends the whole process tree of a worker that takes too long.
//!
//! This crate knows nothing of build tools, patches or verdicts.

mod cancel;
mod classes;
mod clock;
mod crash;
mod error;
mod event;
mod jvm;
mod launch;
mod link;
mod pool;
mod sandbox;
mod snapshot;
mod spec;
mod tree;
mod tree_watch;
mod warm;
mod watch;
mod worker;

pub use braid_protocol::{
    Failure, FoundUnit, Hits, LeafId, LoopRound, Outcome, TagFilter, UnitEnd, UnitId,
};
pub use cancel::Cancel;
pub use classes::class_names;
pub use crash::{Crash, CrashKind};
pub use error::ExecError;
pub use event::{Discovery, Event, Output, Problem, RunEnd, RunLimits, Selection, Timeout};
pub use pool::run_jobs;
pub use sandbox::{Restored, Sandbox};
pub use snapshot::{Snapshot, SnapshotOptions};
pub use spec::WorkerSpec;
pub use warm::{
    FRAMEWORKS, Leaf, PreparedClass, PreparedClasses, Ran, Redefined, Trial, TrialUnit, WarmEnd,
    WarmOptions, WarmSpec, WarmWorker, write_classes,
};
pub use watch::Watch;
pub use worker::Worker;
