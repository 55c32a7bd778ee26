//! The one error type of this crate.

use std::io;
use std::path::{Path, PathBuf};

use braid_compile::CompileError;
use braid_exec::ExecError;
use braid_payload::PayloadError;
use braid_project::ProjectError;
use braid_store::StoreError;

/// Why a run could not be done. What patches do wrong is a verdict, not an error.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request makes no sense: no patches, an unknown test, a bad pattern.
    #[error("{0}")]
    Input(String),
    /// The project cannot be found, built or read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The unpatched program cannot serve as a baseline.
    #[error("{0}")]
    Baseline(String),
    /// The run folder or the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A worker or its sandbox.
    #[error("{}", chain(.0))]
    Exec(#[from] ExecError),
    /// The compiler's JVM.
    #[error("{}", chain(.0))]
    Compile(#[from] CompileError),
    /// The class path.
    #[error("{}", chain(.0))]
    ClassPath(#[from] braid_classpath::Error),
    /// A class that cannot be mutated.
    #[error("{}", chain(.0))]
    Mutators(#[from] braid_mutators::MutatorsError),
    /// A class that cannot be woven or instrumented.
    #[error("{}", chain(.0))]
    Weave(#[from] braid_weave::WeaveError),
    /// Braid's own Java parts.
    #[error("{}", chain(.0))]
    Payload(#[from] PayloadError),
    /// The variational VM.
    #[error("the variational VM: {0}")]
    Vary(#[source] crate::VmError),
    /// A file or folder.
    #[error("cannot {what} {}: {source}", .path.display())]
    Io {
        /// What was tried, as a verb.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A report could not be written.
    #[error("cannot write the report: {0}")]
    Output(#[source] io::Error),
    /// The caller asked to stop before there was anything to keep.
    #[error("interrupted")]
    Interrupted,
}

impl EngineError {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }

    /// Whether the fault lies with the project rather than with the request or the machine.
    pub fn is_project(&self) -> bool {
        matches!(self, Self::Project(_) | Self::Baseline(_))
    }

    /// Whether the fault lies with the request.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Input(_)
                | Self::Store(
                    StoreError::NoRuns { .. }
                        | StoreError::NoSuchRun { .. }
                        | StoreError::Busy { .. }
                )
                | Self::Project(ProjectError::NoFolder(_) | ProjectError::Config(_))
                | Self::Project(ProjectError::NoModule { .. })
        )
    }
}

/// An error with its causes, as one sentence.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
