//! What came of a whole run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use braid_store::RunState;
use serde::{Deserialize, Serialize};

use crate::{Source, Verdict, VerdictKind};

/// What came of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The run's number.
    pub run: u32,
    /// The run's folder.
    pub dir: PathBuf,
    /// How it ended.
    pub state: RunState,
    /// How many patches there are.
    pub total: u64,
    /// Verdicts by kind and by source.
    #[serde(flatten)]
    pub tally: Tally,
    /// The unpatched program.
    pub baseline: BaselineReport,
    /// How long the run took; for a resumed run, the last part of it.
    pub elapsed_ms: u64,
}

/// Verdicts counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By kind; kinds without verdicts are left out.
    pub verdicts: BTreeMap<VerdictKind, u64>,
    /// Answered from the store.
    pub from_store: u64,
    /// Shared with another patch that does the same.
    pub duplicates: u64,
}

impl Tally {
    /// Counts one more.
    pub fn add(&mut self, verdict: &Verdict) {
        *self.verdicts.entry(verdict.verdict).or_default() += 1;
        match verdict.decided.source {
            Source::Run => {}
            Source::Store => self.from_store += 1,
            Source::Duplicate => self.duplicates += 1,
        }
    }

    /// How many of one kind.
    pub fn of(&self, kind: VerdictKind) -> u64 {
        self.verdicts.get(&kind).copied().unwrap_or(0)
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.verdicts.values().sum()
    }
}

/// What is worth telling about the unpatched program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineReport {
    /// Test methods.
    pub units: u64,
    /// Results that passed in both runs.
    pub passed: u64,
    /// Results that were skipped in both runs.
    pub skipped: u64,
    /// Results that failed in both runs, with the reason in one line.
    pub failing: Vec<NamedReason>,
    /// Results that differed between the runs.
    pub flaky: Vec<NamedReason>,
    /// Test classes that could not be loaded.
    pub problems: Vec<NamedReason>,
    /// How long one run took, the quicker of the two.
    pub elapsed_ms: u64,
    /// Whether it was known from the store.
    pub from_store: bool,
}

/// A test or class and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedReason {
    /// The test or class.
    pub name: String,
    /// One line.
    pub reason: String,
}
