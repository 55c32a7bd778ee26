//! The hunks of one file: located, checked and carried out.

use std::borrow::Cow;

use encoding_rs::Encoding;

use super::locate::{Exactness, Locator, Lost, Pattern, PatternLine, Place};
use super::text::{FileLines, encode, encoding_of, line_ending};
use super::work::Work;
use crate::diff::{Diff, Eol, FileDiff, Hunk, HunkLine, LineKind};
use crate::{ApplyError, ApplyNote, RelPath};

/// The content of `path` after the hunks of `file`.
pub(crate) fn patched(
    work: &mut Work<'_>,
    diff: &Diff,
    file: &FileDiff,
    path: &RelPath,
    content: &[u8],
) -> Result<Vec<u8>, ApplyError> {
    let lines = FileLines::new(content);
    let encoding = encoding_of(content, work.options.encoding.as_deref());
    let mut hunks = Vec::with_capacity(file.hunks.len());
    for hunk in &file.hunks {
        hunks.push(EncodedHunk::new(diff, hunk, path, encoding)?);
    }
    if hunks.iter().any(|hunk| hunk.converted) {
        let encoding = encoding.map_or("", Encoding::name).to_owned();
        work.note(ApplyNote::Encoding {
            path: path.clone(),
            encoding,
        });
    }
    let placed = place_all(work, path, &lines, &hunks, uniform_endings(file))?;
    Ok(Writer::new(work, path, &lines, line_ending(content)).write(&placed))
}

/// The content that a new file gets: the added lines.
pub(crate) fn created(
    work: &mut Work<'_>,
    diff: &Diff,
    file: &FileDiff,
    path: &RelPath,
) -> Result<Vec<u8>, ApplyError> {
    if let Some(hunk) = file
        .hunks
        .iter()
        .find(|hunk| hunk.lines.iter().any(|line| line.kind != LineKind::Add))
    {
        return Err(ApplyError::Hunk {
            path: path.clone(),
            hunk: 1,
            diff_line: hunk.line,
            why: "the diff creates the file, but the hunk has old lines".to_owned(),
        });
    }
    let encoding = encoding_of(b"", work.options.encoding.as_deref());
    let mut out = Vec::new();
    for hunk in &file.hunks {
        for (_, content, eol) in EncodedHunk::new(diff, hunk, path, encoding)?.lines {
            out.extend_from_slice(&content);
            out.extend_from_slice(eol.bytes());
        }
    }
    Ok(out)
}

/// A hunk whose text is in the encoding of the file.
struct EncodedHunk<'d> {
    hunk: &'d Hunk,
    lines: Vec<(LineKind, Cow<'d, [u8]>, Eol)>,
    converted: bool,
}

impl<'d> EncodedHunk<'d> {
    fn new(
        diff: &'d Diff,
        hunk: &'d Hunk,
        path: &RelPath,
        encoding: Option<&'static Encoding>,
    ) -> Result<Self, ApplyError> {
        let mut converted = false;
        let mut convert = |line: &HunkLine| {
            let content = encode(diff.content(line), encoding).map_err(|character| {
                let encoding = encoding.map_or("", Encoding::name).to_owned();
                ApplyError::Encoding {
                    path: path.clone(),
                    encoding,
                    character,
                }
            })?;
            converted |= matches!(content, Cow::Owned(_));
            Ok((line.kind, content, line.eol))
        };
        let lines = hunk
            .lines
            .iter()
            .map(&mut convert)
            .collect::<Result<_, ApplyError>>()?;
        Ok(Self {
            hunk,
            lines,
            converted,
        })
    }

    fn pattern(&self) -> Pattern<'_> {
        let context = |line: &&(LineKind, Cow<'_, [u8]>, Eol)| line.0 == LineKind::Context;
        let lines: Vec<_> = self
            .lines
            .iter()
            .filter(|(kind, ..)| *kind != LineKind::Add)
            .map(|(_, content, eol)| PatternLine { content, eol: *eol })
            .collect();
        Pattern {
            lines,
            prefix: self.lines.iter().take_while(context).count(),
            suffix: self.lines.iter().rev().take_while(context).count(),
            start: self.hunk.old_start,
            trusted: self.hunk.counted,
        }
    }

    /// Lines of the old file up to the last change: what follows may be the context of others, too.
    fn changed_len(&self) -> usize {
        let last = self
            .lines
            .iter()
            .rposition(|(kind, ..)| *kind != LineKind::Context);
        let to_last = &self.lines[..last.map_or(0, |last| last + 1)];
        to_last
            .iter()
            .filter(|(kind, ..)| *kind != LineKind::Add)
            .count()
    }

    /// Lines of the old file covered.
    fn old_len(&self) -> usize {
        self.lines
            .iter()
            .filter(|(kind, ..)| *kind != LineKind::Add)
            .count()
    }
}

/// Whether all lines of the diff end alike, so that their ending says nothing.
fn uniform_endings(file: &FileDiff) -> bool {
    let mut endings = file
        .hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.eol)
        .filter(|eol| *eol != Eol::None);
    match endings.next() {
        Some(first) => endings.all(|eol| eol == first),
        None => true,
    }
}

/// A hunk and its place.
struct Placed<'h> {
    hunk: &'h EncodedHunk<'h>,
    place: Place,
}

/// Finds the place of every hunk, in the order of the file.
fn place_all<'h>(
    work: &mut Work<'_>,
    path: &RelPath,
    lines: &FileLines<'_>,
    hunks: &'h [EncodedHunk<'h>],
    loose_endings: bool,
) -> Result<Vec<Placed<'h>>, ApplyError> {
    let mut locator = Locator::new(lines, loose_endings);
    let mut placed: Vec<Placed<'h>> = Vec::with_capacity(hunks.len());
    let mut shift = 0;
    let mut from = 0;
    for (at, hunk) in hunks.iter().enumerate() {
        let pattern = hunk.pattern();
        let max_fuzz = work.options.max_fuzz;
        let place = match locator.locate(&pattern, from, shift, max_fuzz) {
            Err(Lost::Nowhere) => out_of_order(&mut locator, &pattern, &placed),
            found => found,
        };
        let place =
            place.map_err(|lost| failure(lost, path, at + 1, hunk, &pattern, lines, shift))?;
        note_place(work, path, at + 1, hunk, &place);
        if let (Some(start), true) = (pattern.start, place.line >= from) {
            shift = place.line as i64 - (start as i64 - 1);
        }
        from = from.max(place.line + hunk.changed_len());
        placed.push(Placed { hunk, place });
    }
    placed.sort_by_key(|placed| placed.place.line);
    Ok(placed)
}

/// A hunk that belongs before one already placed: taken if every line fits at one free place only.
fn out_of_order(
    locator: &mut Locator<'_>,
    pattern: &Pattern<'_>,
    placed: &[Placed<'_>],
) -> Result<Place, Lost> {
    if placed.is_empty() {
        return Err(Lost::Nowhere);
    }
    let untrusted = Pattern {
        trusted: false,
        ..pattern.clone()
    };
    let place = locator.locate(&untrusted, 0, 0, 0)?;
    let taken = |other: &Placed<'_>| {
        place.line < other.place.line + other.hunk.old_len()
            && other.place.line < place.line + pattern.lines.len()
    };
    if placed.iter().any(taken) {
        Err(Lost::Nowhere)
    } else {
        Ok(place)
    }
}

fn note_place(
    work: &mut Work<'_>,
    path: &RelPath,
    number: usize,
    hunk: &EncodedHunk<'_>,
    place: &Place,
) {
    let named = hunk.hunk.old_start.map(|start| start as i64 - 1);
    let offset = named.map_or(0, |named| place.line as i64 - named);
    if offset != 0 || place.fuzz != 0 || !place.others.is_empty() {
        work.note(ApplyNote::Hunk {
            path: path.clone(),
            hunk: number,
            line: place.line + 1,
            offset,
            fuzz: place.fuzz,
            others: place.others.iter().map(|line| line + 1).collect(),
        });
    }
    if place.exactness == Exactness::TrailingSpace {
        work.note(ApplyNote::TrailingSpace {
            path: path.clone(),
            line: place.line + 1,
        });
    }
    if hunk.old_len() == 0 && place.line > 0 {
        work.note(ApplyNote::Lenient {
            line: hunk.hunk.line,
            what: format!("{path}: insertion without context placed by its line number alone"),
        });
    }
}

/// The error for a hunk that has no place.
fn failure(
    lost: Lost,
    path: &RelPath,
    number: usize,
    hunk: &EncodedHunk<'_>,
    pattern: &Pattern<'_>,
    lines: &FileLines<'_>,
    shift: i64,
) -> ApplyError {
    let path = path.clone();
    let diff_line = hunk.hunk.line;
    let why = match lost {
        Lost::TooRepetitive => return ApplyError::TooRepetitive { path },
        Lost::Ambiguous(places) => {
            let candidates = places.iter().take(20).map(|line| line + 1).collect();
            return ApplyError::AmbiguousHunk {
                path,
                hunk: number,
                diff_line,
                candidates,
            };
        }
        Lost::NoContext => "it has no context lines to say where it belongs".to_owned(),
        Lost::Nowhere if is_applied(hunk, lines, shift) => {
            "the file already has the new lines there; the patch seems to be applied already"
                .to_owned()
        }
        Lost::Nowhere => closest(pattern, lines, shift),
    };
    ApplyError::Hunk {
        path,
        hunk: number,
        diff_line,
        why,
    }
}

/// Whether the new side of the hunk is where its old side should be.
fn is_applied(hunk: &EncodedHunk<'_>, lines: &FileLines<'_>, shift: i64) -> bool {
    let Some(start) = hunk.hunk.old_start else {
        return false;
    };
    let Ok(start) = usize::try_from(start as i64 - 1 + shift) else {
        return false;
    };
    hunk.lines
        .iter()
        .filter(|(kind, ..)| *kind != LineKind::Remove)
        .enumerate()
        .all(|(at, (_, content, _))| {
            start + at < lines.len() && lines.get(start + at).0 == &**content
        })
}

/// The most lines of the file looked at for the closest place.
const CLOSEST_LINES: usize = 200_000;

/// Where the hunk came closest and what differs there.
fn closest(pattern: &Pattern<'_>, lines: &FileLines<'_>, shift: i64) -> String {
    let text = |bytes: &[u8]| short(&String::from_utf8_lossy(bytes.trim_ascii()));
    let wanted = |at: usize| text(pattern.lines[at].content);
    let Some((score, start)) = closest_place(pattern, lines, shift) else {
        return format!(
            "none of its old lines is in the file; the first is {:?}",
            wanted(0)
        );
    };
    let all = pattern.lines.len();
    let Some(at) = (0..all).find(|&at| !nearly_fits(pattern, lines, start, at)) else {
        return format!(
            "its lines are at line {}, but indented otherwise",
            start + 1
        );
    };
    let line = start + at as i64;
    let found = match usize::try_from(line) {
        Ok(line) if line < lines.len() => format!("{:?}", text(lines.get(line).0)),
        _ => "the end of the file".to_owned(),
    };
    format!(
        "closest is line {} with {score} of {all} lines, but line {} should be {:?} and is {found}",
        start + 1,
        line + 1,
        wanted(at),
    )
}

/// How many lines fit at best, and where that is; the place nearest to the one expected.
fn closest_place(pattern: &Pattern<'_>, lines: &FileLines<'_>, shift: i64) -> Option<(usize, i64)> {
    let all = pattern.lines.len();
    let guess = pattern
        .start
        .map_or(0, |start| (start as i64 - 1).saturating_add(shift));
    let last = lines.len().min(CLOSEST_LINES / all.max(1) + 1) as i64;
    let score = |start: i64| {
        (0..all)
            .filter(|&at| nearly_fits(pattern, lines, start, at))
            .count()
    };
    let distance = |start: i64| std::cmp::Reverse(start.abs_diff(guess));
    (0..last)
        .chain([guess])
        .map(|start| (score(start), distance(start), start))
        .max()
        .filter(|(score, ..)| *score > 0)
        .map(|(score, _, start)| (score, start))
}

/// Whether line `at` of the pattern fits, indentation aside, if the first is at `start`.
fn nearly_fits(pattern: &Pattern<'_>, lines: &FileLines<'_>, start: i64, at: usize) -> bool {
    let wanted = pattern.lines[at].content.trim_ascii();
    usize::try_from(start.saturating_add(at as i64))
        .is_ok_and(|line| line < lines.len() && lines.get(line).0.trim_ascii() == wanted)
}

/// The start of a text, for messages.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Writes the new file.
struct Writer<'w, 'a, 'f> {
    work: &'w mut Work<'a>,
    path: &'w RelPath,
    lines: &'f FileLines<'f>,
    eol: Eol,
    out: Vec<u8>,
    /// The first line of the file that is not dealt with.
    at: usize,
}

impl<'w, 'a, 'f> Writer<'w, 'a, 'f> {
    fn new(work: &'w mut Work<'a>, path: &'w RelPath, lines: &'f FileLines<'f>, eol: Eol) -> Self {
        Self {
            work,
            path,
            lines,
            eol,
            out: Vec::new(),
            at: 0,
        }
    }

    fn write(mut self, placed: &[Placed<'_>]) -> Vec<u8> {
        for Placed { hunk, place } in placed {
            self.hunk(hunk, place);
        }
        self.copy_to(self.lines.len());
        self.out
    }

    /// Copies the lines of the file up to `line`. The context of hunks is copied this way, so that
    /// what the file has is kept, and hunks may share context.
    fn copy_to(&mut self, line: usize) {
        let line = line.min(self.lines.len());
        if line > self.at {
            self.push(self.lines.between(self.at, line));
            self.at = line;
        }
    }

    /// Appends whole lines; a line before them that had no newline gets one.
    fn push(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if !self.out.is_empty() && !self.out.ends_with(b"\n") {
            self.out.extend_from_slice(self.eol.bytes());
        }
        self.out.extend_from_slice(bytes);
    }

    fn hunk(&mut self, hunk: &EncodedHunk<'_>, place: &Place) {
        let adapted = self.adapted_ending(hunk, place);
        let last_kept = self.last_line_rule(hunk, place);
        let last = hunk.lines.len() - 1;
        let mut line = place.line;
        for (number, (kind, content, eol)) in hunk.lines.iter().enumerate() {
            match kind {
                LineKind::Context => line += 1,
                LineKind::Remove => {
                    self.copy_to(line);
                    line += 1;
                    self.at = line;
                }
                LineKind::Add => {
                    self.copy_to(line);
                    let mut eol = match (*eol, adapted) {
                        (Eol::None, _) | (_, None) => *eol,
                        (_, Some(adapted)) => adapted,
                    };
                    if number == last
                        && let Some((claimed, real)) = last_kept
                        && eol == claimed
                    {
                        eol = real;
                    }
                    self.push(&[content, eol.bytes()].concat());
                }
            }
        }
    }

    /// The ending that added lines get instead of the diff's own, if the lines of the file end
    /// otherwise than the diff says.
    fn adapted_ending(&mut self, hunk: &EncodedHunk<'_>, place: &Place) -> Option<Eol> {
        if place.exactness == Exactness::Bytes && hunk.old_len() > 0 {
            return None;
        }
        let old = hunk
            .lines
            .iter()
            .filter(|(kind, ..)| *kind != LineKind::Add);
        // With fuzz, context may lie beyond the end of the file.
        let there = self.lines.len().saturating_sub(place.line);
        let differs = old.take(there).enumerate().find_map(|(at, (_, _, eol))| {
            let real = self.lines.get(place.line + at).1;
            (real != *eol && real != Eol::None && *eol != Eol::None).then_some(real)
        });
        let differs = match differs {
            None if hunk.old_len() == 0 && self.lines.len() > 0 => hunk
                .lines
                .iter()
                .any(|(_, _, eol)| *eol != self.eol && *eol != Eol::None)
                .then_some(self.eol),
            differs => differs,
        };
        if differs.is_some() {
            self.work.note(ApplyNote::LineEndings {
                path: self.path.clone(),
            });
        }
        differs
    }

    /// If the diff is wrong about the newline at the end of the file: what it claims of the last
    /// old line and what that really ends in. A new last line that claims the same gets the same.
    fn last_line_rule(&self, hunk: &EncodedHunk<'_>, place: &Place) -> Option<(Eol, Eol)> {
        let old = hunk.old_len();
        if old == 0 || place.line + old != self.lines.len() {
            return None;
        }
        let (_, _, claimed) = hunk
            .lines
            .iter()
            .rev()
            .find(|(kind, ..)| *kind != LineKind::Add)?;
        let real = self.lines.get(self.lines.len() - 1).1;
        let wrong = (*claimed == Eol::None) != (real == Eol::None);
        wrong.then_some((*claimed, real))
    }
}
