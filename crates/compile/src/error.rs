//! What can go wrong apart from sources that do not compile.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The compiler's JVM could not be started.
    #[error("cannot start the compiler")]
    Start(#[source] braid_process::ProcessError),
    /// The compiler's JVM ended before it answered.
    #[error("the compiler's JVM ended: {0}")]
    Died(String),
    /// The JDK is too old or has no compiler.
    #[error("the compiler refused to start: {0}")]
    Refused(String),
    /// No answer in time; the JVM was ended.
    #[error("the compiler gave no answer within {0:?}")]
    TimedOut(Duration),
    /// The JVM said something that this version does not understand.
    #[error("the compiler's answer cannot be read: {0}")]
    Protocol(String),
    /// The service met a fault of its own; it still runs.
    #[error("the compiler met a fault: {0}")]
    Fault(String),
    /// A file or folder of the module cannot be read.
    #[error("cannot read {path}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The socket to the JVM.
    #[error("cannot talk to the compiler")]
    Socket(#[source] io::Error),
    /// A path that is no Unicode text cannot be given to the compiler.
    #[error("the path {0} is not valid Unicode")]
    Path(PathBuf),
}
