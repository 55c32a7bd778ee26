//! Texts: diffs, Markdown with diffs, Java sources.

use super::draft::{Draft, Drafts, Place};
use crate::diff::{Source, looks_like_diff, parse, unfence};
use crate::java::Unit;
use crate::{ApplyNote, Change, Format, ReadProblem, RelPath, SourceFile};

/// The one patch that a text is.
pub(super) fn drafts(place: Place, data: Vec<u8>) -> Drafts {
    let data = match data.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if place.extension() != "java" => rest.to_vec(),
        _ => data,
    };
    let draft = if place.extension() == "java" {
        java(&place, file_name(&place), data)
    } else if let Some(diff) = unfence(&data) {
        let mut draft = diff_draft(&place, diff, Source::Text, 1);
        let what = "diff taken from Markdown fences".to_owned();
        draft.notes.insert(0, ApplyNote::Lenient { line: 0, what });
        draft
    } else if looks_like_diff(&data) {
        diff_draft(&place, data, Source::File, 1)
    } else {
        source_or_unknown(&place, data)
    };
    Box::new(std::iter::once(draft))
}

/// A diff that begins at line `first` of its file.
pub(super) fn diff_draft(place: &Place, text: Vec<u8>, source: Source, first: usize) -> Draft {
    match parse(text, source) {
        Ok(parsed) => {
            let format = if parsed.git {
                Format::GitDiff
            } else {
                Format::UnifiedDiff
            };
            let mut draft = place.draft(first, format, Ok(Change::Diff(parsed.diff)));
            draft.notes = parsed.notes;
            draft
        }
        Err(failure) => place.draft(first, Format::UnifiedDiff, Err(failure.into_problem(first))),
    }
}

fn file_name(place: &Place) -> String {
    place
        .file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn java(place: &Place, name: String, content: Vec<u8>) -> Draft {
    let change = match RelPath::new(&name) {
        Ok(path) => Ok(Change::Sources(vec![SourceFile { path, content }])),
        Err(source) => Err(ReadProblem::Path { path: name, source }),
    };
    place.draft(1, Format::Sources, change)
}

/// Java without the name to show for it, or nothing known.
fn source_or_unknown(place: &Place, data: Vec<u8>) -> Draft {
    let is_text = !data.contains(&0);
    if is_text && may_be_java(&data) {
        let unit = Unit::parse(&data);
        let top = |decl: &&crate::java::TypeDecl| !decl.name.contains('.');
        let public = unit.types.iter().filter(top).find(|decl| decl.is_public);
        if let (true, Some(decl)) = (unit.well_formed, public.or(unit.types.first())) {
            let name = format!("{}.java", decl.name);
            return java(place, name, data);
        }
    }
    let problem = if is_text && is_normal_diff(&data) {
        ReadProblem::Unsupported(
            "diff without context; make a unified diff with `diff -u`".to_owned(),
        )
    } else {
        let first = data
            .split(|&byte| byte == b'\n')
            .map(|line| line.trim_ascii())
            .find(|line| !line.is_empty());
        let first: String = String::from_utf8_lossy(first.unwrap_or(b""))
            .chars()
            .take(60)
            .collect();
        ReadProblem::Unknown(format!(
            "expected a unified or git diff, JSON, Java source or a class file, found {first:?}"
        ))
    };
    place.draft(1, Format::Unknown, Err(problem))
}

/// Whether it is worth parsing: error recovery is slow on large texts that are something else.
fn may_be_java(data: &[u8]) -> bool {
    const LARGEST: usize = 4 << 20;
    let keywords = [&b"class "[..], b"interface ", b"enum ", b"record "];
    data.len() <= LARGEST
        && keywords
            .iter()
            .any(|word| memchr::memmem::find(data, word).is_some())
}

/// `12c12`, `3,4d2`: what `diff` writes without `-u`.
fn is_normal_diff(data: &[u8]) -> bool {
    let mut lines = data.split(|&byte| byte == b'\n');
    let command = |line: &[u8]| {
        let numbers = |part: &[u8]| {
            !part.is_empty()
                && part
                    .iter()
                    .all(|byte| byte.is_ascii_digit() || *byte == b',')
        };
        let at = line
            .iter()
            .position(|byte| matches!(byte, b'a' | b'c' | b'd'));
        at.is_some_and(|at| numbers(&line[..at]) && numbers(line[at + 1..].trim_ascii_end()))
    };
    lines.any(command)
        && data
            .split(|&byte| byte == b'\n')
            .any(|line| line.starts_with(b"< ") || line.starts_with(b"> "))
}
