//! Kinds of values on the operand stack, as finely as mutants need them.

use braid_classfile::{FieldType, Op};

use crate::operator::Step;

/// What a stack slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Reference,
    /// The second slot of a long or double.
    Half,
}

impl Kind {
    pub(crate) fn of(ty: FieldType<'_>) -> Kind {
        match ty {
            FieldType::Boolean => Kind::Boolean,
            FieldType::Byte => Kind::Byte,
            FieldType::Char => Kind::Char,
            FieldType::Short => Kind::Short,
            FieldType::Int => Kind::Int,
            FieldType::Long => Kind::Long,
            FieldType::Float => Kind::Float,
            FieldType::Double => Kind::Double,
            FieldType::Object(_) | FieldType::Array(_) => Kind::Reference,
        }
    }

    /// The kind that a letter of the opcode table means.
    pub(crate) fn of_letter(letter: u8) -> Kind {
        match letter {
            b'I' => Kind::Int,
            b'J' => Kind::Long,
            b'F' => Kind::Float,
            b'D' => Kind::Double,
            _ => Kind::Reference,
        }
    }

    pub(crate) fn is_wide(self) -> bool {
        matches!(self, Kind::Long | Kind::Double)
    }

    /// True for what the JVM computes with as an int, booleans left out.
    pub(crate) fn is_int(self) -> bool {
        matches!(self, Kind::Byte | Kind::Char | Kind::Short | Kind::Int)
    }

    pub(crate) fn is_number(self) -> bool {
        self.is_int() || matches!(self, Kind::Long | Kind::Float | Kind::Double)
    }

    /// Takes a value of this kind from the stack.
    pub(crate) fn pop(self) -> Op {
        if self.is_wide() { Op::Pop2 } else { Op::Pop }
    }

    /// Brings a computed int back into the range of a narrow kind.
    pub(crate) fn narrow(self) -> Option<Op> {
        match self {
            Kind::Byte => Some(Op::I2b),
            Kind::Char => Some(Op::I2c),
            Kind::Short => Some(Op::I2s),
            _ => None,
        }
    }

    /// The value that fields of this kind start with.
    pub(crate) fn zero(self) -> Step {
        match self {
            Kind::Long => Step::Long(0),
            Kind::Float => Step::Float(0.0),
            Kind::Double => Step::Double(0.0),
            Kind::Reference => Step::Null,
            _ => Step::Int(0),
        }
    }

    /// That value as Java writes it.
    pub(crate) fn zero_text(self) -> &'static str {
        match self {
            Kind::Boolean => "false",
            Kind::Long => "0L",
            Kind::Float => "0f",
            Kind::Double => "0d",
            Kind::Reference => "null",
            _ => "0",
        }
    }

    /// The variant of an int instruction for this kind: `iadd`, `ladd`, `fadd`, `dadd` follow
    /// each other, as loads, stores and negations do.
    pub(crate) fn variant_of(self, int: Op) -> Op {
        let offset = match self {
            Kind::Long => 1,
            Kind::Float => 2,
            Kind::Double => 3,
            Kind::Reference => 4,
            _ => 0,
        };
        Op::from_u8(int as u8 + offset).unwrap_or(int)
    }
}
