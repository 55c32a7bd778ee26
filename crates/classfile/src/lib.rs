//! Reads, edits and writes JVM class files.
//!
//! Three layers, each usable without the next:
//!
//! 1. **Reading** ([`ClassFile`]): a view of the bytes. Nothing is copied; attributes are read
//!    when they are asked for, instructions are decoded as they are iterated.
//! 2. **Editing** ([`Editor`], [`Code`]): a model of a method's code in which every place is a
//!    label, so that jumps, handlers, lines, locals and frames survive insertion and removal.
//! 3. **Writing** ([`Editor::write_code`], [`Editor::finish`]): unedited parts keep their bytes,
//!    the constant pool only grows, jumps are widened where they must be and stack map frames are
//!    kept, extended or computed from nothing ([`Frames`]).
//!
//! Hostile bytes never panic: every problem is an [`Error`] with an offset.
//! This crate knows nothing of files or processes.

pub mod attribute;
mod class;
mod code;
pub mod descriptor;
mod edit;
mod error;
mod flags;
mod frames;
mod hash;
mod instruction;
mod jstr;
mod opcode;
mod pool;
mod reader;
mod table;

pub use attribute::{Attribute, Attributes, RawAttribute};
pub use class::{ClassFile, Member, OwnedClass};
pub use code::{CodeAttribute, ExceptionEntry};
pub use descriptor::{FieldType, MethodDescriptor};
pub use edit::{
    Cases, Code, CodeTarget, CodeTypeAnnotation, Editor, Frames, Importer, Insn, Label, Line,
    LocalVar, PoolBuilder, ReadParts, Switch, TryRange, Workspace, new_class,
};
pub use error::{Error, ErrorKind, Result};
pub use flags::AccessFlags;
pub use frames::{ClassTable, FrameList, FrameRef, Hierarchy, Superclass, TypeKind, Types, VType};
pub use instruction::{
    Instruction, Instructions, LookupSwitch, Operand, PrimitiveType, TableSwitch,
};
pub use jstr::{JStr, encode_modified_utf8, encode_utf16};
pub use opcode::{Op, OperandKind};
pub use pool::{
    Constant, ConstantPool, Dynamic, HandleKind, MemberRef, MethodHandle, NameAndType, tag,
};
pub use table::{Record, Table};
