//! What can go wrong apart from what tests do.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use braid_process::ProcessError;
use braid_protocol::ProtocolError;

use crate::crash::Crash;

/// Why a sandbox or a worker could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// A file operation failed.
    #[error("cannot {what} {path}")]
    Io {
        /// What was tried, as a verb.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The path does not lie in the project.
    #[error("path {path} leaves the project")]
    Outside {
        /// The path.
        path: PathBuf,
    },
    /// The JVM could not be started at all.
    #[error("cannot start a worker JVM")]
    Start(#[from] ProcessError),
    /// The loopback connection could not be set up.
    #[error("cannot set up the connection to a worker JVM")]
    Connection(#[source] io::Error),
    /// The JVM ended before it said hello; bad JVM arguments are the usual reason.
    #[error("worker JVM ended at start ({status}): {stderr}")]
    DiedAtStart {
        /// Exit code or signal.
        status: String,
        /// The end of what it wrote.
        stderr: String,
    },
    /// The JVM runs but never said hello.
    #[error("worker JVM did not answer within {} s: {stderr}", waited.as_secs_f32())]
    NeverConnected {
        /// How long we waited.
        waited: Duration,
        /// The end of what it wrote.
        stderr: String,
    },
    /// The runner inside the JVM is of another version.
    #[error("worker speaks protocol version {theirs}, not {ours}")]
    Version {
        /// The controller's version.
        ours: u16,
        /// The worker's version.
        theirs: u16,
    },
    /// The worker said something that makes no sense.
    #[error("worker sent a bad message")]
    Protocol(#[from] ProtocolError),
    /// The request does not fit into one message.
    #[error("request is too long for one message")]
    TooLong,
    /// The worker ended while it searched for tests.
    #[error("worker JVM crashed while it searched for tests: {0}")]
    DiscoveryCrashed(Box<Crash>),
    /// The search for tests took too long.
    #[error("search for tests took longer than {} s", limit.as_secs_f32())]
    DiscoveryTimeout {
        /// The limit.
        limit: Duration,
        /// Where the threads were, if the worker still said so.
        stack: Option<String>,
    },
    /// The worker was used after its run had not come to its end.
    #[error("worker is gone")]
    Gone,
    /// The cancel flag was set.
    #[error("cancelled")]
    Cancelled,
}

impl ExecError {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}
