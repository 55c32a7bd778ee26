//! A pristine copy of the project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ExecError;
use crate::tree::{self, Entry, Listing};

/// Folders that never belong to the program: version control and our own.
const NEVER: [&str; 2] = [".git", ".braid"];

/// So many threads copy at most.
const MOST_THREADS: usize = 8;
/// So few files are not worth another thread.
const FEW: usize = 200;

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
    entries: Listing,
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
        for (inside, entry) in found.iter() {
            if let Entry::Dir(_) = entry {
                entries.set(inside, entry.clone());
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

    pub(crate) fn entries(&self) -> &Listing {
        &self.entries
    }
}

/// Copies everything. Files are copied side by side: most of the work is the system's.
pub(crate) fn copy_all(from: &Path, to: &Path, entries: &Listing) -> Result<(), ExecError> {
    let (folders, files): (Vec<_>, Vec<_>) = entries
        .iter()
        .partition(|(_, entry)| matches!(entry, Entry::Dir(_)));
    let copy = |(inside, entry): &(&Path, &Entry)| tree::copy(from, to, inside, entry);
    folders.iter().try_for_each(copy)?;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_THREADS));
    let part = files.len().div_ceil(threads).max(FEW);
    std::thread::scope(|scope| {
        let parts = files.chunks(part);
        let copying: Vec<_> = parts
            .map(|files| scope.spawn(move || files.iter().try_for_each(copy)))
            .collect();
        copying.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}
