//! One patch in full.

use std::io::{self, Write};
use std::time::Duration;

use braid_engine::{Shown, Source, Verdict, text};

use crate::style::Style;

/// Writes everything that is known of a patch.
pub fn show(shown: &Shown, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let verdict = &shown.verdict;
    let kind = style.verdict(verdict.verdict, 0);
    writeln!(out, "{}: {kind}", style.bold(&verdict.id))?;
    writeln!(out, "{}", verdict.summary)?;
    writeln!(out, "{}", style.dim(verdict.verdict.meaning()))?;
    writeln!(out)?;
    let origin = &verdict.origin;
    writeln!(
        out,
        "from       {}:{} ({})",
        origin.file, origin.line, origin.format
    )?;
    if !verdict.files.is_empty() {
        writeln!(out, "changes    {}", verdict.files.join(", "))?;
    }
    writeln!(out, "decided    {}", decided(verdict))?;
    let tests = &verdict.tests;
    if tests.planned > 0 {
        writeln!(
            out,
            "tests      {} of {} methods run: {} passed, {} failed, {} skipped",
            tests.run, tests.planned, tests.passed, tests.failed, tests.skipped
        )?;
    }
    writeln!(out, "time       {}", times(verdict))?;
    for note in &verdict.notes {
        writeln!(out, "note       {note}")?;
    }
    let details = details(verdict);
    if !details.is_empty() {
        writeln!(out, "\n{}", details.trim_end())?;
    }
    if let Some(diff) = shown.diff.as_ref().filter(|diff| !diff.is_empty()) {
        writeln!(out, "\n{}", style.bold("what it changes"))?;
        writeln!(out, "{}", diff.trim_end())?;
    }
    if let Some(output) = shown.log.as_deref().and_then(jvm_output) {
        writeln!(out, "\n{}", style.bold("what its tests wrote"))?;
        writeln!(out, "{}", output.trim_end())?;
    }
    Ok(())
}

fn decided(verdict: &Verdict) -> String {
    let decided = &verdict.decided;
    let how = format!("strategy {}", decided.strategy);
    let how = match decided.reason.as_str() {
        "" => how,
        reason => format!("{how} ({reason})"),
    };
    match (decided.source, &decided.same_as) {
        (Source::Run, _) => how,
        (Source::Store, _) => format!("{how}, in an earlier run: same program, same change"),
        (Source::Duplicate, Some(first)) => format!("{how}, once for this patch and {first}"),
        (Source::Duplicate, None) => how,
    }
}

fn times(verdict: &Verdict) -> String {
    let part =
        |name: &str, ms: u64| format!("{name} {}", text::duration(Duration::from_millis(ms)));
    let timings = &verdict.timings;
    let parts = [
        part("apply", timings.apply_ms),
        part("compile", timings.compile_ms),
        part("tests", timings.test_ms),
    ];
    parts.join(", ")
}

/// The part of a log that the tests wrote.
fn jvm_output(log: &str) -> Option<&str> {
    log.find("--- std").map(|at| &log[at..])
}

/// The evidence as text.
pub(crate) fn details(verdict: &Verdict) -> String {
    let mut out = String::new();
    let evidence = &verdict.evidence;
    if let Some(refusal) = &evidence.refusal {
        out += &format!("{refusal}\n");
    }
    for diagnostic in &evidence.diagnostics {
        let place = format!(
            "{}:{}:{}",
            diagnostic.file, diagnostic.line, diagnostic.column
        );
        out += &format!("{place}: {}\n", diagnostic.message);
    }
    for failure in &evidence.failures {
        let before = if failure.failed_before {
            " (failed before)"
        } else {
            ""
        };
        out += &format!("{}{before}\n", failure.test);
        if failure.trace.is_empty() {
            let message = failure.message.as_deref().unwrap_or_default();
            out += &format!("{} {message}\n", failure.exception);
        } else {
            out += &format!("{}\n", failure.trace.trim_end());
        }
    }
    if let Some(limit) = &evidence.limit {
        let what = limit.test.as_deref().unwrap_or(&limit.what);
        out += &format!("{what} {}\n", limit.line());
        out += limit.stack.as_deref().unwrap_or_default();
        out += "\n";
    }
    if let Some(crash) = &evidence.crash {
        out += &format!("{}\n{}\n", crash.cause, crash.detail);
    }
    out
}
