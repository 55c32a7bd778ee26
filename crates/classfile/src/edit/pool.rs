//! A constant pool that grows: everything that was there keeps its index and its bytes.

use std::borrow::Cow;

use crate::error::{ErrorKind, Result};
use crate::hash::hash_bytes;
use crate::jstr::JStr;
use crate::pool::{Constant, ConstantPool, Dynamic, HandleKind, MemberRef, tag};

/// The constant pool of a class that is being edited. Appends only, and only what is not there.
pub struct PoolBuilder<'a> {
    bytes: &'a [u8],
    offsets: Cow<'a, [u32]>,
    added: Vec<u8>,
    /// Number of slots the class came with.
    original: usize,
    /// Open-addressing table of entry indices by the hash of their bytes; empty until needed.
    table: Vec<u16>,
    used: usize,
}

/// The most slots a constant pool can have.
const MAX_SLOTS: usize = 0xffff;

impl<'a> PoolBuilder<'a> {
    /// A pool that starts with the constants of a class.
    pub fn new(pool: ConstantPool<'a>) -> PoolBuilder<'a> {
        PoolBuilder {
            bytes: pool.bytes,
            offsets: Cow::Borrowed(pool.offsets),
            added: Vec::new(),
            original: pool.offsets.len(),
            table: Vec::new(),
            used: 0,
        }
    }

    /// An empty pool.
    pub fn empty() -> PoolBuilder<'static> {
        PoolBuilder {
            // One byte, so that the first added entry has not offset 0, which means unusable.
            bytes: &[0],
            offsets: Cow::Borrowed(&[0]),
            added: Vec::new(),
            original: 1,
            table: Vec::new(),
            used: 0,
        }
    }

    /// The pool as it is now, for reading.
    #[inline]
    pub fn view(&self) -> ConstantPool<'_> {
        ConstantPool {
            bytes: self.bytes,
            offsets: &self.offsets,
            added: &self.added,
        }
    }

    /// The number of slots, as the class file counts them.
    pub fn count(&self) -> u16 {
        self.offsets.len() as u16
    }

    /// The bytes of the added entries.
    pub(crate) fn added(&self) -> &[u8] {
        &self.added
    }

    /// True if nothing was added.
    pub fn is_unchanged(&self) -> bool {
        self.offsets.len() == self.original
    }

    fn slot_of(&self, hash: u32, entry: &[u8]) -> Result<u16, usize> {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.table[slot] {
                0 => return Err(slot),
                index if self.view().raw(index) == Some(entry) => return Ok(index),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Makes the table large enough and fills it with every entry.
    fn rebuild(&mut self) {
        let size = (self.offsets.len() * 2 + 64).next_power_of_two();
        self.table = vec![0; size];
        self.used = 0;
        for index in 1..self.offsets.len() as u16 {
            let view = ConstantPool {
                bytes: self.bytes,
                offsets: &self.offsets,
                added: &self.added,
            };
            let Some(entry) = view.raw(index) else {
                continue;
            };
            // Of equal entries the first stays.
            if let Err(slot) = self.slot_of(hash_bytes(entry), entry) {
                self.table[slot] = index;
                self.used += 1;
            }
        }
    }

    /// The index of an entry with these bytes, added if there is none.
    fn intern(&mut self, entry: &[u8]) -> Result<u16> {
        if (self.used + 1) * 2 > self.table.len() {
            self.rebuild();
        }
        let slot = match self.slot_of(hash_bytes(entry), entry) {
            Ok(index) => return Ok(index),
            Err(slot) => slot,
        };
        let wide = matches!(entry[0], tag::LONG | tag::DOUBLE);
        if self.offsets.len() + usize::from(wide) >= MAX_SLOTS {
            let what = "constant pool";
            return Err(ErrorKind::Limit {
                what,
                limit: MAX_SLOTS,
            }
            .at(0));
        }
        let index = self.offsets.len() as u16;
        self.offsets
            .to_mut()
            .push((self.bytes.len() + self.added.len()) as u32);
        if wide {
            self.offsets.to_mut().push(0);
        }
        self.added.extend_from_slice(entry);
        self.table[slot] = index;
        self.used += 1;
        Ok(index)
    }

    fn one(&mut self, tag: u8, index: u16) -> Result<u16> {
        let [a, b] = index.to_be_bytes();
        self.intern(&[tag, a, b])
    }

    fn two(&mut self, tag: u8, first: u16, second: u16) -> Result<u16> {
        let [a, b] = first.to_be_bytes();
        let [c, d] = second.to_be_bytes();
        self.intern(&[tag, a, b, c, d])
    }

    /// A text in modified UTF-8.
    pub fn utf8<'s>(&mut self, text: impl Into<JStr<'s>>) -> Result<u16> {
        let text = text.into().as_bytes();
        let Ok(len) = u16::try_from(text.len()) else {
            let what = "text constant";
            return Err(ErrorKind::Limit {
                what,
                limit: 0xffff,
            }
            .at(0));
        };
        let mut entry = Vec::with_capacity(3 + text.len());
        entry.push(tag::UTF8);
        entry.extend(len.to_be_bytes());
        entry.extend(text);
        self.intern(&entry)
    }

    /// A class by internal name or array descriptor.
    pub fn class<'s>(&mut self, name: impl Into<JStr<'s>>) -> Result<u16> {
        let name = self.utf8(name)?;
        self.one(tag::CLASS, name)
    }

    /// A string literal, its text in modified UTF-8.
    pub fn string<'s>(&mut self, text: impl Into<JStr<'s>>) -> Result<u16> {
        let text = self.utf8(text)?;
        self.one(tag::STRING, text)
    }

    /// A method descriptor.
    pub fn method_type<'s>(&mut self, descriptor: impl Into<JStr<'s>>) -> Result<u16> {
        let descriptor = self.utf8(descriptor)?;
        self.one(tag::METHOD_TYPE, descriptor)
    }

    /// A module name.
    pub fn module<'s>(&mut self, name: impl Into<JStr<'s>>) -> Result<u16> {
        let name = self.utf8(name)?;
        self.one(tag::MODULE, name)
    }

    /// A package name.
    pub fn package<'s>(&mut self, name: impl Into<JStr<'s>>) -> Result<u16> {
        let name = self.utf8(name)?;
        self.one(tag::PACKAGE, name)
    }

    /// An `int`.
    pub fn integer(&mut self, value: i32) -> Result<u16> {
        let [a, b, c, d] = value.to_be_bytes();
        self.intern(&[tag::INTEGER, a, b, c, d])
    }

    /// A `float`.
    pub fn float(&mut self, value: f32) -> Result<u16> {
        let [a, b, c, d] = value.to_bits().to_be_bytes();
        self.intern(&[tag::FLOAT, a, b, c, d])
    }

    fn eight(&mut self, tag: u8, bits: u64) -> Result<u16> {
        let mut entry = [tag; 9];
        entry[1..].copy_from_slice(&bits.to_be_bytes());
        self.intern(&entry)
    }

    /// A `long`.
    pub fn long(&mut self, value: i64) -> Result<u16> {
        self.eight(tag::LONG, value as u64)
    }

    /// A `double`.
    pub fn double(&mut self, value: f64) -> Result<u16> {
        self.eight(tag::DOUBLE, value.to_bits())
    }

    /// A name with its descriptor.
    pub fn name_and_type<'s>(
        &mut self,
        name: impl Into<JStr<'s>>,
        descriptor: impl Into<JStr<'s>>,
    ) -> Result<u16> {
        let name = self.utf8(name)?;
        let descriptor = self.utf8(descriptor)?;
        self.two(tag::NAME_AND_TYPE, name, descriptor)
    }

    fn member(&mut self, tag: u8, member: MemberRef<'_>) -> Result<u16> {
        let owner = self.class(member.owner)?;
        let name_and_type = self.name_and_type(member.name, member.descriptor)?;
        self.two(tag, owner, name_and_type)
    }

    /// A field.
    pub fn field<'s>(
        &mut self,
        owner: impl Into<JStr<'s>>,
        name: impl Into<JStr<'s>>,
        descriptor: impl Into<JStr<'s>>,
    ) -> Result<u16> {
        self.member(tag::FIELD_REF, member_ref(owner, name, descriptor))
    }

    /// A method of a class.
    pub fn method<'s>(
        &mut self,
        owner: impl Into<JStr<'s>>,
        name: impl Into<JStr<'s>>,
        descriptor: impl Into<JStr<'s>>,
    ) -> Result<u16> {
        self.member(tag::METHOD_REF, member_ref(owner, name, descriptor))
    }

    /// A method of an interface.
    pub fn interface_method<'s>(
        &mut self,
        owner: impl Into<JStr<'s>>,
        name: impl Into<JStr<'s>>,
        descriptor: impl Into<JStr<'s>>,
    ) -> Result<u16> {
        self.member(
            tag::INTERFACE_METHOD_REF,
            member_ref(owner, name, descriptor),
        )
    }

    /// A method handle of a member that is already in the pool.
    pub fn method_handle(&mut self, kind: HandleKind, member: u16) -> Result<u16> {
        let [a, b] = member.to_be_bytes();
        self.intern(&[tag::METHOD_HANDLE, kind as u8, a, b])
    }

    /// A dynamic constant that a bootstrap method (by its position) makes.
    pub fn dynamic(&mut self, dynamic: Dynamic<'_>) -> Result<u16> {
        let name_and_type = self.name_and_type(dynamic.name, dynamic.descriptor)?;
        self.two(tag::DYNAMIC, dynamic.bootstrap, name_and_type)
    }

    /// A call site that a bootstrap method (by its position) links.
    pub fn invoke_dynamic(&mut self, dynamic: Dynamic<'_>) -> Result<u16> {
        let name_and_type = self.name_and_type(dynamic.name, dynamic.descriptor)?;
        self.two(tag::INVOKE_DYNAMIC, dynamic.bootstrap, name_and_type)
    }

    /// Any constant, from this or another class. The position of a bootstrap method is taken as
    /// it is.
    pub fn constant(&mut self, constant: Constant<'_>) -> Result<u16> {
        match constant {
            Constant::Utf8(text) => self.utf8(text),
            Constant::Integer(value) => self.integer(value),
            Constant::Float(value) => self.float(value),
            Constant::Long(value) => self.long(value),
            Constant::Double(value) => self.double(value),
            Constant::Class(name) => self.class(name),
            Constant::String(text) => self.string(text),
            Constant::FieldRef(member) => self.member(tag::FIELD_REF, member),
            Constant::MethodRef(member) => self.member(tag::METHOD_REF, member),
            Constant::InterfaceMethodRef(member) => self.member(tag::INTERFACE_METHOD_REF, member),
            Constant::NameAndType(n) => self.name_and_type(n.name, n.descriptor),
            Constant::MethodHandle(handle) => {
                let tag = match (handle.kind as u8, handle.member.interface) {
                    (1..=4, _) => tag::FIELD_REF,
                    (_, true) => tag::INTERFACE_METHOD_REF,
                    (_, false) => tag::METHOD_REF,
                };
                let member = self.member(tag, handle.member)?;
                self.method_handle(handle.kind, member)
            }
            Constant::MethodType(descriptor) => self.method_type(descriptor),
            Constant::Dynamic(dynamic) => self.dynamic(dynamic),
            Constant::InvokeDynamic(dynamic) => self.invoke_dynamic(dynamic),
            Constant::Module(name) => self.module(name),
            Constant::Package(name) => self.package(name),
        }
    }
}

fn member_ref<'s>(
    owner: impl Into<JStr<'s>>,
    name: impl Into<JStr<'s>>,
    descriptor: impl Into<JStr<'s>>,
) -> MemberRef<'s> {
    MemberRef {
        owner: owner.into(),
        name: name.into(),
        descriptor: descriptor.into(),
        interface: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_constants_share_an_index() {
        let mut pool = PoolBuilder::empty();
        let a = pool.method("a/B", "run", "()V").unwrap();
        let long = pool.long(-5).unwrap();
        assert_eq!(pool.method("a/B", "run", "()V").unwrap(), a);
        assert_eq!(pool.long(-5).unwrap(), long);
        assert_ne!(pool.interface_method("a/B", "run", "()V").unwrap(), a);
        assert_eq!(pool.view().method(a).unwrap().owner, "a/B");
        assert_eq!(pool.view().long(long).unwrap(), -5);
    }

    #[test]
    fn a_full_pool_is_an_error() {
        let mut pool = PoolBuilder::empty();
        let error = (0..).find_map(|i| pool.integer(i).err()).unwrap();
        assert!(matches!(error.kind, ErrorKind::Limit { .. }));
        assert_eq!(pool.count(), 0xffff);
        assert!(pool.integer(1).is_ok());
    }
}
