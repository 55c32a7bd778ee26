//! The file of prepared classes that the agent reads.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use braid_protocol::pack::{PackEntry, content_hash, encode_index};

use crate::error::ExecError;

/// A class and what the program gets instead of it.
#[derive(Debug, Clone, Copy)]
pub struct PreparedClass<'a> {
    /// Its binary name (`a/b/C`).
    pub name: &'a str,
    /// The class file as the program would load it.
    pub original: &'a [u8],
    /// The class file that it gets.
    pub woven: &'a [u8],
}

/// Collects prepared classes in one file, holding none of them in memory.
#[derive(Debug)]
struct Pack<'p> {
    path: &'p Path,
    out: BufWriter<File>,
    entries: Vec<PackEntry>,
    end: u64,
}

/// Writes the file of prepared classes.
pub fn write_classes<'a>(
    path: &Path,
    classes: impl IntoIterator<Item = PreparedClass<'a>>,
) -> Result<(), ExecError> {
    let file = File::create(path).map_err(ExecError::io("create", path))?;
    let mut pack = Pack {
        path,
        out: BufWriter::new(file),
        entries: Vec::new(),
        end: 0,
    };
    for class in classes {
        pack.add(class)?;
    }
    pack.finish()
}

impl Pack<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), ExecError> {
        self.out
            .write_all(bytes)
            .map_err(ExecError::io("write", self.path))
    }

    fn add(&mut self, class: PreparedClass<'_>) -> Result<(), ExecError> {
        self.write(class.woven)?;
        self.entries.push(PackEntry {
            name: class.name.to_owned(),
            original: content_hash(&[class.original]),
            offset: self.end,
            length: u32::try_from(class.woven.len()).map_err(|_| ExecError::TooLong)?,
        });
        self.end += class.woven.len() as u64;
        Ok(())
    }

    fn finish(mut self) -> Result<(), ExecError> {
        let index = encode_index(&self.entries, self.end);
        self.write(&index)?;
        self.out.flush().map_err(ExecError::io("write", self.path))
    }
}
