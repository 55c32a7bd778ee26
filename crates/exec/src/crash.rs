//! How a worker JVM came to its end.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::ExitStatus;

use braid_protocol::{LeafId, UnitId};

/// How much of a crash report of the JVM is kept.
const HS_ERR_CAP: usize = 128 * 1024;

/// A worker JVM that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crash {
    /// The unit that was running, or the next one.
    pub unit: Option<UnitId>,
    /// The leaf that was running.
    pub leaf: Option<LeafId>,
    /// How it ended.
    pub kind: CrashKind,
    /// The end of its error output.
    pub stderr: String,
    /// The JVM's own crash report, cut if it is long.
    pub hs_err: Option<String>,
    /// Who called `System.exit`, if that was it and could be found.
    pub stack: Option<String>,
}

/// How a JVM ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CrashKind {
    /// With an exit code: `System.exit`, `Runtime.halt`, or the JVM gave up by itself.
    Exit {
        /// The code.
        code: i32,
    },
    /// By a signal, for example the system's when memory is short.
    Signal {
        /// The signal's number.
        number: i32,
    },
    /// So short of memory that the runner could not go on, or the JVM could not get more.
    OutOfMemory,
    /// By an error in the JVM itself or in native code; see the crash report.
    JvmError,
    /// The JVM lived on but closed the connection.
    Disconnected,
}

impl CrashKind {
    pub(crate) fn classify(status: Option<ExitStatus>, hs_err: Option<&str>, oom: bool) -> Self {
        if let Some(report) = hs_err {
            let memory = report.contains("Out of Memory Error")
                || report.contains("There is insufficient memory");
            return if memory {
                Self::OutOfMemory
            } else {
                Self::JvmError
            };
        }
        if oom {
            return Self::OutOfMemory;
        }
        let Some(status) = status else {
            return Self::Disconnected;
        };
        match (status.code(), signal(status)) {
            (Some(code), _) => Self::Exit { code },
            (None, Some(number)) => Self::Signal { number },
            (None, None) => Self::Disconnected,
        }
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

impl fmt::Display for CrashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit { code } => write!(f, "exit code {code}"),
            Self::Signal { number } => write!(f, "killed by signal {number}"),
            Self::OutOfMemory => f.write_str("out of memory"),
            Self::JvmError => f.write_str("error inside the JVM"),
            Self::Disconnected => f.write_str("connection closed"),
        }
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        match self.stderr.lines().next() {
            Some(line) => write!(f, ": {line}"),
            None => Ok(()),
        }
    }
}

/// The JVM's crash report in the private folder of a worker.
pub(crate) fn hs_err(temp: &Path) -> Option<String> {
    let bytes = fs::read(temp.join("hs_err.log")).ok()?;
    let kept = &bytes[..bytes.len().min(HS_ERR_CAP)];
    Some(String::from_utf8_lossy(kept).into_owned())
}

/// The last `cap` bytes of `text`, from the start of a line.
pub(crate) fn tail(text: &str, cap: usize) -> String {
    if text.len() <= cap {
        return text.trim_end().to_owned();
    }
    let mut start = text.len() - cap;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let rest = &text[start..];
    rest.split_once('\n')
        .map_or(rest, |(_, lines)| lines)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_starts_with_a_whole_line() {
        assert_eq!(tail("short\n", 100), "short");
        assert_eq!(tail("first line\nsecond\nthird\n", 15), "second\nthird");
        assert_eq!(tail("ééééé", 3), "é");
    }

    #[test]
    fn a_crash_report_tells_memory_from_other_errors() {
        let memory = "# There is insufficient memory for the Java Runtime Environment";
        assert_eq!(
            CrashKind::classify(None, Some(memory), false),
            CrashKind::OutOfMemory
        );
        assert_eq!(
            CrashKind::classify(None, Some("# SIGSEGV"), false),
            CrashKind::JvmError
        );
        assert_eq!(
            CrashKind::classify(None, None, true),
            CrashKind::OutOfMemory
        );
    }
}
