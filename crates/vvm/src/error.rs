//! What can go wrong before or beside the run of a program.

/// The crate's error. Exceptions of the program itself are not errors; they are results.
#[derive(Debug, thiserror::Error)]
pub enum VmError {
    /// A class file that cannot be read or breaks a rule the VM relies on.
    #[error("bad class file: {0}")]
    BadClass(String),
    /// A class that the VM itself needs is missing or not as expected.
    #[error("class library: {0}")]
    Library(String),
    /// An option, property or limit that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Reading a class path entry or the JDK's image.
    #[error("class path: {0}")]
    ClassPath(String),
    /// The diagrams grew beyond the limit.
    #[error("conditions need more than the allowed number of nodes")]
    OutOfNodes,
}

impl VmError {
    pub(crate) fn bad_class(what: impl Into<String>) -> VmError {
        VmError::BadClass(what.into())
    }
}

impl From<braid_cond::OutOfNodes> for VmError {
    fn from(_: braid_cond::OutOfNodes) -> VmError {
        VmError::OutOfNodes
    }
}

impl From<braid_classfile::Error> for VmError {
    fn from(error: braid_classfile::Error) -> VmError {
        VmError::BadClass(error.to_string())
    }
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, VmError>;
