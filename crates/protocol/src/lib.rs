//! The messages between the controller and a worker JVM: pure data and its encoding.
//!
//! The worker connects to the controller and says [`FromWorker::Hello`] with the protocol version
//! and a secret that it was given at start. Then the controller asks ([`ToWorker`]) and the worker
//! answers with a series of [`FromWorker`] that ends with the matching "finished" message. A few
//! messages may come at any time: [`FromWorker::Stack`], [`FromWorker::Exiting`],
//! [`FromWorker::Broken`].
//!
//! On the wire each message is a frame: the length of the body as a 32-bit big-endian number, then
//! the body, whose first byte says which message it is. Numbers up to 63 are taken by the messages
//! of plain runs, 64 and above by those of warm workers (active variant, fuel, coverage).
//! `java/runner` mirrors this encoding, and a test holds the two together.
//!
//! This crate does no input or output.

mod error;
mod frame;
mod message;
pub mod pack;
mod result;
mod warm;
mod wire;

pub use error::ProtocolError;
pub use frame::{FrameReader, MAX_FRAME};
pub use message::{FoundUnit, FromWorker, TagFilter, ToWorker};
pub use result::{Failure, LeafId, Outcome, UnitId};
pub use warm::{
    Hits, LeafRan, LoopRound, Redefinition, TrialOrder, TrialUnit, Trials, UnitEnd, UnitRan,
};

/// The version of the protocol; both sides must have the same.
pub const VERSION: u16 = 7;
