//! The program a patch is applied to: files by path, and Java files by class.

mod dir;
mod mem;

use std::io;
use std::sync::Arc;

pub use dir::DirTree;
pub use mem::MemTree;

use crate::RelPath;

/// Source files to which patches are applied.
pub trait SourceTree {
    /// The file's bytes, or `None` where there is no such file.
    fn read(&self, path: &RelPath) -> io::Result<Option<Vec<u8>>>;

    /// Every Java file, for look-up by class name.
    fn java_files(&self) -> io::Result<Arc<JavaIndex>>;
}

/// The Java files of a tree, found by their file name.
#[derive(Debug, Default)]
pub struct JavaIndex {
    /// Sorted by file name, then by path.
    files: Vec<RelPath>,
}

impl JavaIndex {
    /// An index of `files`.
    pub fn new(mut files: Vec<RelPath>) -> Self {
        files.sort_by(|a, b| a.file_name().cmp(b.file_name()).then_with(|| a.cmp(b)));
        Self { files }
    }

    /// Every file, in the order of the index.
    pub fn files(&self) -> &[RelPath] {
        &self.files
    }

    /// The files named `name`, such as `A.java`.
    pub fn named(&self, name: &str) -> &[RelPath] {
        let from = self.files.partition_point(|file| file.file_name() < name);
        let len = self.files[from..].partition_point(|file| file.file_name() == name);
        &self.files[from..from + len]
    }

    /// The files whose last components are those of `suffix`, such as `com/x/A.java`.
    pub fn ending(&self, suffix: &str) -> Vec<&RelPath> {
        let name = suffix.rsplit('/').next().unwrap_or(suffix);
        self.named(name)
            .iter()
            .filter(|file| file.ends_with(suffix))
            .collect()
    }
}
