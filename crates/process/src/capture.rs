//! Keeps the head and the tail of a stream within a fixed amount of memory.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::spawn::{Observer, Stream};

/// What was kept of one output stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes of the stream.
    pub head: Vec<u8>,
    /// The last bytes of the stream, if it did not fit into the head.
    pub tail: Vec<u8>,
    /// How many bytes between the head and the tail were thrown away.
    pub dropped: u64,
}

impl Captured {
    /// Whether something was thrown away.
    pub fn truncated(&self) -> bool {
        self.dropped > 0
    }

    /// How many bytes the stream had in all.
    pub fn total(&self) -> u64 {
        self.head.len() as u64 + self.dropped + self.tail.len() as u64
    }

    /// The stream as text; a line in brackets stands for what was thrown away.
    pub fn text(&self) -> String {
        if !self.truncated() {
            let mut all = self.head.clone();
            all.extend_from_slice(&self.tail);
            return String::from_utf8_lossy(&all).into_owned();
        }
        format!(
            "{}\n[... {} bytes left out ...]\n{}",
            String::from_utf8_lossy(&self.head),
            self.dropped,
            String::from_utf8_lossy(&self.tail)
        )
    }

    /// The stream as bytes, without what was thrown away.
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }
}

/// A buffer that a reading thread fills and any thread can look into.
#[derive(Debug, Clone)]
pub(crate) struct Capture {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    head_cap: usize,
    tail_cap: usize,
}

#[derive(Debug, Default)]
struct State {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
    ended: bool,
}

impl Capture {
    /// A buffer that keeps at most `cap` bytes, half of them from the start.
    pub(crate) fn new(cap: usize) -> Self {
        let head_cap = cap / 2;
        Self {
            shared: Arc::new(Shared {
                state: Mutex::default(),
                ended: Condvar::new(),
                head_cap,
                tail_cap: cap - head_cap,
            }),
        }
    }

    /// Reads `source` to its end in a thread of its own.
    pub(crate) fn read_from(
        &self,
        mut source: impl Read + Send + 'static,
        stream: Stream,
        observer: Option<Observer>,
    ) {
        let capture = self.clone();
        let body = move || {
            let mut buffer = vec![0; 16 * 1024];
            loop {
                match source.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(read) => {
                        capture.push(&buffer[..read]);
                        if let Some(observer) = &observer {
                            observer.call(stream, &buffer[..read]);
                        }
                    }
                    Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            capture.end();
        };
        if std::thread::Builder::new()
            .name("output".into())
            .spawn(body)
            .is_err()
        {
            self.end();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.lock();
        let room = self.shared.head_cap - state.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        state.head.extend_from_slice(head);
        state.tail.extend(rest);
        let excess = state.tail.len().saturating_sub(self.shared.tail_cap);
        if excess > 0 {
            state.tail.drain(..excess);
            state.dropped += excess as u64;
        }
    }

    /// Marks the stream as complete.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.shared.ended.notify_all();
    }

    /// Waits until the stream has ended, at most until `deadline`: a process that left its group
    /// can hold the other end open for ever.
    pub(crate) fn wait(&self, deadline: Instant) {
        let mut state = self.lock();
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self
                .shared
                .ended
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// What has been kept so far.
    pub(crate) fn snapshot(&self) -> Captured {
        let state = self.lock();
        Captured {
            head: state.head.clone(),
            tail: state.tail.iter().copied().collect(),
            dropped: state.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cap: usize, pieces: &[&[u8]]) -> Captured {
        let capture = Capture::new(cap);
        for piece in pieces {
            capture.push(piece);
        }
        capture.snapshot()
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let captured = kept(100, &[b"hello ", b"world"]);
        assert_eq!(captured.text(), "hello world");
        assert!(!captured.truncated());
    }

    #[test]
    fn a_long_stream_keeps_head_and_tail() {
        let captured = kept(4, &[b"abcdef", b"gh", b"ijk"]);
        assert_eq!(
            (captured.head.as_slice(), captured.tail.as_slice()),
            (&b"ab"[..], &b"jk"[..])
        );
        assert_eq!(captured.dropped, 7);
        assert_eq!(captured.total(), 11);
        assert_eq!(captured.text(), "ab\n[... 7 bytes left out ...]\njk");
    }

    #[test]
    fn a_cap_of_zero_keeps_nothing() {
        let captured = kept(0, &[b"abc"]);
        assert_eq!((captured.bytes().len(), captured.dropped), (0, 3));
    }
}
