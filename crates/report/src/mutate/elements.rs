//! The JSON of mutation-testing-elements, schema version 2.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};

use braid_engine::mutate::{How, MutantResult, Status};
use serde_json::{Value, json};

use crate::mutate::Mutants;

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &document(mutants))?;
    writeln!(out)
}

/// The whole document.
pub(crate) fn document(mutants: &Mutants<'_>) -> Value {
    let info = &mutants.report.info;
    let mut files: BTreeMap<String, Vec<&MutantResult>> = BTreeMap::new();
    for result in mutants.results {
        let file = result
            .file
            .clone()
            .unwrap_or_else(|| result.class.replace('.', "/"));
        files.entry(file).or_default().push(result);
    }
    let files: BTreeMap<String, Value> = files
        .into_iter()
        .map(|(name, results)| {
            let source = fs::read(info.root.join(&name)).unwrap_or_default();
            let source = String::from_utf8_lossy(&source).into_owned();
            let mutants: Vec<Value> = results.iter().map(|r| mutant(r, &source)).collect();
            let language = if name.ends_with(".kt") {
                "kotlin"
            } else {
                "java"
            };
            let file = json!({ "language": language, "source": source, "mutants": mutants });
            (name, file)
        })
        .collect();
    let summary = &mutants.report.summary;
    let config = json!({ "selection": info.selection, "operators": info.operators });
    json!({
        "schemaVersion": "2",
        "thresholds": { "high": 80, "low": 60 },
        "projectRoot": info.root,
        "files": files,
        "testFiles": test_files(mutants),
        "framework": { "name": "Braid", "version": info.braid_version },
        "config": config,
        "performance": {
            "setup": phases(mutants, &["building", "making", "copying"]),
            "initialRun": phases(mutants, &["testing"]),
            "mutation": phases(mutants, &["running"]).max(summary.phases.is_empty().into()),
        },
    })
}

fn phases(mutants: &Mutants<'_>, starts: &[&str]) -> u64 {
    let phases = mutants.report.summary.phases.iter();
    let own = phases.filter(|phase| starts.iter().any(|start| phase.name.starts_with(start)));
    own.map(|phase| phase.ms).sum()
}

/// The names of the schema. Mutants that run out of memory are noticed, which only `Killed` says there.
fn status(status: Status) -> &'static str {
    match status {
        Status::Survived => "Survived",
        Status::NotCovered => "NoCoverage",
        Status::Killed | Status::Error => "Killed",
        Status::Timeout => "Timeout",
    }
}

fn mutant(result: &MutantResult, source: &str) -> Value {
    let tests =
        |numbers: &[u32]| -> Vec<String> { numbers.iter().map(ToString::to_string).collect() };
    let killers: Vec<u32> = [&result.killed_by, &result.timeout_by, &result.error_by]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let mut mutant = json!({
        "id": result.id,
        "mutatorName": result.operator,
        "description": format!("{}#{}: {}", result.class, result.method, result.description),
        "location": location(result, source),
        "status": status(result.status),
        "coveredBy": tests(&result.covered_by),
        "killedBy": tests(&killers),
        "testsCompleted": result.tests_run,
        "duration": result.elapsed_us / 1_000,
    });
    let mut reason = result.reason.clone();
    if result.decided.how == How::Same {
        reason = format!("the same code as {}: {reason}", result.decided.why);
    }
    if !reason.is_empty() {
        mutant["statusReason"] = json!(reason);
    }
    let place = result.place.as_ref();
    mutant["replacement"] = match place.and_then(|place| place.replacement.as_ref()) {
        Some(text) => json!(text),
        None => json!(result.description),
    };
    mutant
}

/// The place in the source, or all of the line.
fn location(result: &MutantResult, source: &str) -> Value {
    let position = |line: u32, column: u32| json!({ "line": line, "column": column });
    if let Some(place) = &result.place {
        let end = match (place.end_line, place.end_column) == (place.line, place.column) {
            true => place.end_column + 1,
            false => place.end_column,
        };
        return json!({
            "start": position(place.line, place.column),
            "end": position(place.end_line, end),
        });
    }
    let line = result.line.unwrap_or(1).max(1);
    let text = source.lines().nth(line as usize - 1).unwrap_or_default();
    let indent = text.len() - text.trim_start().len();
    let units = |text: &str| text.encode_utf16().count() as u32;
    let start = units(&text[..indent]) + 1;
    let end = units(text.trim_end()).max(start) + 1;
    json!({ "start": position(line, start), "end": position(line, end) })
}

fn test_files(mutants: &Mutants<'_>) -> BTreeMap<String, Value> {
    let mut files: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (number, test) in mutants.report.info.tests.iter().enumerate() {
        let class = test.name.split('#').next().unwrap_or(&test.name);
        let file = test.file.clone().unwrap_or_else(|| class.replace('.', "/"));
        let entry = json!({ "id": number.to_string(), "name": test.name });
        files.entry(file).or_default().push(entry);
    }
    let files = files.into_iter();
    files
        .map(|(name, tests)| (name, json!({ "tests": tests })))
        .collect()
}
