//! What can be wrong with bytes that should be a message.

/// Why bytes are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The frame says it is longer than any message may be.
    #[error("frame of {length} bytes is longer than allowed")]
    TooLong {
        /// The length that the frame claims.
        length: u32,
    },
    /// The body ends in the middle of a field.
    #[error("message ends too early")]
    Truncated,
    /// The body goes on after the last field.
    #[error("message has {extra} bytes too many")]
    Trailing {
        /// How many.
        extra: usize,
    },
    /// No message has this number.
    #[error("unknown message number {number}")]
    UnknownMessage {
        /// The first byte of the body.
        number: u8,
    },
    /// A field has a value that it cannot have.
    #[error("bad value for {field}")]
    BadValue {
        /// What the field stands for.
        field: &'static str,
    },
}
