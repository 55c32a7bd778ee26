//! Frames: bodies with their length in front, found again in a stream of bytes.

use crate::error::ProtocolError;

/// The longest body that either side accepts.
pub const MAX_FRAME: u32 = 64 * 1024 * 1024;

/// The body with its length in front; `None` if it is longer than [`MAX_FRAME`].
pub(crate) fn frame(body: Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::try_from(body.len())
        .ok()
        .filter(|length| *length <= MAX_FRAME)?;
    let mut frame = length.to_be_bytes().to_vec();
    frame.extend(body);
    Some(frame)
}

/// Cuts a stream of bytes, coming in pieces of any size, into the bodies of its frames.
#[derive(Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    start: usize,
}

impl FrameReader {
    /// A reader at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what came next in the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The body of the next frame, if all of it has come.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>, ProtocolError> {
        let rest = &self.buffer[self.start..];
        let Some((length, rest)) = rest.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length);
        if length > MAX_FRAME {
            return Err(ProtocolError::TooLong { length });
        }
        let length = length as usize;
        if rest.len() < length {
            return Ok(None);
        }
        let body = self.start + 4;
        self.start = body + length;
        Ok(Some(&self.buffer[body..self.start]))
    }
}
