//! The constant pool, read in place.

use crate::error::{Error, ErrorKind, Result};
use crate::jstr::JStr;
use crate::reader::{Reader, u16_at, u32_at};

/// Tags of the constant-pool entries.
pub mod tag {
    #![allow(missing_docs)]
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELD_REF: u8 = 9;
    pub const METHOD_REF: u8 = 10;
    pub const INTERFACE_METHOD_REF: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

/// A view of a class file's constant pool. Cheap to copy.
///
/// Cross references were checked when the class was parsed, so only the index that the caller
/// brings can be wrong.
#[derive(Clone, Copy)]
pub struct ConstantPool<'a> {
    /// The class file.
    pub(crate) bytes: &'a [u8],
    /// Offset of each entry's tag, 0 for unusable slots; beyond the end of `bytes` for entries
    /// in `added`.
    pub(crate) offsets: &'a [u32],
    /// Entries that an editor has appended.
    pub(crate) added: &'a [u8],
}

/// One constant with its references followed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Constant<'a> {
    /// Raw text.
    Utf8(JStr<'a>),
    /// An `int` (also `boolean`, `byte`, `char`, `short`).
    Integer(i32),
    /// A `float`.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`.
    Double(f64),
    /// A class by its internal name (`java/lang/String`) or an array descriptor (`[I`).
    Class(JStr<'a>),
    /// A string literal.
    String(JStr<'a>),
    /// A field.
    FieldRef(MemberRef<'a>),
    /// A method of a class.
    MethodRef(MemberRef<'a>),
    /// A method of an interface.
    InterfaceMethodRef(MemberRef<'a>),
    /// A name with its descriptor.
    NameAndType(NameAndType<'a>),
    /// A method handle.
    MethodHandle(MethodHandle<'a>),
    /// A method descriptor.
    MethodType(JStr<'a>),
    /// A dynamically computed constant.
    Dynamic(Dynamic<'a>),
    /// A dynamically computed call site.
    InvokeDynamic(Dynamic<'a>),
    /// A module name.
    Module(JStr<'a>),
    /// A package name.
    Package(JStr<'a>),
}

/// A name and a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NameAndType<'a> {
    /// The member's name.
    pub name: JStr<'a>,
    /// The member's descriptor.
    pub descriptor: JStr<'a>,
}

/// A reference to a field or method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemberRef<'a> {
    /// The class named in the reference, which need not be the one that declares the member.
    pub owner: JStr<'a>,
    /// The member's name.
    pub name: JStr<'a>,
    /// The member's descriptor.
    pub descriptor: JStr<'a>,
    /// True for `InterfaceMethodref`.
    pub interface: bool,
}

/// What a method handle does with the member it names (JVMS table 5.4.3.5-A).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum HandleKind {
    GetField = 1,
    GetStatic,
    PutField,
    PutStatic,
    InvokeVirtual,
    InvokeStatic,
    InvokeSpecial,
    NewInvokeSpecial,
    InvokeInterface,
}

impl HandleKind {
    /// All kinds in the order of their numbers, from 1.
    pub const ALL: [HandleKind; 9] = [
        HandleKind::GetField,
        HandleKind::GetStatic,
        HandleKind::PutField,
        HandleKind::PutStatic,
        HandleKind::InvokeVirtual,
        HandleKind::InvokeStatic,
        HandleKind::InvokeSpecial,
        HandleKind::NewInvokeSpecial,
        HandleKind::InvokeInterface,
    ];

    /// The kind with this number.
    pub fn from_u8(value: u8) -> Option<HandleKind> {
        HandleKind::ALL
            .get(usize::from(value).wrapping_sub(1))
            .copied()
    }
}

/// A method handle constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MethodHandle<'a> {
    /// What the handle does.
    pub kind: HandleKind,
    /// The field or method.
    pub member: MemberRef<'a>,
}

/// A dynamic constant or call site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dynamic<'a> {
    /// Index into the class's `BootstrapMethods`.
    pub bootstrap: u16,
    /// The name passed to the bootstrap method.
    pub name: JStr<'a>,
    /// The descriptor of the constant (a field descriptor) or call site (a method descriptor).
    pub descriptor: JStr<'a>,
}

/// Big-endian `u64` at the start of checked bytes.
fn u64_at(bytes: &[u8]) -> u64 {
    u64::from(u32_at(bytes, 0)) << 32 | u64::from(u32_at(bytes, 4))
}

/// Bytes of an entry by its tag, the tag included; 0 for undefined tags. Texts have more.
const SIZES: [u8; 256] = {
    let mut sizes = [0; 256];
    let pairs = [
        (tag::UTF8, 3),
        (tag::INTEGER, 5),
        (tag::FLOAT, 5),
        (tag::LONG, 9),
        (tag::DOUBLE, 9),
        (tag::CLASS, 3),
        (tag::STRING, 3),
        (tag::FIELD_REF, 5),
        (tag::METHOD_REF, 5),
        (tag::INTERFACE_METHOD_REF, 5),
        (tag::NAME_AND_TYPE, 5),
        (tag::METHOD_HANDLE, 4),
        (tag::METHOD_TYPE, 3),
        (tag::DYNAMIC, 5),
        (tag::INVOKE_DYNAMIC, 5),
        (tag::MODULE, 3),
        (tag::PACKAGE, 3),
    ];
    let mut i = 0;
    while i < pairs.len() {
        sizes[pairs[i].0 as usize] = pairs[i].1;
        i += 1;
    }
    sizes
};

/// Reads the pool's entries; returns the offset of each entry's tag byte (0 for unusable slots).
pub(crate) fn index(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<Vec<u32>> {
    let count = usize::from(reader.u16()?);
    let mut offsets = vec![0; count.max(1)];
    let start = reader.pos();
    let mut at = start;
    let mut next = 1;
    while let Some(slot) = offsets.get_mut(next) {
        let truncated = || ErrorKind::Truncated.at(bytes.len());
        let tag = *bytes.get(at).ok_or_else(truncated)?;
        *slot = at as u32;
        next += 1;
        let size = usize::from(SIZES[usize::from(tag)]);
        match tag {
            tag::UTF8 => {
                let len = bytes.get(at + 1..at + 3).ok_or_else(truncated)?;
                at += usize::from(u16_at(len, 0));
            }
            tag::LONG | tag::DOUBLE => next += 1,
            _ if size == 0 => return Err(ErrorKind::BadTag(tag).at(at)),
            _ => {}
        }
        at += size;
    }
    reader.skip(at - start)?;
    if next > offsets.len() {
        // A long or double in the last slot claims one slot more than there is.
        return Err(ErrorKind::Truncated.at(reader.pos()));
    }
    let pool = ConstantPool {
        bytes,
        offsets: &offsets,
        added: &[],
    };
    pool.check()?;
    Ok(offsets)
}

impl<'a> ConstantPool<'a> {
    /// The pool's declared count: the highest index plus one (at least 1).
    pub fn count(self) -> u16 {
        self.offsets.len() as u16
    }

    /// Every index that holds a constant (the second slots of long and double left out).
    pub fn indices(self) -> impl Iterator<Item = u16> + 'a {
        let offsets = self.offsets;
        (1..self.count()).filter(move |i| offsets[usize::from(*i)] != 0)
    }

    /// The entry at an index, from its tag on (and whatever follows it).
    #[inline]
    fn entry(self, index: u16) -> Option<&'a [u8]> {
        let at = *self.offsets.get(usize::from(index))? as usize;
        if at == 0 {
            None
        } else if at < self.bytes.len() {
            Some(&self.bytes[at..])
        } else {
            self.added.get(at - self.bytes.len()..)
        }
    }

    /// The tag of a constant, or 0 if the index is unusable.
    #[inline]
    pub fn tag(self, index: u16) -> u8 {
        self.entry(index).map_or(0, |entry| entry[0])
    }

    /// The content after the tag, if the constant has the given tag.
    #[inline]
    fn body(self, index: u16, tag: u8, expected: &'static str) -> Result<&'a [u8]> {
        match self.entry(index) {
            Some([found, body @ ..]) if *found == tag => Ok(body),
            _ => Err(self.wrong(index, expected)),
        }
    }

    #[cold]
    fn wrong(self, index: u16, expected: &'static str) -> Error {
        let offset = self.offsets.get(usize::from(index)).copied().unwrap_or(0);
        ErrorKind::BadConstant { index, expected }.at(offset as usize)
    }

    /// Checks that every entry refers to entries of the right kind.
    fn check(self) -> Result<()> {
        for &at in &self.offsets[1..] {
            let at = at as usize;
            let (tag, first, second) = match *self.bytes.get(at..at + 5).unwrap_or(&[]) {
                [tag, a, b, c, d] => (tag, u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])),
                _ => (self.bytes[at], 0, 0),
            };
            match tag {
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => {
                    self.expect(first, tag::UTF8, "a text")?;
                }
                tag::FIELD_REF | tag::METHOD_REF | tag::INTERFACE_METHOD_REF => {
                    self.expect(first, tag::CLASS, "a class")?;
                    self.expect(second, tag::NAME_AND_TYPE, "a name and type")?;
                }
                tag::NAME_AND_TYPE => {
                    self.expect(first, tag::UTF8, "a text")?;
                    self.expect(second, tag::UTF8, "a text")?;
                }
                tag::DYNAMIC | tag::INVOKE_DYNAMIC => {
                    self.expect(second, tag::NAME_AND_TYPE, "a name and type")?;
                }
                tag::METHOD_HANDLE => self.check_handle(at)?,
                // Text and numbers; unusable slots, which start like the file.
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks the tag of an entry of the class file. Unusable slots have offset 0, where no tag
    /// stands but the magic number.
    #[inline]
    fn expect(self, index: u16, tag: u8, expected: &'static str) -> Result<()> {
        let at = self.offsets.get(usize::from(index));
        let found = at.and_then(|at| self.bytes.get(*at as usize));
        if found == Some(&tag) {
            return Ok(());
        }
        Err(self.wrong(index, expected))
    }

    fn check_handle(self, at: usize) -> Result<()> {
        let kind = self.bytes[at + 1];
        if HandleKind::from_u8(kind).is_none() {
            let what = "method handle kind";
            return Err(ErrorKind::BadValue {
                what,
                value: u32::from(kind),
            }
            .at(at + 1));
        }
        let index = u16_at(self.bytes, at + 2);
        match self.tag(index) {
            tag::FIELD_REF | tag::METHOD_REF | tag::INTERFACE_METHOD_REF => Ok(()),
            _ => Err(ErrorKind::BadConstant {
                index,
                expected: "a member",
            }
            .at(at + 2)),
        }
    }

    /// A text constant.
    #[inline]
    pub fn utf8(self, index: u16) -> Result<JStr<'a>> {
        let at = self.body(index, tag::UTF8, "a text")?;
        let len = usize::from(u16_at(at, 0));
        Ok(JStr::new(&at[2..2 + len]))
    }

    /// The text that a one-reference constant (class, string, ...) names.
    #[inline]
    fn named(self, index: u16, tag: u8, expected: &'static str) -> Result<JStr<'a>> {
        let at = self.body(index, tag, expected)?;
        self.utf8(u16_at(at, 0))
    }

    /// The internal name of a class constant.
    #[inline]
    pub fn class(self, index: u16) -> Result<JStr<'a>> {
        self.named(index, tag::CLASS, "a class")
    }

    /// Index of the text that a class constant names.
    pub fn class_name_index(self, index: u16) -> Result<u16> {
        let at = self.body(index, tag::CLASS, "a class")?;
        Ok(u16_at(at, 0))
    }

    /// The internal name of a class, `None` for index 0.
    pub fn optional_class(self, index: u16) -> Result<Option<JStr<'a>>> {
        if index == 0 {
            Ok(None)
        } else {
            self.class(index).map(Some)
        }
    }

    /// A text, `None` for index 0.
    pub fn optional_utf8(self, index: u16) -> Result<Option<JStr<'a>>> {
        if index == 0 {
            Ok(None)
        } else {
            self.utf8(index).map(Some)
        }
    }

    /// The text of a string constant.
    pub fn string(self, index: u16) -> Result<JStr<'a>> {
        self.named(index, tag::STRING, "a string")
    }

    /// A module name.
    pub fn module(self, index: u16) -> Result<JStr<'a>> {
        self.named(index, tag::MODULE, "a module")
    }

    /// A package name.
    pub fn package(self, index: u16) -> Result<JStr<'a>> {
        self.named(index, tag::PACKAGE, "a package")
    }

    /// An `int` constant.
    pub fn integer(self, index: u16) -> Result<i32> {
        let at = self.body(index, tag::INTEGER, "an int")?;
        Ok(u32_at(at, 0) as i32)
    }

    /// A `long` constant.
    pub fn long(self, index: u16) -> Result<i64> {
        let at = self.body(index, tag::LONG, "a long")?;
        Ok(u64_at(at) as i64)
    }

    /// A name with its descriptor.
    #[inline]
    pub fn name_and_type(self, index: u16) -> Result<NameAndType<'a>> {
        let at = self.body(index, tag::NAME_AND_TYPE, "a name and type")?;
        Ok(NameAndType {
            name: self.utf8(u16_at(at, 0))?,
            descriptor: self.utf8(u16_at(at, 2))?,
        })
    }

    /// The two indices that a constant with two references holds.
    #[inline]
    pub(crate) fn pair(self, index: u16) -> Option<(u16, u16)> {
        let entry = self.entry(index)?;
        match entry[0] {
            tag::FIELD_REF
            | tag::METHOD_REF
            | tag::INTERFACE_METHOD_REF
            | tag::NAME_AND_TYPE
            | tag::DYNAMIC
            | tag::INVOKE_DYNAMIC => Some((u16_at(entry, 1), u16_at(entry, 3))),
            _ => None,
        }
    }

    /// A field, method or interface method reference.
    #[inline]
    pub fn member(self, index: u16) -> Result<MemberRef<'a>> {
        let (tag, at) = match self.entry(index) {
            Some([tag @ tag::FIELD_REF..=tag::INTERFACE_METHOD_REF, body @ ..]) => (*tag, body),
            _ => return Err(self.wrong(index, "a member")),
        };
        let NameAndType { name, descriptor } = self.name_and_type(u16_at(at, 2))?;
        Ok(MemberRef {
            owner: self.class(u16_at(at, 0))?,
            name,
            descriptor,
            interface: tag == tag::INTERFACE_METHOD_REF,
        })
    }

    /// A field reference.
    pub fn field(self, index: u16) -> Result<MemberRef<'a>> {
        self.body(index, tag::FIELD_REF, "a field")?;
        self.member(index)
    }

    /// A method or interface method reference.
    pub fn method(self, index: u16) -> Result<MemberRef<'a>> {
        match self.tag(index) {
            tag::METHOD_REF | tag::INTERFACE_METHOD_REF => self.member(index),
            _ => Err(self.wrong(index, "a method")),
        }
    }

    /// A method handle.
    pub fn method_handle(self, index: u16) -> Result<MethodHandle<'a>> {
        let at = self.body(index, tag::METHOD_HANDLE, "a method handle")?;
        let kind =
            HandleKind::from_u8(at[0]).ok_or_else(|| self.wrong(index, "a method handle"))?;
        Ok(MethodHandle {
            kind,
            member: self.member(u16_at(at, 1))?,
        })
    }

    /// A method descriptor constant.
    pub fn method_type(self, index: u16) -> Result<JStr<'a>> {
        self.named(index, tag::METHOD_TYPE, "a method type")
    }

    /// A dynamic constant or an `invokedynamic` call site.
    #[inline]
    pub fn dynamic(self, index: u16) -> Result<Dynamic<'a>> {
        let at = match self.entry(index) {
            Some([tag::DYNAMIC | tag::INVOKE_DYNAMIC, body @ ..]) => body,
            _ => return Err(self.wrong(index, "a dynamic constant")),
        };
        let NameAndType { name, descriptor } = self.name_and_type(u16_at(at, 2))?;
        Ok(Dynamic {
            bootstrap: u16_at(at, 0),
            name,
            descriptor,
        })
    }

    /// A `float` constant.
    pub fn float(self, index: u16) -> Result<f32> {
        let at = self.body(index, tag::FLOAT, "a float")?;
        Ok(f32::from_bits(u32_at(at, 0)))
    }

    /// A `double` constant.
    pub fn double(self, index: u16) -> Result<f64> {
        let at = self.body(index, tag::DOUBLE, "a double")?;
        Ok(f64::from_bits(u64_at(at)))
    }

    /// The bytes of one entry, tag included.
    pub(crate) fn raw(self, index: u16) -> Option<&'a [u8]> {
        let entry = self.entry(index)?;
        let text = match entry[0] {
            tag::UTF8 => usize::from(u16_at(entry, 1)),
            _ => 0,
        };
        let len = usize::from(SIZES[usize::from(entry[0])]) + text;
        entry.get(..len)
    }

    /// Any constant with its references followed.
    pub fn get(self, index: u16) -> Result<Constant<'a>> {
        Ok(match self.tag(index) {
            tag::UTF8 => Constant::Utf8(self.utf8(index)?),
            tag::INTEGER => Constant::Integer(self.integer(index)?),
            tag::FLOAT => Constant::Float(self.float(index)?),
            tag::LONG => Constant::Long(self.long(index)?),
            tag::DOUBLE => Constant::Double(self.double(index)?),
            tag::CLASS => Constant::Class(self.class(index)?),
            tag::STRING => Constant::String(self.string(index)?),
            tag::FIELD_REF => Constant::FieldRef(self.member(index)?),
            tag::METHOD_REF => Constant::MethodRef(self.member(index)?),
            tag::INTERFACE_METHOD_REF => Constant::InterfaceMethodRef(self.member(index)?),
            tag::NAME_AND_TYPE => Constant::NameAndType(self.name_and_type(index)?),
            tag::METHOD_HANDLE => Constant::MethodHandle(self.method_handle(index)?),
            tag::METHOD_TYPE => Constant::MethodType(self.method_type(index)?),
            tag::DYNAMIC => Constant::Dynamic(self.dynamic(index)?),
            tag::INVOKE_DYNAMIC => Constant::InvokeDynamic(self.dynamic(index)?),
            tag::MODULE => Constant::Module(self.module(index)?),
            tag::PACKAGE => Constant::Package(self.package(index)?),
            _ => return Err(self.wrong(index, "a constant")),
        })
    }
}

impl std::fmt::Debug for ConstantPool<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map()
            .entries(self.indices().map(|i| (i, self.get(i))))
            .finish()
    }
}
