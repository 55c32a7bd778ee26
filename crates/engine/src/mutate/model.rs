//! What came of mutants: the data that reports read. Each mutant is one line of a run's `verdicts.jsonl`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use braid_store::RunState;
use serde::{Deserialize, Serialize};

use crate::BaselineReport;

/// What came of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Tests reach it and none notices.
    Survived,
    /// No test reaches it.
    NotCovered,
    /// A test fails, or the JVM ends.
    Killed,
    /// A test does far more work than on the original.
    Timeout,
    /// A test runs out of memory.
    Error,
}

impl Status {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 5] = [
        Self::Survived,
        Self::NotCovered,
        Self::Killed,
        Self::Timeout,
        Self::Error,
    ];

    /// The name in JSON and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::NotCovered => "not_covered",
            Self::Killed => "killed",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }

    /// Whether the tests notice the mutant.
    pub fn is_detected(self) -> bool {
        !matches!(self, Self::Survived | Self::NotCovered)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A mutant and what came of it. Tests are numbers: places in [`MutateInfo::tests`](super::MutateInfo::tests).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MutantResult {
    /// Its name, which survives recompilation.
    pub id: String,
    /// Its place among the mutants of the run, from 0.
    pub seq: u64,
    /// The class, `a.b.C`.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The operator.
    pub operator: String,
    /// What was done: `replaced < by <=`.
    pub description: String,
    /// The module the class belongs to.
    pub module: String,
    /// The source file, relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The instruction, counted in the method.
    pub insn: u32,
    /// The basic block it stands in.
    pub block: u32,
    /// Where it is in the source, if that is sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// What came of it.
    pub status: Status,
    /// Why, in one line.
    pub reason: String,
    /// The tests that reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covered_by: Vec<u32>,
    /// The tests that fail; only the first unless all were run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub killed_by: Vec<u32>,
    /// The tests that do not end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeout_by: Vec<u32>,
    /// The tests that run out of memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub error_by: Vec<u32>,
    /// How many tests were run on it.
    pub tests_run: u32,
    /// How many were not, because nothing has another value on it than on the original in them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spared: u32,
    /// How long they took.
    pub elapsed_us: u64,
    /// How it was decided.
    pub decided: Decision,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How a mutant's status came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// In which way.
    pub how: How,
    /// Why in that way, or which other mutant has the same code.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// In which way a mutant's status was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// By what the tests reach; nothing was run.
    Coverage,
    /// In a warm JVM, woven into one program with the others.
    Warm,
    /// Alone in a fresh JVM.
    Fresh,
    /// Another mutant has the very same code.
    Same,
}

/// A place in a source file; lines and columns from 1, the end is just behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// First line.
    pub line: u32,
    /// First column, in UTF-16 units.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the end.
    pub end_column: u32,
    /// Offset of the start in bytes.
    pub byte: usize,
    /// The text there.
    pub original: String,
    /// What the mutant has instead, where Java can say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

/// A mutant that was not made, or not run, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotMade {
    /// The class, `a.b.C`.
    pub class: String,
    /// The method; empty for a whole class.
    pub method: String,
    /// The operator; empty for a whole method.
    pub operator: String,
    /// The source file, relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What it would have been.
    pub description: String,
    /// Why not.
    pub reason: String,
}

/// A test method, as mutants' numbers name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestInfo {
    /// `com.x.FooTest#bar`.
    pub name: String,
    /// Its module.
    pub module: String,
    /// Its source file, relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Loop iterations and calls on the original program.
    pub ticks: u64,
    /// Why it needs fresh JVMs, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Mutants counted by status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantTally {
    /// By status; those without mutants are left out.
    pub statuses: BTreeMap<Status, u64>,
    /// How many test runs there were.
    pub test_runs: u64,
    /// How many mutants fresh JVMs decided.
    pub fresh: u64,
}

impl MutantTally {
    /// Counts one more.
    pub fn add(&mut self, result: &MutantResult) {
        *self.statuses.entry(result.status).or_default() += 1;
        self.test_runs += u64::from(result.tests_run);
        self.fresh += u64::from(result.decided.how == How::Fresh);
    }

    /// How many of one status.
    pub fn of(&self, status: Status) -> u64 {
        self.statuses.get(&status).copied().unwrap_or(0)
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.statuses.values().sum()
    }

    /// How many the tests notice.
    pub fn detected(&self) -> u64 {
        let detected = self
            .statuses
            .iter()
            .filter(|(status, _)| status.is_detected());
        detected.map(|(_, count)| count).sum()
    }

    /// The share that the tests notice, in percent; 100 without mutants.
    pub fn score(&self) -> f64 {
        percent(self.detected(), self.total())
    }

    /// The share that the tests notice of those they reach, in percent.
    pub fn strength(&self) -> f64 {
        percent(self.detected(), self.total() - self.of(Status::NotCovered))
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        100.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

/// What came of a run over mutants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutateSummary {
    /// The run's number.
    pub run: u32,
    /// Its folder.
    pub dir: PathBuf,
    /// How it ended.
    pub state: RunState,
    /// How many mutants there are.
    pub total: u64,
    /// By status.
    #[serde(flatten)]
    pub tally: MutantTally,
    /// The original program.
    pub baseline: BaselineReport,
    /// How long the run took; for a resumed run, the last part of it.
    pub elapsed_ms: u64,
    /// Where that time went.
    pub phases: Vec<Phase>,
}

/// A part of a run and how long it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// In a few words.
    pub name: String,
    /// How long.
    pub ms: u64,
}
