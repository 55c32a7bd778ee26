//! A pristine copy of the project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ExecError;
use crate::tree::{self, Entry};

/// Folders that never belong to the program: version control and our own.
const NEVER: [&str; 2] = [".git", ".braid"];

/// What a snapshot leaves out.
#[derive(Debug, Clone, Default)]
pub struct SnapshotOptions {
    /// Paths relative to the project, in addition to `.git` and `.braid`.
    pub exclude: Vec<PathBuf>,
}

/// A pristine copy of the project, from which sandboxes are made and restored.
///
/// Whatever happens to the user's tree later, all sandboxes stay the same.
#[derive(Debug)]
pub struct Snapshot {
    /// The project, as named and with links resolved.
    origins: [PathBuf; 2],
    root: PathBuf,
    entries: BTreeMap<PathBuf, Entry>,
}

impl Snapshot {
    /// Copies the project at `project` to `dir`, which is made and must not exist or be empty.
    pub fn take(project: &Path, dir: &Path, options: &SnapshotOptions) -> Result<Self, ExecError> {
        let canonical = project
            .canonicalize()
            .map_err(ExecError::io("find", project))?;
        fs::create_dir_all(dir).map_err(ExecError::io("create", dir))?;
        let root = dir.canonicalize().map_err(ExecError::io("find", dir))?;
        let own = root.strip_prefix(&canonical).map(Path::to_owned).ok();
        let skip = |inside: &Path| {
            let named = inside
                .file_name()
                .is_some_and(|name| NEVER.iter().any(|never| name == *never));
            named || own.as_deref() == Some(inside) || options.exclude.iter().any(|e| e == inside)
        };
        let found = tree::list(&canonical, &skip)?;
        copy_all(&canonical, &root, &found)?;
        // Permissions of folders are the project's, targets of links those of the copy.
        let mut entries = tree::list(&root, &|_| false)?;
        for (inside, entry) in found {
            if let Entry::Dir(_) = entry {
                entries.insert(inside, entry);
            }
        }
        // Folders stay open here: nobody but us works in the snapshot.
        Ok(Self {
            origins: [project.to_owned(), canonical],
            root,
            entries,
        })
    }

    /// Where the copy is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of `path` within the project, if it lies there.
    pub fn inside<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        self.origins
            .iter()
            .find_map(|origin| path.strip_prefix(origin).ok())
    }

    pub(crate) fn entries(&self) -> &BTreeMap<PathBuf, Entry> {
        &self.entries
    }
}

pub(crate) fn copy_all(
    from: &Path,
    to: &Path,
    entries: &BTreeMap<PathBuf, Entry>,
) -> Result<(), ExecError> {
    entries
        .iter()
        .try_for_each(|(inside, entry)| tree::copy(from, to, inside, entry))
}
