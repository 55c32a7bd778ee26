//! Why an instruction or a native function did not simply produce a value.

use crate::class::MethodId;
use crate::value::Slot;
use braid_cond::{Cond, OutOfNodes};

/// What the interpreter must do instead of going on.
#[derive(Debug)]
pub enum Trap {
    /// Throw this exception (a reference or a choice of references).
    Throw(Slot),
    /// Make and throw an exception of this class.
    New(&'static str, Option<String>),
    /// The value must be plain: run again for each of its leaves.
    Split(Slot),
    /// Run again in the two parts of the context.
    SplitOn(Cond),
    /// Run again in each of these parts, which make up the context.
    Parts(Vec<Cond>),
    /// Call this method in place of the present one.
    Tail(MethodId, Vec<Slot>),
    /// The program ends in this context: `System.exit`.
    Exit(i32),
    /// The context cannot be followed any further, with the reason.
    Unknown(String),
}

/// The result of an instruction or native function.
pub(crate) type Step<T> = Result<T, Trap>;

impl Trap {
    /// An exception with a message.
    pub fn new(class: &'static str, message: impl Into<String>) -> Trap {
        Trap::New(class, Some(message.into()))
    }

    /// Something that the VM does not support.
    pub fn unknown(reason: impl Into<String>) -> Trap {
        Trap::Unknown(reason.into())
    }

    /// `NullPointerException`.
    pub fn null() -> Trap {
        Trap::New("java/lang/NullPointerException", None)
    }

    /// `ArrayIndexOutOfBoundsException`.
    pub fn index(index: i32, length: u32) -> Trap {
        Trap::new(
            "java/lang/ArrayIndexOutOfBoundsException",
            format!("Index {index} out of bounds for length {length}"),
        )
    }
}

impl From<OutOfNodes> for Trap {
    fn from(_: OutOfNodes) -> Trap {
        Trap::unknown("the diagrams of conditions grew beyond the limit")
    }
}

impl From<crate::error::VmError> for Trap {
    fn from(error: crate::error::VmError) -> Trap {
        match error {
            crate::error::VmError::BadClass(what) => Trap::new("java/lang/ClassFormatError", what),
            other => Trap::unknown(other.to_string()),
        }
    }
}

impl From<braid_classfile::Error> for Trap {
    fn from(error: braid_classfile::Error) -> Trap {
        Trap::new("java/lang/ClassFormatError", error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The string literals of a file's code that say that something is not supported.
    fn messages(source: &str) -> impl Iterator<Item = &str> {
        let code = source.split("#[cfg(test)]").next().unwrap_or(source);
        let literals = code.split('"').skip(1).step_by(2);
        literals.filter(|text| text.contains("not supported") && !text.starts_with('{'))
    }

    #[test]
    fn what_is_not_supported_is_in_the_documentation() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(root.join("../../docs/vary.md")).expect("the page");
        let mut missing = Vec::new();
        for entry in walkdir::WalkDir::new(root.join("src")) {
            let entry = entry.expect("a file or folder");
            if entry.path().extension().is_none_or(|end| end != "rs") {
                continue;
            }
            let source = std::fs::read_to_string(entry.path()).expect("a source file");
            for message in messages(&source) {
                let mut parts = message.split(['{', '}']).step_by(2);
                if !parts.all(|part| page.contains(part)) {
                    missing.push(message.to_owned());
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }
}
