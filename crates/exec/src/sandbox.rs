//! A private copy of the project for one worker at a time.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::ExecError;
use crate::snapshot::{Snapshot, copy_all};
use crate::tree::{self, Entry, Listing};
use crate::tree_watch::{Touched, TreeWatch};

#[cfg(all(test, target_os = "linux"))]
mod tests;

/// After so many restores that only looked at touched files, one lists the whole copy: it brings back what the watch
/// did not notice.
const MOST_QUICK_RESTORES: u32 = 63;

/// A private copy of the project, in which patches are put and tests run.
///
/// Dropping it removes the copy.
#[derive(Debug)]
pub struct Sandbox {
    snapshot: Arc<Snapshot>,
    root: PathBuf,
    /// What is there when nothing has been touched.
    manifest: Listing,
    watch: TreeWatch,
    /// How many restores there were since the whole copy was listed.
    quick_restores: u32,
}

/// What is at a path that is not as in the manifest.
type Change = (PathBuf, Option<Entry>);

/// What [`Sandbox::restore`] had to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Restored {
    /// Files, links and permissions that had been changed.
    pub changed: usize,
    /// Things that had been deleted.
    pub deleted: usize,
    /// Things that had been created, the content of new folders not counted.
    pub created: usize,
}

impl Sandbox {
    /// Copies the snapshot to `dir`, which is made and must not exist or be empty.
    pub fn create(snapshot: &Arc<Snapshot>, dir: &Path) -> Result<Self, ExecError> {
        fs::create_dir_all(dir).map_err(ExecError::io("create", dir))?;
        let root = dir.canonicalize().map_err(ExecError::io("find", dir))?;
        copy_all(snapshot.root(), &root, snapshot.entries())?;
        for (inside, entry) in snapshot.entries().iter().rev() {
            tree::close(&root, inside, entry)?;
        }
        let manifest = tree::list(&root, &|_| false)?;
        Ok(Self {
            snapshot: Arc::clone(snapshot),
            root,
            manifest,
            watch: TreeWatch::default(),
            quick_restores: 0,
        })
    }

    /// Where the copy is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The place in the copy that stands for `path` in the project; a path outside of the project
    /// stands for itself.
    pub fn map(&self, path: &Path) -> PathBuf {
        match self.snapshot.inside(path) {
            // Joining an empty path would add a slash.
            Some(inside) if inside.as_os_str().is_empty() => self.root.clone(),
            Some(inside) => self.root.join(inside),
            None => path.to_owned(),
        }
    }

    /// Writes a file, relative to the project, in place of whatever is there.
    pub fn write(&mut self, inside: &Path, bytes: &[u8]) -> Result<(), ExecError> {
        let path = self.place(inside)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(ExecError::io("create", parent))?;
        }
        self.check_parent(inside)?;
        // A link or a file without write permission must not be written through.
        tree::remove(&path)?;
        fs::write(&path, bytes).map_err(ExecError::io("write", &path))
    }

    /// Removes a file or folder, relative to the project, if it is there.
    pub fn remove(&mut self, inside: &Path) -> Result<(), ExecError> {
        let path = self.place(inside)?;
        if path.parent().is_some_and(Path::exists) {
            self.check_parent(inside)?;
        }
        tree::remove(&path)
    }

    /// Brings everything back to the state of the snapshot.
    ///
    /// No process may be working in the sandbox, though one may live and have files of it open. What was not touched
    /// costs nothing if the system tells what was, and one look at its metadata if not.
    pub fn restore(&mut self) -> Result<Restored, ExecError> {
        let touched = self.watch.touched();
        let changes = match self.look_at(&touched) {
            Some(changes) => changes,
            None => self.look_at_everything()?,
        };
        let mut restored = Restored::default();
        self.remove_strangers(&changes, &mut restored)?;
        let mut replaced = Vec::new();
        for (inside, found) in &changes {
            if let Some(original) = self.manifest.get(inside) {
                self.bring_back(inside, original, found.as_ref(), &mut restored)?;
                replaced.push(inside.clone());
            }
        }
        self.replace_written(&touched, &changes, &mut replaced)?;
        self.close_parents(&replaced)?;
        for inside in &replaced {
            let path = self.root.join(inside);
            let entry = Entry::read(&path).map_err(ExecError::io("look at", &path))?;
            self.manifest.set(inside, entry);
        }
        self.watch.settle(&replaced);
        Ok(restored)
    }

    /// The touched files that are not as they were; nothing if only a listing can tell.
    fn look_at(&mut self, touched: &Touched) -> Option<Vec<Change>> {
        if touched.everything || self.quick_restores == MOST_QUICK_RESTORES || !self.root.is_dir() {
            return None;
        }
        let mut changes = Vec::new();
        for inside in touched.files.keys() {
            let found = match Entry::read(&self.root.join(inside)) {
                Ok(found) => Some(found),
                Err(e) if e.kind() == io::ErrorKind::NotFound => None,
                Err(_) => return None,
            };
            let original = self.manifest.get(inside);
            if found.as_ref() == original {
                continue;
            }
            let mut both = found.iter().chain(original);
            if both.any(|entry| entry.is_dir() || entry.is_shared()) {
                return None;
            }
            changes.push((inside.clone(), found));
        }
        self.quick_restores += 1;
        Some(changes)
    }

    /// All that is not as it was. From now on the watch tells what is touched.
    fn look_at_everything(&mut self) -> Result<Vec<Change>, ExecError> {
        self.quick_restores = 0;
        if !self.root.is_dir() {
            tree::remove(&self.root)?;
            fs::create_dir_all(&self.root).map_err(ExecError::io("create", &self.root))?;
        }
        self.watch.follow(&self.root, &self.manifest);
        let found = tree::list(&self.root, &|_| false)?;
        let differences = self.manifest.differences(&found).into_iter();
        Ok(differences
            .map(|(inside, _, found)| (inside.to_owned(), found.cloned()))
            .collect())
    }

    /// Replaces files that are as they were though somebody wrote to them, or could have: who still has one mapped
    /// could change it later without a sign.
    fn replace_written(
        &self,
        touched: &Touched,
        changes: &[Change],
        replaced: &mut Vec<PathBuf>,
    ) -> Result<(), ExecError> {
        let written = touched.files.iter().filter(|(_, written)| **written);
        for (inside, _) in written {
            let is_change = changes.binary_search_by_key(&inside, |(path, _)| path);
            if let (Err(_), Some(original @ Entry::File(_))) =
                (is_change, self.manifest.get(inside))
            {
                self.replace(inside, original)?;
                replaced.push(inside.clone());
            }
        }
        Ok(())
    }

    /// Removes what the manifest does not have.
    fn remove_strangers(
        &self,
        changes: &[Change],
        restored: &mut Restored,
    ) -> Result<(), ExecError> {
        let mut removed: Option<&Path> = None;
        for (inside, _) in changes {
            // Its folder may be gone already; parents come first.
            let is_gone = removed.is_some_and(|folder| inside.starts_with(folder));
            if is_gone || self.manifest.get(inside).is_some() {
                continue;
            }
            tree::remove(&self.root.join(inside))?;
            restored.created += 1;
            removed = Some(inside);
        }
        Ok(())
    }

    fn bring_back(
        &self,
        inside: &Path,
        original: &Entry,
        found: Option<&Entry>,
        restored: &mut Restored,
    ) -> Result<(), ExecError> {
        match found {
            Some(_) => restored.changed += 1,
            None => restored.deleted += 1,
        }
        if let (Entry::Dir(_), Some(Entry::Dir(_))) = (original, found) {
            return tree::close(&self.root, inside, original);
        }
        self.replace(inside, original)
    }

    /// Puts a fresh copy in place of whatever is there.
    fn replace(&self, inside: &Path, original: &Entry) -> Result<(), ExecError> {
        tree::open_parent(&self.root, inside)?;
        tree::remove(&self.root.join(inside))?;
        let pristine = self.snapshot.entries().get(inside).unwrap_or(original);
        tree::copy(self.snapshot.root(), &self.root, inside, pristine)
    }

    /// Sets the permissions of all folders that were opened or made.
    fn close_parents(&self, touched: &[PathBuf]) -> Result<(), ExecError> {
        let parents = touched.iter().flat_map(|inside| inside.ancestors());
        let folders: std::collections::BTreeSet<&Path> = parents.collect();
        for inside in folders.into_iter().rev() {
            if let Some(entry @ Entry::Dir(_)) = self.manifest.get(inside)
                && Entry::read(&self.root.join(inside)).ok().as_ref() != Some(entry)
            {
                tree::close(&self.root, inside, entry)?;
            }
        }
        Ok(())
    }

    fn place(&self, inside: &Path) -> Result<PathBuf, ExecError> {
        let normal = inside
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if normal && inside.components().next().is_some() {
            return Ok(self.root.join(inside));
        }
        Err(ExecError::Outside {
            path: inside.to_owned(),
        })
    }

    /// Refuses a path that leads out of the sandbox through a link.
    fn check_parent(&self, inside: &Path) -> Result<(), ExecError> {
        let parent = self.root.join(inside.parent().unwrap_or(Path::new("")));
        let real = parent
            .canonicalize()
            .map_err(ExecError::io("find", &parent))?;
        if real.starts_with(&self.root) {
            Ok(())
        } else {
            Err(ExecError::Outside {
                path: inside.to_owned(),
            })
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Nobody need be told of each file that is removed.
        self.watch = TreeWatch::default();
        // What cannot be removed stays; the caller's folder for sandboxes is emptied at next start.
        let _ = tree::remove(&self.root);
    }
}
