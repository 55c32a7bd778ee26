//! What can go wrong: one enum for the crate, and the small value the hot path returns.

/// The manager holds as many nodes as it is allowed to.
///
/// Every operation that may create nodes returns this instead of aborting. The manager stays usable:
/// collect with the roots still needed, raise the limit, or give up on the condition at hand.
/// `Result<Cond, OutOfNodes>` is as small as a `Cond`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the decision diagrams reached their node limit")]
pub struct OutOfNodes;

/// Any failure of this crate outside the hot path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// See [`OutOfNodes`].
    #[error(transparent)]
    OutOfNodes(#[from] OutOfNodes),
    /// A formula, feature model or DIMACS text that cannot be read.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What is wrong and what was expected.
        message: String,
    },
    /// A variable order that is not a permutation of the options.
    #[error("the order names {given} options, once each, but there are {expected}")]
    NotAPermutation {
        /// Distinct options in the given order.
        given: usize,
        /// Options in the manager.
        expected: usize,
    },
    /// The SAT solver gave up or failed.
    #[error("the SAT solver failed: {0}")]
    Solver(String),
}
