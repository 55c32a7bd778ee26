//! What a patch is, whatever form it came in.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::diff::Diff;
use crate::{ApplyNote, RelPath};

/// A patch's name: unique in one [`read`](crate::read) and the same in every reading of the
/// same inputs. Never empty, without control characters, at most 200 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PatchId(pub String);

impl fmt::Display for PatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The form a patch was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `diff -u` output.
    UnifiedDiff,
    /// `git diff` output.
    GitDiff,
    /// One mail of `git format-patch`.
    Mail,
    /// An object of our own JSON form.
    Json,
    /// An object with `model_patch` or `fix_patch`.
    SweBench,
    /// One alternative of an ExpressAPR patch set.
    ExpressApr,
    /// Whole patched files.
    Sources,
    /// Compiled classes.
    Classes,
    /// Not recognised.
    Unknown,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnifiedDiff => "unified diff",
            Self::GitDiff => "git diff",
            Self::Mail => "git mail",
            Self::Json => "JSON",
            Self::SweBench => "SWE-bench JSON",
            Self::ExpressApr => "ExpressAPR JSON",
            Self::Sources => "source files",
            Self::Classes => "class files",
            Self::Unknown => "unknown format",
        })
    }
}

/// Where a patch came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The file or folder; `-` for standard input.
    pub file: PathBuf,
    /// The line of `file` on which the patch begins, from 1.
    pub line: usize,
    /// The form recognised.
    pub format: Format,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// One candidate change of the program.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Its name.
    pub id: PatchId,
    /// Where it came from.
    pub origin: Origin,
    /// What it changes.
    pub change: Change,
    /// Names of tests that fail before and should pass after, where the format gives them.
    pub failing: Vec<String>,
    /// What had to be forgiven while reading; repeated in [`Applied::notes`](crate::Applied).
    pub notes: Vec<ApplyNote>,
}

/// What a patch changes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A unified or git diff.
    Diff(Diff),
    /// Texts to find and replace, in order.
    SearchReplace(Vec<SearchReplace>),
    /// Methods or constructors to replace, in order.
    Methods(Vec<MethodSource>),
    /// Files by their path in the project.
    Files(BTreeMap<RelPath, FileState>),
    /// Replacements of ranges of the original files.
    Edits(Vec<TextEdit>),
    /// Whole source files whose place in the project is found by path or by package and name.
    Sources(Vec<SourceFile>),
    /// A range of one file given together with all that surrounds it.
    Region(Region),
    /// Compiled classes by binary name (`a/b/C$D`).
    Classes(BTreeMap<String, Vec<u8>>),
}

/// A file after the patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has this content.
    Write(Vec<u8>),
    /// It does not exist.
    Delete,
}

/// One text to find and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchReplace {
    /// The file as the patch names it.
    pub path: String,
    /// The text to find; empty to create the file.
    pub search: String,
    /// The text to put there.
    pub replace: String,
    /// Which of several places.
    pub occurrence: Occurrence,
}

/// Which of several equal places is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrence {
    /// There must be exactly one.
    #[default]
    Only,
    /// The n-th, from 1.
    Nth(usize),
    /// Every one.
    All,
}

/// One method or constructor to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodSource {
    /// Binary or canonical class name.
    pub class: String,
    /// `name(Type, …)`, a JVM descriptor, or the bare name where it is not overloaded.
    pub signature: String,
    /// The full text of the new method.
    pub source: String,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Bytes from the start of the file.
    Offset(usize),
    /// Line from 1 and column from 1, in characters.
    LineColumn(usize, usize),
}

/// Replacement of one range of an original file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The file as the patch names it.
    pub path: String,
    /// First position replaced.
    pub start: Position,
    /// First position kept again.
    pub end: Position,
    /// The new text.
    pub text: String,
}

/// A whole source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path below the patch's folder.
    pub path: RelPath,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// One alternative for a range given with all that surrounds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The location, shared by all alternatives of one patch set.
    pub site: Arc<RegionSite>,
    /// The alternative.
    pub replacement: String,
}

/// The location shared by the alternatives of one patch set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionSite {
    /// The file as the patch set names it.
    pub path: String,
    /// All text before the range.
    pub above: String,
    /// The range as it is.
    pub unpatched: String,
    /// All text after the range.
    pub below: String,
}
