//! A private copy of the project for one worker at a time.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::ExecError;
use crate::snapshot::{Snapshot, copy_all};
use crate::tree::{self, Difference, Entry, Listing};

/// A private copy of the project, in which patches are put and tests run.
///
/// Dropping it removes the copy.
#[derive(Debug)]
pub struct Sandbox {
    snapshot: Arc<Snapshot>,
    root: PathBuf,
    /// What is there when nothing has been touched.
    manifest: Listing,
}

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
    /// No process may be working in the sandbox. What was not touched costs one look at the file's
    /// metadata.
    pub fn restore(&mut self) -> Result<Restored, ExecError> {
        let mut restored = Restored::default();
        if !self.root.is_dir() {
            tree::remove(&self.root)?;
            fs::create_dir_all(&self.root).map_err(ExecError::io("create", &self.root))?;
        }
        let found = tree::list(&self.root, &|_| false)?;
        let differences = self.manifest.differences(&found);
        self.remove_strangers(&differences, &mut restored)?;
        let mut touched = Vec::new();
        for (inside, original, found) in differences {
            if let Some(original) = original {
                self.bring_back(inside, original, found, &mut restored)?;
                touched.push(inside.to_owned());
            }
        }
        self.close_parents(&touched)?;
        for inside in touched {
            let path = self.root.join(&inside);
            let entry = Entry::read(&path).map_err(ExecError::io("look at", &path))?;
            self.manifest.set(&inside, entry);
        }
        Ok(restored)
    }

    /// Removes what the manifest does not have.
    fn remove_strangers(
        &self,
        differences: &[Difference<'_>],
        restored: &mut Restored,
    ) -> Result<(), ExecError> {
        let mut removed: Option<&Path> = None;
        let strangers = differences.iter().filter(|(_, own, _)| own.is_none());
        for (inside, ..) in strangers {
            // Its folder may be gone already; parents come first.
            if removed.is_some_and(|folder| inside.starts_with(folder)) {
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
            if let Some(entry @ Entry::Dir(_)) = self.manifest.get(inside) {
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
        // What cannot be removed stays; the caller's folder for sandboxes is emptied at next start.
        let _ = tree::remove(&self.root);
    }
}
