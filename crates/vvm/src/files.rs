//! Files as the program sees them: those of the machine, which are only read, under what the program itself wrote.
//!
//! Writing, creating and deleting stay in memory and are forgotten by a reset. There is one state of all files, not
//! one a configuration: whoever changes it must make sure that all configurations do.

use braid_cond::Cond;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Why an operation failed: the numbers that the JDK knows from Linux.
pub(crate) type Errno = i32;
/// No such file.
pub(crate) const NOT_FOUND: Errno = 2;
/// A bad file descriptor.
pub(crate) const NOT_OPEN: Errno = 9;
/// The file exists.
pub(crate) const EXISTS: Errno = 17;
/// A folder is needed.
pub(crate) const NO_FOLDER: Errno = 20;
/// A file is needed.
pub(crate) const IS_FOLDER: Errno = 21;
/// The folder has something in it.
pub(crate) const NOT_EMPTY: Errno = 39;

/// The system's sources of random bytes, which stand for any bytes: here always the same ones.
const ENTROPY: [&str; 2] = ["/dev/random", "/dev/urandom"];

/// Descriptors below are the standard streams'.
const FIRST: i32 = 100;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A file of this many bytes.
    File(u64),
    /// A folder.
    Folder,
}

/// What the program did to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Now a file, with this content.
    File(usize),
    Folder,
    Gone,
}

/// How to open a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mode {
    pub(crate) write: bool,
    pub(crate) create: bool,
    pub(crate) exclusive: bool,
    pub(crate) truncate: bool,
    pub(crate) append: bool,
}

#[derive(Debug)]
struct Open {
    content: usize,
    at: u64,
    append: bool,
    /// The context it was opened in: its position means nothing in others.
    ctx: Cond,
    path: PathBuf,
}

/// All files.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Where relative paths start.
    pub(crate) folder: PathBuf,
    /// The name of the JDK's folder in the program, and where it is.
    jdk: Option<(PathBuf, PathBuf)>,
    changes: BTreeMap<PathBuf, Change>,
    contents: Vec<Vec<u8>>,
    open: Vec<Option<Open>>,
    /// Listings in progress: names still to be told.
    listings: Vec<Vec<String>>,
}

/// Enough for every seed of a run.
fn entropy() -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..1 << 16).map(|_| next()).collect()
}

impl Files {
    /// Files as they are on the machine.
    pub(crate) fn new(folder: PathBuf, jdk: Option<(PathBuf, PathBuf)>) -> Files {
        Files {
            folder,
            jdk,
            ..Files::default()
        }
    }

    /// Forgets what the program did.
    pub(crate) fn reset(&mut self) {
        self.changes.clear();
        self.contents.clear();
        self.open.clear();
        self.listings.clear();
    }

    /// The path without `.`, `..` and repeated slashes.
    pub(crate) fn absolute(&self, path: &str) -> PathBuf {
        let mut clean = PathBuf::new();
        for part in self.folder.join(path).components() {
            match part {
                Component::ParentDir => drop(clean.pop()),
                Component::CurDir => {}
                part => clean.push(part),
            }
        }
        clean
    }

    /// Where a path that the program did not change is on the machine.
    fn on_disk(&self, path: &Path) -> PathBuf {
        match &self.jdk {
            Some((name, home)) => match path.strip_prefix(name) {
                Ok(inside) => home.join(inside),
                Err(_) => path.to_owned(),
            },
            None => path.to_owned(),
        }
    }

    /// Whether a folder above was deleted or is a file of the program's.
    fn is_cut_off(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|above| {
            matches!(
                self.changes.get(above),
                Some(Change::Gone | Change::File(_))
            )
        })
    }

    /// What a path leads to.
    pub(crate) fn look(&self, path: &Path) -> Option<Look> {
        match self.changes.get(path) {
            Some(Change::File(content)) => {
                return Some(Look::File(self.contents[*content].len() as u64));
            }
            Some(Change::Folder) => return Some(Look::Folder),
            Some(Change::Gone) => return None,
            None => {}
        }
        if self.is_cut_off(path) {
            return None;
        }
        if ENTROPY.iter().any(|source| path == Path::new(source)) {
            return Some(Look::File(0));
        }
        let found = std::fs::metadata(self.on_disk(path)).ok()?;
        Some(if found.is_dir() {
            Look::Folder
        } else {
            Look::File(found.len())
        })
    }

    /// The bytes of a file as they are now.
    fn content(&self, path: &Path) -> Result<Vec<u8>, Errno> {
        if let Some(Change::File(content)) = self.changes.get(path) {
            return Ok(self.contents[*content].clone());
        }
        if ENTROPY.iter().any(|source| path == Path::new(source)) {
            return Ok(entropy());
        }
        std::fs::read(self.on_disk(path)).map_err(|_| NOT_FOUND)
    }

    /// Opens a file; the result is its descriptor.
    pub(crate) fn open(&mut self, path: &Path, mode: Mode, ctx: Cond) -> Result<i32, Errno> {
        let content = match self.look(path) {
            Some(Look::Folder) => return Err(IS_FOLDER),
            Some(_) if mode.exclusive => return Err(EXISTS),
            Some(_) => match self.changes.get(path) {
                Some(&Change::File(content)) => content,
                _ => {
                    let bytes = self.content(path)?;
                    self.add(path, bytes, mode.write)
                }
            },
            None if mode.create => {
                self.needs_folder(path)?;
                self.add(path, Vec::new(), true)
            }
            None => return Err(NOT_FOUND),
        };
        if mode.truncate {
            self.contents[content].clear();
        }
        let number = FIRST + self.open.len() as i32;
        self.open.push(Some(Open {
            content,
            at: 0,
            append: mode.append,
            ctx,
            path: path.to_owned(),
        }));
        Ok(number)
    }

    fn add(&mut self, path: &Path, bytes: Vec<u8>, changed: bool) -> usize {
        self.contents.push(bytes);
        let content = self.contents.len() - 1;
        if changed {
            self.changes.insert(path.to_owned(), Change::File(content));
        }
        content
    }

    fn needs_folder(&self, path: &Path) -> Result<(), Errno> {
        match path.parent().and_then(|folder| self.look(folder)) {
            Some(Look::Folder) => Ok(()),
            Some(Look::File(_)) => Err(NO_FOLDER),
            None => Err(NOT_FOUND),
        }
    }

    fn opened(&mut self, number: i32) -> Result<&mut Open, Errno> {
        let index = usize::try_from(number - FIRST).map_err(|_| NOT_OPEN)?;
        self.open
            .get_mut(index)
            .and_then(Option::as_mut)
            .ok_or(NOT_OPEN)
    }

    /// The context a file was opened in.
    pub(crate) fn context(&mut self, number: i32) -> Result<Cond, Errno> {
        Ok(self.opened(number)?.ctx)
    }

    /// The path a file was opened by.
    pub(crate) fn path(&mut self, number: i32) -> Result<PathBuf, Errno> {
        Ok(self.opened(number)?.path.clone())
    }

    pub(crate) fn close(&mut self, number: i32) {
        let index = usize::try_from(number - FIRST).ok();
        if let Some(open) = index.and_then(|index| self.open.get_mut(index)) {
            *open = None;
        }
    }

    /// Bytes from a place, or from the file's position, which then moves. Nothing at the end.
    pub(crate) fn read(
        &mut self,
        number: i32,
        at: Option<u64>,
        count: usize,
    ) -> Result<Vec<u8>, Errno> {
        let open = self.opened(number)?;
        let (content, from) = (open.content, at.unwrap_or(open.at) as usize);
        let bytes = &self.contents[content];
        let from = from.min(bytes.len());
        let part = bytes[from..(from + count).min(bytes.len())].to_vec();
        if at.is_none() {
            self.opened(number)?.at += part.len() as u64;
        }
        Ok(part)
    }

    /// Writes at a place, or at the file's position, which then moves.
    pub(crate) fn write(
        &mut self,
        number: i32,
        at: Option<u64>,
        bytes: &[u8],
    ) -> Result<(), Errno> {
        let open = self.opened(number)?;
        let (content, append, position) = (open.content, open.append, open.at);
        let file = &mut self.contents[content];
        let from = match at {
            Some(at) => at as usize,
            None if append => file.len(),
            None => position as usize,
        };
        let end = from + bytes.len();
        if file.len() < end {
            file.resize(end, 0);
        }
        file[from..end].copy_from_slice(bytes);
        if at.is_none() {
            self.opened(number)?.at = end as u64;
        }
        Ok(())
    }

    pub(crate) fn size(&mut self, number: i32) -> Result<u64, Errno> {
        let content = self.opened(number)?.content;
        Ok(self.contents[content].len() as u64)
    }

    /// Makes a file shorter or longer.
    pub(crate) fn resize(&mut self, number: i32, size: u64) -> Result<(), Errno> {
        let content = self.opened(number)?.content;
        self.contents[content].resize(size as usize, 0);
        let open = self.opened(number)?;
        open.at = open.at.min(size);
        Ok(())
    }

    /// The position, moved if a new one is given.
    pub(crate) fn position(&mut self, number: i32, to: Option<u64>) -> Result<u64, Errno> {
        let open = self.opened(number)?;
        open.at = to.unwrap_or(open.at);
        Ok(open.at)
    }

    /// Deletes a file or an empty folder.
    pub(crate) fn delete(&mut self, path: &Path) -> Result<(), Errno> {
        match self.look(path) {
            None => return Err(NOT_FOUND),
            Some(Look::Folder) if !self.names(path)?.is_empty() => return Err(NOT_EMPTY),
            Some(_) => {}
        }
        self.changes.insert(path.to_owned(), Change::Gone);
        Ok(())
    }

    pub(crate) fn make_folder(&mut self, path: &Path) -> Result<(), Errno> {
        if self.look(path).is_some() {
            return Err(EXISTS);
        }
        self.needs_folder(path)?;
        self.changes.insert(path.to_owned(), Change::Folder);
        Ok(())
    }

    /// Gives a file another name; folders are not moved.
    pub(crate) fn rename(&mut self, from: &Path, to: &Path) -> Result<(), Errno> {
        match self.look(from) {
            None => return Err(NOT_FOUND),
            Some(Look::Folder) => return Err(IS_FOLDER),
            Some(Look::File(_)) => self.needs_folder(to)?,
        }
        let bytes = self.content(from)?;
        self.add(to, bytes, true);
        self.changes.insert(from.to_owned(), Change::Gone);
        Ok(())
    }

    /// The names in a folder, sorted.
    pub(crate) fn names(&self, path: &Path) -> Result<Vec<String>, Errno> {
        match self.look(path) {
            None => return Err(NOT_FOUND),
            Some(Look::File(_)) => return Err(NO_FOLDER),
            Some(Look::Folder) => {}
        }
        let mut names: Vec<String> = Vec::new();
        if !self.changes.contains_key(path)
            && let Ok(entries) = std::fs::read_dir(self.on_disk(path))
        {
            names.extend(
                entries
                    .flatten()
                    .map(|entry| entry.file_name().to_string_lossy().into_owned()),
            );
        }
        for (changed, change) in &self.changes {
            if changed.parent() != Some(path) {
                continue;
            }
            let name = changed.file_name().unwrap_or_default().to_string_lossy();
            names.retain(|other| *other != name);
            if *change != Change::Gone {
                names.push(name.into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Begins to list a folder.
    pub(crate) fn list(&mut self, path: &Path) -> Result<usize, Errno> {
        let mut names = self.names(path)?;
        names.reverse();
        self.listings.push(names);
        Ok(self.listings.len())
    }

    /// The next name of a listing.
    pub(crate) fn next_name(&mut self, listing: usize) -> Option<String> {
        self.listings.get_mut(listing.checked_sub(1)?)?.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_never_reaches_the_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("old"), "before").expect("written");
        let mut files = Files::new(folder.path().to_owned(), None);
        let (old, new) = (files.absolute("old"), files.absolute("./x/../new"));
        let write = Mode {
            write: true,
            create: true,
            truncate: true,
            ..Mode::default()
        };
        for path in [&old, &new] {
            let number = files.open(path, write, Cond::TRUE).expect("opened");
            files.write(number, None, b"after").expect("written");
            files.close(number);
            assert_eq!(files.look(path), Some(Look::File(5)));
        }
        assert_eq!(
            files.names(folder.path()),
            Ok(vec!["new".into(), "old".into()])
        );
        files.delete(&old).expect("deleted");
        let again = files.open(&old, Mode::default(), Cond::TRUE);
        assert_eq!(again, Err(NOT_FOUND));
        assert_eq!(std::fs::read(&old).expect("still there"), b"before");
        assert!(!new.exists());
        files.reset();
        let number = files
            .open(&old, Mode::default(), Cond::TRUE)
            .expect("opened");
        assert_eq!(files.read(number, None, 3), Ok(b"bef".to_vec()));
        assert_eq!(files.read(number, None, 9), Ok(b"ore".to_vec()));
        assert_eq!(files.read(number, None, 9), Ok(Vec::new()));
    }
}
