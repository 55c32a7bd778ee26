//! What came of one patch, with its evidence. This is the JSON that users read: see
//! [`SCHEMA_VERSION`].

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{StrategyKind, text};

/// The version of the JSON form of [`Verdict`] and [`Summary`](crate::Summary). It grows when a field changes its
/// meaning or goes away; new fields may appear at any time.
pub const SCHEMA_VERSION: u32 = 1;

/// What came of a patch, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Every test that had to pass passes, and nothing that passed fails.
    Plausible,
    /// A test fails.
    TestFail,
    /// It does not compile.
    CompileError,
    /// It cannot be read or applied.
    ApplyError,
    /// A test, or the compiler, did not end in time.
    Timeout,
    /// The JVM ended in the middle of a test: exit, halt, out of memory, a fatal error, a signal.
    Crash,
    /// A test failed and then passed when it was run again.
    Flaky,
    /// Braid declines to judge it, and says why.
    Unsupported,
}

impl VerdictKind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Plausible,
        Self::TestFail,
        Self::CompileError,
        Self::ApplyError,
        Self::Timeout,
        Self::Crash,
        Self::Flaky,
        Self::Unsupported,
    ];

    /// The name used in JSON, on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::TestFail => "test_fail",
            Self::CompileError => "compile_error",
            Self::ApplyError => "apply_error",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Flaky => "flaky",
            Self::Unsupported => "unsupported",
        }
    }

    /// What the verdict says, in a sentence for people who see it for the first time.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Plausible => "all tests that had to pass do, and nothing that passed fails",
            Self::TestFail => "a test fails",
            Self::CompileError => "the patched program does not compile",
            Self::ApplyError => "the patch cannot be read or does not apply",
            Self::Timeout => "a test, or the compiler, did not end in time",
            Self::Crash => "the JVM ended in the middle of a test",
            Self::Flaky => "a test failed, then passed when it was run again",
            Self::Unsupported => "Braid declines to judge this patch",
        }
    }
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The verdict on one patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The patch's name.
    pub id: String,
    /// Its place in the input, from 0.
    pub seq: u64,
    /// The verdict.
    pub verdict: VerdictKind,
    /// The verdict's reason, in one line.
    pub summary: String,
    /// What the verdict rests on.
    #[serde(default)]
    pub evidence: Evidence,
    /// What was run.
    #[serde(default)]
    pub tests: TestCounts,
    /// Where the time went.
    #[serde(default)]
    pub timings: Timings,
    /// How it was decided.
    pub decided: Decided,
    /// Where the patch came from.
    pub origin: PatchOrigin,
    /// The files it changes.
    #[serde(default)]
    pub files: Vec<String>,
    /// What else a user may want to know: fuzz, offsets, tests left out.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Hash of what the patch does to the program, or of its text where it does not apply.
    pub content: String,
}

/// What a verdict rests on. Every part may be absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The tests that fail; only the first, unless all tests were run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<TestFailure>,
    /// The compiler's errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<SourceDiagnostic>,
    /// The limit that was hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitHit>,
    /// How the JVM ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<CrashReport>,
    /// Why the patch was not applied or not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// One failing test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestFailure {
    /// `com.x.FooTest#bar`, or `com.x.FooTest#bar[2]` for an invocation.
    pub test: String,
    /// Whether it failed on the unpatched program too.
    pub failed_before: bool,
    /// Whether an assertion failed, as against any other exception.
    pub assertion: bool,
    /// The class of the exception; empty where the test did not run at all.
    pub exception: String,
    /// The exception's message.
    pub message: Option<String>,
    /// The trace without the frames of test framework and JDK reflection.
    pub trace: String,
}

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceDiagnostic {
    /// The file, relative to the project.
    pub file: String,
    /// The line, from 1; 0 where the compiler names none.
    pub line: u32,
    /// The column, from 1; 0 where the compiler names none.
    pub column: u32,
    /// The compiler's words.
    pub message: String,
    /// The compiler's code of the message, such as `compiler.err.cant.resolve`.
    pub code: String,
}

/// A limit that ended a patch's run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitHit {
    /// What was limited: `test` or `compile`.
    pub what: String,
    /// The limit.
    pub limit_ms: u64,
    /// The test that was running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// How long that test takes on the unpatched program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_ms: Option<u64>,
    /// Where the program was when it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The limit in loop iterations and calls, where those were counted in place of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticks: Option<TickLimit>,
    /// Whether it stood still and nobody was left who could wake it, so that waiting for the limit was needless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub for_good: bool,
}

impl LimitHit {
    /// What the limit was and that it was not enough, in words that follow on the name of what was limited.
    pub fn line(&self) -> String {
        if self.for_good {
            return text::WAITS_FOR_GOOD.to_owned();
        }
        let millis = |ms: u64| text::duration(Duration::from_millis(ms));
        let (limit, usual) = match &self.ticks {
            Some(ticks) => (
                format!("{} loop iterations and calls", ticks.limit),
                Some(ticks.baseline.to_string()),
            ),
            None => (millis(self.limit_ms), self.baseline_ms.map(millis)),
        };
        let usual = usual.map_or(String::new(), |usual| format!(" (unpatched: {usual})"));
        format!("did not end within {limit}{usual}")
    }
}

/// A limit on how much a test may do, which no load of the machine can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickLimit {
    /// Loop iterations and calls that it may use.
    pub limit: u64,
    /// What it uses on the unpatched program.
    pub baseline: u64,
}

/// How a JVM ended that should have gone on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrashReport {
    /// The test that was running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// In words: `System.exit(3)`, `out of memory`, `killed by signal 9`.
    pub cause: String,
    /// The exit code, if it ended with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The last of its standard error output, or the stack of the thread that called exit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// How many tests were run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounts {
    /// Units that were to be run (methods; a parameterised method is one).
    pub planned: u64,
    /// Units that were run.
    pub run: u64,
    /// Results that passed.
    pub passed: u64,
    /// Results that failed, whether or not they failed before.
    pub failed: u64,
    /// Results that were skipped.
    pub skipped: u64,
}

/// Where a patch's time went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timings {
    /// Applying.
    pub apply_ms: u64,
    /// Compiling.
    pub compile_ms: u64,
    /// Running tests, JVM start included.
    pub test_ms: u64,
    /// From taking up the patch to its verdict.
    pub total_ms: u64,
}

/// How a verdict came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The strategy that decided.
    pub strategy: StrategyKind,
    /// Why that strategy.
    pub reason: String,
    /// Whether it was run now or is known from before.
    pub source: Source,
    /// The patch that was judged in place of this one, where both do the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

/// Whether a verdict was worked out now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Judged in this run.
    Run,
    /// Answered from the store: same program, same patch, same limits.
    Store,
    /// Another patch of this run does the same.
    Duplicate,
}

/// Where a patch came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchOrigin {
    /// The file; `-` for standard input.
    pub file: String,
    /// The line on which the patch begins, from 1; 0 where it is a folder.
    pub line: u64,
    /// The form it was read from.
    pub format: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_json_names() {
        for kind in VerdictKind::ALL {
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.name()));
        }
    }

    #[test]
    fn a_verdict_with_only_the_required_fields_is_readable() {
        let text = r#"{"id":"p","seq":0,"verdict":"plausible","summary":"","content":"",
            "decided":{"strategy":"plain","reason":"","source":"run"},
            "origin":{"file":"a","line":1,"format":"git diff"}}"#;
        let verdict: Verdict = serde_json::from_str(text).unwrap();
        assert_eq!(verdict.verdict, VerdictKind::Plausible);
        assert_eq!(verdict.tests, TestCounts::default());
    }
}
