//! The one error type of this crate.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong with a run folder or the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk has no room (or the quota is used up); what was written before is intact.
    #[error("the disk is full: cannot write {}; what was written before is kept", .path.display())]
    DiskFull {
        /// The file that could not be written.
        path: PathBuf,
    },
    /// Any other trouble with a file.
    #[error("cannot {what} {}: {source}", .path.display())]
    Io {
        /// What was tried, as a verb: `read`, `write`, `create`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A value could not be turned into JSON, or back.
    #[error("{} does not hold what was expected: {source}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The reader's reason.
        source: serde_json::Error,
    },
    /// There is no such run.
    #[error("there is no run {number} in {}", .runs.display())]
    NoSuchRun {
        /// The number asked for.
        number: u32,
        /// The folder of runs.
        runs: PathBuf,
    },
    /// There is no run at all.
    #[error("there are no runs yet in {}", .runs.display())]
    NoRuns {
        /// The folder of runs.
        runs: PathBuf,
    },
    /// Another process is writing this run.
    #[error("run {number} is being written by another braid process")]
    Busy {
        /// The run's number.
        number: u32,
    },
    /// The database refused.
    #[error("the result database: {0}")]
    Database(String),
}

impl StoreError {
    /// Sorts an I/O error into [`StoreError::DiskFull`] or [`StoreError::Io`].
    pub(crate) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::DiskFull { path },
            _ => Self::Io { what, path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_space_left_is_told_from_other_faults() {
        let full = StoreError::io("write", Path::new("x"), io::ErrorKind::StorageFull.into());
        assert!(matches!(full, StoreError::DiskFull { .. }));
        let other = StoreError::io("write", Path::new("x"), io::ErrorKind::NotFound.into());
        assert!(matches!(other, StoreError::Io { .. }));
    }
}
