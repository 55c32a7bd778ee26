//! Instrumented classes by content, in a folder that workers share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use braid_protocol::pack::{CachedClass, ContentHash, content_hash};

/// A folder of instrumented classes. What cannot be read or written is made again.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// Everything besides the class that decides what comes out.
    key: ContentHash,
    writes: AtomicU64,
}

impl Cache {
    pub(crate) fn new(folder: &str, salt: &str, passes: ContentHash) -> Self {
        Self {
            folder: Path::new(folder).to_owned(),
            key: content_hash(&[salt.as_bytes(), &passes]),
            writes: AtomicU64::new(0),
        }
    }

    fn place(&self, bytes: &[u8]) -> PathBuf {
        let hash = content_hash(&[&self.key, bytes]);
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    pub(crate) fn find(&self, bytes: &[u8]) -> Option<CachedClass> {
        CachedClass::decode(&fs::read(self.place(bytes)).ok()?).ok()
    }

    /// Writes under another name first, so that nobody ever reads half a class.
    pub(crate) fn keep(&self, bytes: &[u8], class: &CachedClass) {
        let place = self.place(bytes);
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        let fresh = place.with_extension(format!("{}-{number}", std::process::id()));
        let written = place
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&fresh, class.encode()))
            .and_then(|()| fs::rename(&fresh, &place));
        if written.is_err() {
            // The next worker makes it again; a half-written file is all there is to clean up.
            let _ = fs::remove_file(&fresh);
        }
    }
}
