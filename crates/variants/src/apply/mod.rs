//! Applying a patch to a tree.

mod diff;
mod edits;
mod hunks;
mod locate;
mod methods;
mod region;
mod search;
mod sources;
pub(crate) mod text;
mod work;

use std::collections::BTreeMap;

use crate::render::render;
use crate::{ApplyError, ApplyNote, Change, FileState, Patch, RelPath, SourceTree};
use work::Work;

/// A patch's effect on one tree.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// Every file that differs from the tree.
    pub files: BTreeMap<RelPath, FileState>,
    /// Compiled classes by binary name (`a/b/C$D`).
    pub classes: BTreeMap<String, Vec<u8>>,
    /// What was forgiven or guessed.
    pub notes: Vec<ApplyNote>,
    /// What really changed, as a git-style diff for people and logs. Lines that are not UTF-8
    /// are shown as Latin-1.
    pub diff: String,
}

/// How far applying may go to find a hunk's place.
#[derive(Clone, Debug)]
pub struct ApplyOptions {
    /// Context lines that may be ignored at each end of a hunk, as in `patch --fuzz`.
    pub max_fuzz: usize,
    /// Encoding (a WHATWG label, such as `ISO-8859-1`) of files that are not UTF-8; Windows-1252,
    /// which includes Latin-1, where none is given.
    pub encoding: Option<String>,
}

impl Default for ApplyOptions {
    fn default() -> Self {
        Self {
            max_fuzz: 2,
            encoding: None,
        }
    }
}

/// Applies `patch` to `tree` with the default options. The tree itself is only read.
///
/// ```
/// use braid_variants::{Input, MemTree, ReadOptions, apply, read};
///
/// let tree = MemTree::new([("src/A.java", "class A {\n  int x = 1;\n}\n")]).unwrap();
/// let diff = "--- a/src/A.java\n+++ b/src/A.java\n@@ -1,3 +1,3 @@\n class A {\n-  int x = 1;\n+  int x = 2;\n }\n";
/// let input = Input::Bytes { name: "fix.diff".into(), data: diff.into() };
/// let patch = read(&[input], &ReadOptions::default()).next().unwrap().unwrap();
/// let applied = apply(&patch, &tree).unwrap();
/// assert!(applied.diff.contains("+  int x = 2;"));
/// assert!(applied.notes.is_empty());
/// ```
pub fn apply(patch: &Patch, tree: &dyn SourceTree) -> Result<Applied, ApplyError> {
    apply_with(patch, tree, &ApplyOptions::default())
}

/// Applies `patch` to `tree`. The tree itself is only read.
pub fn apply_with(
    patch: &Patch,
    tree: &dyn SourceTree,
    options: &ApplyOptions,
) -> Result<Applied, ApplyError> {
    let mut work = Work::new(tree, options);
    let mut classes = BTreeMap::new();
    match &patch.change {
        Change::Diff(change) => diff::apply(&mut work, change)?,
        Change::SearchReplace(changes) => search::apply(&mut work, changes)?,
        Change::Methods(methods) => methods::apply(&mut work, methods)?,
        Change::Files(files) => whole_files(&mut work, files)?,
        Change::Edits(edits) => edits::apply(&mut work, edits)?,
        Change::Sources(files) => sources::apply(&mut work, files)?,
        Change::Region(region) => region::apply(&mut work, region)?,
        Change::Classes(compiled) => classes.clone_from(compiled),
    }
    let done = work.finish()?;
    let mut notes = patch.notes.clone();
    notes.extend(done.notes);
    if done.files.is_empty() && classes.is_empty() {
        notes.push(ApplyNote::NoEffect);
    }
    let diff = render(&done.files, &done.originals, &classes);
    Ok(Applied {
        files: done.files,
        classes,
        notes,
        diff,
    })
}

/// Files by their exact path.
fn whole_files(
    work: &mut Work<'_>,
    files: &BTreeMap<RelPath, FileState>,
) -> Result<(), ApplyError> {
    for (path, state) in files {
        match state {
            FileState::Write(content) => {
                let old = work.read(path)?;
                let content = sources::converted(work, path, old.as_deref(), content)?;
                work.write(path.clone(), content);
            }
            FileState::Delete => {
                work.require(path)?;
                work.delete(path.clone());
            }
        }
    }
    Ok(())
}
