//! What a patch leaves behind, kept small: thousands of patches wait in memory at once, and files are large.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use braid_variants::{Applied, FileState, SourceTree};

use crate::EngineError;
use crate::workspace::Workspace;

/// An applied patch.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    /// Every file that differs, by its path in the user's tree.
    pub files: BTreeMap<PathBuf, FileEffect>,
    /// Compiled classes by binary name.
    pub classes: BTreeMap<String, Vec<u8>>,
    /// What changed, for people.
    pub diff: String,
}

/// What becomes of a file.
#[derive(Clone, Debug)]
pub(crate) enum FileEffect {
    /// It has this content.
    Write(Edit),
    /// It is gone.
    Delete,
}

/// A content by what differs from that of the pristine file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Bytes in common at the start.
    before: usize,
    /// Bytes in common at the end.
    after: usize,
    /// What stands between them.
    between: Box<[u8]>,
}

impl Effect {
    /// Keeps what a patch does to the files of `tree`, whose root is `root` for the user.
    pub(crate) fn new(applied: Applied, tree: &dyn SourceTree, root: &Path) -> Self {
        let one = |(path, state)| {
            let effect = match state {
                FileState::Delete => FileEffect::Delete,
                FileState::Write(new) => {
                    let old = tree.read(&path).ok().flatten().unwrap_or_default();
                    FileEffect::Write(Edit::new(&old, &new))
                }
            };
            (path.under(root), effect)
        };
        Self {
            files: applied.files.into_iter().map(one).collect(),
            classes: applied.classes,
            diff: applied.diff,
        }
    }

    /// The state of each changed file, by its path in the user's tree.
    pub(crate) fn states<'e>(
        &'e self,
        workspace: &'e Workspace,
    ) -> impl Iterator<Item = Result<(&'e Path, FileState), EngineError>> {
        self.files.iter().map(|(path, effect)| {
            let state = match effect {
                FileEffect::Write(edit) => FileState::Write(edit.content(&workspace.map(path))?),
                FileEffect::Delete => FileState::Delete,
            };
            Ok((path.as_path(), state))
        })
    }

    /// What the patch writes into a file of the user's tree; nothing if it does not.
    pub(crate) fn written(
        &self,
        path: &Path,
        workspace: &Workspace,
    ) -> Result<Vec<u8>, EngineError> {
        match self.files.get(path) {
            Some(FileEffect::Write(edit)) => edit.content(&workspace.map(path)),
            _ => Ok(Vec::new()),
        }
    }
}

impl Edit {
    fn new(old: &[u8], new: &[u8]) -> Self {
        let before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (rest_old, rest) = (&old[before..], &new[before..]);
        let ends = rest_old.iter().rev().zip(rest.iter().rev());
        let after = ends.take_while(|(a, b)| a == b).count();
        Self {
            before,
            after,
            between: rest[..rest.len() - after].into(),
        }
    }

    /// The bytes of the pristine file, which is so long, that have others in their place.
    pub(crate) fn replaced(&self, length: usize) -> std::ops::Range<usize> {
        self.before..length.saturating_sub(self.after).max(self.before)
    }

    /// The content, given where the pristine file is.
    fn content(&self, pristine: &Path) -> Result<Vec<u8>, EngineError> {
        if self.before + self.after == 0 {
            return Ok(self.between.to_vec());
        }
        let old = fs::read(pristine).map_err(EngineError::io("read", pristine))?;
        let start = old.get(..self.before);
        let end = old.len().checked_sub(self.after).map(|at| &old[at..]);
        match (start, end) {
            (Some(start), Some(end)) => Ok([start, &self.between, end].concat()),
            _ => {
                let short = std::io::ErrorKind::UnexpectedEof.into();
                Err(EngineError::io("read", pristine)(short))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_comes_back_from_what_differs() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("A.java");
        let cases = [
            ("", "new"),
            ("gone", ""),
            ("same", "same"),
            ("aaa", "aaaa"),
            ("aaaa", "aaa"),
            ("one two three", "one 2 three"),
            ("one two", "one two three"),
            ("two three", "one two three"),
        ];
        for (old, new) in cases {
            fs::write(&file, old).unwrap();
            let edit = Edit::new(old.as_bytes(), new.as_bytes());
            assert_eq!(
                edit.content(&file).unwrap(),
                new.as_bytes(),
                "{old} -> {new}"
            );
        }
        assert!(Edit::new(b"one two", b"one 2").between.len() < 2);
        fs::write(&file, "o").unwrap();
        assert!(Edit::new(b"one two", b"one 2").content(&file).is_err());
    }
}
