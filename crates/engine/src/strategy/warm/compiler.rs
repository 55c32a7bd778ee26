//! The warm compiler, started and warmed up beside the baseline.

use std::path::PathBuf;
use std::thread::JoinHandle;

use braid_compile::{Changes, Tool, Warm, compile_patch};
use walkdir::WalkDir;

use crate::jvms::Common;
use crate::strategy::build::main_unit;
use crate::strategy::plain::javac_tool;
use crate::workspace::Workspace;

/// Larger files are not what a rehearsal takes.
const MOST_BYTES: u64 = 128 << 10;

/// A compiler in a JVM of its own that outlives requests.
pub(crate) enum Compiler {
    /// It is being started.
    Starting(JoinHandle<Option<Warm>>),
    /// It waits for requests.
    Ready(Warm),
}

impl Compiler {
    /// Starts one and has it compile a source file of the project as it is, so that it has loaded what it needs before
    /// the patches come.
    pub(crate) fn start(common: Common<'_>, workspace: &Workspace) -> Self {
        let tool = javac_tool(common);
        let with_sources = |module: &&braid_project::Module| !module.source_roots.is_empty();
        let module = common.project.modules.iter().find(with_sources);
        let unit = module.map(|module| main_unit(workspace, module, &|path| workspace.map(path)));
        Self::Starting(std::thread::spawn(move || rehearse(tool, unit)))
    }

    /// The compiler; none if it could not be started, which whoever needs it finds out again.
    pub(super) fn wait(self) -> Option<Warm> {
        match self {
            Self::Starting(starting) => starting.join().ok().flatten(),
            Self::Ready(javac) => Some(javac),
        }
    }
}

fn rehearse(tool: Tool, unit: Option<braid_compile::Module>) -> Option<Warm> {
    let mut javac = Warm::start(tool).ok()?;
    let rehearsed = unit.and_then(|unit| {
        let file = largest(&unit.source_roots)?;
        let content = std::fs::read(&file).ok()?;
        let changes = Changes {
            written: [(file, content)].into(),
            deleted: Default::default(),
        };
        // what comes of it is of no interest
        compile_patch(&mut javac, &unit, &changes).ok()
    });
    drop(rehearsed);
    Some(javac)
}

/// The largest source file of ordinary size.
fn largest(roots: &[PathBuf]) -> Option<PathBuf> {
    let files = roots.iter().flat_map(WalkDir::new).flatten();
    let sized = files.filter_map(|file| {
        let java = file.path().extension().is_some_and(|end| end == "java");
        let bytes = file.metadata().ok()?.len();
        (java && bytes <= MOST_BYTES).then(|| (bytes, file.into_path()))
    });
    sized.max().map(|(_, path)| path)
}
