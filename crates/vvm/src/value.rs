//! The 8-byte slot: what a register, a field or an array element of references holds.
//!
//! A slot is either a plain value or a *choice*: a value that differs between configurations.
//! `int`, `float`, `boolean`, `char`, … and references live in the lower half with the upper half zero;
//! `long` and `double` use all 64 bits. A choice has [`TAG`] in its upper half, the pattern of a
//! signalling NaN that arithmetic never makes, and the id of a choice node in its lower half. A `long`
//! whose upper half happens to be the tag is kept as a choice with one leaf, so that
//! [`is_choice`] is right for every slot without knowing its type.

/// A register, field or element.
pub type Slot = u64;

/// A reference: the index of an object's first word in the heap; 0 is `null`.
pub type Ref = u32;

/// The upper half of every choice.
pub const TAG: u32 = 0x7FF4_C01C;

/// Whether the slot is a choice (true for any Java type).
#[inline(always)]
pub fn is_choice(slot: Slot) -> bool {
    (slot >> 32) as u32 == TAG
}

/// Whether one of two slots of a 32-bit kind (`int`, `float`, reference) is a choice: one test.
#[inline(always)]
pub fn any_choice32(a: Slot, b: Slot) -> bool {
    (a | b) >> 32 != 0
}

/// The slot of a choice node.
#[inline(always)]
pub fn choice(node: u32) -> Slot {
    (u64::from(TAG) << 32) | u64::from(node)
}

/// The node of a choice.
#[inline(always)]
pub fn node(slot: Slot) -> u32 {
    debug_assert!(is_choice(slot));
    slot as u32
}

/// The slot of an `int` (also `boolean`, `byte`, `char`, `short`).
#[inline(always)]
pub fn int(value: i32) -> Slot {
    u64::from(value as u32)
}

/// The `int` of a plain slot.
#[inline(always)]
pub fn as_int(slot: Slot) -> i32 {
    slot as u32 as i32
}

/// The slot of a `float`.
#[inline(always)]
pub fn float(value: f32) -> Slot {
    u64::from(value.to_bits())
}

/// The `float` of a plain slot.
#[inline(always)]
pub fn as_float(slot: Slot) -> f32 {
    f32::from_bits(slot as u32)
}

/// The bits of a `double` as a slot. A NaN that carries the tag becomes the canonical NaN.
#[inline(always)]
pub fn double(value: f64) -> Slot {
    let bits = value.to_bits();
    if is_choice(bits) {
        f64::NAN.to_bits()
    } else {
        bits
    }
}

/// The `double` of a plain slot.
#[inline(always)]
pub fn as_double(slot: Slot) -> f64 {
    f64::from_bits(slot)
}

/// The reference of a plain slot.
#[inline(always)]
pub fn as_ref(slot: Slot) -> Ref {
    slot as u32
}

/// A boolean as a slot.
#[inline(always)]
pub fn boolean(value: bool) -> Slot {
    u64::from(value)
}

/// The type of a field, array element, parameter or result, as far as storage is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// `boolean`.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A class, interface or array.
    Ref,
    /// `void`, as a result only.
    Void,
}

impl Kind {
    /// The kind that a descriptor's first character names.
    pub fn of(descriptor: &str) -> Kind {
        match descriptor.as_bytes().first() {
            Some(b'Z') => Kind::Boolean,
            Some(b'B') => Kind::Byte,
            Some(b'C') => Kind::Char,
            Some(b'S') => Kind::Short,
            Some(b'I') => Kind::Int,
            Some(b'J') => Kind::Long,
            Some(b'F') => Kind::Float,
            Some(b'D') => Kind::Double,
            Some(b'V') => Kind::Void,
            _ => Kind::Ref,
        }
    }

    /// Base-2 logarithm of the size of an array element.
    #[inline(always)]
    pub fn shift(self) -> u32 {
        match self {
            Kind::Boolean | Kind::Byte => 0,
            Kind::Char | Kind::Short => 1,
            Kind::Int | Kind::Float => 2,
            _ => 3,
        }
    }

    /// Words on the operand stack or in the local variables.
    pub fn words(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            Kind::Void => 0,
            _ => 1,
        }
    }

    /// The name of the primitive type (or `void`) in Java.
    pub fn primitive_name(self) -> Option<&'static str> {
        Some(match self {
            Kind::Boolean => "boolean",
            Kind::Byte => "byte",
            Kind::Char => "char",
            Kind::Short => "short",
            Kind::Int => "int",
            Kind::Long => "long",
            Kind::Float => "float",
            Kind::Double => "double",
            Kind::Void => "void",
            Kind::Ref => return None,
        })
    }

    /// The descriptor character of a primitive type (or `void`).
    pub fn descriptor(self) -> &'static str {
        match self {
            Kind::Boolean => "Z",
            Kind::Byte => "B",
            Kind::Char => "C",
            Kind::Short => "S",
            Kind::Int => "I",
            Kind::Long => "J",
            Kind::Float => "F",
            Kind::Double => "D",
            Kind::Void => "V",
            Kind::Ref => "Ljava/lang/Object;",
        }
    }

    /// The wrapper class of a primitive kind.
    pub fn wrapper(self) -> Option<&'static str> {
        Some(match self {
            Kind::Boolean => "java/lang/Boolean",
            Kind::Byte => "java/lang/Byte",
            Kind::Char => "java/lang/Character",
            Kind::Short => "java/lang/Short",
            Kind::Int => "java/lang/Integer",
            Kind::Long => "java/lang/Long",
            Kind::Float => "java/lang/Float",
            Kind::Double => "java/lang/Double",
            Kind::Void => "java/lang/Void",
            Kind::Ref => return None,
        })
    }

    /// All primitive kinds, without `void`.
    pub const PRIMITIVES: [Kind; 8] = [
        Kind::Boolean,
        Kind::Byte,
        Kind::Char,
        Kind::Short,
        Kind::Int,
        Kind::Long,
        Kind::Float,
        Kind::Double,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_of_every_kind_are_not_choices() {
        for slot in [
            int(-1),
            int(i32::MIN),
            float(f32::NAN),
            double(f64::NAN),
            double(-0.0),
            u64::MAX,
            0,
        ] {
            assert!(!is_choice(slot), "{slot:x}");
        }
        assert!(is_choice(choice(7)));
        assert_eq!(node(choice(u32::MAX)), u32::MAX);
    }

    #[test]
    fn a_double_with_the_tag_in_it_becomes_the_canonical_nan() {
        let tagged = f64::from_bits((u64::from(TAG) << 32) | 5);
        assert!(!is_choice(double(tagged)));
        assert!(as_double(double(tagged)).is_nan());
    }

    #[test]
    fn one_test_covers_two_operands_of_a_32_bit_kind() {
        assert!(!any_choice32(int(-1), int(i32::MIN)));
        assert!(any_choice32(choice(1), int(0)));
        assert!(any_choice32(int(0), choice(1)));
    }
}
