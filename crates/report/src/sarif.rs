//! SARIF 2.1.0: one result a patch, one rule a verdict.

use std::io::Write;

use braid_engine::{EngineError, Verdict, VerdictKind};
use serde_json::{Value, json};

use crate::Run;

pub(crate) const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(crate) fn write(run: &Run<'_>, out: &mut dyn Write) -> Result<(), EngineError> {
    let rules: Vec<Value> = VerdictKind::ALL.into_iter().map(rule).collect();
    let driver = json!({
        "name": "braid",
        "version": run.info.braid_version,
        "rules": rules,
    });
    let root = format!("file://{}/", run.info.root.display());
    let head = format!(
        "{{\"$schema\": \"{SCHEMA}\", \"version\": \"2.1.0\", \"runs\": [{{\"tool\": {{\"driver\": {driver}}}, \
         \"originalUriBaseIds\": {{\"ROOT\": {{\"uri\": {}}}}}, \"results\": [",
        json!(root)
    );
    writeln!(out, "{head}").map_err(EngineError::Output)?;
    let mut first = true;
    run.each(|verdict| {
        let comma = if first { "" } else { ",\n" };
        first = false;
        write!(out, "{comma}{}", result(verdict))
    })?;
    writeln!(out, "\n]}}]}}").map_err(EngineError::Output)
}

fn rule(kind: VerdictKind) -> Value {
    json!({
        "id": kind.name(),
        "shortDescription": { "text": kind.meaning() },
        "defaultConfiguration": { "level": level(kind) },
    })
}

fn level(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Plausible => "note",
        VerdictKind::Flaky | VerdictKind::Unsupported => "warning",
        _ => "error",
    }
}

fn result(verdict: &Verdict) -> Value {
    let text = format!(
        "patch {}: {}: {}",
        verdict.id, verdict.verdict, verdict.summary
    );
    let index = VerdictKind::ALL
        .iter()
        .position(|kind| *kind == verdict.verdict);
    json!({
        "ruleId": verdict.verdict.name(),
        "ruleIndex": index,
        "level": level(verdict.verdict),
        "message": { "text": text },
        "locations": [location(verdict)],
        "partialFingerprints": { "patch/v1": verdict.content },
        "properties": { "patch": verdict.id, "strategy": verdict.decided.strategy },
    })
}

/// The first error of the compiler, else the first file that the patch changes, else the patch itself.
fn location(verdict: &Verdict) -> Value {
    let (file, line, in_project) = place(verdict);
    let mut artifact = json!({ "uri": uri(&file) });
    if in_project {
        artifact["uriBaseId"] = json!("ROOT");
    }
    json!({ "physicalLocation": {
        "artifactLocation": artifact,
        "region": { "startLine": line.max(1) },
    }})
}

/// File, line, and whether the file is relative to the project.
pub(crate) fn place(verdict: &Verdict) -> (String, u64, bool) {
    if let Some(diagnostic) = verdict.evidence.diagnostics.first()
        && !diagnostic.file.is_empty()
    {
        return (diagnostic.file.clone(), diagnostic.line.into(), true);
    }
    match verdict.files.first() {
        Some(file) => (file.clone(), 1, true),
        None => (verdict.origin.file.clone(), verdict.origin.line, false),
    }
}

/// A path as a URI reference: what is not harmless is written in hexadecimal.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' | b'$' => {
                out.push(byte as char);
            }
            b'\\' => out.push('/'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
