//! The state of a set of files: what tells whether anything changed since a build.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// The content of every file below some folders, with what the file system says of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    files: BTreeMap<PathBuf, FileState>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    stamp: Stamp,
    hash: String,
}

/// What changes whenever the content of a file changes, short of tampering with the clock: a copy
/// that keeps the old modification time still has a new change time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    size: u64,
    modified_ns: i128,
    changed_ns: i128,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (changed_ns, inode) = {
            use std::os::unix::fs::MetadataExt;
            (
                i128::from(metadata.ctime()) * NS + i128::from(metadata.ctime_nsec()),
                metadata.ino(),
            )
        };
        #[cfg(not(unix))]
        let (changed_ns, inode) = (0, 0);
        Self {
            size: metadata.len(),
            modified_ns: modified_ns(metadata),
            changed_ns,
            inode,
        }
    }
}

const NS: i128 = 1_000_000_000;

/// When the content was last modified, in nanoseconds since 1970.
pub(crate) fn modified_ns(metadata: &Metadata) -> i128 {
    let since = metadata
        .modified()
        .ok()
        .and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |d| d.as_nanos() as i128)
}

/// When the file last became what it is now: modified, replaced or renamed.
pub(crate) fn changed_ns(metadata: &Metadata) -> i128 {
    let stamp = Stamp::of(metadata);
    stamp.modified_ns.max(stamp.changed_ns)
}

/// How a set of files differs from what it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// New or with other content.
    pub(crate) changed: Vec<PathBuf>,
    /// Gone.
    pub(crate) removed: Vec<PathBuf>,
}

impl Difference {
    /// Whether nothing differs.
    pub(crate) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

impl Snapshot {
    /// The state of every file below `roots` (a root may itself be a file), without what `skip`
    /// accepts. Files whose stamp is as in `known` are not read again.
    pub(crate) fn take(
        roots: &[PathBuf],
        skip: &dyn Fn(&Path) -> bool,
        known: Option<&Snapshot>,
    ) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for root in roots {
            let walk = walkdir::WalkDir::new(root).follow_links(true);
            for entry in walk.into_iter().filter_entry(|e| !skip(e.path())) {
                let entry = match entry {
                    Ok(entry) => entry,
                    // A root that does not exist is an empty one, a dangling link is no input.
                    Err(e) if e.io_error().is_some_and(gone) => continue,
                    Err(e) if e.loop_ancestor().is_some() => continue,
                    Err(e) => return Err(e.into()),
                };
                if entry.file_type().is_file() && !files.contains_key(entry.path()) {
                    let state = file_state(entry.path(), known)?;
                    files.insert(entry.into_path(), state);
                }
            }
        }
        Ok(Self { files })
    }

    /// What differs now from `before`, by content.
    pub(crate) fn since(&self, before: &Snapshot) -> Difference {
        let same = |path: &PathBuf, state: &FileState| {
            before
                .files
                .get(path)
                .is_some_and(|old| old.hash == state.hash)
        };
        let changed = self.files.iter().filter(|(path, state)| !same(path, state));
        let removed = before
            .files
            .keys()
            .filter(|path| !self.files.contains_key(*path));
        Difference {
            changed: changed.map(|(path, _)| path.clone()).collect(),
            removed: removed.cloned().collect(),
        }
    }
}

fn gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn file_state(path: &Path, known: Option<&Snapshot>) -> io::Result<FileState> {
    let stamp = Stamp::of(&path.metadata()?);
    let old = known.and_then(|known| known.files.get(path));
    if let Some(old) = old.filter(|old| old.stamp == stamp) {
        return Ok(old.clone());
    }
    Ok(FileState {
        stamp,
        hash: hash_file(path)?,
    })
}

/// The hash of a file's content.
pub(crate) fn hash_file(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::fs::File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn take(root: &Path, known: Option<&Snapshot>) -> Snapshot {
        Snapshot::take(&[root.to_owned()], &|p| p.ends_with("skipped"), known).unwrap()
    }

    #[test]
    fn a_difference_is_one_of_content() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        fs::write(file("a"), "1").unwrap();
        fs::write(file("b"), "2").unwrap();
        fs::write(file("skipped"), "3").unwrap();
        let before = take(dir.path(), None);

        fs::write(file("a"), "1").unwrap();
        assert!(take(dir.path(), Some(&before)).since(&before).is_empty());

        fs::write(file("a"), "x").unwrap();
        fs::rename(file("b"), file("c")).unwrap();
        fs::write(file("skipped"), "4").unwrap();
        let difference = take(dir.path(), Some(&before)).since(&before);
        assert_eq!(difference.changed, [file("a"), file("c")]);
        assert_eq!(difference.removed, [file("b")]);
    }

    #[test]
    fn a_file_of_the_same_size_and_modification_time_is_still_seen_to_change() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        fs::write(&file, "old").unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        let before = take(dir.path(), None);
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&file, "new").unwrap();
        fs::File::open(&file)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        assert_eq!(
            take(dir.path(), Some(&before)).since(&before).changed,
            [file]
        );
    }

    #[test]
    fn a_missing_root_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(take(&dir.path().join("none"), None), Snapshot::default());
    }
}
