//! SARIF 2.1.0: one result for each mutant that no test notices, one rule an operator.

use std::collections::BTreeSet;
use std::io::{self, Write};

use braid_engine::mutate::{MutantResult, Status};
use serde_json::{Value, json};

use crate::mutate::Mutants;
use crate::sarif::{SCHEMA, uri};

pub(crate) fn write(mutants: &Mutants<'_>, out: &mut dyn Write) -> io::Result<()> {
    let info = &mutants.report.info;
    let unnoticed = mutants.unnoticed();
    let used: BTreeSet<&str> = unnoticed.iter().map(|r| r.operator.as_str()).collect();
    let operators = braid_engine::mutate::operators();
    let rules: Vec<Value> = used
        .iter()
        .map(|id| {
            let summary = operators.iter().find(|operator| operator.id == *id);
            let summary = summary.map_or(*id, |operator| operator.summary);
            json!({
                "id": id,
                "shortDescription": { "text": summary },
                "defaultConfiguration": { "level": "warning" },
            })
        })
        .collect();
    let results: Vec<Value> = unnoticed.iter().map(|r| result(r)).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "braid mutate",
                "version": info.braid_version,
                "rules": rules,
            }},
            "originalUriBaseIds": { "ROOT": { "uri": format!("file://{}/", info.root.display()) } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

fn result(result: &MutantResult) -> Value {
    let (level, why) = match result.status {
        Status::NotCovered => ("note", "no test reaches it".to_owned()),
        _ => (
            "warning",
            format!("{} tests reach it and pass", result.covered_by.len()),
        ),
    };
    let mut region = json!({ "startLine": result.line.unwrap_or(1).max(1) });
    if let Some(place) = &result.place {
        region = json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        });
    }
    let file = result
        .file
        .clone()
        .unwrap_or_else(|| result.class.replace('.', "/"));
    json!({
        "ruleId": result.operator,
        "level": level,
        "message": { "text": format!("no test notices: {} ({why})", result.description) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&file), "uriBaseId": "ROOT" },
            "region": region,
        }}],
        "partialFingerprints": { "mutant/v1": result.id },
    })
}
