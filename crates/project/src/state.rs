//! The `.braid` folder, the only place in the user's tree that Braid writes to.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::ProjectError;

/// The `.braid` folder of a project and the files that discovery keeps there.
#[derive(Debug, Clone)]
pub(crate) struct StateDir {
    dir: PathBuf,
}

impl StateDir {
    /// The folder of the project at `root`, created if need be and hidden from git.
    pub(crate) fn create(root: &Path) -> Result<Self, ProjectError> {
        let state = Self {
            dir: root.join(".braid"),
        };
        let cache = state.cache();
        fs::create_dir_all(&cache).map_err(ProjectError::io("create", &cache))?;
        let ignore = state.dir.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(ProjectError::io("write", &ignore))?;
        }
        Ok(state)
    }

    /// Where models and logs of builds are kept.
    pub(crate) fn cache(&self) -> PathBuf {
        self.dir.join("cache")
    }

    /// Where Braid compiles projects that have no build tool.
    pub(crate) fn build(&self) -> PathBuf {
        self.dir.join("build")
    }

    /// Keeps a second Braid from building the same project at the same time, until dropped.
    pub(crate) fn lock(&self) -> Result<File, ProjectError> {
        let path = self.cache().join("build.lock");
        let file = File::create(&path).map_err(ProjectError::io("write", &path))?;
        file.lock().map_err(ProjectError::io("lock", &path))?;
        Ok(file)
    }

    /// Writes a file of the cache whole or not at all, and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, ProjectError> {
        let path = self.cache().join(name);
        let fail = |e| ProjectError::io("write", &path)(e);
        let mut file = tempfile::NamedTempFile::new_in(self.cache()).map_err(fail)?;
        file.write_all(bytes).map_err(fail)?;
        file.persist(&path).map_err(|e| fail(e.error))?;
        Ok(path)
    }

    /// A file of the cache with this content, written only if it is not there yet.
    pub(crate) fn tool(
        &self,
        stem: &str,
        extension: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, ProjectError> {
        let hash = blake3::hash(bytes).to_hex();
        let name = format!("{stem}-{}.{extension}", &hash[..16]);
        let path = self.cache().join(&name);
        match path.metadata() {
            Ok(metadata) if metadata.len() == bytes.len() as u64 => Ok(path),
            _ => self.write(&name, bytes),
        }
    }
}
