//! Which files of a tree were touched, told without listing it.
//!
//! A hint, not a proof. On Linux, where inotify gives it, two ways of changing a file escape:
//!
//! - through a hard link that lies outside of the tree: the system tells of names, and none in the tree was used.
//!   Links within the tree are noticed when they are made, and make everything count as touched;
//! - through memory that a process has mapped from a file and still holds. The file counts as touched once the
//!   mapping is given up, at the latest when the process ends.
//!
//! So [`Sandbox`](crate::Sandbox) lists the whole tree now and then all the same. On other systems there is no hint.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod inotify;
#[cfg(not(target_os = "linux"))]
mod none;

#[cfg(target_os = "linux")]
pub(crate) use inotify::TreeWatch;
#[cfg(not(target_os = "linux"))]
pub(crate) use none::TreeWatch;

/// What was touched since the tree was last in order.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Whether more may have been touched than `files` says: anything.
    pub(crate) everything: bool,
    /// Paths relative to the root, and whether somebody may have written there, and may still have the file open or
    /// mapped.
    pub(crate) files: BTreeMap<PathBuf, bool>,
}

impl Touched {
    fn everything() -> Self {
        Self {
            everything: true,
            files: BTreeMap::new(),
        }
    }
}
