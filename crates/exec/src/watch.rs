//! Noticing changes to files that no sandbox protects.

use std::path::{Path, PathBuf};

use crate::tree::Entry;

/// Remembers files outside of the sandboxes, such as jars in a local repository, and tells which of
/// them a test has changed. They cannot be brought back, but nobody need trust results that came
/// after.
#[derive(Debug, Clone)]
pub struct Watch {
    files: Vec<(PathBuf, Option<Entry>)>,
}

impl Watch {
    /// Takes note of the state of `files`; folders are only watched for being there.
    pub fn new<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Self {
        let note = |file: P| (file.as_ref().to_owned(), Entry::read(file.as_ref()).ok());
        Self {
            files: files.into_iter().map(note).collect(),
        }
    }

    /// The files that are not as they were.
    pub fn changed(&self) -> Vec<&Path> {
        let changed =
            |(file, before): &&(PathBuf, Option<Entry>)| Entry::read(file).ok() != *before;
        self.files
            .iter()
            .filter(changed)
            .map(|(file, _)| file.as_path())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn changed_deleted_and_created_files_are_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["same", "changed", "deleted", "created"].map(|name| dir.path().join(name));
        for file in &files[..3] {
            fs::write(file, "before").unwrap();
        }
        let watch = Watch::new(&files);
        assert!(watch.changed().is_empty());
        fs::write(&files[1], "after!").unwrap();
        fs::remove_file(&files[2]).unwrap();
        fs::write(&files[3], "new").unwrap();
        assert_eq!(watch.changed(), [&files[1], &files[2], &files[3]]);
    }
}
