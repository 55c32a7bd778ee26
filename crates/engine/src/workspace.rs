//! Copies of the project: one pristine, and one for each worker slot.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use braid_exec::{Restored, Sandbox, Snapshot, SnapshotOptions};
use braid_project::Project;
use braid_variants::FileState;

use crate::EngineError;

/// A pristine copy of the project and of output folders outside it. Whatever the user does to the tree while a
/// run is under way, all patches are judged against this.
pub(crate) struct Workspace {
    dir: PathBuf,
    /// The project first, then output folders that are not part of its copy.
    snapshots: Vec<Arc<Snapshot>>,
    /// Copies that nobody uses now: files that need not be made again.
    spares: Spares,
    /// How many copies were made.
    made: AtomicUsize,
}

/// The copies of one slot, each with what it is a copy of.
type Copies = Vec<(Arc<Snapshot>, Sandbox)>;
type Spares = Arc<Mutex<Vec<Copies>>>;

impl Workspace {
    /// Copies the project into `dir`. `left_out` are files and folders below its root that are no part of the
    /// program, such as the patches themselves.
    pub(crate) fn create(
        project: &Project,
        dir: &Path,
        left_out: &[PathBuf],
    ) -> Result<Self, EngineError> {
        fs::create_dir_all(dir).map_err(EngineError::io("create", dir))?;
        let inside = |path: &PathBuf| path.strip_prefix(&project.root).ok().map(Path::to_owned);
        let exclude: Vec<PathBuf> = left_out
            .iter()
            .filter_map(inside)
            .filter(|path| !path.as_os_str().is_empty())
            .collect();
        let own = Snapshot::take(
            &project.root,
            &dir.join("pristine"),
            &SnapshotOptions { exclude },
        )?;
        let mut snapshots = vec![Arc::new(own)];
        for (index, output) in outputs_elsewhere(project).iter().enumerate() {
            let to = dir.join(format!("pristine-output-{index}"));
            let snapshot = Snapshot::take(output, &to, &SnapshotOptions::default())?;
            snapshots.push(Arc::new(snapshot));
        }
        Ok(Self {
            dir: dir.to_owned(),
            snapshots,
            spares: Spares::default(),
            made: AtomicUsize::new(0),
        })
    }

    /// The pristine copy's root.
    pub(crate) fn root(&self) -> &Path {
        self.snapshots[0].root()
    }

    /// Where a path of the user's tree is in the pristine copy.
    pub(crate) fn map(&self, path: &Path) -> PathBuf {
        // output folders come last and are the more exact
        let found = self
            .snapshots
            .iter()
            .rev()
            .find_map(|s| Some((s, s.inside(path)?)));
        found.map_or_else(
            || path.to_owned(),
            |(snapshot, inside)| join(snapshot.root(), inside),
        )
    }

    /// The path relative to the project of a file in the pristine copy or in the user's tree.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let own = &self.snapshots[0];
        let inside = path
            .strip_prefix(own.root())
            .ok()
            .or_else(|| own.inside(path));
        inside.unwrap_or(path).to_string_lossy().into_owned()
    }

    /// A private copy for a worker slot: one that is no longer used, or a new one.
    pub(crate) fn slot(&self, name: &str) -> Result<Slot, EngineError> {
        let slot = |sandboxes| Slot {
            sandboxes,
            spares: Arc::clone(&self.spares),
        };
        if let Some(sandboxes) = lock(&self.spares).pop() {
            let mut slot = slot(sandboxes);
            slot.restore()?;
            return Ok(slot);
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let dir = self.dir.join(format!("slot-{number}-{name}"));
        let mut sandboxes = Vec::new();
        for (index, snapshot) in self.snapshots.iter().enumerate() {
            let to = dir.join(if index == 0 {
                "project".into()
            } else {
                format!("output-{index}")
            });
            sandboxes.push((Arc::clone(snapshot), Sandbox::create(snapshot, &to)?));
        }
        Ok(slot(sandboxes))
    }
}

fn lock(spares: &Mutex<Vec<Copies>>) -> std::sync::MutexGuard<'_, Vec<Copies>> {
    spares.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Existing output folders that a copy of the project's tree does not hold.
fn outputs_elsewhere(project: &Project) -> Vec<PathBuf> {
    let braid_dir = project.braid_dir();
    let outputs = project
        .modules
        .iter()
        .flat_map(|m| [&m.classes, &m.test_classes]);
    let mut elsewhere: Vec<PathBuf> = outputs
        .filter(|path| !path.starts_with(&project.root) || path.starts_with(&braid_dir))
        .filter(|path| path.is_dir())
        .cloned()
        .collect();
    elsewhere.sort();
    elsewhere.dedup();
    elsewhere
}

/// `root.join("")` would end in a slash.
fn join(root: &Path, inside: &Path) -> PathBuf {
    if inside.as_os_str().is_empty() {
        root.to_owned()
    } else {
        root.join(inside)
    }
}

/// A private copy of the project that a patch is put into. Whoever drops it must have ended all JVMs in it: the next
/// slot takes it over.
pub(crate) struct Slot {
    sandboxes: Copies,
    spares: Spares,
}

impl Drop for Slot {
    fn drop(&mut self) {
        lock(&self.spares).push(std::mem::take(&mut self.sandboxes));
    }
}

impl Slot {
    /// Where a path of the user's tree is in this copy; paths outside the project stay as they are.
    pub(crate) fn map(&self, path: &Path) -> PathBuf {
        let found = self
            .sandboxes
            .iter()
            .rev()
            .find_map(|(s, own)| Some((own, s.inside(path)?)));
        found.map_or_else(
            || path.to_owned(),
            |(sandbox, inside)| join(sandbox.root(), inside),
        )
    }

    /// The same for text that may hold the project's path: JVM arguments and system properties.
    pub(crate) fn map_text(&self, text: &str, project_root: &Path) -> String {
        let root = project_root.to_string_lossy();
        text.replace(&*root, &self.sandboxes[0].1.root().to_string_lossy())
    }

    /// Writes or removes a file, given by its path in the user's tree.
    pub(crate) fn put(&mut self, path: &Path, state: &FileState) -> Result<(), EngineError> {
        for (snapshot, sandbox) in self.sandboxes.iter_mut().rev() {
            if let Some(inside) = snapshot.inside(path) {
                match state {
                    FileState::Write(bytes) => sandbox.write(inside, bytes)?,
                    FileState::Delete => sandbox.remove(inside)?,
                }
                return Ok(());
            }
        }
        Err(braid_exec::ExecError::Outside {
            path: path.to_owned(),
        }
        .into())
    }

    /// Brings every file back to how it was; true if any was another.
    pub(crate) fn restore(&mut self) -> Result<bool, EngineError> {
        let mut changed = false;
        for (_, sandbox) in &mut self.sandboxes {
            changed |= sandbox.restore()? != Restored::default();
        }
        Ok(changed)
    }
}
