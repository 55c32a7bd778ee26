//! What users see of a run: progress while it lasts, and its verdicts in several formats afterwards.
//!
//! Reports are written from the run folder one verdict at a time, so their size does not matter. This crate
//! knows the engine's data and nothing below it.

mod github;
mod json;
mod junit;
pub mod mutate;
mod progress;
mod sarif;
mod show;
mod style;
mod table;
#[cfg(test)]
mod tests;
mod vary;

use std::io::{self, Write};

use braid_engine::{EngineError, RunInfo, RunReport, Summary, Verdict};

pub use json::jsonl_line;
pub use progress::{Lines, Mode};
pub use show::show;
pub use style::Style;
pub use table::{closing, runs};
pub use vary::{VaryText, vary_json, vary_text};

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Rows for people.
    #[default]
    Table,
    /// One JSON object.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// JUnit XML, as build servers read it.
    Junit,
    /// SARIF 2.1.0, as code scanning reads it.
    Sarif,
    /// Workflow commands that become annotations in pull requests.
    Github,
}

/// A run to report on.
pub(crate) struct Run<'a> {
    info: &'a RunInfo,
    summary: &'a Summary,
    verdicts: &'a Verdicts<'a>,
}

/// Calls a function with every verdict in order.
type Verdicts<'a> = dyn Fn(&mut Each<'_>) -> Result<(), EngineError> + 'a;
/// What is done with each verdict.
type Each<'a> = dyn FnMut(&Verdict) -> io::Result<()> + 'a;

impl Run<'_> {
    fn each(&self, mut each: impl FnMut(&Verdict) -> io::Result<()>) -> Result<(), EngineError> {
        (self.verdicts)(&mut each)
    }
}

/// Writes a run's report.
pub fn write(
    format: Format,
    report: &RunReport,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), EngineError> {
    let verdicts = |each: &mut Each<'_>| {
        report.for_each(|verdict| each(&verdict).map_err(EngineError::Output))
    };
    let run = Run {
        info: &report.info,
        summary: &report.summary,
        verdicts: &verdicts,
    };
    write_run(format, &run, style, out)
}

fn write_run(
    format: Format,
    run: &Run<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), EngineError> {
    match format {
        Format::Table => table::write(run, style, out),
        Format::Json => json::write(run, out),
        Format::Jsonl => json::write_lines(run, out),
        Format::Junit => junit::write(run, out),
        Format::Sarif => sarif::write(run, out),
        Format::Github => github::write(run, out),
    }?;
    out.flush().map_err(EngineError::Output)
}
