//! Instruments classes that nobody has prepared.

use std::fs;
use std::thread;

use braid_protocol::pack::{AgentSettings, CachedClass, ContentHash, content_hash};
use braid_weave::{Note, Passes, World, instrument};

/// Classes are loaded in the depth of the program's own stacks, which may be all but used up.
const STACK: usize = 16 * 1024 * 1024;

/// Applies the passes of a warm JVM.
#[derive(Debug)]
pub(crate) struct Rewriter {
    world: Option<World>,
    frameworks: Vec<String>,
    key: ContentHash,
}

impl Rewriter {
    pub(crate) fn new(settings: &AgentSettings) -> Result<Self, String> {
        let mut encoded = Vec::new();
        let world = match &settings.world {
            Some(path) => {
                encoded = fs::read(path).map_err(|e| format!("cannot read {path}: {e}"))?;
                Some(World::decode(&encoded).map_err(|e| format!("{path}: {e}"))?)
            }
            None => None,
        };
        let frameworks = settings.frameworks.join("\n");
        Ok(Self {
            world,
            frameworks: settings.frameworks.clone(),
            key: content_hash(&[frameworks.as_bytes(), &encoded]),
        })
    }

    /// Everything besides the class that decides what comes out.
    pub(crate) fn key(&self) -> ContentHash {
        self.key
    }

    /// Frameworks run the program and are no part of it: they use no fuel.
    fn is_framework(&self, name: &str) -> bool {
        self.frameworks
            .iter()
            .any(|prefix| name.starts_with(prefix.as_str()))
    }

    pub(crate) fn rewrite(&self, name: &str, bytes: &[u8]) -> CachedClass {
        let passes = Passes {
            fuel: !self.is_framework(name),
            reset: self.world.as_ref(),
            coverage: None,
        };
        let made = thread::scope(|scope| {
            let work = || instrument(bytes, &passes).map_err(|e| e.to_string());
            let spawned = thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work);
            match spawned {
                Ok(handle) => handle
                    .join()
                    .unwrap_or_else(|_| Err("internal error".to_owned())),
                Err(e) => Err(e.to_string()),
            }
        });
        match made {
            Ok(made) => CachedClass {
                bytes: made.bytes,
                notes: made.notes.iter().map(|note| text(name, note)).collect(),
            },
            Err(reason) => CachedClass {
                bytes: None,
                notes: vec![format!("{name}: cannot be instrumented: {reason}")],
            },
        }
    }
}

fn text(name: &str, note: &Note) -> String {
    match note {
        Note::NotReset { reason } => format!("{name}: static state stays: {reason}"),
        Note::TooLarge { method, without } => {
            format!("{name}: {method} is too large for {without}")
        }
    }
}
