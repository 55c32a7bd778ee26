//! Why a project could not be found, built or read, each with what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use braid_process::ProcessError;

/// Why a project cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The folder that discovery should start in does not exist.
    #[error("no folder {}", .0.display())]
    NoFolder(PathBuf),
    /// Neither a build file nor a source folder was found.
    #[error(
        "no Java project in {} or above it: looked for pom.xml, build.gradle(.kts), \
         settings.gradle(.kts), src/main/java and src/; name the folders with --source and --tests, \
         or run `braid init` and edit braid.toml",
        .0.display()
    )]
    NoProject(PathBuf),
    /// No JDK that Braid can use.
    #[error("{0}")]
    NoJdk(String),
    /// The build tool is not installed.
    #[error("{tool} not found: {advice}")]
    NoBuildTool {
        /// `Maven` or `Gradle`.
        tool: &'static str,
        /// How to get it.
        advice: String,
    },
    /// The build tool could not read the project's own build files.
    #[error("{tool} cannot read the project's build files:\n{message}")]
    BrokenBuildFile {
        /// `Maven` or `Gradle`.
        tool: &'static str,
        /// What the tool said, trimmed.
        message: String,
    },
    /// The project does not compile.
    #[error("the project does not compile:\n{}", list(.diagnostics))]
    DoesNotCompile {
        /// The compiler's errors, in its order.
        diagnostics: Vec<BuildDiagnostic>,
        /// Where the whole output of the tool was kept.
        log: Option<PathBuf>,
    },
    /// The build failed for another reason.
    #[error("{tool} failed ({status}):\n{message}")]
    BuildFailed {
        /// `Maven`, `Gradle` or `javac`.
        tool: &'static str,
        /// How the tool ended.
        status: String,
        /// What the tool said, trimmed.
        message: String,
        /// Where the whole output of the tool was kept.
        log: Option<PathBuf>,
    },
    /// The build took too long.
    #[error("{tool} was stopped after {seconds} s; raise `build.timeout-s` in braid.toml")]
    BuildTimeout {
        /// `Maven`, `Gradle` or `javac`.
        tool: &'static str,
        /// The limit.
        seconds: u64,
    },
    /// Building was forbidden, and what was built before is older than its sources.
    #[error("the compiled classes are stale ({0}); build the project or leave out --no-build")]
    Stale(String),
    /// The project is there, but nothing in it is a test.
    #[error("no tests: {0}")]
    NoTests(String),
    /// A module that was asked for does not exist.
    #[error("no module {name}; the modules are {known}")]
    NoModule {
        /// The name as it was asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// `braid.toml` is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Braid and the helper inside the build tool do not understand each other.
    #[error("cannot read the model that {tool} wrote: {reason}")]
    BadModel {
        /// `Maven` or `Gradle`.
        tool: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// `read`, `write`, `list` or the like.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A process could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl ProjectError {
    /// An I/O error at `path` while doing `action`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

/// One error of the compiler that the build tool called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildDiagnostic {
    /// The source file, as the tool named it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if the tool gave it.
    pub column: Option<u32>,
    /// The message, without position; may have several lines.
    pub message: String,
}

impl fmt::Display for BuildDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// How many compiler errors a message shows.
const SHOWN_DIAGNOSTICS: usize = 20;

fn list(diagnostics: &[BuildDiagnostic]) -> String {
    let shown = diagnostics.iter().take(SHOWN_DIAGNOSTICS);
    let mut lines: Vec<String> = shown.map(|d| format!("  {d}")).collect();
    if diagnostics.len() > SHOWN_DIAGNOSTICS {
        lines.push(format!(
            "  ... and {} more",
            diagnostics.len() - SHOWN_DIAGNOSTICS
        ));
    }
    lines.join("\n")
}

/// What is wrong with `braid.toml`, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", file.display())]
pub struct ConfigError {
    /// The configuration file.
    pub file: PathBuf,
    /// The line, from 1; 0 if the file as a whole is meant.
    pub line: usize,
    /// The column, from 1; 0 if the file as a whole is meant.
    pub column: usize,
    /// What is wrong and, if it can be guessed, what was meant.
    pub message: String,
}
