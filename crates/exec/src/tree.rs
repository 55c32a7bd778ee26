//! Trees of files: listing, copying, comparing, removing.

use std::cmp::Ordering;
use std::fs::{self, DirEntry, File, FileTimes, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use crate::error::ExecError;

/// What is at a path, as far as it can be told without reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A folder with its permissions.
    Dir(u32),
    /// A file.
    File(Stamp),
    /// A symbolic link with its target.
    Link(PathBuf),
    /// A pipe, socket or device.
    Other,
}

/// Tells whether a file was touched. On Unix it holds the time of the last change of any kind,
/// which a program cannot set back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    mode: u32,
    identity: (u64, i64, i64),
    links: u64,
}

impl Entry {
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        Self::of(path, &path.symlink_metadata()?)
    }

    fn of(path: &Path, metadata: &Metadata) -> io::Result<Self> {
        let kind = metadata.file_type();
        Ok(if kind.is_symlink() {
            Self::Link(path.read_link()?)
        } else if kind.is_dir() {
            Self::Dir(mode(metadata))
        } else if kind.is_file() {
            Self::File(Stamp::of(metadata))
        } else {
            Self::Other
        })
    }

    pub(crate) fn is_dir(&self) -> bool {
        matches!(self, Self::Dir(_))
    }

    /// Whether it is a file that can be written to by another name too.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Self::File(stamp) if stamp.links > 1)
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (identity, links) = {
            use std::os::unix::fs::MetadataExt;
            let identity = (metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
            (identity, metadata.nlink())
        };
        #[cfg(not(unix))]
        let (identity, links) = ((0, 0, 0), 1);
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            mode: mode(metadata),
            identity,
            links,
        }
    }
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions())
}

#[cfg(not(unix))]
fn mode(metadata: &Metadata) -> u32 {
    metadata.permissions().readonly().into()
}

/// What is below a folder, by path relative to it: parents before children, the children of a folder by name. That is
/// the order of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listing(Vec<(PathBuf, Entry)>);

/// A path at which two listings differ, with what each of them has there.
pub(crate) type Difference<'l> = (&'l Path, Option<&'l Entry>, Option<&'l Entry>);

impl Listing {
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&Path, &Entry)> {
        self.0.iter().map(|(inside, entry)| (&**inside, entry))
    }

    pub(crate) fn get(&self, inside: &Path) -> Option<&Entry> {
        Some(&self.0[self.place(inside).ok()?].1)
    }

    pub(crate) fn set(&mut self, inside: &Path, entry: Entry) {
        match self.place(inside) {
            Ok(at) => self.0[at].1 = entry,
            Err(at) => self.0.insert(at, (inside.to_owned(), entry)),
        }
    }

    fn place(&self, inside: &Path) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| (**own).cmp(inside))
    }

    /// Where another listing is not this one, in order.
    pub(crate) fn differences<'l>(&'l self, other: &'l Self) -> Vec<Difference<'l>> {
        let mut differences = Vec::new();
        let (mut ours, mut theirs) = (&self.0[..], &other.0[..]);
        loop {
            let order = match (ours.first(), theirs.first()) {
                (None, None) => return differences,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                // bytes are compared faster than paths, and are nearly always the same
                (Some((a, _)), Some((b, _))) if a.as_os_str() == b.as_os_str() => Ordering::Equal,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let own = order.is_le().then(|| ours.split_off_first()).flatten();
            let other = order.is_ge().then(|| theirs.split_off_first()).flatten();
            if let Some((inside, _)) = own.or(other)
                && own.map(|(_, entry)| entry) != other.map(|(_, entry)| entry)
            {
                differences.push((inside, own.map(|(_, e)| e), other.map(|(_, e)| e)));
            }
        }
    }
}

/// Everything below `root` that `skip` does not leave out. Folders that cannot be read are made readable.
pub(crate) fn list(root: &Path, skip: &dyn Fn(&Path) -> bool) -> Result<Listing, ExecError> {
    let mut entries = Vec::new();
    list_folder(root, Path::new(""), skip, &mut entries)?;
    Ok(Listing(entries))
}

fn list_folder(
    root: &Path,
    folder: &Path,
    skip: &dyn Fn(&Path) -> bool,
    entries: &mut Vec<(PathBuf, Entry)>,
) -> Result<(), ExecError> {
    let here = root.join(folder);
    for child in children(&here).map_err(ExecError::io("list", &here))? {
        let inside = folder.join(child.file_name());
        if skip(&inside) {
            continue;
        }
        let path = child.path();
        let read = || Entry::of(&path, &child.metadata()?);
        let entry = match read() {
            // Names can be read without the right to look at what they stand for.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                open_up(&here).and_then(|()| read())
            }
            entry => entry,
        };
        let entry = match entry {
            Ok(entry) => entry,
            // Gone in the meantime.
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(ExecError::io("look at", &path)(e)),
        };
        let is_dir = entry.is_dir();
        entries.push((inside.clone(), entry));
        if is_dir {
            list_folder(root, &inside, skip, entries)?;
        }
    }
    Ok(())
}

/// What is in a folder, by name.
fn children(dir: &Path) -> io::Result<Vec<DirEntry>> {
    let read = || dir.read_dir()?.collect::<io::Result<Vec<_>>>();
    let mut children = match read() {
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            open_up(dir)?;
            read()?
        }
        children => children?,
    };
    children.sort_by_key(DirEntry::file_name);
    Ok(children)
}

/// Gives the owner all rights to a folder.
#[cfg(unix)]
fn open_up(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = dir.symlink_metadata()?.permissions();
    if permissions.mode() & 0o700 == 0o700 {
        return Ok(());
    }
    permissions.set_mode(permissions.mode() | 0o700);
    fs::set_permissions(dir, permissions)
}

#[cfg(not(unix))]
fn open_up(dir: &Path) -> io::Result<()> {
    let mut permissions = dir.symlink_metadata()?.permissions();
    permissions.set_readonly(false);
    fs::set_permissions(dir, permissions)
}

/// Copies the entry at `inside` from one tree to another, where its parent exists and nothing is at
/// its place. Files share their blocks where the file system can do that. Special files are left
/// out. A folder stays open to its owner until [`close`] is called for it.
pub(crate) fn copy(from: &Path, to: &Path, inside: &Path, entry: &Entry) -> Result<(), ExecError> {
    let (source, target) = (from.join(inside), to.join(inside));
    let failed = ExecError::io("copy", &source);
    match entry {
        Entry::Dir(_) => fs::create_dir(&target)
            .or_else(|e| exists(&target, e))
            .map_err(failed),
        Entry::File(_) => copy_file(&source, &target).map_err(failed),
        Entry::Link(link) => copy_link(&retarget(link, from, to, inside), &target).map_err(failed),
        Entry::Other => Ok(()),
    }
}

fn exists(dir: &Path, error: io::Error) -> io::Result<()> {
    let is_dir = dir
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir());
    if is_dir { Ok(()) } else { Err(error) }
}

/// The standard library's copy shares blocks by itself where the file system can, and keeps permissions.
fn copy_file(source: &Path, target: &Path) -> io::Result<()> {
    fs::copy(source, target)?;
    let metadata = source.metadata()?;
    let times = FileTimes::new().set_modified(metadata.modified()?);
    match File::options().write(true).open(target) {
        Ok(file) => file.set_times(times),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            // The owner must be able to set times; the real permissions come last.
            open_up(target)?;
            File::options().write(true).open(target)?.set_times(times)?;
            fs::set_permissions(target, metadata.permissions())
        }
        Err(e) => Err(e),
    }
}

/// Links into the old tree lead into the new one; other links keep their target.
fn retarget(link: &Path, from: &Path, to: &Path, inside: &Path) -> PathBuf {
    if link.is_absolute() {
        return link
            .strip_prefix(from)
            .map_or_else(|_| link.to_owned(), |rest| to.join(rest));
    }
    let folder = inside.parent().unwrap_or(Path::new(""));
    if stays_inside(folder, link) {
        link.to_owned()
    } else {
        from.join(folder).join(link)
    }
}

fn stays_inside(folder: &Path, link: &Path) -> bool {
    let mut depth = folder.components().count();
    for component in link.components() {
        match component {
            Component::ParentDir if depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    true
}

#[cfg(unix)]
fn copy_link(link: &Path, target: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(link, target)
}

#[cfg(windows)]
fn copy_link(link: &Path, target: &Path) -> io::Result<()> {
    if link.is_dir() {
        std::os::windows::fs::symlink_dir(link, target)
    } else {
        std::os::windows::fs::symlink_file(link, target)
    }
}

/// Gives a copied folder the permissions of its original.
#[cfg(unix)]
pub(crate) fn close(root: &Path, inside: &Path, entry: &Entry) -> Result<(), ExecError> {
    use std::os::unix::fs::PermissionsExt;
    let Entry::Dir(mode) = entry else {
        return Ok(());
    };
    let path = root.join(inside);
    fs::set_permissions(&path, fs::Permissions::from_mode(*mode & 0o7777))
        .map_err(ExecError::io("set permissions of", &path))
}

#[cfg(not(unix))]
pub(crate) fn close(_root: &Path, _inside: &Path, _entry: &Entry) -> Result<(), ExecError> {
    Ok(())
}

/// Removes whatever is at `path`; nothing happens if nothing is there.
pub(crate) fn remove(path: &Path) -> Result<(), ExecError> {
    let removed = match path.symlink_metadata() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
        Ok(metadata) if metadata.is_dir() => remove_dir(path),
        Ok(_) => with_open_parent(path, || fs::remove_file(path)),
    };
    removed.map_err(ExecError::io("remove", path))
}

fn remove_dir(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {}
        removed => return removed,
    }
    open_up(dir)?;
    for child in children(dir)? {
        let path = child.path();
        if path.symlink_metadata()?.is_dir() {
            remove_dir(&path)?;
        } else {
            fs::remove_file(&path)?;
        }
    }
    with_open_parent(dir, || fs::remove_dir(dir))
}

fn with_open_parent(path: &Path, remove: impl Fn() -> io::Result<()>) -> io::Result<()> {
    match (remove(), path.parent()) {
        (Err(e), Some(parent)) if e.kind() == io::ErrorKind::PermissionDenied => {
            open_up(parent)?;
            remove()
        }
        (removed, _) => removed,
    }
}

/// Opens the folder that holds `inside` for changes.
pub(crate) fn open_parent(root: &Path, inside: &Path) -> Result<(), ExecError> {
    let Some(parent) = inside.parent() else {
        return Ok(());
    };
    let path = root.join(parent);
    open_up(&path).map_err(ExecError::io("open", &path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_within_the_tree_stay_within_the_copy() {
        let to = |link: &str, inside: &str| {
            let moved = retarget(link.as_ref(), "/p".as_ref(), "/c".as_ref(), inside.as_ref());
            moved.display().to_string()
        };
        assert_eq!(to("../b/x", "a/l"), "../b/x");
        assert_eq!(to("/p/b/x", "a/l"), "/c/b/x");
        assert_eq!(to("/other", "a/l"), "/other");
        assert_eq!(to("../../x", "a/l"), "/p/a/../../x");
    }
}
