//! Texts to find and replace.
//!
//! A text is looked for byte by byte; then with the file's line endings; then line by line without
//! regard to space at line ends (and, if the text's first line is not indented, to the indentation
//! of that line). The first way that finds anything decides; more than one place is refused unless
//! the patch says which.

use std::ops::Range;

use super::hunks::short;
use super::text::{FileLines, line_ending, with_line_ending};
use super::work::{Work, safe};
use crate::{ApplyError, ApplyNote, Occurrence, RelPath, SearchReplace};

/// Carries out the replacements in order, each on the result of those before it.
pub(crate) fn apply(work: &mut Work<'_>, changes: &[SearchReplace]) -> Result<(), ApplyError> {
    for change in changes {
        if change.search.is_empty() {
            create(work, change)?;
        } else {
            replace(work, change)?;
        }
    }
    Ok(())
}

/// An empty text to search creates a file or fills an empty one.
fn create(work: &mut Work<'_>, change: &SearchReplace) -> Result<(), ApplyError> {
    let path = safe(&change.path)?;
    match work.read(&path)? {
        Some(content) if !content.is_empty() => {
            let what = "`search` is empty, which creates a file, but the file exists".to_owned();
            Err(ApplyError::Mismatch { path, what })
        }
        _ => {
            let content = work.encoded(&path, b"", change.replace.as_bytes())?;
            work.write(path, content);
            Ok(())
        }
    }
}

fn replace(work: &mut Work<'_>, change: &SearchReplace) -> Result<(), ApplyError> {
    let path = work.find(&change.path, 0)?.path;
    let content = work.require(&path)?;
    let search = work.encoded(&path, &content, change.search.as_bytes())?;
    let mut replace = work.encoded(&path, &content, change.replace.as_bytes())?;
    let eol = line_ending(&content);
    let adapted = with_line_ending(&search, eol);
    let mut ranges = exact(&content, &search);
    if ranges.is_empty() && adapted != search {
        ranges = exact(&content, &adapted);
        if !ranges.is_empty() {
            work.note(ApplyNote::LineEndings { path: path.clone() });
            replace = with_line_ending(&replace, eol);
        }
    }
    if ranges.is_empty() {
        ranges = by_lines(&content, &search);
        if let Some(first) = ranges.first() {
            let line = FileLines::new(&content).number_at(first.start);
            work.note(ApplyNote::TrailingSpace {
                path: path.clone(),
                line,
            });
            replace = with_line_ending(&replace, eol);
        }
    }
    let chosen = choose(&path, &content, &search, ranges, change.occurrence)?;
    let mut out = Vec::with_capacity(content.len() + replace.len());
    let mut at = 0;
    for range in chosen {
        out.extend_from_slice(&content[at..range.start]);
        out.extend_from_slice(&replace);
        at = range.end;
    }
    out.extend_from_slice(&content[at..]);
    work.write(path, out);
    Ok(())
}

/// Every place, without overlaps.
fn exact(content: &[u8], search: &[u8]) -> Vec<Range<usize>> {
    memchr::memmem::find_iter(content, search)
        .map(|at| at..at + search.len())
        .collect()
}

/// Every place where the lines fit without regard to space at their ends.
fn by_lines(content: &[u8], search: &[u8]) -> Vec<Range<usize>> {
    let lines = FileLines::new(content);
    let wanted: Vec<&[u8]> = FileLines::new(search)
        .all()
        .map(|line| line.trim_ascii_end())
        .collect();
    let whole = search.ends_with(b"\n");
    let Some(first) = wanted.first() else {
        return Vec::new();
    };
    if wanted.iter().all(|line| line.is_empty()) {
        return Vec::new();
    }
    let loose_start = first
        .first()
        .is_some_and(|byte| !byte.is_ascii_whitespace());
    let mut out = Vec::new();
    let mut at = 0;
    while at + wanted.len() <= lines.len() {
        let found = lines.get(at).0;
        let indent = found.len() - found.trim_ascii_start().len();
        let start = if loose_start { indent } else { 0 };
        let fits = found[start..].trim_ascii_end() == *first
            && (1..wanted.len()).all(|by| lines.get(at + by).0.trim_ascii_end() == wanted[by]);
        if fits {
            let last = at + wanted.len() - 1;
            let end = if whole {
                lines.start(last + 1)
            } else {
                lines.start(last) + lines.get(last).0.len()
            };
            out.push(lines.start(at) + start..end);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    out
}

fn choose(
    path: &RelPath,
    content: &[u8],
    search: &[u8],
    ranges: Vec<Range<usize>>,
    occurrence: Occurrence,
) -> Result<Vec<Range<usize>>, ApplyError> {
    let excerpt = excerpt(search);
    let lines = FileLines::new(content);
    if ranges.is_empty() {
        let hint = closest(&lines, search);
        return Err(ApplyError::NotFound {
            path: path.clone(),
            excerpt,
            hint,
        });
    }
    match occurrence {
        Occurrence::All => Ok(ranges),
        Occurrence::Only if ranges.len() == 1 => Ok(ranges),
        Occurrence::Only => {
            let candidates = ranges
                .iter()
                .take(20)
                .map(|range| lines.number_at(range.start))
                .collect();
            Err(ApplyError::AmbiguousText {
                path: path.clone(),
                excerpt,
                candidates,
            })
        }
        Occurrence::Nth(number) => match number.checked_sub(1).and_then(|at| ranges.get(at)) {
            Some(range) => Ok(vec![range.clone()]),
            None => Err(ApplyError::Range {
                path: path.clone(),
                what: format!(
                    "occurrence {number} of {excerpt:?} is wanted, but the file has {}",
                    ranges.len()
                ),
            }),
        },
    }
}

/// The first line that says something.
fn excerpt(search: &[u8]) -> String {
    let line = search
        .split(|&byte| byte == b'\n')
        .map(|line| line.trim_ascii())
        .find(|line| !line.is_empty());
    short(&String::from_utf8_lossy(line.unwrap_or(b"")))
}

/// Where the first line of the text is, and where the file first differs from the text.
fn closest(lines: &FileLines<'_>, search: &[u8]) -> String {
    let wanted: Vec<&[u8]> = FileLines::new(search)
        .all()
        .map(<[u8]>::trim_ascii)
        .collect();
    let Some(first) = wanted.iter().position(|line| !line.is_empty()) else {
        return String::new();
    };
    let is = |at: usize, by: usize| at < lines.len() && lines.get(at).0.trim_ascii() == wanted[by];
    let run = |at: usize| {
        (first..wanted.len())
            .take_while(|&by| is(at + by - first, by))
            .count()
    };
    let best = (0..lines.len())
        .filter(|&at| is(at, first))
        .map(|at| (run(at), at));
    let Some((run, at)) = best.max_by_key(|&(run, at)| (run, std::cmp::Reverse(at))) else {
        return String::new();
    };
    let (line, by) = (at + run, first + run);
    if by >= wanted.len() {
        return format!("; line {} has it, but indented otherwise", at + 1);
    }
    let found = if line < lines.len() {
        lines.get(line).0.trim_ascii()
    } else {
        b""
    };
    format!(
        "; it begins at line {}, but line {} should be {:?} and is {:?}",
        at + 1,
        line + 1,
        short(&String::from_utf8_lossy(wanted[by])),
        short(&String::from_utf8_lossy(found)),
    )
}
