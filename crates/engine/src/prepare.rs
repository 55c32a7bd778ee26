//! From a patch as it was read to a case, or to a verdict at once where it cannot be judged.

use std::time::Instant;

use braid_project::Project;
use braid_store::{Key, KeyBuilder};
use braid_variants::{
    Applied, ApplyOptions, FileState, Origin, Patch, PatchReadError, SourceTree, apply_with,
    content_hash,
};

use crate::change::classify;
use crate::effect::Effect;
use crate::strategy::{Case, Judgement, PatchInfo};
use crate::{PatchOrigin, Settings, VerdictKind, fingerprint};

/// What became of a patch so far.
pub(crate) enum Prepared {
    /// It can be judged.
    Case(Box<Case>),
    /// It has its verdict already.
    Settled(Box<Settled>),
}

/// A patch whose verdict needs no strategy.
pub(crate) struct Settled {
    /// Who it is.
    pub patch: PatchInfo,
    /// The verdict.
    pub judgement: Judgement,
    /// What it does, where it applies.
    pub diff: Option<String>,
}

impl Prepared {
    fn settled(patch: PatchInfo, judgement: Judgement, diff: Option<String>) -> Self {
        Self::Settled(Box::new(Settled {
            patch,
            judgement,
            diff,
        }))
    }
}

/// What is needed to prepare patches.
pub(crate) struct Preparer<'a> {
    /// The project, with paths of the user's tree.
    pub project: &'a Project,
    /// How to run.
    pub settings: &'a Settings,
    /// The pristine files.
    pub tree: &'a (dyn SourceTree + Sync),
    /// The unpatched program's fingerprint.
    pub fingerprint: Key,
}

impl Preparer<'_> {
    /// A patch that could not be read.
    pub(crate) fn unreadable(&self, seq: u64, error: &PatchReadError) -> Prepared {
        let content = KeyBuilder::new("unreadable")
            .part("origin", error.origin.to_string())
            .part("problem", error.problem.to_string())
            .finish();
        let patch = PatchInfo {
            id: error.id.0.clone(),
            seq,
            origin: origin(&error.origin),
            content: content.hex(),
            files: Vec::new(),
            notes: Vec::new(),
            apply_ms: 0,
        };
        let kind = match error.problem {
            braid_variants::ReadProblem::Unsupported(_) => VerdictKind::Unsupported,
            _ => VerdictKind::ApplyError,
        };
        let judgement = Judgement::refused(kind, error.problem.to_string());
        Prepared::settled(patch, judgement, None)
    }

    /// Applies a patch and sorts out what it changes.
    pub(crate) fn prepare(&self, seq: u64, patch: &Patch) -> Prepared {
        let start = Instant::now();
        let mut info = PatchInfo {
            id: patch.id.0.clone(),
            seq,
            origin: origin(&patch.origin),
            content: content_of(patch),
            files: Vec::new(),
            notes: patch.notes.iter().map(ToString::to_string).collect(),
            apply_ms: 0,
        };
        let encoding = self
            .project
            .modules
            .first()
            .map(|module| module.encoding.clone());
        let options = ApplyOptions {
            encoding: encoding.filter(|name| !name.is_empty()),
            ..ApplyOptions::default()
        };
        let applied = apply_with(patch, self.tree, &options);
        info.apply_ms = start.elapsed().as_millis() as u64;
        let applied = match applied {
            Ok(applied) => applied,
            Err(error) => {
                let judgement = Judgement::refused(VerdictKind::ApplyError, error.to_string());
                return Prepared::settled(info, judgement, None);
            }
        };
        info.files = changed_files(&applied);
        info.notes = applied.notes.iter().map(ToString::to_string).collect();
        let change = match self.accept(&applied) {
            Ok(change) => change,
            Err(why) => {
                let judgement = Judgement::refused(VerdictKind::Unsupported, why);
                let diff = Some(applied.diff);
                return Prepared::settled(info, judgement, diff);
            }
        };
        let identity = effect_of(&applied);
        let failing = if self.settings.failing.is_empty() {
            patch.failing.clone()
        } else {
            Vec::new()
        };
        let key = fingerprint::verdict(&self.fingerprint, self.settings, &identity, &failing);
        Prepared::Case(Box::new(Case {
            patch: info,
            effect: Effect::new(applied, self.tree, &self.project.root),
            change,
            failing,
            key,
        }))
    }

    fn accept(&self, applied: &Applied) -> Result<crate::change::Change, String> {
        let change = classify(self.project, applied)?;
        match &change.test_file {
            Some(file) if !self.settings.allow_test_edits => Err(format!(
                "changes the test file {file}; give --allow-test-edits to judge such patches"
            )),
            _ => Ok(change),
        }
    }
}

/// The identity of a patch's text.
pub(crate) fn content_of(patch: &Patch) -> String {
    let bytes = content_hash(patch);
    KeyBuilder::new("patch")
        .part("content", bytes)
        .value("failing", &patch.failing)
        .finish()
        .hex()
}

/// The identity of what a patch does: two patches that leave the same program behind have the same.
fn effect_of(applied: &Applied) -> Key {
    let mut key = KeyBuilder::new("effect");
    for (path, state) in &applied.files {
        key.part("path", path.as_str());
        match state {
            FileState::Write(bytes) => key.part("write", bytes),
            FileState::Delete => key.part("delete", ""),
        };
    }
    for (class, bytes) in &applied.classes {
        key.part("class", class).part("bytes", bytes);
    }
    key.finish()
}

fn changed_files(applied: &Applied) -> Vec<String> {
    let files = applied.files.keys().map(ToString::to_string);
    let classes = applied.classes.keys().map(|class| format!("{class}.class"));
    files.chain(classes).collect()
}

fn origin(origin: &Origin) -> PatchOrigin {
    PatchOrigin {
        file: origin.file.to_string_lossy().into_owned(),
        line: origin.line as u64,
        format: origin.format.to_string(),
    }
}
