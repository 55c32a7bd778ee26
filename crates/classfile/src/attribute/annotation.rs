//! Annotations of declarations and types.

use super::debug::LocalRange;
use crate::error::{ErrorKind, Result};
use crate::jstr::JStr;
use crate::pool::{ConstantPool, tag};
use crate::reader::Reader;
use crate::table::{Record, Table};

/// Annotations nest; hostile bytes must not overflow our stack.
const MAX_DEPTH: usize = 256;

/// An annotation with its element values.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation<'a> {
    /// Field descriptor of the annotation interface: `Ljava/lang/Deprecated;`.
    pub descriptor: JStr<'a>,
    /// Names and values in file order.
    pub elements: Vec<(JStr<'a>, ElementValue<'a>)>,
}

/// A value in an annotation.
#[derive(Clone, PartialEq, Debug)]
pub enum ElementValue<'a> {
    /// A primitive or string: the tag (`B C D F I J S Z s`) and the constant's index.
    Constant {
        /// The descriptor letter of the primitive type, or `s`.
        tag: u8,
        /// Index of the constant.
        index: u16,
    },
    /// An enum constant.
    Enum {
        /// Descriptor of the enum type.
        descriptor: JStr<'a>,
        /// Name of the constant.
        name: JStr<'a>,
    },
    /// A class literal: a return descriptor (`V` for void).
    Class(JStr<'a>),
    /// A nested annotation.
    Annotation(Annotation<'a>),
    /// An array.
    Array(Vec<ElementValue<'a>>),
}

impl<'a> Annotation<'a> {
    pub(super) fn list(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Vec<Self>> {
        let count = r.u16()?;
        (0..count).map(|_| Annotation::read(pool, r, 0)).collect()
    }

    pub(crate) fn read(pool: ConstantPool<'a>, r: &mut Reader<'a>, depth: usize) -> Result<Self> {
        let descriptor = pool.utf8(r.u16()?)?;
        let count = r.u16()?;
        let elements = (0..count)
            .map(|_| {
                Ok((
                    pool.utf8(r.u16()?)?,
                    ElementValue::read(pool, r, depth + 1)?,
                ))
            })
            .collect::<Result<_>>()?;
        Ok(Annotation {
            descriptor,
            elements,
        })
    }
}

impl<'a> ElementValue<'a> {
    pub(super) fn read(pool: ConstantPool<'a>, r: &mut Reader<'a>, depth: usize) -> Result<Self> {
        let at = r.pos();
        if depth > MAX_DEPTH {
            return Err(ErrorKind::Limit {
                what: "annotation depth",
                limit: MAX_DEPTH,
            }
            .at(at));
        }
        Ok(match r.u8()? {
            letter @ (b'B' | b'C' | b'I' | b'S' | b'Z' | b'D' | b'F' | b'J' | b's') => {
                ElementValue::constant(pool, letter, r.u16()?)?
            }
            b'e' => ElementValue::Enum {
                descriptor: pool.utf8(r.u16()?)?,
                name: pool.utf8(r.u16()?)?,
            },
            b'c' => ElementValue::Class(pool.utf8(r.u16()?)?),
            b'@' => ElementValue::Annotation(Annotation::read(pool, r, depth + 1)?),
            b'[' => {
                let count = r.u16()?;
                let values = (0..count).map(|_| ElementValue::read(pool, r, depth + 1));
                ElementValue::Array(values.collect::<Result<_>>()?)
            }
            other => {
                let value = u32::from(other);
                return Err(ErrorKind::BadValue {
                    what: "element value tag",
                    value,
                }
                .at(at));
            }
        })
    }

    fn constant(pool: ConstantPool<'a>, letter: u8, index: u16) -> Result<Self> {
        let wanted = match letter {
            b'D' => tag::DOUBLE,
            b'F' => tag::FLOAT,
            b'J' => tag::LONG,
            b's' => tag::UTF8,
            _ => tag::INTEGER,
        };
        if pool.tag(index) != wanted {
            let expected = "the annotation value's type";
            return Err(ErrorKind::BadConstant { index, expected }.at(0));
        }
        Ok(ElementValue::Constant { tag: letter, index })
    }
}

/// An annotation of a use of a type.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeAnnotation<'a> {
    /// The use of a type it stands on.
    pub target: TypeTarget<'a>,
    /// The part of the type it stands on.
    pub path: Table<'a, TypePath>,
    /// The annotation.
    pub annotation: Annotation<'a>,
}

/// Which use of a type is annotated (JVMS 4.7.20.1). The first item is the target type byte.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TypeTarget<'a> {
    /// The declaration of a type parameter of a class (0x00) or method (0x01).
    TypeParameter(u8, u8),
    /// A superclass (65535) or superinterface (0x10).
    Supertype(u16),
    /// A bound of a type parameter of a class (0x11) or method (0x12): parameter, bound.
    TypeParameterBound(u8, u8, u8),
    /// Field type, return type or receiver (0x13 to 0x15).
    Empty(u8),
    /// A formal parameter (0x16).
    FormalParameter(u8),
    /// An entry of the `throws` clause (0x17).
    Throws(u16),
    /// A local variable (0x40) or resource (0x41) in its ranges.
    Local(u8, Table<'a, LocalRange>),
    /// An entry of the exception table (0x42).
    Catch(u16),
    /// `instanceof`, `new`, constructor or method reference (0x43 to 0x46) at a code offset.
    Offset(u8, u16),
    /// A cast or type argument (0x47 to 0x4b) at a code offset, with the argument's position.
    TypeArgument(u8, u16, u8),
}

/// One step into a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypePath {
    /// Which way the step goes.
    pub kind: TypePathKind,
    /// Which type argument, for [`TypePathKind::TypeArgument`].
    pub argument: u8,
}

/// Ways into a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypePathKind {
    /// Into an array's element type.
    Array,
    /// Into a nested type.
    Nested,
    /// To the bound of a wildcard.
    WildcardBound,
    /// Into a type argument.
    TypeArgument,
    /// An undefined number.
    Undefined(u8),
}

impl Record for TypePath {
    const SIZE: usize = 2;
    fn read(bytes: &[u8]) -> Self {
        let kind = match bytes[0] {
            0 => TypePathKind::Array,
            1 => TypePathKind::Nested,
            2 => TypePathKind::WildcardBound,
            3 => TypePathKind::TypeArgument,
            other => TypePathKind::Undefined(other),
        };
        TypePath {
            kind,
            argument: bytes[1],
        }
    }
}

impl<'a> TypeAnnotation<'a> {
    pub(super) fn list(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Vec<Self>> {
        let count = r.u16()?;
        (0..count).map(|_| TypeAnnotation::read(pool, r)).collect()
    }

    pub(crate) fn read(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Self> {
        Ok(TypeAnnotation {
            target: TypeTarget::read(r)?,
            path: Table::counted_u8(r)?,
            annotation: Annotation::read(pool, r, 0)?,
        })
    }
}

impl<'a> TypeTarget<'a> {
    fn read(r: &mut Reader<'a>) -> Result<Self> {
        let kind = r.u8()?;
        TypeTarget::read_rest(kind, r)
    }

    /// Reads what follows the target type byte.
    pub(crate) fn read_rest(kind: u8, r: &mut Reader<'a>) -> Result<Self> {
        let at = r.pos();
        Ok(match kind {
            0x00 | 0x01 => TypeTarget::TypeParameter(kind, r.u8()?),
            0x10 => TypeTarget::Supertype(r.u16()?),
            0x11 | 0x12 => TypeTarget::TypeParameterBound(kind, r.u8()?, r.u8()?),
            0x13..=0x15 => TypeTarget::Empty(kind),
            0x16 => TypeTarget::FormalParameter(r.u8()?),
            0x17 => TypeTarget::Throws(r.u16()?),
            0x40 | 0x41 => TypeTarget::Local(kind, Table::counted(r)?),
            0x42 => TypeTarget::Catch(r.u16()?),
            0x43..=0x46 => TypeTarget::Offset(kind, r.u16()?),
            0x47..=0x4b => TypeTarget::TypeArgument(kind, r.u16()?, r.u8()?),
            other => {
                let value = u32::from(other);
                return Err(ErrorKind::BadValue {
                    what: "type annotation target",
                    value,
                }
                .at(at));
            }
        })
    }
}
