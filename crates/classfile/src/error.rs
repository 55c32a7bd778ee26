//! The one error type of this crate: what was wrong and at which byte.

/// A class file that cannot be read, edited or written.
///
/// `offset` counts bytes from the start of the class file for reading errors. Errors of the
/// editing and writing side have the index of the instruction in the code model instead, or 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at offset {offset}")]
pub struct Error {
    /// Where in the class file (or, for [`ErrorKind::is_edit`] kinds, in the instruction list).
    pub offset: usize,
    /// What is wrong there.
    pub kind: ErrorKind,
}

/// What is wrong with a class file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes end inside an item.
    #[error("unexpected end of class file")]
    Truncated,
    /// The first four bytes are not `CAFEBABE`.
    #[error("bad magic number {0:#010x}")]
    BadMagic(u32),
    /// Bytes follow the last attribute of the class.
    #[error("{0} extra bytes after the class file")]
    ExtraBytes(usize),
    /// A constant has a tag that no Java version defines.
    #[error("unknown constant tag {0}")]
    BadTag(u8),
    /// An index names no constant, or one of another kind.
    #[error("constant {index} is not {expected}")]
    BadConstant {
        /// The index as written in the class file.
        index: u16,
        /// The kind of constant that belongs there.
        expected: &'static str,
    },
    /// An attribute's content does not have the length that its header says.
    #[error("attribute {name} has a wrong length")]
    AttributeLength {
        /// The attribute's name.
        name: String,
    },
    /// Some tag or kind byte inside an attribute is undefined.
    #[error("undefined {what} {value}")]
    BadValue {
        /// The item that has the value.
        what: &'static str,
        /// The value found.
        value: u32,
    },
    /// A byte that is no instruction.
    #[error("undefined opcode {0:#04x}")]
    BadOpcode(u8),
    /// A jump, table entry or frame names a place that is not the start of an instruction.
    #[error("{what} {target} is not at an instruction")]
    BadTarget {
        /// What names the place.
        what: &'static str,
        /// The code offset it names.
        target: i64,
    },
    /// A malformed field or method descriptor.
    #[error("malformed descriptor {0:?}")]
    BadDescriptor(String),
    /// The code of a method is empty or longer than the 65,535 bytes the format allows.
    #[error("code of {size} bytes, outside the limit of 1 to 65535")]
    CodeSize {
        /// The size it has or would have.
        size: usize,
    },
    /// A count or index exceeds what the format can hold (constants, locals, stack, table entries).
    #[error("{what} exceeds the format's limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The most the format can hold.
        limit: usize,
    },
    /// A label is used but stands nowhere in the code, or stands twice.
    #[error("label {0} is not placed exactly once")]
    Label(u32),
    /// The operand stack or a local does not hold what an instruction needs.
    #[error("{0}")]
    Flow(&'static str),
    /// Two paths meet with states that do not fit each other.
    #[error("control flow meets with {0}")]
    Conflict(&'static str),
    /// The class hierarchy does not know a class whose superclass is needed to merge two types.
    #[error("class {0} is not in the hierarchy")]
    UnknownClass(String),
    /// An instruction in the code model has operands that cannot be encoded.
    #[error("cannot encode {0}")]
    Encode(&'static str),
}

impl ErrorKind {
    /// True for the kinds whose offset is an index into the instruction list of an edited method.
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            ErrorKind::CodeSize { .. }
                | ErrorKind::Limit { .. }
                | ErrorKind::Label(_)
                | ErrorKind::Flow(_)
                | ErrorKind::Conflict(_)
                | ErrorKind::UnknownClass(_)
                | ErrorKind::Encode(_)
        )
    }

    /// This kind at an offset.
    pub fn at(self, offset: usize) -> Error {
        Error { offset, kind: self }
    }
}

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
