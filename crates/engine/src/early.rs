//! A compiler that gets warm while the build tool is at work.
//!
//! The build tool keeps one core busy for seconds; the compiler's first patches take ten times as long as later ones.

use std::thread::JoinHandle;

use braid_compile::{CompileError, Tool, Warm};
use braid_project::compiler_of;

use crate::ProjectRequest;
use crate::jvms::Common;
use crate::strategy::javac_tool;

/// A compiler on its way.
pub(crate) struct Early(JoinHandle<Option<Warm>>);

impl Early {
    /// Starts the compiler of a project that is not built yet.
    pub(crate) fn start(request: &ProjectRequest) -> Self {
        let request = request.clone();
        Self(std::thread::spawn(move || warm(&request)))
    }

    /// The compiler, if it has become one that is started just so.
    fn get(self, tool: &Tool) -> Option<Warm> {
        let warm = self.0.join().ok().flatten()?;
        (warm.tool() == tool).then_some(warm)
    }
}

/// The compiler that is on its way, or one that is started now.
pub(crate) fn javac(early: Option<Early>, common: Common<'_>) -> Result<Warm, CompileError> {
    let tool = common.javac_tool();
    match early.and_then(|early| early.get(&tool)) {
        Some(warm) => Ok(warm),
        None => Warm::start(tool),
    }
}

/// What goes wrong here is found out, and told, by whoever needs a compiler.
fn warm(request: &ProjectRequest) -> Option<Warm> {
    let (root, jdk) = compiler_of(&request.dir, &request.options()).ok()?;
    let payload = braid_payload::unpack(&root.join(".braid").join("lib")).ok()?;
    let mut warm = Warm::start(javac_tool(&jdk, &payload)).ok()?;
    warm.warm_up().ok()?;
    Some(warm)
}
