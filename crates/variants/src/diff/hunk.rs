//! Hunks: headers, and bodies counted strictly where the header is right, leniently where not.

use super::parse::{Cursor, ParseFailure, Source};
use super::{Eol, Hunk, HunkLine, LineKind};

/// A start and, if it is not one, a count.
type Range = (usize, Option<usize>);

/// `@@ -start,count +start,count @@`, as far as it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    old: Option<Range>,
    new: Option<Range>,
}

impl Header {
    /// Reads a line that starts with `@@`.
    pub(super) fn parse(line: &[u8]) -> Self {
        let rest = line.strip_prefix(b"@@").unwrap_or(line);
        let rest = rest.trim_ascii_start();
        let Some((old, rest)) = range(rest, b'-') else {
            return Self::default();
        };
        let new = range(rest.trim_ascii_start(), b'+').map(|(new, _)| new);
        Self {
            old: Some(old),
            new,
        }
    }

    /// The counts of old and new lines, if the header has both ranges.
    fn counts(self) -> Option<(usize, usize)> {
        let (_, old) = self.old?;
        let (_, new) = self.new?;
        Some((old.unwrap_or(1), new.unwrap_or(1)))
    }

    /// The first old line covered. A range without lines names the line before it.
    fn old_start(self, old_count: usize) -> Option<usize> {
        let (start, _) = self.old?;
        Some(if old_count == 0 {
            start.saturating_add(1)
        } else {
            start
        })
    }
}

/// Reads `-12,7` or `+12`.
fn range(text: &[u8], sign: u8) -> Option<(Range, &[u8])> {
    let (start, rest) = number(text.strip_prefix(&[sign])?)?;
    match rest.strip_prefix(b",").and_then(number) {
        Some((count, rest)) => Some(((start, Some(count)), rest)),
        None => Some(((start, None), rest)),
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = std::str::from_utf8(&text[..len]).ok()?;
    Some((digits.parse().ok()?, &text[len..]))
}

/// Reads the hunk whose header is the cursor's line; leaves the cursor after its last line.
pub(super) fn parse_hunk(cursor: &mut Cursor<'_>, strip_cr: bool) -> Result<Hunk, ParseFailure> {
    let line = cursor.line_number();
    let header = Header::parse(cursor.line());
    if let Some(counts) = header.counts() {
        let mut body = Body::new(strip_cr);
        if let Some(end) = body.take_counted(cursor, cursor.at() + 1, counts) {
            cursor.go(end);
            return Ok(body.finish(line, header.old_start(counts.0), true));
        }
    }
    let mut body = Body::new(strip_cr);
    let end = body.take_all(cursor, cursor.at() + 1)?;
    check_complete(&body, header, cursor, end)?;
    let found = (body.old, body.new);
    match header.counts() {
        Some((old, new)) => cursor.note(
            line,
            format!(
                "hunk counts {old},{new} corrected to {},{}",
                found.0, found.1
            ),
        ),
        None => cursor.note(line, "hunk header without line numbers".to_owned()),
    }
    cursor.go(end);
    Ok(body.finish(line, header.old_start(found.0), false))
}

/// Reads a hunk that has no header at all, from the cursor's line.
pub(super) fn parse_bare(cursor: &mut Cursor<'_>, strip_cr: bool) -> Result<Hunk, ParseFailure> {
    let line = cursor.line_number();
    let mut body = Body::new(strip_cr);
    let end = body.take_all(cursor, cursor.at())?;
    cursor.note(line, "hunk without a header".to_owned());
    cursor.go(end);
    Ok(body.finish(line, None, false))
}

/// Refuses a hunk that is shorter than its header says where the input may have been cut off.
fn check_complete(
    body: &Body,
    header: Header,
    cursor: &Cursor<'_>,
    end: usize,
) -> Result<(), ParseFailure> {
    let line = cursor.line_number();
    if body.old == body.lines.len() && body.new == body.lines.len() {
        return Err(ParseFailure::at(
            line,
            "expected a hunk with lines that start with `+` or `-`, found none",
        ));
    }
    let Some((old, new)) = header.counts() else {
        return Ok(());
    };
    let short = body.old < old || body.new < new;
    if !short || !cursor.rest_is_blank(end) {
        return Ok(());
    }
    let ends_in_context = body
        .lines
        .last()
        .is_some_and(|line| line.kind == LineKind::Context);
    let cut = !cursor.ends_in_newline() && cursor.source() == Source::File;
    // Strings lose a blank context line at their end when they are trimmed.
    let trimmed = cursor.source() == Source::Text && body.old + 1 == old && body.new + 1 == new;
    if (ends_in_context && !cut) || trimmed {
        return Ok(());
    }
    Err(ParseFailure::at(
        cursor.number_of(end).saturating_sub(1).max(line),
        format!(
            "the diff ends inside a hunk: its header at line {line} announces {old} old and {new} new \
             lines, found {} and {}; the input was probably truncated (if not, correct the counts)",
            body.old, body.new
        ),
    ))
}

/// The lines of a hunk as they are gathered.
struct Body {
    lines: Vec<HunkLine>,
    old: usize,
    new: usize,
    strip_cr: bool,
}

impl Body {
    fn new(strip_cr: bool) -> Self {
        Self {
            lines: Vec::new(),
            old: 0,
            new: 0,
            strip_cr,
        }
    }

    fn finish(self, line: usize, old_start: Option<usize>, counted: bool) -> Hunk {
        Hunk {
            line,
            old_start,
            counted,
            lines: self.lines,
        }
    }

    /// Takes exactly as many lines as counted. `None` if the counts do not fit what is there.
    fn take_counted(
        &mut self,
        cursor: &Cursor<'_>,
        start: usize,
        counts: (usize, usize),
    ) -> Option<usize> {
        let mut at = start;
        while (self.old, self.new) != counts {
            let line = cursor.get(at)?;
            if line.first() == Some(&b'\\') {
                self.unterminated();
            } else {
                let kind = kind_of(line)?;
                self.push(cursor, at, kind);
            }
            if self.old > counts.0 || self.new > counts.1 {
                return None;
            }
            at += 1;
        }
        if cursor
            .get(at)
            .is_some_and(|line| line.first() == Some(&b'\\'))
        {
            self.unterminated();
            at += 1;
        }
        // More lines that look like the hunk's own mean that the counts are too small.
        let goes_on = cursor.get(at).is_some_and(|line| {
            matches!(line.first(), Some(b'+' | b'-' | b' ')) && !cursor.ends_hunk(at)
        });
        (!goes_on).then_some(at)
    }

    /// Takes every line up to one that cannot belong to the hunk.
    fn take_all(&mut self, cursor: &Cursor<'_>, start: usize) -> Result<usize, ParseFailure> {
        let mut at = start;
        let mut end = start;
        while let Some(line) = cursor.get(at) {
            if cursor.ends_hunk(at) {
                break;
            }
            if line.first() == Some(&b'\\') {
                self.unterminated();
                end = at + 1;
            } else if let Some(kind) = kind_of(line) {
                self.push(cursor, at, kind);
                if !is_blank(line) {
                    end = at + 1;
                }
            } else if belongs_to_hunk(cursor, at) {
                return Err(ParseFailure::at(
                    cursor.number_of(at),
                    format!(
                        "expected a line that starts with a space, `+`, `-` or `\\`, found {:?}",
                        excerpt(line)
                    ),
                ));
            } else {
                break;
            }
            at += 1;
        }
        // Empty lines after the hunk separate it from what follows.
        let mut trailing = (end..at)
            .filter(|&at| cursor.get(at).is_some_and(is_blank))
            .count();
        while trailing > 0 {
            self.lines.pop();
            self.old -= 1;
            self.new -= 1;
            trailing -= 1;
        }
        Ok(end)
    }

    fn push(&mut self, cursor: &Cursor<'_>, at: usize, kind: LineKind) {
        let (start, mut end) = cursor.range(at);
        let cr = end > start && cursor.byte(end - 1) == b'\r';
        let eol = if cr && !self.strip_cr {
            Eol::CrLf
        } else {
            Eol::Lf
        };
        if cr {
            end -= 1;
        }
        // The prefix; a blank line may have lost it.
        let start = (start + 1).min(end);
        self.old += usize::from(kind != LineKind::Add);
        self.new += usize::from(kind != LineKind::Remove);
        self.lines.push(HunkLine {
            kind,
            eol,
            start: start as u32,
            end: end as u32,
        });
    }

    /// The last line has no newline at its end.
    fn unterminated(&mut self) {
        let strip_cr = self.strip_cr;
        if let Some(line) = self.lines.last_mut() {
            if line.eol == Eol::CrLf && !strip_cr {
                line.end += 1;
            }
            line.eol = Eol::None;
        }
    }
}

fn kind_of(line: &[u8]) -> Option<LineKind> {
    match line.first() {
        Some(b' ') => Some(LineKind::Context),
        Some(b'+') => Some(LineKind::Add),
        Some(b'-') => Some(LineKind::Remove),
        None => Some(LineKind::Context),
        Some(b'\r') if line.len() == 1 => Some(LineKind::Context),
        Some(_) => None,
    }
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"" | b"\r")
}

/// Whether, after a line without a prefix, the hunk goes on before the next empty line.
fn belongs_to_hunk(cursor: &Cursor<'_>, at: usize) -> bool {
    (at + 1..)
        .map_while(|next| {
            cursor
                .get(next)
                .filter(|line| !is_blank(line) && !cursor.ends_hunk(next))
        })
        .any(|line| matches!(line.first(), Some(b'+' | b'-' | b' ')))
}

/// The start of a line for a message.
pub(super) fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii_end());
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_far_as_they_go() {
        let counts = |line: &str| Header::parse(line.as_bytes()).counts();
        assert_eq!(counts("@@ -1,7 +2,8 @@ class A {"), Some((7, 8)));
        assert_eq!(counts("@@ -1 +1 @@"), Some((1, 1)));
        assert_eq!(counts("@@ -1,7 @@"), None);
        assert_eq!(counts("@@ @@"), None);
        assert_eq!(counts("@@ ... @@"), None);
        assert_eq!(counts("@@"), None);
        assert_eq!(counts("@@ -99999999999999999999999,1 +1 @@"), None);
        assert_eq!(Header::parse(b"@@ -12,0 +13,2 @@").old_start(0), Some(13));
        assert_eq!(Header::parse(b"@@ -12,7 @@").old_start(7), Some(12));
    }
}
