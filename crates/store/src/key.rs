//! Content keys: what a result depends on, as one hash.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::Serialize;

/// The hash of everything that can influence a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// The raw bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Lower-case hexadecimal, 64 digits.
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// Reads what [`Key::hex`] wrote.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text)
            .ok()
            .map(|hash| Self(*hash.as_bytes()))
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({})", &self.hex()[..12])
    }
}

/// Collects named parts into a [`Key`]. Every part is framed by its name and length, so that two
/// different lists of parts never hash the same bytes.
pub struct KeyBuilder(blake3::Hasher);

impl KeyBuilder {
    /// Starts a key of one kind of result; different kinds never share a key.
    pub fn new(kind: &str) -> Self {
        let mut builder = Self(blake3::Hasher::new());
        builder.frame("kind", kind.as_bytes());
        builder
    }

    fn frame(&mut self, name: &str, bytes: &[u8]) {
        for part in [name.as_bytes(), bytes] {
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    /// Adds bytes under a name.
    pub fn part(&mut self, name: &str, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.frame(name, bytes.as_ref());
        self
    }

    /// Adds a value by its JSON form.
    ///
    /// # Panics
    /// When the value has no JSON form (a map with keys that are not strings): a programming error.
    pub fn value(&mut self, name: &str, value: &impl Serialize) -> &mut Self {
        let json = serde_json::to_vec(value).expect("key parts are plain data with a JSON form");
        self.part(name, json)
    }

    /// The key of all parts so far.
    pub fn finish(&self) -> Key {
        Key(*self.0.finalize().as_bytes())
    }
}

/// The hash of a file's content, read in pieces.
pub fn hash_file(path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_framed() {
        let key = |parts: &[(&str, &str)]| {
            let mut builder = KeyBuilder::new("t");
            for (name, value) in parts {
                builder.part(name, value);
            }
            builder.finish()
        };
        assert_ne!(key(&[("a", "bc")]), key(&[("ab", "c")]));
        assert_ne!(key(&[("a", "b"), ("c", "d")]), key(&[("a", "bcd")]));
        assert_eq!(key(&[("a", "b")]), key(&[("a", "b")]));
    }

    #[test]
    fn kinds_are_apart_and_hex_reads_back() {
        let key = KeyBuilder::new("x").finish();
        assert_ne!(key, KeyBuilder::new("y").finish());
        assert_eq!(Key::from_hex(&key.hex()), Some(key));
        assert_eq!(Key::from_hex("zz"), None);
    }
}
