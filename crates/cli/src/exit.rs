//! Exit codes, documented in `--help` and in the README.

use std::process::ExitCode;

use braid_engine::{EngineError, RunState, Summary, VerdictKind};

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// A plausible patch was found; or the command did what it was asked.
    Found = 0,
    /// The command line or an input is wrong.
    Usage = 1,
    /// Every patch was judged, none is plausible.
    NonePlausible = 2,
    /// None is plausible, and at least one could not be decided (`flaky`, `unsupported`).
    Undecided = 3,
    /// The project cannot be used: it does not build, or has no usable tests.
    Project = 4,
    /// Something else went wrong: a full disk, JVMs that do not start.
    Failure = 70,
    /// Stopped by Ctrl-C or a termination signal.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The text for `--help`.
pub(crate) const HELP: &str = "Exit codes:
  0    a plausible patch was found (or the command did what it was asked)
  1    the command line or an input is wrong; there are no patches
  2    every patch was judged and none is plausible
  3    none is plausible, but at least one is `flaky` or `unsupported`
  4    the project cannot be used: no JDK, it does not build, it has no usable tests
  70   something else failed, such as a full disk
  130  stopped by Ctrl-C; what was judged is kept (see --resume)";

/// How a run ends.
pub(crate) fn of_summary(summary: &Summary) -> Exit {
    let tally = &summary.tally;
    if summary.state != RunState::Complete {
        Exit::Interrupted
    } else if tally.of(VerdictKind::Plausible) > 0 {
        Exit::Found
    } else if tally.of(VerdictKind::Flaky) + tally.of(VerdictKind::Unsupported) > 0 {
        Exit::Undecided
    } else {
        Exit::NonePlausible
    }
}

/// Says what went wrong.
pub(crate) fn report(error: &EngineError) -> Exit {
    let is_closed_pipe = matches!(
        error,
        EngineError::Output(io) if io.kind() == std::io::ErrorKind::BrokenPipe
    );
    if is_closed_pipe {
        return Exit::Found; // whoever read has read enough
    }
    eprintln!("braid: {error}");
    match error {
        EngineError::Interrupted => Exit::Interrupted,
        error if error.is_input() => Exit::Usage,
        error if error.is_project() => Exit::Project,
        _ => Exit::Failure,
    }
}
