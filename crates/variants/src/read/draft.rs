//! Patches before they have their final id.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::{ApplyNote, Change, Format, PatchId, ReadProblem};

/// A patch, or what was wrong with it, under the id it asks for.
pub(super) struct Draft {
    pub(super) id: String,
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) format: Format,
    pub(super) failing: Vec<String>,
    pub(super) notes: Vec<ApplyNote>,
    pub(super) change: Result<Change, ReadProblem>,
}

/// The patches of one file or folder.
pub(super) type Drafts = Box<dyn Iterator<Item = Draft>>;

/// A file that is read.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    /// What its patches are called after.
    pub(super) stem: String,
    /// The most bytes of one patch.
    pub(super) limit: usize,
    /// Whether it was given as a patch; else it is passed over if it is none.
    pub(super) certain: bool,
}

impl Place {
    pub(super) fn draft(
        &self,
        line: usize,
        format: Format,
        change: Result<Change, ReadProblem>,
    ) -> Draft {
        Draft {
            id: self.stem.clone(),
            file: self.file.clone(),
            line,
            format,
            failing: Vec::new(),
            notes: Vec::new(),
            change,
        }
    }

    /// The file's extension in lower case.
    pub(super) fn extension(&self) -> String {
        self.file
            .extension()
            .map(|ext| ext.to_string_lossy().to_lowercase())
            .unwrap_or_default()
    }
}

/// A file name without its extension.
pub(super) fn stem(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && !extension.contains('/') => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// The ids given so far.
#[derive(Default)]
pub(super) struct Ids {
    taken: HashSet<String>,
}

/// The longest id.
const MAX_CHARS: usize = 200;

impl Ids {
    /// An id like `wanted` that no other patch has, and a note if that is another.
    pub(super) fn unique(&mut self, wanted: &str) -> (PatchId, Option<ApplyNote>) {
        let clean = clean(wanted);
        if self.taken.insert(clean.clone()) {
            return (PatchId(clean), None);
        }
        let mut number = 2;
        loop {
            let id = format!("{clean}-{number}");
            if self.taken.insert(id.clone()) {
                return (PatchId(id), Some(ApplyNote::DuplicateId { id: clean }));
            }
            number += 1;
        }
    }
}

/// Without control characters, not empty, not too long.
fn clean(id: &str) -> String {
    let plain = |c: char| if c.is_control() { '_' } else { c };
    let mut out: String = id.trim().chars().map(plain).take(MAX_CHARS).collect();
    if out.is_empty() {
        out.push_str("patch");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_clean() {
        let mut ids = Ids::default();
        let mut next = |id: &str| ids.unique(id).0.0;
        assert_eq!(next("a"), "a");
        assert_eq!(next("a"), "a-2");
        assert_eq!(next("a-2"), "a-2-2");
        assert_eq!(next("a"), "a-3");
        assert_eq!(next(" x\ny "), "x_y");
        assert_eq!(next(""), "patch");
        assert_eq!(next(&"z".repeat(500)).len(), 200);
    }

    #[test]
    fn stems_lose_one_extension() {
        assert_eq!(stem("a.b.diff"), "a.b");
        assert_eq!(stem(".hidden"), ".hidden");
        assert_eq!(stem("p.1/x"), "p.1/x");
    }
}
