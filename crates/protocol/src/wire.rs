//! Fields: numbers big-endian, texts as length and UTF-8, lists as length and items.

use crate::error::ProtocolError;

/// Appends fields to the body of a message.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.u8(value.into());
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.0.extend(value.to_be_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.0.extend(value.to_be_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.0.extend(value.to_be_bytes());
    }

    /// A length; a message that does not fit is refused as a frame, so saturating loses nothing.
    fn length(&mut self, value: usize) {
        self.u32(value.try_into().unwrap_or(u32::MAX));
    }

    pub(crate) fn i32(&mut self, value: i32) {
        self.0.extend(value.to_be_bytes());
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) {
        self.length(value.len());
        self.0.extend(value);
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    pub(crate) fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.length(values.len());
        for value in values {
            write(self, value);
        }
    }

    pub(crate) fn option(&mut self, value: Option<&str>) {
        self.bool(value.is_some());
        if let Some(value) = value {
            self.text(value);
        }
    }

    pub(crate) fn texts<S: AsRef<str>>(&mut self, values: &[S]) {
        self.list(values, |out, value| out.text(value.as_ref()));
    }
}

/// Takes fields off the body of a message.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

type Read<T> = Result<T, ProtocolError>;

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(ProtocolError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        self.take(N)?
            .try_into()
            .map_err(|_| ProtocolError::Truncated)
    }

    pub(crate) fn u8(&mut self) -> Read<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn bool(&mut self) -> Read<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(ProtocolError::BadValue {
                field: "a truth value",
            }),
        }
    }

    pub(crate) fn u16(&mut self) -> Read<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    fn length(&mut self) -> Read<usize> {
        usize::try_from(self.u32()?).map_err(|_| ProtocolError::Truncated)
    }

    pub(crate) fn i32(&mut self) -> Read<i32> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(crate) fn bytes(&mut self) -> Read<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let length = self.length()?;
        // Every item takes four bytes at least, so a wrong length cannot make us reserve much.
        let mut items = Vec::with_capacity(length.min(self.0.len() / 4));
        for _ in 0..length {
            items.push(read(self)?);
        }
        Ok(items)
    }

    pub(crate) fn text(&mut self) -> Read<String> {
        let bytes = self.bytes()?;
        let text = std::str::from_utf8(bytes);
        Ok(text
            .map_err(|_| ProtocolError::BadValue { field: "a text" })?
            .to_owned())
    }

    pub(crate) fn option(&mut self) -> Read<Option<String>> {
        if self.bool()? {
            self.text().map(Some)
        } else {
            Ok(None)
        }
    }

    pub(crate) fn texts<T: From<String>>(&mut self) -> Read<Vec<T>> {
        self.list(|input| input.text().map(T::from))
    }

    pub(crate) fn end(self) -> Read<()> {
        match self.0.len() {
            0 => Ok(()),
            extra => Err(ProtocolError::Trailing { extra }),
        }
    }
}
