//! What is asked of a warm worker and what it reports.

use std::num::NonZeroU32;
use std::time::Duration;

use braid_protocol::{Hits, LeafId, Outcome, UnitEnd, UnitId};

use crate::cancel::Cancel;
use crate::crash::Crash;

/// A variant and the units to run with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The number of the variant in the woven program; 0 is the original.
    pub variant: u32,
    /// The units in order; each runs as if alone in a new JVM.
    pub units: Vec<TrialUnit>,
    /// Whether the other units are left out after one that did not pass.
    pub stop_at_failure: bool,
}

/// A unit and what it may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialUnit {
    /// The unit.
    pub unit: UnitId,
    /// Ticks that it may use; as many as it likes if not given.
    pub fuel: Option<u64>,
    /// How long it may take in all; the last resort.
    pub wall: Duration,
    /// How long all of its threads may be blocked without using a tick.
    pub idle: Duration,
    /// The stack of its thread, if it is to have another than the usual one.
    pub stack_kb: Option<NonZeroU32>,
}

/// How to make trials.
#[derive(Debug, Clone, Default)]
pub struct WarmOptions {
    /// Whether to report the probes that each unit hits.
    pub record: bool,
    /// Gives up when set.
    pub cancel: Cancel,
}

/// What came of one unit of one trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The place of the trial among those asked for.
    pub trial: usize,
    /// Its variant.
    pub variant: u32,
    /// The unit.
    pub unit: UnitId,
    /// Its results.
    pub leaves: Vec<Leaf>,
    /// How it ended.
    pub end: UnitEnd,
    /// Ticks used; exact for a program with one thread.
    pub ticks: u64,
    /// How long it took.
    pub duration: Duration,
    /// The probes that were hit, if asked for.
    pub hits: Option<Hits>,
    /// Whether all that it ran had the stack that was asked for: the JVM gave it, and no other thread ran code of the
    /// program. False if none was asked for.
    pub had_stack: bool,
    /// Why the worker is gone after this unit. The result holds all the same.
    pub tainted: Option<String>,
}

/// One result within a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The leaf.
    pub id: LeafId,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub duration: Duration,
}

impl Ran {
    /// Whether the unit came to its end and none of its leaves failed.
    pub fn passed(&self) -> bool {
        self.end == UnitEnd::Finished
            && !self.leaves.is_empty()
            && !self.leaves.iter().any(|leaf| leaf.outcome.is_failed())
    }
}

/// How a request for trials ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WarmEnd {
    /// All trials are made; the worker can be used again.
    Done,
    /// The caller broke off; the worker can be used again.
    Stopped,
    /// The last unit that was reported left something that cannot be put back. What comes after it did
    /// not run, and the worker is gone.
    Tainted {
        /// What.
        reason: String,
    },
    /// The worker did not manage to stop a unit that took too long; it is gone.
    Timeout {
        /// The place of the trial.
        trial: usize,
        /// The unit, which was not reported.
        unit: UnitId,
        /// Where the threads were, if the worker still said so.
        stack: Option<String>,
    },
    /// The JVM ended.
    Crashed {
        /// The place of the trial.
        trial: usize,
        /// How, and in which unit, which was not reported.
        crash: Box<Crash>,
    },
    /// The cancel flag was set; the worker is gone.
    Cancelled,
}

/// Whether classes could be redefined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redefined {
    /// They have their new bytes.
    Done,
    /// None has changed.
    Refused {
        /// The number of a JVMTI error; -1 if a class could not be loaded.
        error: i32,
        /// More about it; often empty.
        message: String,
    },
}
