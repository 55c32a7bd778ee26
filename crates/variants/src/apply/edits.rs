//! Replacements of ranges.

use std::collections::BTreeMap;
use std::ops::Range;

use super::text::{FileLines, line_ending, with_line_ending};
use super::work::Work;
use crate::diff::Eol;
use crate::{ApplyError, ApplyNote, Position, RelPath, TextEdit};

/// Carries out the edits, all of which speak of the files as they were before the patch.
pub(crate) fn apply(work: &mut Work<'_>, edits: &[TextEdit]) -> Result<(), ApplyError> {
    let mut by_file: BTreeMap<RelPath, Vec<&TextEdit>> = BTreeMap::new();
    for edit in edits {
        by_file
            .entry(work.find(&edit.path, 0)?.path)
            .or_default()
            .push(edit);
    }
    for (path, edits) in by_file {
        let content = work.require(&path)?;
        let lines = FileLines::new(&content);
        let mut ranges = Vec::with_capacity(edits.len());
        for edit in edits {
            ranges.push((range(&path, &lines, &content, edit)?, edit.text.as_bytes()));
        }
        // Insertions come before a replacement that starts at the same place, in their order.
        ranges.sort_by_key(|(range, _)| (range.start, range.end));
        check_apart(&path, &lines, &ranges)?;
        let eol = line_ending(&content);
        let mut out = Vec::with_capacity(content.len());
        let mut at = 0;
        for (range, text) in ranges {
            out.extend_from_slice(&content[at..range.start]);
            let mut text = work.encoded(&path, &content, text)?;
            if eol == Eol::CrLf
                && memchr::memmem::find(&text, b"\r\n").is_none()
                && text.contains(&b'\n')
            {
                text = with_line_ending(&text, eol);
                work.note(ApplyNote::LineEndings { path: path.clone() });
            }
            out.extend_from_slice(&text);
            at = range.end;
        }
        out.extend_from_slice(&content[at..]);
        work.write(path, out);
    }
    Ok(())
}

fn range(
    path: &RelPath,
    lines: &FileLines<'_>,
    content: &[u8],
    edit: &TextEdit,
) -> Result<Range<usize>, ApplyError> {
    let wrong = |what: String| ApplyError::Range {
        path: path.clone(),
        what,
    };
    let start = offset(lines, content, edit.start).map_err(wrong)?;
    let end = offset(lines, content, edit.end).map_err(wrong)?;
    if start > end {
        return Err(wrong(format!(
            "the edit's end ({end}) is before its start ({start})"
        )));
    }
    Ok(start..end)
}

/// The byte that a position means.
fn offset(lines: &FileLines<'_>, content: &[u8], position: Position) -> Result<usize, String> {
    match position {
        Position::Offset(offset) if offset <= content.len() => Ok(offset),
        Position::Offset(offset) => Err(format!(
            "offset {offset} is beyond the end of the file ({} bytes)",
            content.len()
        )),
        Position::LineColumn(line, 1) if line == lines.len() + 1 => Ok(content.len()),
        Position::LineColumn(line, _) if line == 0 || line > lines.len() => Err(format!(
            "line {line} is not in the file ({} lines)",
            lines.len()
        )),
        Position::LineColumn(line, column) => {
            let text = lines.get(line - 1).0;
            let in_line = match std::str::from_utf8(text) {
                Ok(text) => {
                    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
                    column.checked_sub(1).and_then(|skip| ends.nth(skip))
                }
                Err(_) => column.checked_sub(1).filter(|&at| at <= text.len()),
            };
            match in_line {
                Some(at) => Ok(lines.start(line - 1) + at),
                None => Err(format!("line {line} has no column {column}")),
            }
        }
    }
}

fn check_apart(
    path: &RelPath,
    lines: &FileLines<'_>,
    ranges: &[(Range<usize>, &[u8])],
) -> Result<(), ApplyError> {
    for pair in ranges.windows(2) {
        let (first, second) = (&pair[0].0, &pair[1].0);
        if second.start < first.end {
            let (first, second) = (lines.number_at(first.start), lines.number_at(second.start));
            return Err(ApplyError::Range {
                path: path.clone(),
                what: format!("the edits at lines {first} and {second} overlap"),
            });
        }
    }
    Ok(())
}
