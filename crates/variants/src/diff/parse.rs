//! The outer structure of a diff: preamble, file headers, hunks.

use super::header::{Side, git_names, names, side};
use super::hunk::{excerpt, parse_bare, parse_hunk};
use super::{Diff, FileDiff, Hunk, LineKind, Name, Operation};
use crate::{ApplyNote, ReadProblem};

/// Where the text of a diff comes from, which decides what a missing last newline means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file: a last line without newline was probably cut off.
    File,
    /// A string or a fenced block, from which blanks at the end are often trimmed.
    Text,
}

/// Why a diff was refused.
#[derive(Debug)]
pub(crate) struct ParseFailure {
    line: usize,
    what: String,
    unsupported: bool,
}

impl ParseFailure {
    pub(super) fn at(line: usize, what: impl Into<String>) -> Self {
        Self {
            line,
            what: what.into(),
            unsupported: false,
        }
    }

    fn unsupported(line: usize, what: &str) -> Self {
        Self {
            line,
            what: what.to_owned(),
            unsupported: true,
        }
    }

    /// The failure as a problem of a text whose first line is line `first` of the input.
    pub(crate) fn into_problem(self, first: usize) -> ReadProblem {
        let line = self.line + first - 1;
        if self.unsupported {
            return ReadProblem::Unsupported(format!("line {line} of the diff: {}", self.what));
        }
        ReadProblem::Diff {
            line,
            what: self.what,
        }
    }
}

/// Parses a diff. Also tells whether git wrote it, and what had to be forgiven.
pub(crate) fn parse(text: Vec<u8>, source: Source) -> Result<Parsed, ParseFailure> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseFailure::at(1, "the diff is larger than 4 GiB"));
    }
    let mut cursor = Cursor::new(&text, source);
    let mut files = Vec::new();
    let mut git = false;
    while let Some(line) = cursor.get(cursor.at()) {
        if line.starts_with(b"diff --git ") {
            git = true;
            files.push(git_file(&mut cursor)?);
        } else if starts_file(&cursor, cursor.at()) {
            files.push(plain_file(&mut cursor)?);
        } else {
            refuse_others(&cursor)?;
            cursor.step();
        }
    }
    if files.is_empty() {
        return Err(ParseFailure::at(
            1,
            "expected `--- path`, `+++ path` and `@@ … @@`, found none of them",
        ));
    }
    let notes = std::mem::take(&mut cursor.notes);
    Ok(Parsed {
        diff: Diff { text, files },
        git,
        notes,
    })
}

/// A diff and what was learnt while parsing it.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) diff: Diff,
    pub(crate) git: bool,
    pub(crate) notes: Vec<ApplyNote>,
}

/// Whether some line of `text` starts a diff of any kind, supported or not.
pub(crate) fn looks_like_diff(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let next: &[u8] = lines.peek().copied().unwrap_or(b"");
        let starts = line.starts_with(b"diff --git ")
            || line.starts_with(b"diff --cc ")
            || (line.starts_with(b"--- ")
                && (next.starts_with(b"+++ ") || next.starts_with(b"@@")))
            || (line.starts_with(b"+++ ") && next.starts_with(b"@@"))
            || (line.starts_with(b"*** ") && next.starts_with(b"--- "))
            || line.starts_with(b"@@ -")
            || line.starts_with(b"GIT binary patch")
            || (line.starts_with(b"Binary files ") && line.trim_ascii_end().ends_with(b" differ"));
        if starts {
            return true;
        }
    }
    false
}

/// Whether a `---`/`+++` header begins at line `at`.
fn starts_file(cursor: &Cursor<'_>, at: usize) -> bool {
    let is = |at: usize, prefix: &[u8]| cursor.get(at).is_some_and(|line| line.starts_with(prefix));
    if is(at, b"--- ") {
        is(at + 1, b"+++ ") || is(at + 1, b"@@")
    } else {
        is(at, b"+++ ") && is(at + 1, b"@@")
    }
}

/// Refuses by name what is a diff but of a kind that cannot be applied.
fn refuse_others(cursor: &Cursor<'_>) -> Result<(), ParseFailure> {
    let line = cursor.line();
    let number = cursor.line_number();
    let next = |by: usize, prefix: &[u8]| {
        cursor
            .get(cursor.at() + by)
            .is_some_and(|line| line.starts_with(prefix))
    };
    let trimmed = line.trim_ascii_end();
    if (line.starts_with(b"Binary files ") && trimmed.ends_with(b" differ"))
        || trimmed == b"GIT binary patch"
    {
        return Err(ParseFailure::unsupported(
            number,
            "binary change; only text files can be patched (leave the binary file out of the diff)",
        ));
    }
    if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
        return Err(ParseFailure::unsupported(
            number,
            "combined diff of a merge; make a diff against one parent with `git diff PARENT`",
        ));
    }
    if line.starts_with(b"*** ") && next(1, b"--- ") && next(2, b"***************") {
        return Err(ParseFailure::unsupported(
            number,
            "context diff; make a unified diff with `diff -u`",
        ));
    }
    if line.starts_with(b"@@ -") {
        return Err(ParseFailure::at(
            number,
            "hunk without a file header; expected `--- path` and `+++ path` before it",
        ));
    }
    Ok(())
}

/// A file that starts with `---` or, forgivingly, with `+++`.
fn plain_file(cursor: &mut Cursor<'_>) -> Result<FileDiff, ParseFailure> {
    let line = cursor.line_number();
    let (old, new, strip_cr) = sides(cursor)?;
    let hunks = hunks(cursor, strip_cr)?;
    if hunks.is_empty() {
        return Err(ParseFailure::at(
            cursor.line_number(),
            format!(
                "expected a hunk `@@ -… +… @@` after the header at line {line}, found {}",
                cursor.found()
            ),
        ));
    }
    let old = present(old, &hunks, LineKind::Add, line)?;
    let new = present(new, &hunks, LineKind::Remove, line)?;
    let operation = match (&old, &new) {
        (None, None) => return Err(ParseFailure::at(line, "both sides are /dev/null")),
        (None, Some(_)) => Operation::Create,
        (Some(_), None) => Operation::Delete,
        (Some(_), Some(_)) => Operation::Modify,
    };
    let (old, new) = names(old, new);
    Ok(FileDiff {
        line,
        operation,
        old,
        new,
        mode_changed: false,
        hunks,
    })
}

/// Reads the `---` and `+++` lines. Also tells whether they end in CR LF: then the whole diff was
/// converted on its way, and the CR of its lines means nothing.
fn sides(cursor: &mut Cursor<'_>) -> Result<(Side, Side, bool), ParseFailure> {
    let line = cursor.line_number();
    let strip_cr = cursor.line().ends_with(b"\r");
    let old = cursor.line().strip_prefix(b"--- ").map(side);
    if old.is_some() {
        cursor.step();
    }
    let new = cursor
        .get(cursor.at())
        .and_then(|line| line.strip_prefix(b"+++ "))
        .map(side);
    if new.is_some() {
        cursor.step();
    }
    let copy = |side: &Side| match side {
        Side::Path(path) | Side::Epoch(path) => Ok(Side::Path(path.clone())),
        _ => Err(ParseFailure::at(
            line,
            "expected both `--- path` and `+++ path`",
        )),
    };
    match (old, new) {
        (Some(old), Some(new)) => Ok((old, new, strip_cr)),
        (Some(only), None) | (None, Some(only)) => {
            cursor.note(
                line,
                "one of the lines `---` and `+++` is missing".to_owned(),
            );
            Ok((copy(&only)?, only, strip_cr))
        }
        (None, None) => Err(ParseFailure::at(line, "expected `--- path`")),
    }
}

/// The side's path, or `None` if the file does not exist there. `other` is the kind of line that
/// alone may occur if it does not.
fn present(
    side: Side,
    hunks: &[Hunk],
    other: LineKind,
    line: usize,
) -> Result<Option<String>, ParseFailure> {
    match side {
        Side::Null => Ok(None),
        Side::Path(path) => Ok(Some(path)),
        Side::Epoch(path) => {
            let empty = hunks
                .iter()
                .flat_map(|hunk| &hunk.lines)
                .all(|line| line.kind == other);
            Ok((!empty).then_some(path))
        }
        Side::Bad(what) => Err(ParseFailure::at(line, what)),
    }
}

/// Every hunk that follows.
fn hunks(cursor: &mut Cursor<'_>, strip_cr: bool) -> Result<Vec<Hunk>, ParseFailure> {
    let mut hunks = Vec::new();
    loop {
        // Blank lines between hunks are a habit of language models.
        let mut at = cursor.at();
        while cursor
            .get(at)
            .is_some_and(|line| line.trim_ascii().is_empty())
        {
            at += 1;
        }
        let Some(line) = cursor.get(at) else { break };
        if line.starts_with(b"@@@") {
            return Err(ParseFailure::unsupported(
                cursor.number_of(at),
                "combined diff of a merge",
            ));
        }
        if line.starts_with(b"@@") {
            cursor.go(at);
            hunks.push(parse_hunk(cursor, strip_cr)?);
        } else if hunks.is_empty()
            && matches!(line.first(), Some(b'+' | b'-' | b' '))
            && !cursor.ends_hunk(at)
        {
            cursor.go(at);
            hunks.push(parse_bare(cursor, strip_cr)?);
        } else {
            refuse_cut_header(cursor, at)?;
            break;
        }
    }
    Ok(hunks)
}

/// Refuses a last line that is the beginning of a header: more must have followed.
fn refuse_cut_header(cursor: &Cursor<'_>, at: usize) -> Result<(), ParseFailure> {
    let Some(line) = cursor.get(at) else {
        return Ok(());
    };
    let is_last = cursor.get(at + 1).is_none() && !cursor.ends_in_newline();
    if is_last
        && [&b"diff --git "[..], b"@@ -"]
            .iter()
            .any(|whole| whole.starts_with(line))
    {
        return Err(ParseFailure::at(
            cursor.number_of(at),
            format!(
                "the diff ends inside a header ({:?}); it was probably truncated",
                excerpt(line)
            ),
        ));
    }
    Ok(())
}

/// What git's extended header says.
#[derive(Default)]
struct Extended {
    from: Option<String>,
    to: Option<String>,
    operation: Option<Operation>,
    mode_changed: bool,
}

/// A file that starts with `diff --git`.
fn git_file(cursor: &mut Cursor<'_>) -> Result<FileDiff, ParseFailure> {
    let line = cursor.line_number();
    let named = git_names(&cursor.line()[b"diff --git ".len()..]);
    cursor.step();
    let extended = extended(cursor)?;
    if cursor.get(cursor.at()).is_some() {
        refuse_others_in_git(cursor)?;
    }
    let mut file = if starts_file(cursor, cursor.at()) || cursor.starts(b"--- ") {
        let mut file = plain_file(cursor)?;
        file.operation = extended.operation.unwrap_or(file.operation);
        file
    } else {
        let (old, new) = match named {
            Some((old, new)) => (Some(old), Some(new)),
            None => (None, None),
        };
        let (old, new) = names(old, new);
        let operation = extended.operation.unwrap_or(Operation::Modify);
        FileDiff {
            line,
            operation,
            old,
            new,
            mode_changed: false,
            hunks: Vec::new(),
        }
    };
    file.line = line;
    file.mode_changed = extended.mode_changed;
    let plain = |text: String| Name { text, prefix: 0 };
    file.old = extended.from.map(plain).or(file.old);
    file.new = extended.to.map(plain).or(file.new);
    match file.operation {
        Operation::Create => file.old = None,
        Operation::Delete => file.new = None,
        _ => {}
    }
    check_git_file(&file, line, cursor)?;
    Ok(file)
}

fn check_git_file(file: &FileDiff, line: usize, cursor: &Cursor<'_>) -> Result<(), ParseFailure> {
    if file.old.is_none() && file.new.is_none() {
        return Err(ParseFailure::at(
            line,
            "cannot tell the two paths of this line apart",
        ));
    }
    if file.operation == Operation::Modify && file.hunks.is_empty() && !file.mode_changed {
        return Err(ParseFailure::at(
            cursor.line_number(),
            format!(
                "expected `--- path` after the header at line {line}, found {}",
                cursor.found()
            ),
        ));
    }
    Ok(())
}

/// Reads the lines between `diff --git` and `---`.
fn extended(cursor: &mut Cursor<'_>) -> Result<Extended, ParseFailure> {
    let mut out = Extended::default();
    while let Some(line) = cursor.get(cursor.at()) {
        let number = cursor.line_number();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(mode) = line.strip_prefix(b"new file mode ") {
            check_mode(mode, number)?;
            out.operation = Some(Operation::Create);
        } else if let Some(mode) = line.strip_prefix(b"deleted file mode ") {
            check_mode(mode, number)?;
            out.operation = Some(Operation::Delete);
        } else if let Some(mode) = line.strip_prefix(b"new mode ") {
            check_mode(mode, number)?;
            out.mode_changed = true;
        } else if let Some(path) = line.strip_prefix(b"rename from ") {
            out.from = Some(plain_path(path, number)?);
            out.operation = Some(Operation::Rename);
        } else if let Some(path) = line.strip_prefix(b"copy from ") {
            out.from = Some(plain_path(path, number)?);
            out.operation = Some(Operation::Copy);
        } else if let Some(path) = line
            .strip_prefix(b"rename to ")
            .or_else(|| line.strip_prefix(b"copy to "))
        {
            out.to = Some(plain_path(path, number)?);
        } else if let Some(hashes) = line.strip_prefix(b"index ") {
            // `index 1234..5678 120000`: the mode of an unchanged kind of file.
            if let Some(at) = memchr::memchr(b' ', hashes) {
                check_mode(&hashes[at + 1..], number)?;
            }
        } else if ![
            &b"old mode "[..],
            b"similarity index ",
            b"dissimilarity index ",
        ]
        .iter()
        .any(|known| line.starts_with(known))
        {
            break;
        }
        cursor.step();
    }
    Ok(out)
}

/// Links and submodules are not files that can be patched.
fn check_mode(mode: &[u8], line: usize) -> Result<(), ParseFailure> {
    let mode = mode.trim_ascii();
    let what = match mode.get(..3) {
        Some(b"120") => "a symbolic link; only regular files can be patched",
        Some(b"160") => "a submodule; only regular files can be patched",
        _ => return Ok(()),
    };
    Err(ParseFailure::unsupported(line, what))
}

fn plain_path(path: &[u8], line: usize) -> Result<String, ParseFailure> {
    match side(path) {
        Side::Path(path) | Side::Epoch(path) => Ok(path),
        Side::Null => Err(ParseFailure::at(line, "expected a path, found /dev/null")),
        Side::Bad(what) => Err(ParseFailure::at(line, what)),
    }
}

fn refuse_others_in_git(cursor: &Cursor<'_>) -> Result<(), ParseFailure> {
    if cursor.starts(b"@@ -") {
        Ok(())
    } else {
        refuse_others(cursor)
    }
}

/// The lines of the text and the place in them.
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    /// Start of each line; one more for the end.
    starts: Vec<u32>,
    at: usize,
    source: Source,
    notes: Vec<ApplyNote>,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a [u8], source: Source) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 2);
        if !text.is_empty() {
            starts.push(0);
        }
        for newline in memchr::memchr_iter(b'\n', text) {
            if newline + 1 < text.len() {
                starts.push((newline + 1) as u32);
            }
        }
        Self {
            text,
            starts,
            at: 0,
            source,
            notes: Vec::new(),
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go(&mut self, at: usize) {
        self.at = at;
    }

    fn step(&mut self) {
        self.at += 1;
    }

    /// Bytes of line `at`, from 0, without the newline.
    pub(super) fn range(&self, at: usize) -> (usize, usize) {
        let start = self.starts[at] as usize;
        let end = self
            .starts
            .get(at + 1)
            .map_or(self.text.len(), |&next| next as usize);
        let newline = end > start && self.text[end - 1] == b'\n';
        (start, end - usize::from(newline))
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text[at]
    }

    /// Line `at`, from 0, without the newline.
    pub(super) fn get(&self, at: usize) -> Option<&'a [u8]> {
        (at < self.starts.len()).then(|| {
            let (start, end) = self.range(at);
            &self.text[start..end]
        })
    }

    /// The current line, empty at the end.
    pub(super) fn line(&self) -> &'a [u8] {
        self.get(self.at).unwrap_or(b"")
    }

    fn starts(&self, prefix: &[u8]) -> bool {
        self.line().starts_with(prefix)
    }

    /// The current line for a message.
    fn found(&self) -> String {
        match self.get(self.at) {
            Some(line) => format!("{:?}", excerpt(line)),
            None => "the end of the diff".to_owned(),
        }
    }

    pub(super) fn line_number(&self) -> usize {
        self.number_of(self.at)
    }

    pub(super) fn number_of(&self, at: usize) -> usize {
        at.min(self.starts.len()) + 1
    }

    pub(super) fn source(&self) -> Source {
        self.source
    }

    pub(super) fn ends_in_newline(&self) -> bool {
        self.text.ends_with(b"\n")
    }

    pub(super) fn rest_is_blank(&self, at: usize) -> bool {
        let start = self
            .starts
            .get(at)
            .map_or(self.text.len(), |&start| start as usize);
        self.text[start..].trim_ascii().is_empty()
    }

    pub(super) fn note(&mut self, line: usize, what: String) {
        self.notes.push(ApplyNote::Lenient { line, what });
    }

    /// Whether line `at` cannot be part of a hunk's body.
    pub(super) fn ends_hunk(&self, at: usize) -> bool {
        let Some(line) = self.get(at) else {
            return true;
        };
        match line.first() {
            Some(b'@') => line.starts_with(b"@@"),
            Some(b'-') => self.is_file_header(at) || self.is_signature(at),
            _ => [
                &b"diff "[..],
                b"Index: ",
                b"Only in ",
                b"Binary files ",
                b"From ",
            ]
            .iter()
            .any(|start| line.starts_with(start)),
        }
    }

    /// `--- ` and then `+++ `: hardly a removed and an added line.
    fn is_file_header(&self, at: usize) -> bool {
        let is = |at: usize, start: &[u8]| self.get(at).is_some_and(|line| line.starts_with(start));
        is(at, b"--- ") && is(at + 1, b"+++ ")
    }

    /// `-- ` and a version number: how `git format-patch` ends a mail.
    fn is_signature(&self, at: usize) -> bool {
        matches!(self.get(at), Some(b"-- " | b"--" | b"-- \r" | b"--\r"))
            && self
                .get(at + 1)
                .is_none_or(|line| line.first().is_some_and(u8::is_ascii_digit))
            && self
                .get(at + 2)
                .is_none_or(|line| line.trim_ascii().is_empty())
    }
}
