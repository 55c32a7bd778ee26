//! The frames between this crate and the compiler's JVM: a length, then fields in order.
//!
//! Numbers are big-endian; strings and byte arrays carry a 32-bit length. `Wire.java` mirrors this.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::{CompileError, Diagnostic, Kind};

/// Both sides must speak the same version.
pub(crate) const VERSION: u32 = 2;

/// A frame longer than this is a fault, not a request.
const LONGEST: u32 = 1 << 30;

/// Fields on their way out.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn flag(&mut self, value: bool) {
        self.byte(value.into());
    }

    pub(crate) fn number(&mut self, value: usize) {
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        self.bytes.extend(value.to_be_bytes());
    }

    pub(crate) fn blob(&mut self, value: &[u8]) {
        self.number(value.len());
        self.bytes.extend(value);
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.blob(value.as_bytes());
    }

    pub(crate) fn path(&mut self, value: &Path) -> Result<(), CompileError> {
        self.text(
            value
                .to_str()
                .ok_or_else(|| CompileError::Path(value.to_owned()))?,
        );
        Ok(())
    }

    pub(crate) fn paths(&mut self, values: &[PathBuf]) -> Result<(), CompileError> {
        self.number(values.len());
        values.iter().try_for_each(|value| self.path(value))
    }

    pub(crate) fn texts(&mut self, values: &[String]) {
        self.number(values.len());
        values.iter().for_each(|value| self.text(value));
    }

    /// Adds fields that were written elsewhere.
    pub(crate) fn append(&mut self, fields: &Writer) {
        self.bytes.extend(&fields.bytes);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Sends the frame.
    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "the request is too long");
        let length = u32::try_from(self.bytes.len())
            .ok()
            .filter(|length| *length <= LONGEST);
        to.write_all(&length.ok_or_else(too_long)?.to_be_bytes())?;
        to.write_all(&self.bytes)?;
        to.flush()
    }
}

/// Fields of a frame that came in.
#[derive(Debug)]
pub(crate) struct Reader {
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    /// Receives one frame.
    pub(crate) fn receive(from: &mut impl Read) -> io::Result<Reader> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length);
        if length > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the frame is too long",
            ));
        }
        let mut bytes = Vec::new();
        from.take(length.into()).read_to_end(&mut bytes)?;
        if bytes.len() < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Reader { bytes, at: 0 })
    }

    fn take(&mut self, length: usize) -> Result<&[u8], CompileError> {
        let end = self
            .at
            .checked_add(length)
            .filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| CompileError::Protocol("a field is cut off".into()))?;
        let field = &self.bytes[self.at..end];
        self.at = end;
        Ok(field)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, CompileError> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn flag(&mut self) -> Result<bool, CompileError> {
        Ok(self.byte()? != 0)
    }

    pub(crate) fn number(&mut self) -> Result<u32, CompileError> {
        let field = self.take(4)?;
        Ok(u32::from_be_bytes([field[0], field[1], field[2], field[3]]))
    }

    pub(crate) fn blob(&mut self) -> Result<Vec<u8>, CompileError> {
        let length = self.number()? as usize;
        Ok(self.take(length)?.to_vec())
    }

    pub(crate) fn text(&mut self) -> Result<String, CompileError> {
        String::from_utf8(self.blob()?)
            .map_err(|_| CompileError::Protocol("a text is not UTF-8".into()))
    }

    /// A list whose items `item` reads.
    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Reader) -> Result<T, CompileError>,
    ) -> Result<Vec<T>, CompileError> {
        let length = self.number()?;
        (0..length).map(|_| item(self)).collect()
    }

    pub(crate) fn diagnostic(&mut self) -> Result<Diagnostic, CompileError> {
        let file = self.text()?;
        Ok(Diagnostic {
            file: (!file.is_empty()).then(|| file.into()),
            line: self.number()?,
            column: self.number()?,
            kind: match self.byte()? {
                0 => Kind::Error,
                1 => Kind::Warning,
                _ => Kind::Note,
            },
            code: self.text()?,
            message: self.text()?,
        })
    }
}
