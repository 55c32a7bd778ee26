//! GitHub workflow commands, which become annotations of files in a pull request.

use std::io::Write;

use braid_engine::{EngineError, Verdict, VerdictKind};

use crate::Run;
use crate::sarif::place;

pub(crate) fn write(run: &Run<'_>, out: &mut dyn Write) -> Result<(), EngineError> {
    run.each(|verdict| writeln!(out, "{}", command(verdict)))
}

fn command(verdict: &Verdict) -> String {
    let level = match verdict.verdict {
        VerdictKind::Plausible => "notice",
        VerdictKind::Flaky | VerdictKind::Unsupported => "warning",
        _ => "error",
    };
    let (file, line, _) = place(verdict);
    let title = format!("{}: {}", verdict.id, verdict.verdict);
    format!(
        "::{level} file={},line={},title={}::{}",
        property(&file),
        line.max(1),
        property(&title),
        data(&verdict.summary)
    )
}

pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
