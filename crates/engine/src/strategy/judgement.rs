//! A verdict before it has a patch's name on it, so that patches with the same effect can share it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::strategy::Case;
use crate::trial::{Bad, Trial};
use crate::verdict::{Evidence, LimitHit, SourceDiagnostic, TestCounts};
use crate::{StrategyKind, VerdictKind, text};

/// What came of a patch's effect. This is what the store keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    /// The verdict.
    pub kind: VerdictKind,
    /// Its reason in one line.
    pub summary: String,
    /// What it rests on.
    pub evidence: Evidence,
    /// What was run.
    pub tests: TestCounts,
    /// How long compiling took.
    pub compile_ms: u64,
    /// How long the tests took.
    pub test_ms: u64,
    /// The strategy that decided, if not the one that was asked for.
    #[serde(default)]
    pub strategy: Option<StrategyKind>,
    /// Why this strategy decided.
    pub reason: String,
    /// What else to tell.
    pub notes: Vec<String>,
    /// The long story.
    #[serde(default, skip_serializing)]
    pub log: String,
}

impl Judgement {
    /// A verdict without tests.
    pub(crate) fn bare(kind: VerdictKind, summary: String) -> Self {
        Self {
            kind,
            summary,
            evidence: Evidence::default(),
            tests: TestCounts::default(),
            compile_ms: 0,
            test_ms: 0,
            strategy: None,
            reason: String::new(),
            notes: Vec::new(),
            log: String::new(),
        }
    }

    /// A patch that cannot be applied or is not judged.
    pub(crate) fn refused(kind: VerdictKind, why: String) -> Self {
        let mut judgement = Self::bare(kind, text::one_line(&why));
        judgement.evidence.refusal = Some(why);
        judgement
    }

    /// The same for a patch that comes out as the same code as `case`.
    pub(crate) fn for_twin_of(&self, case: &Case) -> Self {
        let mut judgement = self.clone();
        let note = format!("comes out as the same code as {}", case.patch.id);
        judgement.notes.push(note);
        judgement
    }

    /// A patch that does not compile.
    pub(crate) fn compile_error(diagnostics: Vec<SourceDiagnostic>) -> Self {
        let first = diagnostics.first().map_or(String::new(), |diagnostic| {
            let line = diagnostic.message.lines().next().unwrap_or_default();
            if diagnostic.line == 0 {
                line.to_owned()
            } else {
                format!("{}:{}: {line}", diagnostic.file, diagnostic.line)
            }
        });
        let more = match diagnostics.len() {
            0 | 1 => String::new(),
            n => format!(" (and {} more)", text::count(n as u64 - 1, "error")),
        };
        let mut judgement = Self::bare(VerdictKind::CompileError, text::one_line(&first) + &more);
        judgement.evidence.diagnostics = diagnostics;
        judgement
    }

    /// A patch that the compiler does not come to an end with.
    pub(crate) fn compile_timeout(limit: Duration) -> Self {
        let summary = format!("the compiler did not end within {}", text::duration(limit));
        let mut judgement = Self::bare(VerdictKind::Timeout, summary);
        judgement.evidence.limit = Some(LimitHit {
            what: "compile".to_owned(),
            limit_ms: limit.as_millis() as u64,
            test: None,
            baseline_ms: None,
            stack: None,
            ticks: None,
            for_good: false,
        });
        judgement
    }

    /// A patch that something speaks against before any test was run.
    pub(crate) fn of_bad(bad: &Bad) -> Self {
        let mut judgement = Self::bare(kind_of(bad), bad.line());
        judgement.evidence.add(bad);
        judgement
    }

    /// What a trial came to.
    pub(crate) fn of_trial(trial: Trial<'_>, fixed: u64) -> Self {
        let (kind, summary) = match (trial.bad.first(), trial.unsteady.first()) {
            (Some(bad), _) => (kind_of(bad), bad.line()),
            (None, Some(first)) => {
                let line = format!("passed when run again: {}", first.line());
                (VerdictKind::Flaky, line)
            }
            (None, None) => (VerdictKind::Plausible, praise(&trial.counts, fixed)),
        };
        let mut judgement = Self::bare(kind, summary);
        judgement.tests = trial.counts;
        let bad = if trial.bad.is_empty() {
            &trial.unsteady
        } else {
            &trial.bad
        };
        for what in bad {
            judgement.evidence.add(what);
        }
        if !trial.bad.is_empty() {
            let unsteady = trial.unsteady.iter();
            judgement
                .notes
                .extend(unsteady.map(|b| format!("passed when run again: {}", b.line())));
        }
        judgement
    }
}

fn kind_of(bad: &Bad) -> VerdictKind {
    match bad {
        Bad::Failure(_) => VerdictKind::TestFail,
        Bad::Timeout(_) => VerdictKind::Timeout,
        Bad::Crash(_) => VerdictKind::Crash,
    }
}

fn praise(counts: &TestCounts, fixed: u64) -> String {
    let all = text::count(counts.passed, "test");
    let verb = if counts.passed == 1 { "passes" } else { "pass" };
    match fixed {
        0 => format!("{all} {verb}"),
        n => format!("{all} {verb}, {n} of them failed before"),
    }
}

impl Evidence {
    fn add(&mut self, bad: &Bad) {
        match bad {
            Bad::Failure(failure) => self.failures.push(failure.clone()),
            Bad::Timeout(limit) => {
                self.limit.get_or_insert_with(|| limit.clone());
            }
            Bad::Crash(crash) => {
                self.crash.get_or_insert_with(|| crash.clone());
            }
        }
    }
}
