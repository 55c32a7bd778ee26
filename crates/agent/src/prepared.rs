//! Classes that the controller has prepared.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use braid_protocol::pack::{FOOTER, PackEntry, content_hash, decode_footer, decode_index};

/// A file of prepared classes. Its index is in memory, the classes are read when they are asked for.
#[derive(Debug)]
pub(crate) struct Prepared {
    file: Mutex<File>,
    entries: HashMap<String, Vec<PackEntry>>,
}

/// What a file of prepared classes has for a class.
#[derive(Debug)]
pub(crate) enum Found {
    /// What to load in its place.
    Class(Vec<u8>),
    /// Nothing of that name.
    Nothing,
    /// A class of that name, but made from other bytes.
    Other,
}

impl Prepared {
    pub(crate) fn open(path: &str) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut footer = [0; FOOTER];
        file.seek(SeekFrom::End(-(FOOTER as i64)))?;
        file.read_exact(&mut footer)?;
        let (offset, length) = decode_footer(&footer).map_err(io::Error::other)?;
        let mut index = Vec::new();
        file.seek(SeekFrom::Start(offset))?;
        file.by_ref().take(length).read_to_end(&mut index)?;
        let mut entries: HashMap<String, Vec<PackEntry>> = HashMap::new();
        for entry in decode_index(&index).map_err(io::Error::other)? {
            entries.entry(entry.name.clone()).or_default().push(entry);
        }
        Ok(Self {
            file: Mutex::new(file),
            entries,
        })
    }

    pub(crate) fn find(&self, name: &str, bytes: &[u8]) -> io::Result<Found> {
        let Some(same_name) = self.entries.get(name) else {
            return Ok(Found::Nothing);
        };
        let hash = content_hash(&[bytes]);
        let Some(entry) = same_name.iter().find(|entry| entry.original == hash) else {
            return Ok(Found::Other);
        };
        let mut class = vec![0; entry.length as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(entry.offset))?;
        file.read_exact(&mut class)?;
        Ok(Found::Class(class))
    }
}
