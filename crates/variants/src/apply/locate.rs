//! Finding the place of a hunk.
//!
//! The search is that of GNU patch: first the place named by the header, moved by as much as the
//! hunk before it had to be; then other places where every line fits; then, up to the allowed fuzz,
//! places where context lines at the ends are left out. But GNU patch takes the nearest place, and
//! a hunk at a wrong place gives a wrong verdict without anybody noticing. So away from the place
//! named:
//!
//! - Where several places fit, none is taken. (Those found with fuzz are rated by how many of the
//!   lines left out fit all the same; a single best one is taken.)
//! - A place is not taken if a nearer one fits with more fuzz.
//! - A header whose counts are wrong was made up, line numbers and all: it names a place only if
//!   every line fits there.
//! - At least one line is always compared.
//! - A hunk with less context at one end need not be at that end of the file if all its lines fit
//!   elsewhere and GNU patch has no other place for it.
//!
//! After all that, lines are compared once more without regard to the space at their ends. The test
//! `gnu_patch` measures the effect: on files that drifted by copying their own lines, GNU patch
//! misplaces three times as much, and what both apply is the same.

use std::collections::HashMap;

use super::text::FileLines;
use crate::diff::Eol;

/// A line that the file must have.
#[derive(Clone, Debug)]
pub(crate) struct PatternLine<'a> {
    pub(crate) content: &'a [u8],
    pub(crate) eol: Eol,
}

/// The old side of a hunk.
#[derive(Clone, Debug)]
pub(crate) struct Pattern<'a> {
    pub(crate) lines: Vec<PatternLine<'a>>,
    /// Context lines at the start.
    pub(crate) prefix: usize,
    /// Context lines at the end.
    pub(crate) suffix: usize,
    /// The first line it covers according to the header, from 1.
    pub(crate) start: Option<usize>,
    /// Whether the header's counts are right.
    pub(crate) trusted: bool,
}

/// How exactly lines are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Exactness {
    /// Byte for byte.
    Bytes,
    /// LF and CR LF are the same.
    LineEndings,
    /// Space at line ends and a missing last newline are the same.
    TrailingSpace,
}

/// Where a hunk goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The first line covered, from 0.
    pub(crate) line: usize,
    pub(crate) fuzz: usize,
    /// From the place expected after the hunks before it.
    pub(crate) offset: i64,
    pub(crate) exactness: Exactness,
    /// Other places that fit, from 0.
    pub(crate) others: Vec<usize>,
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    Nowhere,
    /// First lines from 0.
    Ambiguous(Vec<usize>),
    /// Only a line number says where to insert, and it is not to be trusted.
    NoContext,
    TooRepetitive,
}

/// The most line comparisons spent on one file.
const BUDGET: u64 = 150_000_000;

/// The most other places that are reported.
const SHOWN: usize = 8;

/// Finds places in one file.
pub(crate) struct Locator<'f> {
    file: &'f FileLines<'f>,
    /// For each way of comparing, the lines on which a text stands.
    indexes: HashMap<Exactness, HashMap<&'f [u8], Vec<u32>>>,
    /// Whether LF and CR LF are the same for this diff.
    loose_endings: bool,
    spent: u64,
}

impl<'f> Locator<'f> {
    pub(crate) fn new(file: &'f FileLines<'f>, loose_endings: bool) -> Self {
        Self {
            file,
            indexes: HashMap::new(),
            loose_endings,
            spent: 0,
        }
    }

    /// The place of `pattern`, not before line `from` (from 0), `shift` lines from where its header
    /// says.
    pub(crate) fn locate(
        &mut self,
        pattern: &Pattern<'_>,
        from: usize,
        shift: i64,
        max_fuzz: usize,
    ) -> Result<Place, Lost> {
        let guess = pattern
            .start
            .map(|start| (start as i64 - 1).saturating_add(shift));
        if pattern.lines.is_empty() {
            return self.insert_at(pattern, guess, from);
        }
        let exactness = if self.loose_endings {
            Exactness::LineEndings
        } else {
            Exactness::Bytes
        };
        let max_fuzz = max_fuzz.min(pattern.prefix.max(pattern.suffix));
        for fuzz in 0..=max_fuzz {
            let search = Search {
                pattern,
                window: Window::new(pattern, fuzz),
                exactness,
                from,
                guess,
            };
            if search.window.is_empty() {
                break;
            }
            if let Some(place) = self.search(&search)? {
                return self.without_rivals(&search, place, max_fuzz);
            }
        }
        let window = Window {
            from: 0,
            to: pattern.lines.len(),
            fuzz: 0,
            anchor: Anchor::Free,
        };
        let search = Search {
            pattern,
            window,
            exactness: Exactness::TrailingSpace,
            from,
            guess,
        };
        self.search(&search)?.ok_or(Lost::Nowhere)
    }

    /// Refuses a place away from the one expected if another, nearer one fits with at most
    /// `max_fuzz`.
    fn without_rivals(
        &mut self,
        found: &Search<'_, '_>,
        place: Place,
        max_fuzz: usize,
    ) -> Result<Place, Lost> {
        if self.anchor_line(found) == Some(place.line as i64) {
            return Ok(place);
        }
        let mut rivals = self.anchored_rival(found, &place, max_fuzz)?;
        if let Some(guess) = found.guess.filter(|_| place.offset != 0) {
            let distance = place.offset.unsigned_abs();
            for fuzz in 0..=max_fuzz {
                let window = Window {
                    anchor: Anchor::Free,
                    ..Window::new(found.pattern, fuzz)
                };
                let search = Search { window, ..*found };
                if window.is_empty() || !search.tells() {
                    break;
                }
                let nearer = |line: &usize| (*line as i64).abs_diff(guess) < distance;
                rivals.extend(self.candidates(&search)?.into_iter().filter(nearer));
            }
        }
        if rivals.is_empty() {
            return Ok(place);
        }
        rivals.push(place.line);
        rivals.sort_unstable();
        rivals.dedup();
        Err(Lost::Ambiguous(rivals))
    }

    /// The place to which GNU patch would tie, with fuzz, a hunk that we found elsewhere.
    fn anchored_rival(
        &mut self,
        found: &Search<'_, '_>,
        place: &Place,
        max_fuzz: usize,
    ) -> Result<Vec<usize>, Lost> {
        if found.window.anchor == Anchor::Free || !found.pattern.trusted {
            return Ok(Vec::new());
        }
        for fuzz in 1..=max_fuzz {
            let search = Search {
                window: Window::new(found.pattern, fuzz),
                ..*found
            };
            if search.window.is_empty() {
                break;
            }
            if let Some(other) = self.search(&search)? {
                return Ok(if other.line == place.line {
                    Vec::new()
                } else {
                    vec![other.line]
                });
            }
        }
        Ok(Vec::new())
    }

    /// An insertion without context goes exactly where its header says.
    fn insert_at(
        &self,
        pattern: &Pattern<'_>,
        guess: Option<i64>,
        from: usize,
    ) -> Result<Place, Lost> {
        let line = guess.and_then(|guess| usize::try_from(guess).ok());
        match line {
            _ if self.file.len() == 0 => Ok(self.at(0)),
            Some(line) if pattern.trusted && (from..=self.file.len()).contains(&line) => {
                Ok(self.at(line))
            }
            _ => Err(Lost::NoContext),
        }
    }

    fn at(&self, line: usize) -> Place {
        Place {
            line,
            fuzz: 0,
            offset: 0,
            exactness: Exactness::Bytes,
            others: Vec::new(),
        }
    }

    fn search(&mut self, search: &Search<'_, '_>) -> Result<Option<Place>, Lost> {
        if let Some(place) = self.anchored(search)? {
            return Ok(Some(place));
        }
        let exact = search.window.fuzz == 0;
        if exact
            && let Some(guess) = search.guess
            && search.pattern.trusted
            && self.fits(search, guess)?
        {
            return Ok(Some(search.place(guess as usize, Vec::new())));
        }
        if search.window.anchor != Anchor::Free && !(exact && search.tells()) {
            return Ok(None);
        }
        let candidates = self.candidates(search)?;
        match candidates[..] {
            [] => Ok(None),
            [only] => Ok(Some(search.place(only, Vec::new()))),
            _ => self.choose(search, candidates).map(Some),
        }
    }

    /// GNU patch's rule that a hunk with less context at one end belongs to that end of the file.
    fn anchored(&mut self, search: &Search<'_, '_>) -> Result<Option<Place>, Lost> {
        // Where the header is of no use, the end of a file is as good as any other place.
        let known = search.guess.is_some() && search.pattern.trusted;
        match self.anchor_line(search).filter(|_| known) {
            Some(line) if self.fits(search, line)? => {
                Ok(Some(search.place(line as usize, Vec::new())))
            }
            _ => Ok(None),
        }
    }

    /// The line, from 0, to which the hunk is tied.
    fn anchor_line(&self, search: &Search<'_, '_>) -> Option<i64> {
        match search.window.anchor {
            Anchor::Free => None,
            Anchor::Start => Some(0),
            Anchor::End => Some(self.file.len() as i64 - search.pattern.lines.len() as i64),
        }
    }

    /// Chooses among several places that fit: the one that also fits best where lines were left
    /// out, or the one that the header names.
    fn choose(&mut self, search: &Search<'_, '_>, candidates: Vec<usize>) -> Result<Place, Lost> {
        let mut best = candidates;
        if search.window.fuzz > 0 {
            let scores = best
                .iter()
                .map(|&line| self.score(search, line))
                .collect::<Result<Vec<_>, _>>()?;
            let top = scores.iter().copied().max();
            let mut scores = scores.into_iter();
            best.retain(|_| scores.next() == top);
        }
        let named = |line: &usize| search.guess == Some(*line as i64);
        let may_name = search.tells() && (search.pattern.trusted || search.window.fuzz == 0);
        match best.iter().copied().find(named).filter(|_| may_name) {
            _ if best.len() == 1 => Ok(search.place(best[0], Vec::new())),
            Some(line) => Ok(search.place(line, others(&best, line))),
            None => Err(Lost::Ambiguous(best)),
        }
    }

    /// How many of all the pattern's lines fit at `line`.
    fn score(&mut self, search: &Search<'_, '_>, line: usize) -> Result<usize, Lost> {
        let lines = &search.pattern.lines;
        self.spend(lines.len())?;
        let fits = |(at, wanted): (usize, &PatternLine<'_>)| {
            line + at < self.file.len() && same(wanted, self.file.get(line + at), search.exactness)
        };
        Ok(lines.iter().enumerate().filter(|&pair| fits(pair)).count())
    }

    /// Whether the lines of the window fit with the pattern's first line at `line`.
    fn fits(&mut self, search: &Search<'_, '_>, line: i64) -> Result<bool, Lost> {
        let Ok(line) = usize::try_from(line) else {
            return Ok(false);
        };
        let window = &search.window;
        if line < search.from || line.saturating_add(window.to) > self.file.len() {
            return Ok(false);
        }
        let mut compared = 0;
        let fits = search.pattern.lines[window.from..window.to]
            .iter()
            .enumerate()
            .all(|(at, wanted)| {
                compared += 1;
                same(
                    wanted,
                    self.file.get(line + window.from + at),
                    search.exactness,
                )
            });
        self.spend(compared)?;
        Ok(fits)
    }

    fn spend(&mut self, comparisons: usize) -> Result<(), Lost> {
        self.spent += comparisons as u64;
        if self.spent > BUDGET {
            Err(Lost::TooRepetitive)
        } else {
            Ok(())
        }
    }

    /// Every place where the window fits, in order. Only places of the window's rarest line are
    /// tried.
    fn candidates(&mut self, search: &Search<'_, '_>) -> Result<Vec<usize>, Lost> {
        let window = &search.window;
        let file = self.file;
        let index = self.indexes.entry(search.exactness).or_insert_with(|| {
            let mut index: HashMap<&[u8], Vec<u32>> = HashMap::new();
            for at in 0..file.len() {
                index
                    .entry(key(file.get(at).0, search.exactness))
                    .or_default()
                    .push(at as u32);
            }
            index
        });
        let mut rarest: Option<(usize, &[u32])> = None;
        for (at, wanted) in search.pattern.lines[window.from..window.to]
            .iter()
            .enumerate()
        {
            let Some(on) = index.get(key(wanted.content, search.exactness)) else {
                return Ok(Vec::new());
            };
            if rarest.is_none_or(|(_, best)| on.len() < best.len()) {
                rarest = Some((window.from + at, on));
            }
        }
        let Some((at, on)) = rarest else {
            return Ok(Vec::new());
        };
        let starts: Vec<i64> = on.iter().map(|&line| i64::from(line) - at as i64).collect();
        let mut out = Vec::new();
        for start in starts {
            if self.fits(search, start)? {
                out.push(start as usize);
            }
        }
        Ok(out)
    }
}

/// Other places than the one taken.
fn others(candidates: &[usize], taken: usize) -> Vec<usize> {
    candidates
        .iter()
        .copied()
        .filter(|&line| line != taken)
        .take(SHOWN)
        .collect()
}

/// One search: what, how exactly, and where from.
#[derive(Clone, Copy)]
struct Search<'s, 'p> {
    pattern: &'s Pattern<'p>,
    window: Window,
    exactness: Exactness,
    from: usize,
    guess: Option<i64>,
}

impl Search<'_, '_> {
    fn place(&self, line: usize, others: Vec<usize>) -> Place {
        let offset = self.guess.map_or(0, |guess| line as i64 - guess);
        Place {
            line,
            fuzz: self.window.fuzz,
            offset,
            exactness: self.exactness,
            others,
        }
    }

    /// Whether some line compared says more than braces and blanks do.
    fn tells(&self) -> bool {
        self.pattern.lines[self.window.from..self.window.to]
            .iter()
            .any(|line| {
                line.content
                    .iter()
                    .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
            })
    }
}

/// The lines of a pattern that are compared at one level of fuzz.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: usize,
    to: usize,
    fuzz: usize,
    anchor: Anchor,
}

/// The end of the file to which GNU patch ties a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Free,
    Start,
    End,
}

impl Window {
    /// Whether nothing would be compared.
    fn is_empty(&self) -> bool {
        self.from >= self.to
    }

    fn new(pattern: &Pattern<'_>, fuzz: usize) -> Self {
        let context = pattern.prefix.max(pattern.suffix);
        // Less context at one end than at the other counts as fuzz already used there.
        let missing = |have: usize| (context - have) as i64 - fuzz as i64;
        let (at_start, at_end) = (missing(pattern.prefix), missing(pattern.suffix));
        // Never both: the longer context lacks nothing.
        let anchor = match () {
            () if at_start > 0 && pattern.start.is_none_or(|start| start <= 1) => Anchor::Start,
            () if at_end > 0 => Anchor::End,
            () => Anchor::Free,
        };
        let cut = |missing: i64| usize::try_from(-missing).unwrap_or(0);
        Self {
            from: cut(at_start),
            to: pattern.lines.len().saturating_sub(cut(at_end)),
            fuzz,
            anchor,
        }
    }
}

/// What a line is looked up by.
fn key(content: &[u8], exactness: Exactness) -> &[u8] {
    if exactness == Exactness::TrailingSpace {
        content.trim_ascii_end()
    } else {
        content
    }
}

fn same(wanted: &PatternLine<'_>, found: (&[u8], Eol), exactness: Exactness) -> bool {
    match exactness {
        Exactness::Bytes => wanted.content == found.0 && wanted.eol == found.1,
        Exactness::LineEndings => {
            wanted.content == found.0
                && (wanted.eol == found.1 || (wanted.eol != Eol::None && found.1 != Eol::None))
        }
        Exactness::TrailingSpace => wanted.content.trim_ascii_end() == found.0.trim_ascii_end(),
    }
}
