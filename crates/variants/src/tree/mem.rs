//! A tree in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, OnceLock};

use super::{JavaIndex, SourceTree};
use crate::path::PathError;
use crate::{FileState, RelPath};

/// A tree in memory, for tests and for sources that are on no disk.
///
/// ```
/// use braid_variants::{MemTree, RelPath, SourceTree};
/// let tree = MemTree::new([("src/A.java", "class A {}\n")]).unwrap();
/// assert_eq!(tree.read(&RelPath::new("src/A.java").unwrap()).unwrap().unwrap(), b"class A {}\n");
/// ```
#[derive(Debug, Default)]
pub struct MemTree {
    files: BTreeMap<RelPath, Vec<u8>>,
    index: OnceLock<Arc<JavaIndex>>,
}

impl MemTree {
    /// A tree of the given paths and contents.
    pub fn new<P: AsRef<str>, C: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, C)>,
    ) -> Result<Self, PathError> {
        let files = files
            .into_iter()
            .map(|(path, content)| Ok((RelPath::new(path.as_ref())?, content.into())))
            .collect::<Result<_, PathError>>()?;
        Ok(Self {
            files,
            index: OnceLock::new(),
        })
    }

    /// The tree after `changes`.
    #[must_use]
    pub fn with(&self, changes: &BTreeMap<RelPath, FileState>) -> Self {
        let mut files = self.files.clone();
        for (path, state) in changes {
            match state {
                FileState::Write(content) => files.insert(path.clone(), content.clone()),
                FileState::Delete => files.remove(path),
            };
        }
        Self {
            files,
            index: OnceLock::new(),
        }
    }

    /// Every file.
    pub fn files(&self) -> &BTreeMap<RelPath, Vec<u8>> {
        &self.files
    }
}

impl SourceTree for MemTree {
    fn read(&self, path: &RelPath) -> io::Result<Option<Vec<u8>>> {
        Ok(self.files.get(path).cloned())
    }

    fn java_files(&self) -> io::Result<Arc<JavaIndex>> {
        let index = self.index.get_or_init(|| {
            let files = self
                .files
                .keys()
                .filter(|path| path.is_java())
                .cloned()
                .collect();
            Arc::new(JavaIndex::new(files))
        });
        Ok(Arc::clone(index))
    }
}
