//! Touched files as Linux tells of them, by a watch on each folder.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::mem::{self, MaybeUninit};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::tree::Listing;
use crate::tree_watch::Touched;

/// A file has another content, or could get one from whoever opened it for that.
const WRITTEN: ReadFlags = ReadFlags::MODIFY.union(ReadFlags::CLOSE_WRITE);
/// A name is there that was not, or stands for another file.
const CAME: ReadFlags = ReadFlags::CREATE.union(ReadFlags::MOVED_TO);
/// A name is no longer there.
const WENT: ReadFlags = ReadFlags::DELETE.union(ReadFlags::MOVED_FROM);
/// The watched folder is not where it was, and nothing is told of the one that may be there now.
const LOST: ReadFlags = ReadFlags::DELETE_SELF
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::IGNORED)
    .union(ReadFlags::UNMOUNT);

/// What is asked for. Not `EXCL_UNLINK`: file systems that look names up again would fall silent about open files.
const ASKED: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// Watches the folders of one tree.
///
/// Whoever brings the tree in order asks what was [touched](Self::touched), lets the folders be
/// [followed](Self::follow) if that was everything, looks at the files, replaces some, and then lets the watch
/// [settle](Self::settle). If it fails half-way, everything counts as touched the next time.
#[derive(Debug)]
pub(crate) struct TreeWatch {
    queue: Queue,
    notes: Notes,
}

#[derive(Debug)]
enum Queue {
    /// Nothing is watched yet, or no longer.
    Closed,
    Open(OwnedFd),
    /// Nothing can be watched here; not tried again.
    Impossible,
}

/// What the system told.
#[derive(Debug)]
struct Notes {
    /// The watched folders by the system's numbers for them.
    folders: HashMap<i32, PathBuf>,
    /// Whether these are all folders of the tree.
    complete: bool,
    touched: Touched,
    /// Names that came to be since the tree was last in order.
    came: HashSet<PathBuf>,
}

impl Default for TreeWatch {
    fn default() -> Self {
        Self {
            queue: Queue::Closed,
            notes: Notes {
                folders: HashMap::new(),
                complete: false,
                touched: Touched::everything(),
                came: HashSet::new(),
            },
        }
    }
}

impl TreeWatch {
    /// A watch that never knows anything.
    pub(crate) fn impossible() -> Self {
        Self {
            queue: Queue::Impossible,
            ..Self::default()
        }
    }

    /// What was touched since the tree was last in order.
    pub(crate) fn touched(&mut self) -> Touched {
        self.read(false);
        self.notes.came.clear();
        mem::replace(&mut self.notes.touched, Touched::everything())
    }

    /// Watches all folders of `manifest` that are there and open, and no others. To be called before the tree is listed: what
    /// happens meanwhile is kept for the next time.
    pub(crate) fn follow(&mut self, root: &Path, manifest: &Listing) {
        // Too many watches or too many queues, most likely.
        if self.try_follow(root, manifest).is_err() {
            *self = Self::impossible();
        }
    }

    fn try_follow(&mut self, root: &Path, manifest: &Listing) -> rustix::io::Result<()> {
        if let Queue::Closed = self.queue {
            let flags = CreateFlags::NONBLOCK | CreateFlags::CLOEXEC;
            self.queue = Queue::Open(inotify::init(flags)?);
        }
        let Queue::Open(queue) = &self.queue else {
            return Ok(());
        };
        let folders = manifest.iter().filter(|(_, entry)| entry.is_dir());
        let folders = folders.map(|(inside, _)| inside);
        let mut watched = HashMap::new();
        let mut all = 0;
        for inside in std::iter::once(Path::new("")).chain(folders) {
            all += 1;
            match inotify::add_watch(queue, root.join(inside), ASKED) {
                Ok(number) => _ = watched.insert(number, inside.to_owned()),
                // It is about to be made, or opened.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS) => {}
                Err(e) => return Err(e),
            }
        }
        for number in self.notes.folders.keys() {
            if !watched.contains_key(number) {
                // It may be gone, and its watch with it.
                let _ = inotify::remove_watch(queue, *number);
            }
        }
        self.notes.complete = watched.len() == all;
        self.notes.folders = watched;
        Ok(())
    }

    /// To be called when the tree is in order and `replaced` are the files that were made anew for that.
    ///
    /// What the system has told since [`touched`](Self::touched) is partly our own doing. It is kept, as somebody
    /// else may have been at work too; but of files that were replaced and of folders it only says that they are to be
    /// looked at.
    pub(crate) fn settle(&mut self, replaced: &[PathBuf]) {
        // Folders that had to be made anew could not be watched from the start.
        self.notes.touched = Touched {
            everything: !self.notes.complete,
            ..Touched::default()
        };
        self.read(true);
        for inside in replaced {
            self.notes.came.remove(inside);
            if let Some(written) = self.notes.touched.files.get_mut(inside) {
                *written = false;
            }
        }
    }

    /// Takes note of all that is in the queue.
    fn read(&mut self, settling: bool) {
        let Queue::Open(queue) = &self.queue else {
            return;
        };
        let mut buffer = [MaybeUninit::uninit(); 1 << 14];
        let mut reader = Reader::new(queue, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => self.notes.add(&event, settling),
                Err(Errno::WOULDBLOCK) => return,
                Err(Errno::INTR) => {}
                Err(_) => {
                    *self = Self::default();
                    return;
                }
            }
        }
    }
}

impl Notes {
    fn add(&mut self, event: &Event<'_>, settling: bool) {
        let flags = event.events();
        let Some(folder) = self.folders.get(&event.wd()) else {
            // Else it is about a folder that is no longer watched.
            self.touched.everything |= flags.contains(ReadFlags::QUEUE_OVERFLOW);
            return;
        };
        if flags.intersects(LOST) {
            self.touched.everything = true;
            return;
        }
        let name = event.file_name().map(|name| name.to_bytes());
        let path = name.map_or_else(
            || folder.clone(),
            |name| folder.join(OsStr::from_bytes(name)),
        );
        if name.is_none() || flags.contains(ReadFlags::ISDIR) {
            if settling {
                self.touched.files.entry(path).or_default();
            } else {
                self.touched.everything = true;
            }
            return;
        }
        // A name that came and went may have been a hard link by which another file of the tree was written.
        let came_before = flags.intersects(CAME | WENT) && self.came.remove(&path);
        self.touched.everything |= came_before;
        if flags.intersects(CAME) {
            self.came.insert(path.clone());
        }
        let written = flags.intersects(WRITTEN | CAME);
        *self.touched.files.entry(path).or_default() |= written;
    }
}
