//! JUnit XML: one test case a patch, which passes if the patch is plausible.

use std::io::Write;

use braid_engine::{EngineError, Verdict, VerdictKind};

use crate::Run;
use crate::show::details;

pub(crate) fn write(run: &Run<'_>, out: &mut dyn Write) -> Result<(), EngineError> {
    let tally = &run.summary.tally;
    let count = |kinds: &[VerdictKind]| kinds.iter().map(|kind| tally.of(*kind)).sum::<u64>();
    let head = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"braid validate, run {}\" \
         tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">",
        run.summary.run,
        tally.total(),
        count(&FAILURES),
        count(&ERRORS),
        count(&[VerdictKind::Unsupported]),
        seconds(run.summary.elapsed_ms),
    );
    writeln!(out, "{head}").map_err(EngineError::Output)?;
    run.each(|verdict| writeln!(out, "{}", case(verdict)))?;
    writeln!(out, "  </testsuite>\n</testsuites>").map_err(EngineError::Output)
}

const FAILURES: [VerdictKind; 3] = [
    VerdictKind::TestFail,
    VerdictKind::CompileError,
    VerdictKind::Flaky,
];
const ERRORS: [VerdictKind; 3] = [
    VerdictKind::ApplyError,
    VerdictKind::Timeout,
    VerdictKind::Crash,
];

fn case(verdict: &Verdict) -> String {
    let open = format!(
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
        escape(&verdict.origin.file),
        escape(&verdict.id),
        seconds(verdict.timings.total_ms),
    );
    let element = match verdict.verdict {
        VerdictKind::Plausible => return format!("{open}/>"),
        VerdictKind::Unsupported => "skipped",
        kind if FAILURES.contains(&kind) => "failure",
        _ => "error",
    };
    let message = escape(&verdict.summary);
    let name = verdict.verdict.name();
    let kind = if element == "skipped" {
        String::new()
    } else {
        format!(" type=\"{name}\"")
    };
    let body = escape(&details(verdict));
    format!(
        "{open}>\n      <{element} message=\"{message}\"{kind}>{body}</{element}>\n    </testcase>"
    )
}

pub(crate) fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// Text for XML 1.0, which has no room for most control characters.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
