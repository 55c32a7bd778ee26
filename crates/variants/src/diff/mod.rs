//! Unified and git diffs: the model and the parser.
//!
//! The parser takes what `diff -u`, `git diff`, `git format-patch`, Subversion and Mercurial write,
//! and what language models write when they imitate them. Deviations that leave only one meaning
//! are accepted and noted: hunk headers with wrong counts or without numbers, blank context lines
//! that lost their leading space, a missing `---` or `+++` line, Markdown fences and prose around
//! the diff. What could mean two things is refused with the line of the diff: a hunk cut off by the
//! end of the input, lines that belong to no hunk. Binary, combined, context and `ed` diffs are
//! refused by name.
//!
//! A ready-made parser was measured first (diffy 0.5): it reads all that git writes, but refuses
//! counts that are too large and headers without numbers, and where counts are too small it drops the
//! rest of the hunk without a word.

mod header;
mod hunk;
mod markdown;
mod parse;

pub(crate) use markdown::unfence;
pub(crate) use parse::{Source, looks_like_diff, parse};

/// A parsed diff. Lines are ranges of its text, so that a large diff is held once.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    pub(crate) text: Vec<u8>,
    pub(crate) files: Vec<FileDiff>,
}

impl Diff {
    /// How many files it names.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// How many hunks it has in all files.
    pub fn hunk_count(&self) -> usize {
        self.files.iter().map(|file| file.hunks.len()).sum()
    }

    /// The paths it names, as written, without the prefixes `a/` and `b/`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files
            .iter()
            .flat_map(|file| [file.old.as_ref(), file.new.as_ref()])
            .flatten()
            .map(Name::stripped)
    }

    /// The content of a line, without its ending.
    pub(crate) fn content(&self, line: &HunkLine) -> &[u8] {
        &self.text[line.start as usize..line.end as usize]
    }
}

/// What a diff does to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Modify,
    Create,
    Delete,
    Rename,
    Copy,
}

/// The part of a diff about one file.
#[derive(Clone, Debug)]
pub(crate) struct FileDiff {
    /// Line of its first header, from 1.
    pub(crate) line: usize,
    pub(crate) operation: Operation,
    /// Absent if the file is created.
    pub(crate) old: Option<Name>,
    /// Absent if the file is deleted.
    pub(crate) new: Option<Name>,
    pub(crate) mode_changed: bool,
    pub(crate) hunks: Vec<Hunk>,
}

/// A path as a diff has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    /// Bytes of the prefix, such as `a/`, that is no part of the path.
    pub(crate) prefix: usize,
}

impl Name {
    /// The path without the prefix.
    pub(crate) fn stripped(&self) -> &str {
        &self.text[self.prefix..]
    }
}

/// One hunk.
#[derive(Clone, Debug)]
pub(crate) struct Hunk {
    /// Line of its header, from 1.
    pub(crate) line: usize,
    /// The first old line it covers, from 1, if the header says so.
    pub(crate) old_start: Option<usize>,
    /// Whether the header's counts are right, so that its line numbers may be trusted, too.
    pub(crate) counted: bool,
    pub(crate) lines: Vec<HunkLine>,
}

/// Whether a line of a hunk is in the old file, the new or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    Context,
    Remove,
    Add,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Eol {
    Lf,
    CrLf,
    /// The last line of a file without a newline at its end.
    None,
}

impl Eol {
    pub(crate) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::None => b"",
        }
    }
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HunkLine {
    pub(crate) kind: LineKind,
    pub(crate) eol: Eol,
    start: u32,
    end: u32,
}
