//! The crate's errors: what was wrong, where, and what to do.

use std::io;

use crate::notes::join;
use crate::path::PathError;
use crate::{Origin, PatchId, RelPath};

/// A patch that could not be read. Others of the same input are still read.
#[derive(Debug, thiserror::Error)]
#[error("{origin}: {problem}")]
pub struct PatchReadError {
    /// The id the patch would have had, so that it can be reported as one.
    pub id: PatchId,
    /// Where it is.
    pub origin: Origin,
    /// What is wrong.
    pub problem: ReadProblem,
}

/// What is wrong with the text of a patch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The file or folder cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Nothing is in it.
    #[error("the patch is empty; expected a diff, JSON or Java source")]
    Empty,
    /// No format fits.
    #[error("not a patch in a known format: {0}")]
    Unknown(String),
    /// A known format that is not supported.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A malformed diff.
    #[error("line {line} of the diff: {what}")]
    Diff {
        /// Line of the diff, from 1.
        line: usize,
        /// What was expected, what was found, what to do.
        what: String,
    },
    /// Malformed JSON.
    #[error("malformed JSON at line {line}, column {column}: {what}")]
    Json {
        /// Line of the file, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The parser's complaint.
        what: String,
    },
    /// Well-formed JSON that is not a patch.
    #[error("{0}")]
    Shape(String),
    /// A path that may not be used.
    #[error("{path:?}: {source}")]
    Path {
        /// The path as written.
        path: String,
        /// Why not.
        source: PathError,
    },
    /// A file that is not a class file.
    #[error("{path}: not a class file: {what}")]
    Class {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// Larger than [`ReadOptions::max_patch_bytes`](crate::ReadOptions).
    #[error("larger than {limit} bytes, the limit for one patch")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}

/// A patch that cannot be applied to this tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A path that may not be used.
    #[error("{path:?}: {source}")]
    Path {
        /// The path as written.
        path: String,
        /// Why not.
        source: PathError,
    },
    /// A file of the tree cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Io {
        /// The file.
        path: RelPath,
        /// The system's complaint.
        source: io::Error,
    },
    /// The tree cannot be listed.
    #[error("the project's files cannot be listed: {0}")]
    List(io::Error),
    /// The file to change does not exist.
    #[error("{path}: no such file in the project{hint}")]
    Missing {
        /// The path as written.
        path: String,
        /// Files with the same name, as ` (did you mean …?)`, or empty.
        hint: String,
    },
    /// The file to create exists already.
    #[error("{path}: the patch creates this file, but it exists already")]
    Exists {
        /// The file.
        path: RelPath,
    },
    /// A name fits several files.
    #[error("{name}: fits several files of the project: {}", candidates.join(", "))]
    AmbiguousFile {
        /// The name as written.
        name: String,
        /// The files it fits.
        candidates: Vec<String>,
    },
    /// A hunk's context is nowhere in the file.
    #[error("{path}: hunk {hunk} (line {diff_line} of the diff) does not apply: {why}")]
    Hunk {
        /// The file.
        path: RelPath,
        /// Number of the hunk in the file, from 1.
        hunk: usize,
        /// Line of the hunk's header in the diff, from 1.
        diff_line: usize,
        /// Where it came closest and what differs there.
        why: String,
    },
    /// A hunk fits several places equally well.
    #[error(
        "{path}: hunk {hunk} (line {diff_line} of the diff) fits equally well at lines {}; \
         give more context",
        join(candidates)
    )]
    AmbiguousHunk {
        /// The file.
        path: RelPath,
        /// Number of the hunk in the file, from 1.
        hunk: usize,
        /// Line of the hunk's header in the diff, from 1.
        diff_line: usize,
        /// First lines of the places, from 1.
        candidates: Vec<usize>,
    },
    /// The searched text is not in the file.
    #[error("{path}: the text to search ({excerpt:?}) is not in the file{hint}")]
    NotFound {
        /// The file.
        path: RelPath,
        /// The text's first line.
        excerpt: String,
        /// The closest place, or empty.
        hint: String,
    },
    /// The searched text is in the file more than once.
    #[error(
        "{path}: the text to search ({excerpt:?}) is at lines {}; \
         lengthen it or give `occurrence`",
        join(candidates)
    )]
    AmbiguousText {
        /// The file.
        path: RelPath,
        /// The text's first line.
        excerpt: String,
        /// Lines where it begins, from 1.
        candidates: Vec<usize>,
    },
    /// The class is not declared in any source file.
    #[error("class {class}: not declared in the project's sources{hint}")]
    NoClass {
        /// The class as written.
        class: String,
        /// Similar classes, or empty.
        hint: String,
    },
    /// The class has no such method.
    #[error("class {class}: no method {signature}; it has {}", list(candidates))]
    NoMethod {
        /// The class as written.
        class: String,
        /// The signature as written.
        signature: String,
        /// Signatures it has.
        candidates: Vec<String>,
    },
    /// Several methods fit the signature.
    #[error(
        "class {class}: {signature} fits several methods: {}",
        list(candidates)
    )]
    AmbiguousMethod {
        /// The class as written.
        class: String,
        /// The signature as written.
        signature: String,
        /// Those that fit.
        candidates: Vec<String>,
    },
    /// A position or range that does not fit the file or another range.
    #[error("{path}: {what}")]
    Range {
        /// The file.
        path: RelPath,
        /// What does not fit.
        what: String,
    },
    /// Text that cannot be written in the encoding of the file.
    #[error("{path}: the file is in {encoding}, which has no {character:?}")]
    Encoding {
        /// The file.
        path: RelPath,
        /// The encoding.
        encoding: String,
        /// The first character that cannot be written.
        character: char,
    },
    /// The file is not what the patch was made for.
    #[error("{path}: {what}")]
    Mismatch {
        /// The file.
        path: RelPath,
        /// What differs.
        what: String,
    },
    /// Locating the hunks would take too long.
    #[error("{path}: too repetitive to locate the hunks in reasonable time")]
    TooRepetitive {
        /// The file.
        path: RelPath,
    },
}

/// The first few of a list.
fn list(items: &[String]) -> String {
    const SHOWN: usize = 12;
    match items.len() {
        0 => "none".to_owned(),
        n if n <= SHOWN => items.join("; "),
        n => format!("{}; and {} more", items[..SHOWN].join("; "), n - SHOWN),
    }
}
