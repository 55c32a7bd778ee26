//! Verification types as small numbers, and the table that gives the numbers meaning.

use crate::descriptor::{FieldType, split};
use crate::edit::{Label, PoolBuilder};
use crate::error::{ErrorKind, Result};
use crate::hash::hash_bytes;
use crate::jstr::JStr;
use crate::pool::tag;

/// A verification type in four bytes. References name their class through a [`Types`] table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct VType(u32);

/// A [`VType`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum TypeKind {
    /// Nothing usable, or the second slot of a long or double.
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    /// `this` before the super constructor was called.
    UninitializedThis,
    /// An instance of a class, by its number in [`Types`].
    Object(u32),
    /// The result of the `new` behind this label, before its constructor was called.
    Uninitialized(Label),
}

const OBJECT: u32 = 7;
const UNINITIALIZED: u32 = 8;

impl VType {
    /// Nothing usable.
    pub const TOP: VType = VType(0);
    /// int and smaller.
    pub const INTEGER: VType = VType(1);
    /// float.
    pub const FLOAT: VType = VType(2);
    /// double.
    pub const DOUBLE: VType = VType(3);
    /// long.
    pub const LONG: VType = VType(4);
    /// The null reference.
    pub const NULL: VType = VType(5);
    /// `this` before the super constructor was called.
    pub const UNINITIALIZED_THIS: VType = VType(6);
    /// `java/lang/Object`, number 0 in every table.
    pub const JAVA_OBJECT: VType = VType(OBJECT);

    /// An instance of the class with this number.
    #[inline]
    pub const fn object(id: u32) -> VType {
        VType(id << 4 | OBJECT)
    }

    /// The result of a `new`: of the one behind a label in a frame of the model, of the one with
    /// this ordinal inside the flow analysis.
    #[inline]
    pub(crate) const fn uninitialized(key: u32) -> VType {
        VType(key << 4 | UNINITIALIZED)
    }

    /// The result of the `new` behind a label, before its constructor was called.
    pub fn uninitialized_at(label: Label) -> VType {
        VType::uninitialized(label.0)
    }

    /// Taken apart.
    pub fn kind(self) -> TypeKind {
        match self.0 & 15 {
            0 => TypeKind::Top,
            1 => TypeKind::Integer,
            2 => TypeKind::Float,
            3 => TypeKind::Double,
            4 => TypeKind::Long,
            5 => TypeKind::Null,
            6 => TypeKind::UninitializedThis,
            OBJECT => TypeKind::Object(self.0 >> 4),
            _ => TypeKind::Uninitialized(Label(self.0 >> 4)),
        }
    }

    /// The tag byte of the class file.
    #[inline]
    pub(crate) fn tag(self) -> u8 {
        (self.0 & 15) as u8
    }

    /// Class number or label.
    #[inline]
    pub(crate) fn payload(self) -> u32 {
        self.0 >> 4
    }

    /// True for long and double, which take two slots.
    #[inline]
    pub fn is_wide(self) -> bool {
        self == VType::LONG || self == VType::DOUBLE
    }

    /// True for an instance of a class.
    #[inline]
    pub fn is_object(self) -> bool {
        self.0 & 15 == OBJECT
    }

    /// True for the result of a `new`.
    #[inline]
    pub(crate) fn is_uninitialized(self) -> bool {
        self.0 & 15 == UNINITIALIZED
    }
}

impl std::fmt::Debug for VType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

impl Default for Types {
    fn default() -> Self {
        Types::new()
    }
}

#[derive(Clone, Copy)]
struct Entry {
    start: u32,
    len: u32,
    /// Class index in the pool, 0 if not known.
    class: u16,
    /// Type of the elements plus one if this is an array; 0 if not computed.
    element: u32,
}

/// What an access or invocation takes and gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Slots of the arguments, without receiver.
    pub(crate) slots: u16,
    /// Return or field type; `TOP` for void.
    pub(crate) value: VType,
}

/// A descriptor in verification types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptor {
    start: u32,
    /// Slots of the parameters, without receiver.
    pub(crate) slots: u16,
}

/// The class names that verification types of one class refer to.
pub struct Types {
    text: Vec<u8>,
    entries: Vec<Entry>,
    table: Vec<u32>,
    by_class: Vec<u32>,
    by_descriptor: Vec<u32>,
    by_member: Vec<u32>,
    /// What members with a descriptor take and give, by the descriptor's text index.
    by_call: Vec<u32>,
    calls: Vec<Call>,
    descriptors: Vec<Descriptor>,
    parameters: Vec<VType>,
    /// Cached merges of two classes: both numbers and the result.
    pub(crate) merges: Vec<(u32, u32, u32)>,
    /// True once every class constant of the pool is in the table.
    knows_pool: bool,
}

/// Numbers of the classes that every table starts with.
pub(crate) mod well_known {
    pub(crate) const STRING: u32 = 1;
    pub(crate) const CLASS: u32 = 2;
    pub(crate) const THROWABLE: u32 = 3;
    pub(crate) const METHOD_TYPE: u32 = 4;
    pub(crate) const METHOD_HANDLE: u32 = 5;
    pub(super) const NAMES: [&str; 6] = [
        "java/lang/Object",
        "java/lang/String",
        "java/lang/Class",
        "java/lang/Throwable",
        "java/lang/invoke/MethodType",
        "java/lang/invoke/MethodHandle",
    ];
}

impl Types {
    /// A table with the classes the instruction set itself knows.
    pub fn new() -> Types {
        let mut types = Types {
            text: Vec::new(),
            entries: Vec::new(),
            table: vec![0; 128],
            by_class: Vec::new(),
            by_descriptor: Vec::new(),
            by_member: Vec::new(),
            by_call: Vec::new(),
            calls: Vec::new(),
            descriptors: Vec::new(),
            parameters: Vec::new(),
            merges: Vec::new(),
            knows_pool: false,
        };
        types.reset();
        types
    }

    /// Forgets everything but the well-known classes; keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.table.truncate(1024);
        self.table.fill(0);
        self.by_class.clear();
        self.by_descriptor.clear();
        self.by_member.clear();
        self.by_call.clear();
        self.calls.clear();
        self.descriptors.clear();
        self.parameters.clear();
        self.merges.clear();
        self.knows_pool = false;
        for name in well_known::NAMES {
            self.intern(name.as_bytes());
        }
    }

    /// The name of a class number.
    pub fn name(&self, id: u32) -> JStr<'_> {
        match self.entries.get(id as usize) {
            Some(e) => JStr::new(&self.text[e.start as usize..(e.start + e.len) as usize]),
            None => JStr::default(),
        }
    }

    /// The type of a class or array by name.
    pub fn object(&mut self, name: JStr<'_>) -> VType {
        VType::object(self.intern(name.as_bytes()))
    }

    /// The number of a class, given a new one if it has none.
    pub(crate) fn intern(&mut self, name: &[u8]) -> u32 {
        if self.entries.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash_bytes(name) as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                id if self.name(id - 1).as_bytes() == name => return id - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        let (start, len) = (self.text.len() as u32, name.len() as u32);
        self.text.extend_from_slice(name);
        self.entries.push(Entry {
            start,
            len,
            class: 0,
            element: 0,
        });
        self.table[slot] = self.entries.len() as u32;
        self.entries.len() as u32 - 1
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table.clear();
        self.table.resize(size, 0);
        for id in 0..self.entries.len() as u32 {
            let mut slot = hash_bytes(self.name(id).as_bytes()) as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = id + 1;
        }
    }

    /// The type that a class constant names.
    #[inline]
    pub(crate) fn of_class(&mut self, pool: &PoolBuilder<'_>, index: u16) -> Result<VType> {
        match self.by_class.get(usize::from(index)) {
            Some(&id) if id != 0 => Ok(VType::object(id - 1)),
            _ => self.of_class_slow(pool, index),
        }
    }

    #[cold]
    fn of_class_slow(&mut self, pool: &PoolBuilder<'_>, index: u16) -> Result<VType> {
        let id = self.intern(pool.view().class(index)?.as_bytes());
        let entry = &mut self.entries[id as usize];
        if entry.class == 0 {
            entry.class = index;
        }
        set(&mut self.by_class, index, id + 1);
        Ok(VType::object(id))
    }

    /// The class index of a number, put into the pool if it is not there.
    pub(crate) fn class_index(&mut self, pool: &mut PoolBuilder<'_>, id: u32) -> Result<u16> {
        let known = self.entries[id as usize].class;
        if known != 0 {
            return Ok(known);
        }
        if !std::mem::replace(&mut self.knows_pool, true) {
            // Nearly always the class is there; finding it so spares the pool its own index.
            for index in 1..pool.count() {
                if pool.view().tag(index) == tag::CLASS {
                    self.of_class(pool, index)?;
                }
            }
        }
        let known = self.entries[id as usize].class;
        if known != 0 {
            return Ok(known);
        }
        let index = pool.class(self.name(id))?;
        self.entries[id as usize].class = index;
        set(&mut self.by_class, index, id + 1);
        Ok(index)
    }

    /// The verification type of a field type.
    fn of_field_type(&mut self, ty: FieldType<'_>) -> VType {
        match ty {
            FieldType::Long => VType::LONG,
            FieldType::Float => VType::FLOAT,
            FieldType::Double => VType::DOUBLE,
            FieldType::Object(name) | FieldType::Array(name) => self.object(name),
            _ => VType::INTEGER,
        }
    }

    /// A field or method descriptor by the index of its text.
    #[inline]
    pub(crate) fn descriptor(&mut self, pool: &PoolBuilder<'_>, text: u16) -> Result<Descriptor> {
        match self.by_descriptor.get(usize::from(text)) {
            Some(&id) if id != 0 => Ok(self.descriptors[id as usize - 1]),
            _ => self.descriptor_slow(pool, text),
        }
    }

    #[cold]
    fn descriptor_slow(&mut self, pool: &PoolBuilder<'_>, index: u16) -> Result<Descriptor> {
        let text = pool.view().utf8(index)?;
        let start = self.parameters.len() as u32;
        let bad = || ErrorKind::BadDescriptor(text.to_str_lossy().into_owned()).at(0);
        let mut rest = text.as_bytes();
        if let [b'(', parameters @ ..] = rest {
            rest = parameters;
            while rest.first() != Some(&b')') {
                let (parameter, after) = split(rest).ok_or_else(bad)?;
                rest = after;
                let ty = self.of_field_type(parameter);
                self.parameters.push(ty);
                if ty.is_wide() {
                    self.parameters.push(VType::TOP);
                }
            }
            rest = &rest[1..];
        }
        if !matches!(split(rest), Some((_, []))) && (rest != b"V" || text.len() == 1) {
            return Err(bad());
        }
        let slots = self.parameters.len() - start as usize;
        let Ok(slots) = u16::try_from(slots) else {
            let what = "parameters";
            return Err(ErrorKind::Limit { what, limit: 255 }.at(0));
        };
        let descriptor = Descriptor { start, slots };
        self.descriptors.push(descriptor);
        set(
            &mut self.by_descriptor,
            index,
            self.descriptors.len() as u32,
        );
        Ok(descriptor)
    }

    /// The parameters in slots: the second slot of a long or double is `TOP`.
    pub(crate) fn parameters(&self, descriptor: Descriptor) -> &[VType] {
        let start = descriptor.start as usize;
        &self.parameters[start..start + usize::from(descriptor.slots)]
    }

    /// What a field access, invocation or dynamic constant with this index takes and gives.
    #[inline]
    pub(crate) fn member(&mut self, pool: &PoolBuilder<'_>, index: u16) -> Result<Call> {
        match self.by_member.get(usize::from(index)) {
            Some(&id) if id != 0 => Ok(self.calls[id as usize - 1]),
            _ => self.member_slow(pool, index),
        }
    }

    #[cold]
    fn member_slow(&mut self, pool: &PoolBuilder<'_>, index: u16) -> Result<Call> {
        let view = pool.view();
        let name_and_type = view
            .pair(index)
            .filter(|_| view.tag(index) != tag::NAME_AND_TYPE);
        let Some((_, text)) = name_and_type.and_then(|(_, nat)| view.pair(nat)) else {
            let expected = "a member";
            return Err(ErrorKind::BadConstant { index, expected }.at(0));
        };
        let id = match self.by_call.get(usize::from(text)) {
            Some(&id) if id != 0 => id,
            _ => {
                let call = self.call(view.utf8(text)?)?;
                self.calls.push(call);
                let id = self.calls.len() as u32;
                set(&mut self.by_call, text, id);
                id
            }
        };
        set(&mut self.by_member, index, id);
        Ok(self.calls[id as usize - 1])
    }

    /// What a member with this descriptor takes and gives. The types of its parameters need no
    /// number.
    fn call(&mut self, text: JStr<'_>) -> Result<Call> {
        let bad = || ErrorKind::BadDescriptor(text.to_str_lossy().into_owned()).at(0);
        let mut rest = text.as_bytes();
        let mut slots = 0u16;
        if let [b'(', parameters @ ..] = rest {
            rest = parameters;
            while rest.first() != Some(&b')') {
                let (parameter, after) = split(rest).ok_or_else(bad)?;
                slots = slots.saturating_add(parameter.slots());
                rest = after;
            }
            rest = &rest[1..];
        }
        let value = match split(rest) {
            Some((ty, [])) => self.of_field_type(ty),
            None if rest == b"V" && text.len() > 1 => VType::TOP,
            _ => return Err(bad()),
        };
        Ok(Call { slots, value })
    }

    /// The type of an array's elements; `Object` if it is no array of references.
    pub(crate) fn element(&mut self, array: VType) -> VType {
        if !array.is_object() {
            return if array == VType::NULL {
                VType::NULL
            } else {
                VType::JAVA_OBJECT
            };
        }
        let id = array.payload();
        let known = self.entries[id as usize].element;
        if known != 0 {
            return VType::object(known - 1);
        }
        let name = self.name(id).as_bytes().to_vec();
        let element = match name.as_slice() {
            [b'[', b'L', inner @ .., b';'] => self.intern(inner),
            [b'[', b'[', ..] => self.intern(&name[1..]),
            _ => 0,
        };
        self.entries[id as usize].element = element + 1;
        VType::object(element)
    }

    /// The type of an array with elements of this class or array type.
    pub(crate) fn array_of(&mut self, element: u32) -> VType {
        let name = self.name(element).as_bytes();
        let mut array = Vec::with_capacity(name.len() + 3);
        array.push(b'[');
        if name.first() == Some(&b'[') {
            array.extend_from_slice(name);
        } else {
            array.push(b'L');
            array.extend_from_slice(name);
            array.push(b';');
        }
        VType::object(self.intern(&array))
    }
}

fn set(table: &mut Vec<u32>, index: u16, value: u32) {
    let index = usize::from(index);
    if index >= table.len() {
        table.resize((index + 1).next_power_of_two().max(64), 0);
    }
    table[index] = value;
}
