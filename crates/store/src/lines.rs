//! Files of one JSON value a line, which may end in a torn line after a crash.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::StoreError;

/// Calls `each` with every whole line's value and byte offset. A torn last line is left out; a line in
/// the middle that does not parse is an error. Returns where the whole lines end.
pub fn read_lines<T: DeserializeOwned>(
    path: &Path,
    mut each: impl FnMut(u64, T),
) -> Result<u64, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(StoreError::io("read", path, error)),
    };
    let mut reader = BufReader::new(file);
    let mut offset = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader
            .read_until(b'\n', &mut line)
            .map_err(|error| StoreError::io("read", path, error))?;
        if line.last() != Some(&b'\n') {
            return Ok(offset); // the end, or a torn line
        }
        match serde_json::from_slice(&line) {
            Ok(value) => each(offset, value),
            // a crash of the whole machine can leave zeroed or half-written last blocks
            Err(_) if at_end(&mut reader) => return Ok(offset),
            Err(source) => {
                return Err(StoreError::Format {
                    path: path.to_path_buf(),
                    source,
                });
            }
        }
        offset += length as u64;
    }
}

fn at_end(reader: &mut impl BufRead) -> bool {
    reader.fill_buf().is_ok_and(<[u8]>::is_empty)
}

/// Values of such a file in an order of the caller's choice, held by offset and not in memory.
pub struct LineIndex {
    path: PathBuf,
    entries: Vec<(u64, u64)>,
}

impl LineIndex {
    /// Indexes a file; `order` gives each value's place. Of two values at one place the later line wins.
    pub fn build<T: DeserializeOwned>(
        path: &Path,
        mut order: impl FnMut(&T) -> u64,
    ) -> Result<Self, StoreError> {
        let mut entries = Vec::new();
        read_lines(path, |offset, value: T| {
            entries.push((order(&value), offset))
        })?;
        entries.sort_unstable();
        // keep the last entry of each place: reverse, drop followers, reverse
        entries.reverse();
        entries.dedup_by_key(|entry| entry.0);
        entries.reverse();
        Ok(Self {
            path: path.to_path_buf(),
            entries,
        })
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Calls `each` with every value, in order.
    pub fn for_each<T: DeserializeOwned, E: From<StoreError>>(
        &self,
        mut each: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let mut file =
            File::open(&self.path).map_err(|error| StoreError::io("read", &self.path, error))?;
        for (_, offset) in &self.entries {
            each(read_line_at(&mut file, &self.path, *offset)?)?;
        }
        Ok(())
    }
}

/// The value of the line that starts at `offset`.
pub(crate) fn read_line_at<T: DeserializeOwned>(
    file: &mut File,
    path: &Path,
    offset: u64,
) -> Result<T, StoreError> {
    let io = |error| StoreError::io("read", path, error);
    file.seek(SeekFrom::Start(offset)).map_err(io)?;
    let mut line = Vec::new();
    BufReader::new(file.by_ref())
        .read_until(b'\n', &mut line)
        .map_err(io)?;
    serde_json::from_slice(&line).map_err(|source| StoreError::Format {
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn lines_of(text: &[u8]) -> (Vec<(u64, u32)>, Result<u64, StoreError>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        fs::write(&path, text).unwrap();
        let mut seen = Vec::new();
        let end = read_lines(&path, |offset, value: u32| seen.push((offset, value)));
        (seen, end)
    }

    #[test]
    fn a_torn_last_line_is_left_out() {
        for torn in [
            &b"10\n20\n3"[..],
            b"10\n20\n\0\0\0\n",
            b"10\n20\n{\"a\n",
            b"10\n20\n",
        ] {
            let (seen, end) = lines_of(torn);
            assert_eq!(seen, [(0, 10), (3, 20)]);
            assert_eq!(end.unwrap(), 6);
        }
    }

    #[test]
    fn a_broken_line_in_the_middle_is_an_error() {
        let (_, end) = lines_of(b"10\nxx\n20\n");
        assert!(matches!(end, Err(StoreError::Format { .. })));
    }

    #[test]
    fn a_missing_file_has_no_lines() {
        let end = read_lines(Path::new("/nonexistent/x"), |_, _: u32| unreachable!());
        assert_eq!(end.unwrap(), 0);
    }

    #[test]
    fn the_index_sorts_and_the_later_line_wins() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        fs::write(&path, "[3,0]\n[1,0]\n[2,0]\n[1,9]\n").unwrap();
        let index = LineIndex::build(&path, |value: &(u64, u64)| value.0).unwrap();
        let mut seen = Vec::new();
        index
            .for_each(|value: (u64, u64)| {
                seen.push(value);
                Ok::<(), StoreError>(())
            })
            .unwrap();
        assert_eq!(seen, [(1, 9), (2, 0), (3, 0)]);
    }
}
