//! A folder of class files.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A folder of class files. Nothing is cached: what is on disk is what is found.
#[derive(Debug, Clone)]
pub struct Dir {
    root: PathBuf,
}

impl Dir {
    /// A folder; it need not exist.
    pub fn new(root: impl Into<PathBuf>) -> Dir {
        Dir { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The bytes of a class. Names that would leave the folder are not found.
    pub fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        if name
            .split('/')
            .any(|part| part.is_empty() || part == "." || part == "..")
        {
            return Ok(None);
        }
        let path = self.root.join(format!("{name}.class"));
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if is_absence(&e) => Ok(None),
            Err(e) => Err(Error::io(&path)(e)),
        }
    }

    /// The names of all classes, sorted. A missing folder has none.
    pub fn class_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if !self.root.exists() {
            return Ok(names);
        }
        for entry in walkdir::WalkDir::new(&self.root)
            .follow_links(true)
            .sort_by_file_name()
        {
            let entry = entry.map_err(|e| {
                let path = e.path().unwrap_or(&self.root).to_path_buf();
                Error::Io {
                    path,
                    source: e.into(),
                }
            })?;
            let relative = entry
                .path()
                .strip_prefix(&self.root)
                .unwrap_or(entry.path());
            let Some(text) = relative.to_str() else {
                continue;
            };
            if let Some(name) = text.strip_suffix(".class")
                && entry.file_type().is_file()
            {
                names.push(name.replace(std::path::MAIN_SEPARATOR, "/"));
            }
        }
        Ok(names)
    }
}

/// True if a class simply is not there (a file where a folder would be needed included).
fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidFilename, IsADirectory, NotADirectory, NotFound};
    matches!(
        error.kind(),
        NotFound | NotADirectory | IsADirectory | InvalidFilename
    )
}
