//! JSON, whole and line by line. The form is the engine's own; see [`braid_engine::SCHEMA_VERSION`].

use std::io::Write;

use braid_engine::{EngineError, RunInfo, SCHEMA_VERSION, Summary, Verdict};
use serde::Serialize;

use crate::Run;

/// The head of a JSON report; the patches follow.
#[derive(Serialize)]
struct Head<'a> {
    schema_version: u32,
    #[serde(flatten)]
    summary: &'a Summary,
    request: &'a RunInfo,
}

/// A verdict that tells its own version, for files that are cut and merged.
#[derive(Serialize)]
struct Line<'a> {
    schema_version: u32,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

pub(crate) fn write(run: &Run<'_>, out: &mut dyn Write) -> Result<(), EngineError> {
    let head = Head {
        schema_version: SCHEMA_VERSION,
        summary: run.summary,
        request: run.info,
    };
    let text = serde_json::to_string_pretty(&head).map_err(json)?;
    // the head without its closing brace, so that patches can follow one by one
    let open = text.trim_end().trim_end_matches('}').trim_end();
    write!(out, "{open},\n  \"patches\": [").map_err(EngineError::Output)?;
    let mut first = true;
    run.each(|verdict| {
        let comma = if first { "\n" } else { ",\n" };
        first = false;
        write!(out, "{comma}    {}", serde_json::to_string(verdict)?)
    })?;
    writeln!(out, "\n  ]\n}}").map_err(EngineError::Output)
}

pub(crate) fn write_lines(run: &Run<'_>, out: &mut dyn Write) -> Result<(), EngineError> {
    run.each(|verdict| writeln!(out, "{}", jsonl_line(verdict)))
}

/// One verdict as one line of JSON, without the newline.
pub fn jsonl_line(verdict: &Verdict) -> String {
    let line = Line {
        schema_version: SCHEMA_VERSION,
        verdict,
    };
    serde_json::to_string(&line).expect("verdicts are plain data with a JSON form")
}

fn json(error: serde_json::Error) -> EngineError {
    EngineError::Output(error.into())
}
