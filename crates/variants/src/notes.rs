//! What was forgiven or guessed while reading and applying a patch.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::RelPath;

/// Something a user may want to know about how a patch was understood.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApplyNote {
    /// A hunk was placed elsewhere than its header says, or by part of its context.
    Hunk {
        /// The file.
        path: RelPath,
        /// Number of the hunk in that file, from 1.
        hunk: usize,
        /// The line of the original file where it was placed, from 1.
        line: usize,
        /// Lines between the place named and the place found; 0 where none was named.
        offset: i64,
        /// Context lines ignored at each end.
        fuzz: usize,
        /// First lines of other places that fit as well but were farther away (at most eight).
        others: Vec<usize>,
    },
    /// Lines were compared without regard to their line endings, and the file's were kept.
    LineEndings {
        /// The file.
        path: RelPath,
    },
    /// Spaces at line ends or the newline at the end of the file were not compared.
    TrailingSpace {
        /// The file.
        path: RelPath,
        /// The line of the original file.
        line: usize,
    },
    /// The patch's text was converted to the encoding of the file.
    Encoding {
        /// The file.
        path: RelPath,
        /// The encoding.
        encoding: String,
    },
    /// The path named was not the path used.
    Path {
        /// As the patch has it.
        named: String,
        /// As used.
        used: RelPath,
    },
    /// A change of file mode was left out.
    Mode {
        /// The file.
        path: RelPath,
    },
    /// The id was taken, so another was made.
    DuplicateId {
        /// The id that was taken.
        id: String,
    },
    /// Input that is not quite in its format but has only one meaning.
    Lenient {
        /// Line of the patch (from 1), 0 where lines have no meaning.
        line: usize,
        /// What was assumed.
        what: String,
    },
    /// The patch leaves every file as it was.
    NoEffect,
}

impl fmt::Display for ApplyNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hunk {
                path,
                hunk,
                line,
                offset,
                fuzz,
                others,
            } => {
                write!(f, "{path}: hunk {hunk} applied at line {line}")?;
                if *offset != 0 {
                    write!(f, ", offset {offset}")?;
                }
                if *fuzz != 0 {
                    write!(f, ", fuzz {fuzz}")?;
                }
                if !others.is_empty() {
                    write!(f, " (also fits at line {})", join(others))?;
                }
                Ok(())
            }
            Self::LineEndings { path } => {
                write!(
                    f,
                    "{path}: line endings of the file kept, those of the patch differ"
                )
            }
            Self::TrailingSpace { path, line } => {
                write!(
                    f,
                    "{path}:{line}: matched without regard to space at line ends"
                )
            }
            Self::Encoding { path, encoding } => {
                write!(f, "{path}: the patch's text was converted to {encoding}")
            }
            Self::Path { named, used } => write!(f, "{named}: taken to be {used}"),
            Self::Mode { path } => write!(f, "{path}: change of file mode left out"),
            Self::DuplicateId { id } => write!(f, "the id {id} is used more than once"),
            Self::Lenient { line: 0, what } => f.write_str(what),
            Self::Lenient { line, what } => write!(f, "line {line} of the patch: {what}"),
            Self::NoEffect => f.write_str("the patch changes nothing"),
        }
    }
}

/// `1, 2, 3`.
pub(crate) fn join(numbers: &[usize]) -> String {
    numbers
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
