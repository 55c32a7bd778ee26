//! A readable text form of class files: [`print()`] and [`assemble`], for tests that a person can
//! read (text in, class, text out).
//!
//! One item a line, words separated by spaces, `#` starts a comment. A class starts with
//! `version` and `class`; `field` and `method` open members; what follows a method are its
//! instructions. Jumps name labels, constants are written out, so nothing shows how the constant
//! pool is laid out.
//!
//! ```
//! use braid_classfile::ClassTable;
//! let text = "\
//! version 61
//! class public super Sign extends java/lang/Object
//!
//! method public static of (I)I
//!     iload 0
//!     ifge L0
//!     iconst_m1
//!     ireturn
//!   L0:
//!     iconst_1
//!     ireturn
//! ";
//! let bytes = braid_classfile_text::assemble(text, &ClassTable::new()).unwrap();
//! let again = braid_classfile_text::print(&bytes).unwrap();
//! assert!(again.contains("frame locals int stack"));
//! assert_eq!(braid_classfile_text::assemble(&again, &ClassTable::new()).unwrap(), bytes);
//! ```
//!
//! Annotations, modules and records are shown as comments and not assembled.

mod assemble;
mod assemble_code;
mod constant;
mod flags;
mod lex;
mod print;
mod print_code;

pub use assemble::assemble;
pub use print::{print, print_method};

/// Text that is no class, or a class that cannot be printed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line is not understood.
    #[error("line {line}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The class itself is broken, or cannot be made.
    #[error("line {line}: {source}")]
    Class {
        /// The line that led to it; 0 when printing.
        line: usize,
        /// What is wrong.
        source: braid_classfile::Error,
    },
}

impl From<braid_classfile::Error> for Error {
    fn from(source: braid_classfile::Error) -> Self {
        Error::Class { line: 0, source }
    }
}

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
