//! The class file as a whole: header, members and attributes, borrowed from its bytes.

use std::sync::Arc;

use crate::attribute::{Attribute, Attributes};
use crate::code::CodeAttribute;
use crate::error::{ErrorKind, Result};
use crate::flags::AccessFlags;
use crate::jstr::JStr;
use crate::pool::{self, ConstantPool};
use crate::reader::{Reader, u16_at};
use crate::table::Table;

/// The positions found by parsing, without the bytes.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) pool: Vec<u32>,
    /// Offset of the access flags, just behind the pool.
    pub(crate) header: u32,
    pub(crate) fields: Vec<MemberIndex>,
    pub(crate) methods: Vec<MemberIndex>,
    /// Offset of the class's attribute count.
    pub(crate) attributes: u32,
}

/// Where a field or method stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemberIndex {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Offset of the `Code` attribute's name index, 0 if there is none.
    pub(crate) code: u32,
}

/// A parsed class file that borrows its bytes.
///
/// Parsing checks the structure down to the attribute headers and every cross reference of the
/// constant pool. What is inside an attribute is read when it is asked for.
///
/// ```
/// # fn main() -> Result<(), braid_classfile::Error> {
/// # use braid_classfile::{AccessFlags, new_class};
/// # let bytes = new_class(61, AccessFlags::PUBLIC, "Example", Some("java/lang/Object"))?;
/// let class = braid_classfile::ClassFile::parse(&bytes)?;
/// assert_eq!(class.name(), "Example");
/// for method in class.methods() {
///     println!("{}.{}{}", class.name(), method.name(), method.descriptor());
///     if let Some(code) = method.code()? {
///         for instruction in code.instructions() {
///             let instruction = instruction?;
///             println!("  {} {}", instruction.pc, instruction.op);
///         }
///     }
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ClassFile<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) index: Arc<Index>,
}

/// A parsed class file that owns its bytes; [`OwnedClass::view`] gives the reading interface.
#[derive(Clone)]
pub struct OwnedClass {
    bytes: Arc<[u8]>,
    index: Arc<Index>,
}

impl OwnedClass {
    /// Parses bytes and keeps them.
    pub fn parse(bytes: impl Into<Arc<[u8]>>) -> Result<OwnedClass> {
        let bytes = bytes.into();
        let index = ClassFile::parse(&bytes)?.index;
        Ok(OwnedClass { bytes, index })
    }

    /// The class, borrowed. Costs no parsing.
    pub fn view(&self) -> ClassFile<'_> {
        ClassFile {
            bytes: &self.bytes,
            index: Arc::clone(&self.index),
        }
    }

    /// The bytes of the class file.
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

impl std::fmt::Debug for OwnedClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.view().fmt(f)
    }
}

impl<'a> ClassFile<'a> {
    /// Parses a class file.
    pub fn parse(bytes: &'a [u8]) -> Result<ClassFile<'a>> {
        let mut reader = Reader::new(bytes, 0, bytes.len());
        let magic = reader.u32()?;
        if magic != 0xcafe_babe {
            return Err(ErrorKind::BadMagic(magic).at(0));
        }
        reader.skip(4)?;
        let pool = pool::index(&mut reader, bytes)?;
        let view = ConstantPool {
            bytes,
            offsets: &pool,
            added: &[],
        };
        let header = reader.pos();
        reader.skip(2)?;
        view.class(reader.u16()?)?;
        view.optional_class(reader.u16()?)?;
        let interfaces: Table<'_, u16> = Table::counted(&mut reader)?;
        for interface in interfaces.iter() {
            view.class(interface)?;
        }
        let fields = index_members(&mut reader, view, false)?;
        let methods = index_members(&mut reader, view, true)?;
        let attributes = reader.pos();
        skip_attributes(&mut reader, view, false)?;
        if !reader.at_end() {
            return Err(ErrorKind::ExtraBytes(reader.remaining()).at(reader.pos()));
        }
        let (header, attributes) = (header as u32, attributes as u32);
        let index = Arc::new(Index {
            pool,
            header,
            fields,
            methods,
            attributes,
        });
        Ok(ClassFile { bytes, index })
    }

    /// The bytes this class was parsed from.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Major version: 45 for Java 1.1, 52 for Java 8, 69 for Java 25.
    pub fn major_version(&self) -> u16 {
        u16_at(self.bytes, 6)
    }

    /// Minor version; 65535 marks a class that uses preview features.
    pub fn minor_version(&self) -> u16 {
        u16_at(self.bytes, 4)
    }

    /// The constant pool.
    pub fn pool(&self) -> ConstantPool<'_> {
        ConstantPool {
            bytes: self.bytes,
            offsets: &self.index.pool,
            added: &[],
        }
    }

    fn header_u16(&self, at: usize) -> u16 {
        u16_at(self.bytes, self.index.header as usize + at)
    }

    /// The class's access flags.
    pub fn access(&self) -> AccessFlags {
        AccessFlags(self.header_u16(0))
    }

    /// The class's internal name: `java/lang/Object`.
    pub fn name(&self) -> JStr<'_> {
        self.pool().class(self.this_index()).unwrap_or_default()
    }

    /// Index of the constant that names this class.
    pub fn this_index(&self) -> u16 {
        self.header_u16(2)
    }

    /// The superclass; `None` for `java/lang/Object` and modules.
    pub fn super_name(&self) -> Option<JStr<'_>> {
        self.pool()
            .optional_class(self.header_u16(4))
            .unwrap_or_default()
    }

    /// The names of the direct superinterfaces.
    pub fn interfaces(&self) -> impl Iterator<Item = JStr<'_>> {
        let count = usize::from(self.header_u16(6));
        let at = self.index.header as usize + 8;
        let table: Table<'_, u16> = Table::new(&self.bytes[at..at + 2 * count]);
        let pool = self.pool();
        table
            .iter()
            .map(move |index| pool.class(index).unwrap_or_default())
    }

    /// The fields in file order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Member<'_>> {
        self.index
            .fields
            .iter()
            .map(|index| Member { class: self, index })
    }

    /// The methods in file order.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Member<'_>> {
        self.index
            .methods
            .iter()
            .map(|index| Member { class: self, index })
    }

    /// The method at a position of [`ClassFile::methods`].
    pub fn method_at(&self, position: usize) -> Option<Member<'_>> {
        self.index
            .methods
            .get(position)
            .map(|index| Member { class: self, index })
    }

    /// The method with this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<Member<'_>> {
        self.methods()
            .find(|m| m.name() == name && m.descriptor() == descriptor)
    }

    /// The field with this name and descriptor.
    pub fn field(&self, name: &str, descriptor: &str) -> Option<Member<'_>> {
        self.fields()
            .find(|m| m.name() == name && m.descriptor() == descriptor)
    }

    /// The attributes of the class itself.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(
            self.pool(),
            self.index.attributes as usize,
            self.bytes.len(),
        )
    }

    /// The class's attribute with this name, read.
    pub fn attribute(&self, name: &str) -> Result<Option<Attribute<'_>>> {
        self.attributes().find(name)
    }
}

impl std::fmt::Debug for ClassFile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClassFile")
            .field("name", &self.name())
            .field("version", &self.major_version())
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// Reads the members' structure; `find_code` also notes where their code is.
fn index_members(
    reader: &mut Reader<'_>,
    pool: ConstantPool<'_>,
    find_code: bool,
) -> Result<Vec<MemberIndex>> {
    let count = reader.u16()?;
    let mut members = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let start = reader.pos() as u32;
        reader.skip(2)?;
        pool.utf8(reader.u16()?)?;
        pool.utf8(reader.u16()?)?;
        let code = skip_attributes(reader, pool, find_code)?;
        members.push(MemberIndex {
            start,
            end: reader.pos() as u32,
            code,
        });
    }
    Ok(members)
}

/// Skips an attribute list; returns the offset of the first `Code` attribute if asked, else 0.
fn skip_attributes(
    reader: &mut Reader<'_>,
    pool: ConstantPool<'_>,
    find_code: bool,
) -> Result<u32> {
    let mut code = 0;
    for _ in 0..reader.u16()? {
        let at = reader.pos() as u32;
        let name = pool.utf8(reader.u16()?)?;
        if find_code && code == 0 && name == "Code" {
            code = at;
        }
        let len = reader.u32()?;
        reader.skip(len as usize)?;
    }
    Ok(code)
}

/// A field or method of a class.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    pub(crate) class: &'a ClassFile<'a>,
    pub(crate) index: &'a MemberIndex,
}

impl<'a> Member<'a> {
    fn u16(self, at: usize) -> u16 {
        u16_at(self.class.bytes, self.index.start as usize + at)
    }

    /// The class it is declared in.
    pub fn class(self) -> &'a ClassFile<'a> {
        self.class
    }

    /// Its access flags.
    pub fn access(self) -> AccessFlags {
        AccessFlags(self.u16(0))
    }

    /// Its name.
    pub fn name(self) -> JStr<'a> {
        self.class.pool().utf8(self.u16(2)).unwrap_or_default()
    }

    /// Its descriptor.
    pub fn descriptor(self) -> JStr<'a> {
        self.class.pool().utf8(self.u16(4)).unwrap_or_default()
    }

    /// Its attributes.
    pub fn attributes(self) -> Attributes<'a> {
        let index = self.index;
        Attributes::new(
            self.class.pool(),
            index.start as usize + 6,
            index.end as usize,
        )
    }

    /// Its attribute with this name, read.
    pub fn attribute(self, name: &str) -> Result<Option<Attribute<'a>>> {
        self.attributes().find(name)
    }

    /// Its code; `None` for fields, abstract and native methods.
    pub fn code(self) -> Result<Option<CodeAttribute<'a>>> {
        match self.index.code {
            0 => Ok(None),
            at => CodeAttribute::read(self.class.pool(), at as usize + 6).map(Some),
        }
    }

    /// Offset of the member in the class file.
    pub fn offset(self) -> usize {
        self.index.start as usize
    }
}

impl std::fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}.{}{}",
            self.class.name(),
            self.name(),
            self.descriptor()
        )
    }
}
