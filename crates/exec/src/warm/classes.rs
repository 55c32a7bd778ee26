//! The file of prepared classes that the agent reads.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use braid_protocol::pack::{
    FOOTER, PackEntry, content_hash, decode_footer, decode_index, encode_index,
};

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

/// The prepared classes in a file, read one by one.
#[derive(Debug)]
pub struct PreparedClasses {
    file: File,
    entries: Vec<PackEntry>,
}

impl PreparedClasses {
    /// Opens a file that [`write_classes`] has written.
    pub fn open(path: &Path) -> Result<Self, ExecError> {
        let mut file = File::open(path).map_err(ExecError::io("open", path))?;
        let index = index(&mut file).map_err(ExecError::io("read", path))?;
        Ok(Self {
            file,
            entries: index,
        })
    }

    /// The class file that the program gets for a class (`a/b/C`); none if the class is not prepared.
    pub fn class(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(entry.offset)).ok()?;
        let mut bytes = vec![0; entry.length as usize];
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

fn index(file: &mut File) -> std::io::Result<Vec<PackEntry>> {
    let mut footer = [0; FOOTER];
    file.seek(SeekFrom::End(-(FOOTER as i64)))?;
    file.read_exact(&mut footer)?;
    let (offset, length) = decode_footer(&footer).map_err(std::io::Error::other)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut index = Vec::new();
    file.take(length).read_to_end(&mut index)?;
    decode_index(&index).map_err(std::io::Error::other)
}
