//! The one error type of this crate.

/// A class that cannot be woven or instrumented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WeaveError {
    /// The class file cannot be read, or its edited form cannot be written.
    #[error("class file: {0}")]
    Class(#[from] braid_classfile::Error),
    /// The bytes of a [`crate::World`] are not what this version writes.
    #[error("world: {0}")]
    World(&'static str),
}

/// Result of this crate.
pub(crate) type Result<T, E = WeaveError> = std::result::Result<T, E>;
