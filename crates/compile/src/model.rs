//! The data that callers hand over and get back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Class files by binary name (`a/b/Outer$Inner`).
pub type Classes = BTreeMap<String, Vec<u8>>;

/// How serious a message of the compiler is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The sources do not compile.
    Error,
    /// They compile, with a doubt.
    Warning,
    /// Only told.
    Note,
}

/// One message of the compiler, in English whatever the machine's locale is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The source file, as the caller named it; none for messages about no file.
    pub file: Option<PathBuf>,
    /// Counted from 1; 0 where the message has no place.
    pub line: u32,
    /// Counted from 1, a tab going to the next multiple of 8 as in javac; 0 for no place.
    pub column: u32,
    /// How serious it is.
    pub kind: Kind,
    /// The compiler's own key, such as `compiler.err.cant.resolve.location`.
    pub code: String,
    /// What the compiler says; may have several lines.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if self.line > 0 {
                write!(f, "{}:{}:", self.line, self.column)?;
            }
            write!(f, " ")?;
        }
        let kind = match self.kind {
            Kind::Error => "error",
            Kind::Warning => "warning",
            Kind::Note => "note",
        };
        write!(f, "{kind}: {}", self.message)
    }
}

/// What compiling gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The class files.
    Compiled(Classes),
    /// Why there are none; only errors, at least one.
    Errors(Vec<Diagnostic>),
}

/// A source file to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is; diagnostics name the file so.
    pub path: PathBuf,
    /// Its bytes; none to read them from `path`.
    pub content: Option<Vec<u8>>,
}

/// Whether and how annotation processors run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Processing {
    /// `-proc:none`.
    #[default]
    None,
    /// Processors are looked for on the class path.
    ClassPath,
    /// Processors are looked for here.
    Path(Vec<PathBuf>),
}

/// What sources are compiled against, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// In order, existing or not.
    pub class_path: Vec<PathBuf>,
    /// The charset of the sources; empty for UTF-8.
    pub encoding: String,
    /// `--release 8`, `-parameters`, `--enable-preview` …: what the build gives javac, without class
    /// path, output folders, encoding and source files.
    pub javac_args: Vec<String>,
    /// Annotation processing.
    pub processing: Processing,
}

/// One call of the compiler.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// What to compile against.
    pub setup: Setup,
    /// What to compile.
    pub sources: Vec<Source>,
}

/// What one call of the compiler gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Class files or errors.
    pub outcome: Outcome,
    /// Warnings and notes.
    pub remarks: Vec<Diagnostic>,
    /// The sources did not parse, so their meaning was not looked at.
    pub parse_failed: bool,
    /// Sources that parse and have errors: each one with content differs from the file on disk in
    /// method bodies at most.
    pub bodies_only: bool,
}

/// One part of a project that is compiled together: a module's main sources, or its tests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// Folders whose `.java` files are the sources.
    pub source_roots: Vec<PathBuf>,
    /// Files below these folders that the build leaves out.
    pub left_out: BTreeSet<PathBuf>,
    /// The folder with the class files of the unpatched sources.
    pub classes: PathBuf,
    /// What to compile against; its class path does not name `classes`.
    pub setup: Setup,
}

/// What a patch does to sources: absolute paths, as below [`Module::source_roots`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// New or changed files.
    pub written: BTreeMap<PathBuf, Vec<u8>>,
    /// Files that are gone.
    pub deleted: BTreeSet<PathBuf>,
}

impl Changes {
    /// A change of one file.
    pub fn write(path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) -> Changes {
        let written = BTreeMap::from([(path.as_ref().to_owned(), bytes.into())]);
        Changes {
            written,
            ..Changes::default()
        }
    }
}

/// The compiler's JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The JDK's home; the same JDK that the project is built with.
    pub jdk: PathBuf,
    /// Braid's compiler jar, as unpacked.
    pub jar: PathBuf,
    /// `-Xmx` of the JVM.
    pub heap_mb: u32,
    /// A request that takes longer is ended with [`CompileError::TimedOut`](crate::CompileError).
    pub timeout: Duration,
}

impl Tool {
    /// A tool with 1 GB of heap and five minutes for each request.
    pub fn new(jdk: impl AsRef<Path>, jar: impl AsRef<Path>) -> Tool {
        Tool {
            jdk: jdk.as_ref().to_owned(),
            jar: jar.as_ref().to_owned(),
            heap_mb: 1024,
            timeout: Duration::from_secs(300),
        }
    }
}
