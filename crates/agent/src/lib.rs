//! The agent of warm workers: gives the JVM woven or instrumented classes in place of the program's own.
//!
//! A class that the controller has prepared is replaced by what it prepared for exactly these bytes. Any
//! other class of the program is instrumented here, and kept by content in a file that workers share.
//! Classes of the JDK are never touched, those of test frameworks only where they reach into the program.
//!
//! The agent decides nothing about tests, and nothing it does wrong may end the JVM: a class that it cannot
//! handle stays as it is, and a note says so.

mod cache;
mod prepared;
mod rewrite;

use std::fs;
use std::sync::{Mutex, PoisonError};

use braid_jvmti::{Agent, ClassLoading, agent_main};
use braid_protocol::pack::AgentSettings;

use crate::cache::Cache;
use crate::prepared::{Found, Prepared};
use crate::rewrite::Rewriter;

/// Names of classes that the JDK makes for itself in the program's loaders.
const GENERATED: [&str; 4] = ["java/", "jdk/", "sun/", "com/sun/proxy/"];

agent_main!(start);

/// Makes the agent; `options` is the path of a file with its settings.
fn start(options: &str) -> Result<Box<dyn Agent>, String> {
    let bytes = fs::read(options).map_err(|e| format!("cannot read {options}: {e}"))?;
    let settings = AgentSettings::decode(&bytes).map_err(|e| format!("{options}: {e}"))?;
    let prepared = match &settings.classes {
        Some(path) => Some(Prepared::open(path).map_err(|e| format!("{path}: {e}"))?),
        None => None,
    };
    let rewriter = Rewriter::new(&settings)?;
    let folder = settings.cache.as_deref();
    let cache = folder.and_then(|folder| Cache::open(folder, &settings.salt, rewriter.key()));
    Ok(Box::new(Warm {
        untouched: settings.untouched,
        instrument: settings.instrument,
        prepared,
        rewriter,
        cache,
        notes: Mutex::new(Vec::new()),
    }))
}

/// The agent.
#[derive(Debug)]
struct Warm {
    untouched: Vec<String>,
    instrument: bool,
    prepared: Option<Prepared>,
    rewriter: Rewriter,
    cache: Option<Cache>,
    notes: Mutex<Vec<String>>,
}

impl Warm {
    fn note(&self, text: impl IntoIterator<Item = String>) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(text);
    }

    /// What the controller has prepared for these bytes.
    fn prepared(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        match self.prepared.as_ref()?.find(name, bytes) {
            Ok(Found::Class(woven)) => Some(woven),
            Ok(Found::Nothing) => None,
            Ok(Found::Other) => {
                self.note([format!("{name}: not the class that was prepared")]);
                None
            }
            Err(e) => {
                self.note([format!("{name}: cannot read what was prepared: {e}")]);
                None
            }
        }
    }

    fn instrumented(&self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        if let Some(known) = self.cache.as_ref().and_then(|cache| cache.find(bytes)) {
            self.note(known.notes);
            return known.bytes;
        }
        let made = self.rewriter.rewrite(name, bytes);
        if let Some(cache) = &self.cache {
            cache.keep(bytes, &made);
        }
        self.note(made.notes);
        made.bytes
    }
}

impl Agent for Warm {
    fn class_loading(&self, class: &ClassLoading<'_>) -> Option<Vec<u8>> {
        if class.by_jdk_loader || class.redefined {
            return None;
        }
        let name = class.name?;
        let untouched = |prefix: &str| name.starts_with(prefix);
        if GENERATED.into_iter().any(untouched) || self.untouched.iter().any(|p| untouched(p)) {
            return None;
        }
        let prepared = self.prepared(name, class.bytes);
        if prepared.is_some() || !self.instrument {
            return prepared;
        }
        self.instrumented(name, class.bytes)
    }

    fn notes(&self) -> Option<String> {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.is_empty() {
            return None;
        }
        Some(std::mem::take(&mut *notes).join("\n"))
    }
}
