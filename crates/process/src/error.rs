//! What can go wrong with a process, apart from what the process itself reports.

use std::io;

/// Why a process could not be started or watched.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program does not exist, or is not on `PATH`.
    #[error("program {program} not found")]
    NotFound {
        /// The program as it was asked for.
        program: String,
    },
    /// The folder the process should run in does not exist.
    #[error("cannot run {program} in {cwd}: no such folder")]
    NoFolder {
        /// The program as it was asked for.
        program: String,
        /// The missing folder.
        cwd: String,
    },
    /// The arguments and the environment are longer than the system allows.
    #[error("command line of {program} too long for the system")]
    TooLong {
        /// The program as it was asked for.
        program: String,
    },
    /// The system refused to start the process for another reason.
    #[error("cannot start {program}")]
    Start {
        /// The program as it was asked for.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Waiting for a started process failed.
    #[error("cannot wait for process {pid}")]
    Wait {
        /// The process.
        pid: u32,
        /// The system's reason.
        source: io::Error,
    },
}
