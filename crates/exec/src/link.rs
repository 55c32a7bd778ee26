//! The connection to a worker JVM.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Instant;

use braid_protocol::{FrameReader, FromWorker, ProtocolError, ToWorker};

use crate::error::ExecError;

/// How many messages may wait for us before the worker has to.
const BACKLOG: usize = 4096;

/// What came from the worker.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A message.
    Message(FromWorker),
    /// Nothing until the deadline.
    Silence,
    /// The connection is closed.
    Closed,
}

/// A connection whose messages are read by a thread of its own.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    messages: Receiver<Result<FromWorker, ProtocolError>>,
}

impl Link {
    /// Goes on with a connection of which `frames` has read the beginning.
    pub(crate) fn new(stream: TcpStream, mut frames: FrameReader) -> io::Result<Self> {
        stream.set_read_timeout(None)?;
        let mut source = stream.try_clone()?;
        let (sender, messages) = sync_channel(BACKLOG);
        let read = move || {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                loop {
                    let message = match frames.next_body() {
                        Ok(None) => break,
                        Ok(Some(body)) => FromWorker::decode(body),
                        Err(e) => Err(e),
                    };
                    let bad = message.is_err();
                    if sender.send(message).is_err() || bad {
                        return;
                    }
                }
                match source.read(&mut buffer) {
                    Ok(0) | Err(_) => return,
                    Ok(length) => frames.push(&buffer[..length]),
                }
            }
        };
        std::thread::Builder::new()
            .name("worker-link".into())
            .spawn(read)?;
        Ok(Self { stream, messages })
    }

    /// Sends a message; that the worker is gone shows when we listen.
    pub(crate) fn send(&mut self, message: &ToWorker) -> Result<(), ExecError> {
        let frame = message.encode().ok_or(ExecError::TooLong)?;
        // See above.
        let _ = self.stream.write_all(&frame);
        Ok(())
    }

    /// Waits for the next message.
    pub(crate) fn listen(&self, deadline: Instant) -> Result<Heard, ExecError> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.messages.recv_timeout(left) {
            Ok(message) => Ok(Heard::Message(message?)),
            Err(RecvTimeoutError::Timeout) => Ok(Heard::Silence),
            Err(RecvTimeoutError::Disconnected) => Ok(Heard::Closed),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Ends the reading thread; an error means that it has ended already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
