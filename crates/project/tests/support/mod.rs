//! Small projects in temporary folders.
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use braid_project::{Project, ProjectError, ProjectOptions, discover};

/// A folder with files, removed at the end.
pub(crate) struct Tree {
    dir: tempfile::TempDir,
}

impl Tree {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// The folder, without symbolic links in its path.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Every file and folder below, without `.braid`, and the content of the files.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let walk = walkdir::WalkDir::new(self.root()).sort_by_file_name();
        let entries = walk
            .into_iter()
            .filter_entry(|e| e.file_name() != ".braid")
            .flatten();
        entries
            .map(|e| (e.path().to_owned(), fs::read(e.path()).unwrap_or_default()))
            .collect()
    }
}

/// What discovery said while it worked.
#[derive(Clone, Default)]
pub(crate) struct Said(Arc<Mutex<Vec<String>>>);

impl Said {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Options that record what discovery does.
pub(crate) fn recording() -> (ProjectOptions, Said) {
    let said = Said::default();
    let sink = said.clone();
    let progress = move |line: &str| sink.0.lock().unwrap().push(line.to_owned());
    (
        ProjectOptions {
            progress: Some(Arc::new(progress)),
            ..ProjectOptions::default()
        },
        said,
    )
}

/// Discovers, and returns the project with what was said.
pub(crate) fn discover_recorded(dir: &Path) -> (Result<Project, ProjectError>, Vec<String>) {
    let (opts, said) = recording();
    let project = discover(dir, &opts);
    (project, said.lines())
}

/// Whether the build tool can be had; without it a test that needs it is left out.
pub(crate) fn has(program: &str) -> bool {
    let found = braid_process::find_program(program).is_some();
    if !found {
        eprintln!("left out: no {program} on PATH");
    }
    found
}

/// Waits until a file written now is newer than all written before, whatever the clock's steps.
pub(crate) fn tick() {
    std::thread::sleep(std::time::Duration::from_millis(30));
}
