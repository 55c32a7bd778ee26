//! What is asked of a worker and what it reports.

use std::collections::HashMap;
use std::time::Duration;

use braid_protocol::{FoundUnit, LeafId, Outcome, TagFilter, UnitId};

use crate::cancel::Cancel;
use crate::crash::Crash;

/// Where to look for tests.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Binary names of classes that may hold tests.
    pub classes: Vec<String>,
    /// Which of their tests take part.
    pub tags: TagFilter,
}

/// The tests that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery {
    /// In the order of the classes, then of the framework.
    pub units: Vec<FoundUnit>,
    /// Classes that could not be searched.
    pub problems: Vec<Problem>,
}

/// A class that could not be searched for tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The class.
    pub class: String,
    /// Why; usually what its loading threw.
    pub message: String,
}

/// How long units may take, and when to give up.
#[derive(Debug, Clone)]
pub struct RunLimits {
    /// For each unit that has no limit of its own. Class-level set-up and tear-down may take as long
    /// as the slowest unit of the run.
    pub timeout: Duration,
    /// Limits of single units.
    pub unit_timeouts: HashMap<UnitId, Duration>,
    /// Stops the run when set.
    pub cancel: Cancel,
}

impl RunLimits {
    /// The same limit for every unit.
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            unit_timeouts: HashMap::new(),
            cancel: Cancel::new(),
        }
    }

    /// The limit of `unit`.
    pub fn of(&self, unit: &UnitId) -> Duration {
        self.unit_timeouts
            .get(unit)
            .copied()
            .unwrap_or(self.timeout)
    }
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The first leaf of a unit, or its set-up, begins.
    UnitStarted {
        /// The unit.
        unit: UnitId,
    },
    /// A leaf begins; leaves of several units may take turns.
    LeafStarted {
        /// Its unit.
        unit: UnitId,
        /// The leaf.
        leaf: LeafId,
    },
    /// A leaf has ended, or was skipped.
    LeafFinished {
        /// Its unit.
        unit: UnitId,
        /// The leaf.
        leaf: LeafId,
        /// What came of it.
        outcome: Outcome,
        /// How long it took.
        duration: Duration,
    },
    /// Nothing more comes of this unit.
    UnitFinished {
        /// The unit.
        unit: UnitId,
        /// How long its leaves took together.
        duration: Duration,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Every unit was reported; the worker can be used again.
    Done,
    /// The caller broke off; the worker is gone.
    Stopped,
    /// The cancel flag was set; the worker is gone.
    Cancelled,
    /// A unit took too long; the worker is gone.
    Timeout(Timeout),
    /// The JVM ended; the worker is gone.
    Crashed(Box<Crash>),
}

/// A unit that took too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeout {
    /// The unit, or the one whose class was being set up or torn down.
    pub unit: Option<UnitId>,
    /// The leaf that was running.
    pub leaf: Option<LeafId>,
    /// The limit.
    pub limit: Duration,
    /// Where the threads were, the testing one first, if the worker still said so.
    pub stack: Option<String>,
}

/// What the JVM wrote, within the cap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Its standard output.
    pub stdout: String,
    /// Its error output.
    pub stderr: String,
    /// Whether something was thrown away.
    pub truncated: bool,
}
