//! What users see of a run over mutants.

mod elements;
mod explain;
mod github;
mod html;
mod junit;
mod pit;
mod sarif;
mod show;
mod summary;

use std::io::Write;

use braid_engine::EngineError;
use braid_engine::mutate::{MutantResult, MutateReport, Status};

use crate::Style;

pub use explain::{explain, explain_time, list, list_operators};
pub use show::show;
pub use summary::{percent, runs, summary};

/// The form of a report on mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MutateFormat {
    /// The mutants that no test notices, and the score, for people.
    #[default]
    Summary,
    /// The JSON of mutation-testing-elements.
    Json,
    /// One JSON object a line, in Braid's own form.
    Jsonl,
    /// One HTML file that needs nothing else.
    Html,
    /// PIT's `mutations.xml`.
    Pit,
    /// JUnit XML: a test case for each mutant.
    Junit,
    /// SARIF 2.1.0: a result for each mutant that no test notices.
    Sarif,
    /// GitHub annotations for mutants that no test notices.
    Github,
}

/// Writes the report of a run over mutants.
pub fn write_mutants(
    format: MutateFormat,
    report: &MutateReport,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), EngineError> {
    let mut results = Vec::new();
    report.for_each(|result| {
        results.push(result);
        Ok(())
    })?;
    let mutants = Mutants {
        report,
        results: &results,
    };
    match format {
        MutateFormat::Summary => summary::write(&mutants, style, out),
        MutateFormat::Json => elements::write(&mutants, out),
        MutateFormat::Jsonl => lines(&results, out),
        MutateFormat::Html => html::write(&mutants, out),
        MutateFormat::Pit => pit::write(&mutants, out),
        MutateFormat::Junit => junit::write(&mutants, out),
        MutateFormat::Sarif => sarif::write(&mutants, out),
        MutateFormat::Github => github::write(&mutants, out),
    }
    .and_then(|()| out.flush())
    .map_err(EngineError::Output)
}

/// A run with its results.
pub(crate) struct Mutants<'a> {
    report: &'a MutateReport,
    results: &'a [MutantResult],
}

impl Mutants<'_> {
    /// A test's name by its number.
    fn test(&self, number: u32) -> &str {
        let tests = &self.report.info.tests;
        tests.get(number as usize).map_or("?", |test| &test.name)
    }

    /// Mutants that no test notices, those that matter most first.
    fn unnoticed(&self) -> Vec<&MutantResult> {
        let mut unnoticed: Vec<&MutantResult> = self
            .results
            .iter()
            .filter(|r| !r.status.is_detected())
            .collect();
        unnoticed.sort_by_key(|result| {
            let reached = usize::MAX - result.covered_by.len();
            let survived = result.status != Status::Survived;
            (survived, weight(&result.operator), reached, result.seq)
        });
        unnoticed
    }
}

/// How little a surviving mutant of an operator says: a branch or a call without which all tests pass says more than
/// an off-by-one.
fn weight(operator: &str) -> u8 {
    match operator {
        "method-body" => 0,
        "void-calls" | "negate-conditionals" => 1,
        name if name.starts_with("remove-conditionals") || name.ends_with("returns") => 1,
        "math" | "conditionals-boundary" | "increments" | "invert-negs" => 2,
        _ => 3,
    }
}

fn lines(results: &[MutantResult], out: &mut dyn Write) -> std::io::Result<()> {
    for result in results {
        serde_json::to_writer(&mut *out, result)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Where a mutant is, for people: `src/main/java/a/C.java:12`, else the class.
pub(crate) fn place(result: &MutantResult) -> String {
    let file = result.file.as_deref().unwrap_or(&result.class);
    match result.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}
