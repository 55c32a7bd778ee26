//! The state of the files while a patch is applied, and the paths it names.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;

use encoding_rs::Encoding;

use super::text::{encode, encoding_of};
use crate::{ApplyError, ApplyNote, ApplyOptions, FileState, RelPath, SourceTree};

/// The tree, what the patch has changed so far, and what is worth noting.
pub(crate) struct Work<'a> {
    tree: &'a dyn SourceTree,
    pub(crate) options: &'a ApplyOptions,
    changed: BTreeMap<RelPath, Option<Vec<u8>>>,
    notes: Vec<ApplyNote>,
    /// The same notes, to tell those that are new.
    noted: HashSet<ApplyNote>,
}

/// The path of a file and how it was found.
pub(crate) struct Found {
    pub(crate) path: RelPath,
    /// Leading components of the name that are no part of the path.
    pub(crate) stripped: usize,
}

impl<'a> Work<'a> {
    pub(crate) fn new(tree: &'a dyn SourceTree, options: &'a ApplyOptions) -> Self {
        Self {
            tree,
            options,
            changed: BTreeMap::new(),
            notes: Vec::new(),
            noted: HashSet::new(),
        }
    }

    pub(crate) fn tree(&self) -> &'a dyn SourceTree {
        self.tree
    }

    /// The file as it is now.
    pub(crate) fn read(&self, path: &RelPath) -> Result<Option<Vec<u8>>, ApplyError> {
        match self.changed.get(path) {
            Some(content) => Ok(content.clone()),
            None => self.original(path),
        }
    }

    /// The file as it is in the tree.
    pub(crate) fn original(&self, path: &RelPath) -> Result<Option<Vec<u8>>, ApplyError> {
        self.tree.read(path).map_err(|source| ApplyError::Io {
            path: path.clone(),
            source,
        })
    }

    fn exists(&self, path: &RelPath) -> Result<bool, ApplyError> {
        match self.read(path) {
            Ok(content) => Ok(content.is_some()),
            Err(ApplyError::Io { source, .. }) if source.kind() == ErrorKind::IsADirectory => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// The file as it is now; an error if there is none.
    pub(crate) fn require(&self, path: &RelPath) -> Result<Vec<u8>, ApplyError> {
        self.read(path)?.ok_or_else(|| self.missing(path.as_str()))
    }

    pub(crate) fn write(&mut self, path: RelPath, content: Vec<u8>) {
        self.changed.insert(path, Some(content));
    }

    pub(crate) fn delete(&mut self, path: RelPath) {
        self.changed.insert(path, None);
    }

    pub(crate) fn note(&mut self, note: ApplyNote) {
        if self.noted.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// `text` in the encoding of the file `path` whose content is `content`.
    pub(crate) fn encoded(
        &mut self,
        path: &RelPath,
        content: &[u8],
        text: &[u8],
    ) -> Result<Vec<u8>, ApplyError> {
        let encoding = encoding_of(content, self.options.encoding.as_deref());
        let name = || encoding.map_or("", Encoding::name).to_owned();
        match encode(text, encoding) {
            Ok(Cow::Borrowed(text)) => Ok(text.to_vec()),
            Ok(Cow::Owned(text)) => {
                self.note(ApplyNote::Encoding {
                    path: path.clone(),
                    encoding: name(),
                });
                Ok(text)
            }
            Err(character) => Err(ApplyError::Encoding {
                path: path.clone(),
                encoding: name(),
                character,
            }),
        }
    }

    /// The file that `name` means. A name may have folders before the project's root (a repository
    /// that holds the project, or `a/`) or lack those after it (a module's folder): the path itself
    /// comes first, then fewer leading folders, then the only Java file that ends so.
    /// `prefix` is how many leading bytes are known to be no part of the path.
    pub(crate) fn find(&mut self, name: &str, prefix: usize) -> Result<Found, ApplyError> {
        let whole = safe(name)?;
        let plain = safe(&name[prefix..])?;
        if self.exists(&plain)? {
            return Ok(Found {
                path: plain,
                stripped: usize::from(prefix > 0),
            });
        }
        let mut rest = whole.as_str();
        for stripped in 0.. {
            let path = safe(rest)?;
            if self.exists(&path)? {
                self.note_path(&plain, &path);
                return Ok(Found { path, stripped });
            }
            match rest.split_once('/') {
                Some((_, shorter)) => rest = shorter,
                None => break,
            }
        }
        let index = self.tree.java_files().map_err(ApplyError::List)?;
        match index.ending(plain.as_str())[..] {
            [] => Err(self.missing(plain.as_str())),
            [path] => {
                self.note_path(&plain, path);
                Ok(Found {
                    path: path.clone(),
                    stripped: 0,
                })
            }
            ref several => Err(ApplyError::AmbiguousFile {
                name: plain.to_string(),
                candidates: several.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    pub(crate) fn note_path(&mut self, named: &RelPath, used: &RelPath) {
        if named != used {
            self.note(ApplyNote::Path {
                named: named.to_string(),
                used: used.clone(),
            });
        }
    }

    /// The error for a file that is not there, with files of the same name.
    pub(crate) fn missing(&self, path: &str) -> ApplyError {
        let name = path.rsplit('/').next().unwrap_or(path);
        let hint = match self.tree.java_files() {
            Ok(index) if !index.named(name).is_empty() => {
                let named: Vec<_> = index
                    .named(name)
                    .iter()
                    .take(3)
                    .map(|path| path.as_str())
                    .collect();
                format!(" (did you mean {}?)", named.join(" or "))
            }
            _ => String::new(),
        };
        ApplyError::Missing {
            path: path.to_owned(),
            hint,
        }
    }

    /// Every file that is not as in the tree, with its original.
    pub(crate) fn finish(mut self) -> Result<Finished, ApplyError> {
        let mut files = BTreeMap::new();
        let mut originals = BTreeMap::new();
        for (path, content) in std::mem::take(&mut self.changed) {
            let original = self.original(&path)?;
            if content == original {
                continue;
            }
            let state = content.map_or(FileState::Delete, FileState::Write);
            files.insert(path.clone(), state);
            originals.insert(path, original);
        }
        Ok(Finished {
            files,
            originals,
            notes: self.notes,
        })
    }
}

/// What applying came to.
pub(crate) struct Finished {
    pub(crate) files: BTreeMap<RelPath, FileState>,
    pub(crate) originals: BTreeMap<RelPath, Option<Vec<u8>>>,
    pub(crate) notes: Vec<ApplyNote>,
}

/// Checks a path that a patch names.
pub(crate) fn safe(path: &str) -> Result<RelPath, ApplyError> {
    RelPath::new(path).map_err(|source| ApplyError::Path {
        path: path.to_owned(),
        source,
    })
}
