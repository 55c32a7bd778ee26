//! A range given together with all that surrounds it, as ExpressAPR does.

use std::ops::Range;

use super::text::{line_ending, with_line_ending};
use super::work::Work;
use crate::{ApplyError, ApplyNote, Region, RelPath};

/// How many lines around the range must fit where the rest of the file does not.
const CONTEXT_LINES: usize = 3;

/// Replaces the range. Everything around it keeps its bytes.
pub(crate) fn apply(work: &mut Work<'_>, region: &Region) -> Result<(), ApplyError> {
    let site = &region.site;
    let path = work.find(&site.path, 0)?.path;
    let content = work.require(&path)?;
    let above = work.encoded(&path, &content, site.above.as_bytes())?;
    let unpatched = work.encoded(&path, &content, site.unpatched.as_bytes())?;
    let below = work.encoded(&path, &content, site.below.as_bytes())?;
    let replacement = work.encoded(&path, &content, region.replacement.as_bytes())?;
    let range = match surrounded(&content, &above, &unpatched, &below) {
        Some(range) => range,
        None => nearby(work, &path, &content, &above, &unpatched, &below)?,
    };
    let mut out = content[..range.start].to_vec();
    out.extend(with_line_ending(&replacement, line_ending(&content)));
    out.extend_from_slice(&content[range.end..]);
    work.write(path, out);
    Ok(())
}

/// The range if the three texts together are the file, line endings aside.
fn surrounded(
    content: &[u8],
    above: &[u8],
    unpatched: &[u8],
    below: &[u8],
) -> Option<Range<usize>> {
    let start = prefix(content, above)?;
    let end = start + prefix(&content[start..], unpatched)?;
    let rest = &content[end..];
    (prefix(rest, below)? == rest.len()).then_some(start..end)
}

/// How many bytes of `content` are `text`, where CR LF and LF are the same.
fn prefix(content: &[u8], text: &[u8]) -> Option<usize> {
    if content.starts_with(text) {
        return Some(text.len());
    }
    let mut at = 0;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'\r' if after.first() == Some(&b'\n') => {}
            b'\n' => {
                at += usize::from(content.get(at) == Some(&b'\r'));
                if content.get(at) != Some(&b'\n') {
                    return None;
                }
                at += 1;
            }
            _ if content.get(at) == Some(&byte) => at += 1,
            _ => return None,
        }
        rest = after;
    }
    Some(at)
}

/// The range by the lines next to it, if they are in the file once.
fn nearby(
    work: &mut Work<'_>,
    path: &RelPath,
    content: &[u8],
    above: &[u8],
    unpatched: &[u8],
    below: &[u8],
) -> Result<Range<usize>, ApplyError> {
    let eol = line_ending(content);
    let before = with_line_ending(last_lines(above), eol);
    let middle = with_line_ending(unpatched, eol);
    let after = with_line_ending(first_lines(below), eol);
    let wanted = [&before[..], &middle, &after].concat();
    let mut places = memchr::memmem::find_iter(content, &wanted);
    let (first, second) = (places.next(), places.next());
    match (first, second) {
        (Some(at), None) if !wanted.trim_ascii().is_empty() => {
            let what =
                "the file differs from the one the patch was made for; placed by the lines around";
            work.note(ApplyNote::Lenient {
                line: 0,
                what: what.to_owned(),
            });
            let start = at + before.len();
            Ok(start..start + middle.len())
        }
        (Some(_), Some(_)) => Err(mismatch(
            path,
            "the lines around the range are in it more than once",
        )),
        _ => Err(mismatch(
            path,
            "the range and the lines around it are not in it",
        )),
    }
}

fn mismatch(path: &RelPath, what: &str) -> ApplyError {
    let what = format!("the file is not the one the patch was made for, and {what}");
    ApplyError::Mismatch {
        path: path.clone(),
        what,
    }
}

fn last_lines(text: &[u8]) -> &[u8] {
    match memchr::memrchr_iter(b'\n', text).nth(CONTEXT_LINES) {
        Some(newline) => &text[newline + 1..],
        None => text,
    }
}

fn first_lines(text: &[u8]) -> &[u8] {
    match memchr::memchr_iter(b'\n', text).nth(CONTEXT_LINES) {
        Some(newline) => &text[..newline],
        None => text,
    }
}
