//! A bounds-checked big-endian cursor whose positions are offsets into the whole class file.

use crate::error::{ErrorKind, Result};

/// Reads forward from `pos`, never beyond `end`.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Reader<'a> {
    /// A reader of `bytes[start..end]`; the range is clamped to the bytes.
    pub(crate) fn new(bytes: &'a [u8], start: usize, end: usize) -> Self {
        let end = end.min(bytes.len());
        Reader {
            bytes: &bytes[..end],
            pos: start.min(end),
        }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn at_end(&self) -> bool {
        self.pos == self.bytes.len()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.pos
    }

    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.bytes.get(self.pos..).and_then(|rest| rest.get(..n)) {
            Some(slice) => {
                self.pos += n;
                Ok(slice)
            }
            None => Err(ErrorKind::Truncated.at(self.pos)),
        }
    }

    #[inline]
    pub(crate) fn skip(&mut self, n: usize) -> Result<()> {
        self.take(n).map(|_| ())
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.take(1).map(|b| b[0])
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.take(4)
            .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }
}

/// Big-endian `u16` at `at`; the caller has checked the bounds.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Big-endian `u32` at `at`; the caller has checked the bounds.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
