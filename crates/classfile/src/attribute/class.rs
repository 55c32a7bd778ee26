//! Attributes of classes: nesting, bootstrap methods, records.

use crate::AccessFlags;
use crate::attribute::Attributes;
use crate::error::Result;
use crate::jstr::JStr;
use crate::pool::{ConstantPool, NameAndType};
use crate::reader::Reader;
use crate::table::{Table, record};

record! {
    /// One entry of `InnerClasses`.
    InnerClass {
        /// Class index of the nested class.
        inner: u16,
        /// Class index of the class that declares it, 0 for local and anonymous classes.
        outer: u16,
        /// Text index of its simple name, 0 for anonymous classes.
        name: u16,
        /// Its flags as written in the source.
        access: AccessFlags,
    }
}

/// Where a local or anonymous class stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnclosingMethod<'a> {
    /// The enclosing class.
    pub class: JStr<'a>,
    /// The enclosing method, unless it stands in an initialiser.
    pub method: Option<NameAndType<'a>>,
}

impl<'a> EnclosingMethod<'a> {
    pub(super) fn read(pool: ConstantPool<'a>, r: &mut Reader<'a>) -> Result<Self> {
        let class = pool.class(r.u16()?)?;
        let method = match r.u16()? {
            0 => None,
            index => Some(pool.name_and_type(index)?),
        };
        Ok(EnclosingMethod { class, method })
    }
}

/// One entry of `BootstrapMethods`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BootstrapMethod<'a> {
    /// Index of the method handle.
    pub handle: u16,
    /// Indices of the static arguments.
    pub arguments: Table<'a, u16>,
}

pub(super) fn bootstrap_methods<'a>(r: &mut Reader<'a>) -> Result<Vec<BootstrapMethod<'a>>> {
    let count = r.u16()?;
    (0..count)
        .map(|_| {
            Ok(BootstrapMethod {
                handle: r.u16()?,
                arguments: Table::counted(r)?,
            })
        })
        .collect()
}

/// A component of a record class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RecordComponent<'a> {
    /// Its name.
    pub name: JStr<'a>,
    /// Its field descriptor.
    pub descriptor: JStr<'a>,
    /// Its attributes (signature, annotations).
    pub attributes: Attributes<'a>,
}

pub(super) fn record_components<'a>(
    pool: ConstantPool<'a>,
    r: &mut Reader<'a>,
) -> Result<Vec<RecordComponent<'a>>> {
    let count = r.u16()?;
    (0..count)
        .map(|_| {
            Ok(RecordComponent {
                name: pool.utf8(r.u16()?)?,
                descriptor: pool.utf8(r.u16()?)?,
                attributes: Attributes::read(pool, r)?,
            })
        })
        .collect()
}
