//! What the caller asks of discovery; the command line fills this in.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How to find, build and read a project. The default finds everything by itself.
///
/// Paths may be relative to the folder that discovery starts in. What is set here wins over
/// `braid.toml`, which wins over what is found.
#[derive(Clone)]
pub struct ProjectOptions {
    /// The JDK to use (`--jdk`).
    pub jdk: Option<PathBuf>,
    /// The JVM that runs tests, if it is another one (`--java`).
    pub java: Option<PathBuf>,
    /// The profile of `braid.toml` to lay over the rest (`--profile`).
    pub profile: Option<String>,
    /// Another configuration file than the `braid.toml` at the root (`--config`).
    pub config: Option<PathBuf>,
    /// Explicit source roots (`--source`); with these set no build tool is used.
    pub sources: Vec<PathBuf>,
    /// Explicit test roots (`--tests`).
    pub tests: Vec<PathBuf>,
    /// Explicit class path (`--classpath`); entries may end in `*` or `*.jar`.
    pub classpath: Vec<PathBuf>,
    /// Only these modules, by name or folder (`--module`); empty means all.
    pub modules: Vec<String>,
    /// Use the outputs that are there and refuse them if they are stale (`--no-build`).
    pub no_build: bool,
    /// Keep the build tool off the network (`--offline`).
    pub offline: bool,
    /// Neither read nor write the cached model (`--no-cache`).
    pub no_cache: bool,
    /// When to give up on the build tool.
    pub build_timeout: Duration,
    /// Is told what is being done, one short line at a time.
    pub progress: Option<ProgressSink>,
}

/// A function that is told what discovery is doing.
pub type ProgressSink = Arc<dyn Fn(&str) + Send + Sync>;

impl Default for ProjectOptions {
    fn default() -> Self {
        Self {
            jdk: None,
            java: None,
            profile: None,
            config: None,
            sources: Vec::new(),
            tests: Vec::new(),
            classpath: Vec::new(),
            modules: Vec::new(),
            no_build: false,
            offline: false,
            no_cache: false,
            build_timeout: Duration::from_secs(30 * 60),
            progress: None,
        }
    }
}

impl ProjectOptions {
    /// Tells the caller what is being done.
    pub(crate) fn say(&self, line: &str) {
        if let Some(progress) = &self.progress {
            progress(line);
        }
    }

    /// Whether roots are given explicitly, so that no build tool is looked for.
    pub(crate) fn is_explicit(&self) -> bool {
        !self.sources.is_empty() || !self.tests.is_empty()
    }
}

impl fmt::Debug for ProjectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectOptions")
            .field("jdk", &self.jdk)
            .field("java", &self.java)
            .field("profile", &self.profile)
            .field("config", &self.config)
            .field("sources", &self.sources)
            .field("tests", &self.tests)
            .field("classpath", &self.classpath)
            .field("modules", &self.modules)
            .field("no_build", &self.no_build)
            .field("offline", &self.offline)
            .field("no_cache", &self.no_cache)
            .field("build_timeout", &self.build_timeout)
            .finish_non_exhaustive()
    }
}
