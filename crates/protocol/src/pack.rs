//! What the controller leaves for the agent of a warm worker: its settings, and a file of prepared classes.
//!
//! The file holds class files one after the other, then the index of them, then a footer of fixed size
//! that says where the index is, so that it can be written and read piece by piece.

use crate::error::ProtocolError;
use crate::wire::{Reader, Writer};

/// The size of the footer.
pub const FOOTER: usize = 24;

const MAGIC: u64 = 0x6272_6169_6443_5031;

/// A hash of a class file: prepared classes stand for exactly the bytes that they were made from.
pub type ContentHash = [u8; 16];

/// The hash of a class file, in one part or several.
pub fn content_hash(parts: &[&[u8]]) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut hash = ContentHash::default();
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hash
}

/// Where a prepared class is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackEntry {
    /// The binary name (`a/b/C`).
    pub name: String,
    /// The hash of the class file that it replaces.
    pub original: ContentHash,
    /// Where it begins in the file.
    pub offset: u64,
    /// How long it is.
    pub length: u32,
}

/// The index and the footer of a file whose class files end at `end`.
pub fn encode_index(entries: &[PackEntry], end: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.list(entries, |out, entry| {
        out.text(&entry.name);
        out.0.extend(entry.original);
        out.u64(entry.offset);
        out.u32(entry.length);
    });
    let length = out.0.len() as u64;
    out.u64(end);
    out.u64(length);
    out.u64(MAGIC);
    out.0
}

/// Where the index begins and how long it is.
pub fn decode_footer(footer: &[u8; FOOTER]) -> Result<(u64, u64), ProtocolError> {
    let mut input = Reader(footer);
    let place = (input.u64()?, input.u64()?);
    if input.u64()? == MAGIC {
        Ok(place)
    } else {
        Err(ProtocolError::BadValue {
            field: "the end of a file of prepared classes",
        })
    }
}

/// The entries of an index.
pub fn decode_index(index: &[u8]) -> Result<Vec<PackEntry>, ProtocolError> {
    let mut input = Reader(index);
    let entries = input.list(|input| {
        Ok(PackEntry {
            name: input.text()?,
            original: input.array()?,
            offset: input.u64()?,
            length: input.u32()?,
        })
    })?;
    input.end()?;
    Ok(entries)
}

/// The settings of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// The file of prepared classes.
    pub classes: Option<String>,
    /// The folder for classes that agents have instrumented, by content.
    pub cache: Option<String>,
    /// Goes into the names of the files there: says which agent wrote them.
    pub salt: String,
    /// Whether classes that are not prepared are instrumented.
    pub instrument: bool,
    /// The file that says which classes have static state; without it nothing is reset.
    pub world: Option<String>,
    /// Beginnings of the names (`a/b/`) of classes that run the program and use no fuel.
    pub frameworks: Vec<String>,
    /// Beginnings of the names of classes that stay as they are.
    pub untouched: Vec<String>,
}

impl AgentSettings {
    /// As the content of a file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.option(self.classes.as_deref());
        out.option(self.cache.as_deref());
        out.text(&self.salt);
        out.bool(self.instrument);
        out.option(self.world.as_deref());
        out.texts(&self.frameworks);
        out.texts(&self.untouched);
        out.0
    }

    /// From the content of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut input = Reader(bytes);
        let settings = Self {
            classes: input.option()?,
            cache: input.option()?,
            salt: input.text()?,
            instrument: input.bool()?,
            world: input.option()?,
            frameworks: input.texts()?,
            untouched: input.texts()?,
        };
        input.end()?;
        Ok(settings)
    }
}

/// A class that an agent has instrumented, as it is kept for the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CachedClass {
    /// The class file; `None` if the class stays as it is.
    pub bytes: Option<Vec<u8>>,
    /// What could not be done.
    pub notes: Vec<String>,
}

impl CachedClass {
    /// As the content of a file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.texts(&self.notes);
        out.bool(self.bytes.is_some());
        out.bytes(self.bytes.as_deref().unwrap_or_default());
        out.0
    }

    /// From the content of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        let mut input = Reader(bytes);
        let notes = input.texts()?;
        let changed = input.bool()?;
        let bytes = Some(input.bytes()?.to_vec()).filter(|_| changed);
        input.end()?;
        Ok(Self { bytes, notes })
    }
}

/// The size of what stands before a class in a file of instrumented ones.
pub const RECORD_HEAD: usize = 40;

const RECORD: u32 = 0x6272_6963;

/// What stands before a class in a file of instrumented ones, which several JVMs append to at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordHead {
    /// The hash of the class file that was instrumented.
    pub original: ContentHash,
    /// The hash of what follows.
    pub content: ContentHash,
    /// How long that is.
    pub length: u32,
}

/// A class as a whole record, to be appended at once.
pub fn encode_record(original: &ContentHash, class: &CachedClass) -> Vec<u8> {
    let content = class.encode();
    let mut out = Writer::default();
    out.u32(RECORD);
    out.0.extend(original);
    out.0.extend(content_hash(&[&content]));
    out.u32(content.len() as u32);
    out.0.extend(content);
    out.0
}

/// The head of a record; an error where none begins.
pub fn decode_record_head(head: &[u8; RECORD_HEAD]) -> Result<RecordHead, ProtocolError> {
    let mut input = Reader(head);
    if input.u32()? != RECORD {
        return Err(ProtocolError::BadValue {
            field: "the head of an instrumented class",
        });
    }
    Ok(RecordHead {
        original: input.array()?,
        content: input.array()?,
        length: input.u32()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_follow_each_other() {
        let original = content_hash(&[b"class"]);
        let class = CachedClass {
            bytes: Some(vec![1, 2]),
            notes: Vec::new(),
        };
        let record = encode_record(&original, &class);
        let (head, content) = record.split_first_chunk::<RECORD_HEAD>().unwrap();
        let head = decode_record_head(head).unwrap();
        assert_eq!(head.original, original);
        assert_eq!(head.content, content_hash(&[content]));
        assert_eq!(head.length as usize, content.len());
        assert_eq!(CachedClass::decode(content), Ok(class));
        assert!(decode_record_head(&[0; RECORD_HEAD]).is_err());
    }

    #[test]
    fn an_index_is_found_by_its_footer() {
        let entries = vec![PackEntry {
            name: "a/B".to_owned(),
            original: content_hash(&[b"cl", b"ass"]),
            offset: 0,
            length: 7,
        }];
        let encoded = encode_index(&entries, 7);
        let (index, footer) = encoded.split_last_chunk::<FOOTER>().unwrap();
        assert_eq!(decode_footer(footer), Ok((7, index.len() as u64)));
        assert_eq!(decode_index(index), Ok(entries));
        assert!(decode_footer(&[0; FOOTER]).is_err());
    }

    #[test]
    fn cached_classes_survive() {
        for bytes in [None, Some(vec![]), Some(vec![1, 2])] {
            let notes = vec!["note".to_owned()];
            let class = CachedClass { bytes, notes };
            assert_eq!(CachedClass::decode(&class.encode()), Ok(class));
        }
        assert!(CachedClass::decode(b"").is_err());
    }

    #[test]
    fn settings_survive() {
        let settings = AgentSettings {
            classes: Some("classes".to_owned()),
            cache: None,
            salt: "salt".to_owned(),
            instrument: true,
            world: Some("world".to_owned()),
            frameworks: vec!["org/junit/".to_owned()],
            untouched: vec!["a/".to_owned()],
        };
        assert_eq!(AgentSettings::decode(&settings.encode()), Ok(settings));
    }
}
