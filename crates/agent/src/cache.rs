//! Instrumented classes by content, in a file that workers share.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use braid_protocol::pack::{
    CachedClass, ContentHash, RECORD_HEAD, RecordHead, content_hash, decode_record_head,
    encode_record,
};

/// A file of instrumented classes: one record after the other, in the order in which workers made them. Nothing in it
/// is ever changed. What cannot be read or written is made again.
#[derive(Debug)]
pub(crate) struct Cache {
    file: Mutex<File>,
    /// What was there at the start, by the hash of the original, and where it is.
    known: HashMap<ContentHash, (u64, RecordHead)>,
}

impl Cache {
    /// Opens the file for classes that are instrumented in this way, or makes it; none if that cannot be done.
    pub(crate) fn open(folder: &str, salt: &str, passes: ContentHash) -> Option<Self> {
        let key = content_hash(&[salt.as_bytes(), &passes]);
        let name: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = Path::new(folder).join(name);
        let mut file = open(&path).ok()?;
        let known = match scan(&mut file) {
            Ok(known) => known,
            Err(_) => {
                // A worker was ended while it wrote. Those that still use the file keep it; all others get a new one.
                fs::remove_file(&path).ok()?;
                file = open(&path).ok()?;
                HashMap::new()
            }
        };
        let file = Mutex::new(file);
        Some(Self { file, known })
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, bytes: &[u8]) -> Option<CachedClass> {
        let (offset, head) = self.known.get(&content_hash(&[bytes]))?;
        let mut content = vec![0; head.length as usize];
        let mut file = self.file();
        file.seek(SeekFrom::Start(*offset)).ok()?;
        file.read_exact(&mut content).ok()?;
        (content_hash(&[&content]) == head.content)
            .then(|| CachedClass::decode(&content).ok())
            .flatten()
    }

    /// Appends a class, all at once: other workers append too.
    pub(crate) fn keep(&self, bytes: &[u8], class: &CachedClass) {
        let record = encode_record(&content_hash(&[bytes]), class);
        // What could not be written is made again by the next worker, and half a record is found by its hash.
        let _ = self.file().write(&record);
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).append(true).create(true).open(path)
}

/// Where the records are. The last may still be in writing.
fn scan(file: &mut File) -> io::Result<HashMap<ContentHash, (u64, RecordHead)>> {
    let end = file.metadata()?.len();
    let mut known = HashMap::new();
    let mut at = 0;
    let mut head = [0; RECORD_HEAD];
    while at + RECORD_HEAD as u64 <= end {
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut head)?;
        let head = decode_record_head(&head).map_err(io::Error::other)?;
        let content = at + RECORD_HEAD as u64;
        at = content + u64::from(head.length);
        if at <= end {
            known.insert(head.original, (content, head));
        }
    }
    Ok(known)
}
