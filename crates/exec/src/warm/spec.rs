//! What a warm worker is made of.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use braid_protocol::pack::AgentSettings;

use crate::error::ExecError;
use crate::launch::Extra;
use crate::spec::WorkerSpec;

/// Beginnings of the names of test frameworks' classes: they run the program and are no part of it.
pub const FRAMEWORKS: [&str; 6] = [
    "org/junit/",
    "junit/",
    "org/testng/",
    "org/opentest4j/",
    "org/hamcrest/",
    "org/apiguardian/",
];
/// So many files of instrumented classes are kept.
const KEPT: usize = 16;
/// Ours.
const UNTOUCHED: &str = "braid/";

/// A warm worker to be started.
#[derive(Debug, Clone)]
pub struct WarmSpec {
    /// The JVM and the program, as for a plain worker. It should have an explicit heap.
    pub worker: WorkerSpec,
    /// The runtime, as unpacked from the payload.
    pub runtime_jar: PathBuf,
    /// The agent, as unpacked from the payload.
    pub agent: PathBuf,
    /// The prepared classes, see [`write_classes`](crate::write_classes).
    pub classes: Option<PathBuf>,
    /// Where the agent keeps classes that it has instrumented by itself. Workers may share it.
    pub cache: Option<PathBuf>,
    /// Whether the agent instruments classes that are not prepared, for fuel and reset.
    pub instrument: bool,
    /// The file that says which classes have static state, as the crate `weave` writes it; without it the
    /// agent resets nothing.
    pub world: Option<PathBuf>,
    /// Beginnings of names (`a/b/`) of further classes that stay as they are.
    pub untouched: Vec<String>,
    /// How many coverage probes the prepared classes have.
    pub probes: u32,
    /// Whether simple tests are called without their framework.
    pub direct: bool,
}

impl WarmSpec {
    /// A worker in which the agent instruments every class of the program.
    pub fn new(worker: WorkerSpec, runtime_jar: &Path, agent: &Path) -> Self {
        Self {
            worker,
            runtime_jar: runtime_jar.to_owned(),
            agent: agent.to_owned(),
            classes: None,
            cache: None,
            instrument: true,
            world: None,
            untouched: Vec::new(),
            probes: 0,
            direct: true,
        }
    }

    /// Writes the agent's settings into `temp` and says what the JVM needs.
    pub(crate) fn extra(&self, temp: &Path) -> Result<Extra, ExecError> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        let settings = AgentSettings {
            classes: self.classes.as_ref().map(text),
            cache: self.cache.as_ref().map(text),
            // The file is named by its content.
            salt: self
                .agent
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            instrument: self.instrument,
            world: self.world.as_ref().map(text),
            frameworks: FRAMEWORKS.map(str::to_owned).to_vec(),
            untouched: std::iter::once(UNTOUCHED.to_owned())
                .chain(self.untouched.iter().cloned())
                .collect(),
        };
        if let Some(cache) = &self.cache {
            fs::create_dir_all(cache).map_err(ExecError::io("create", cache))?;
            forget_old(cache);
        }
        let file = temp.join("agent");
        fs::write(&file, settings.encode()).map_err(ExecError::io("write", &file))?;
        Ok(Extra {
            options: vec![
                format!("-agentpath:{}={}", self.agent.display(), file.display()),
                format!("-Xbootclasspath/a:{}", self.runtime_jar.display()),
                // The JVM leaves methods of more than 8,000 bytes to its interpreter, and ours are larger than the original.
                "-XX:-DontCompileHugeMethods".to_owned(),
            ],
            lines: format!("{}\n{}\n", self.probes, self.direct),
        })
    }
}

/// Keeps the newest files of instrumented classes, one for each program that was run lately. Workers that use another
/// keep it open.
fn forget_old(cache: &Path) {
    let entries = fs::read_dir(cache).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let old = files.len().saturating_sub(KEPT);
    for (_, file) in &files[..old] {
        // what cannot be removed now is removed later
        let _ = fs::remove_file(file);
    }
}
