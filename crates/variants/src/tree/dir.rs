//! A tree in a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use walkdir::{DirEntry, WalkDir};

use super::{JavaIndex, SourceTree};
use crate::RelPath;

/// A project's folder. Only read; links that lead out of it are refused.
#[derive(Debug)]
pub struct DirTree {
    root: PathBuf,
    index: OnceLock<Arc<JavaIndex>>,
}

impl DirTree {
    /// The tree below `root`, which must be a folder.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        if !root.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"));
        }
        Ok(Self {
            root,
            index: OnceLock::new(),
        })
    }

    /// The folder, with links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Fails if the deepest existing part of `path` is, by links, outside the root.
    fn check_inside(&self, path: &Path) -> io::Result<()> {
        let mut part = path;
        loop {
            match fs::canonicalize(part) {
                Ok(real) if real.starts_with(&self.root) => return Ok(()),
                Ok(_) => {
                    let what = "a symbolic link leads out of the project";
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // A dangling link exists as a link but resolves to nothing.
                    if fs::symlink_metadata(part).is_ok() {
                        let what = "a symbolic link that leads nowhere";
                        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                Err(error) => return Err(error),
            }
            match part.parent() {
                Some(parent) => part = parent,
                None => return Ok(()),
            }
        }
    }

    fn scan(&self) -> io::Result<JavaIndex> {
        let mut files = Vec::new();
        let walk = WalkDir::new(&self.root)
            .into_iter()
            .filter_entry(|entry| !is_output(entry));
        for entry in walk {
            let entry = entry?;
            if !entry.file_type().is_file() {
                continue;
            }
            let Ok(path) = entry.path().strip_prefix(&self.root) else {
                continue;
            };
            // Names that are not UTF-8 or not portable cannot be named by a patch either.
            let Some(Ok(path)) = path.to_str().map(RelPath::new) else {
                continue;
            };
            if path.is_java() {
                files.push(path);
            }
        }
        Ok(JavaIndex::new(files))
    }
}

/// Hidden folders and the build tools' output folders.
fn is_output(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_dir() {
        return false;
    }
    let Some(name) = entry.file_name().to_str() else {
        return true;
    };
    let beside = |file: &str| entry.path().with_file_name(file).exists();
    match name {
        "target" => beside("pom.xml"),
        "build" => beside("build.gradle") || beside("build.gradle.kts"),
        _ => name.starts_with('.'),
    }
}

impl SourceTree for DirTree {
    fn read(&self, path: &RelPath) -> io::Result<Option<Vec<u8>>> {
        let file = path.under(&self.root);
        self.check_inside(&file)?;
        match fs::metadata(&file) {
            Ok(meta) if meta.is_file() => fs::read(&file).map(Some),
            Ok(_) => Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "not a regular file",
            )),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                _ => Err(error),
            },
        }
    }

    fn java_files(&self) -> io::Result<Arc<JavaIndex>> {
        if let Some(index) = self.index.get() {
            return Ok(Arc::clone(index));
        }
        let index = Arc::new(self.scan()?);
        Ok(Arc::clone(self.index.get_or_init(|| index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_indexed_without_build_output() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "pom.xml",
            "src/main/java/x/A.java",
            "src/main/java/x/target/B.java",
            "src/main/java/x/readme.txt",
            "target/generated/C.java",
            "web/build.gradle",
            "web/build/D.java",
            "web/src/x/A.java",
            ".hidden/E.java",
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let tree = DirTree::new(dir.path()).unwrap();
        let index = tree.java_files().unwrap();
        let names = |files: &[RelPath]| files.iter().map(RelPath::to_string).collect::<Vec<_>>();
        let all = [
            "src/main/java/x/A.java",
            "web/src/x/A.java",
            "src/main/java/x/target/B.java",
        ];
        assert_eq!(names(index.files()), all);
        assert_eq!(names(index.named("A.java")), all[..2]);
        assert_eq!(index.ending("java/x/A.java").len(), 1);
        assert!(index.named("Z.java").is_empty());
        let read = |path: &str| tree.read(&RelPath::new(path).unwrap());
        assert_eq!(read("pom.xml").unwrap().unwrap(), b"pom.xml");
        assert!(read("none.xml").unwrap().is_none());
        assert!(read("pom.xml/none").unwrap().is_none());
        assert!(read("src").is_err());
    }
}
