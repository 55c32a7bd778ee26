//! What the program printed, by condition.

use braid_cond::{Cond, Manager};

/// A stream of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// `System.out`.
    Out,
    /// `System.err`.
    Err,
}

/// Bytes written in a context.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The context.
    pub when: Cond,
    /// The stream.
    pub stream: Stream,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Everything printed, in order.
#[derive(Debug, Default)]
pub(crate) struct Output {
    chunks: Vec<Chunk>,
    size: usize,
    /// Write through to the process's own streams as well (plain runs).
    pub echo: bool,
}

/// Bytes kept before further output is dropped.
const CAP: usize = 64 << 20;

impl Output {
    /// Appends bytes.
    pub(crate) fn write(&mut self, when: Cond, stream: Stream, bytes: &[u8]) {
        if self.echo {
            use std::io::Write;
            // A closed pipe must not end the run.
            let _ = match stream {
                Stream::Out => std::io::stdout().write_all(bytes),
                Stream::Err => std::io::stderr().write_all(bytes),
            };
            return;
        }
        if self.size + bytes.len() > CAP {
            return;
        }
        self.size += bytes.len();
        match self.chunks.last_mut() {
            Some(last) if last.when == when && last.stream == stream => {
                last.bytes.extend_from_slice(bytes)
            }
            _ => self.chunks.push(Chunk {
                when,
                stream,
                bytes: bytes.to_vec(),
            }),
        }
    }

    /// The pieces in order.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Takes everything printed so far.
    pub(crate) fn take(&mut self) -> Vec<Chunk> {
        self.size = 0;
        std::mem::take(&mut self.chunks)
    }
}

/// What one configuration printed on a stream; `on` says which options are on.
pub fn printed(
    chunks: &[Chunk],
    conds: &Manager,
    stream: Stream,
    on: impl Fn(braid_cond::Opt) -> bool,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in chunks {
        if chunk.stream == stream && conds.eval(chunk.when, &on) {
            bytes.extend_from_slice(&chunk.bytes);
        }
    }
    bytes
}
