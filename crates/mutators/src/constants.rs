//! Numbers that the code loads.

use braid_classfile::{Constant, ConstantPool, Insn, Op};

use crate::kind::Kind;
use crate::operator::{Proposals, Site, Step};

/// A number constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
}

impl Number {
    /// The number that an instruction loads.
    pub(crate) fn of(insn: Insn, pool: ConstantPool<'_>) -> Option<Number> {
        Some(match insn {
            Insn::Push(value) => Number::Int(value.into()),
            Insn::Plain(op) => {
                let (value, from) = (op as u8, |first: Op| f64::from(op as u8 - first as u8));
                match op {
                    Op::Lconst0 | Op::Lconst1 => Number::Long((value - Op::Lconst0 as u8).into()),
                    Op::Fconst0 | Op::Fconst1 | Op::Fconst2 => {
                        Number::Float(from(Op::Fconst0) as f32)
                    }
                    Op::Dconst0 | Op::Dconst1 => Number::Double(from(Op::Dconst0)),
                    _ if (Op::IconstM1 as u8..=Op::Iconst5 as u8).contains(&value) => {
                        Number::Int(i32::from(value) - Op::Iconst0 as i32)
                    }
                    _ => return None,
                }
            }
            Insn::Const(_, index) => match pool.get(index).ok()? {
                Constant::Integer(value) => Number::Int(value),
                Constant::Long(value) => Number::Long(value),
                Constant::Float(value) => Number::Float(value),
                Constant::Double(value) => Number::Double(value),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Loads it.
    pub(crate) fn step(self) -> Step {
        match self {
            Number::Int(value) => Step::Int(value),
            Number::Long(value) => Step::Long(value),
            Number::Float(value) => Step::Float(value),
            Number::Double(value) => Step::Double(value),
        }
    }

    /// A small number of the same kind.
    pub(crate) fn of_same_kind(self, value: i8) -> Number {
        match self {
            Number::Int(_) => Number::Int(value.into()),
            Number::Long(_) => Number::Long(value.into()),
            Number::Float(_) => Number::Float(value.into()),
            Number::Double(_) => Number::Double(value.into()),
        }
    }

    pub(crate) fn plus(self, delta: i8) -> Number {
        match self {
            Number::Int(value) => Number::Int(value.wrapping_add(delta.into())),
            Number::Long(value) => Number::Long(value.wrapping_add(delta.into())),
            Number::Float(value) => Number::Float(value + f32::from(delta)),
            Number::Double(value) => Number::Double(value + f64::from(delta)),
        }
    }

    pub(crate) fn negated(self) -> Number {
        match self {
            Number::Int(value) => Number::Int(value.wrapping_neg()),
            Number::Long(value) => Number::Long(value.wrapping_neg()),
            Number::Float(value) => Number::Float(-value),
            Number::Double(value) => Number::Double(-value),
        }
    }

    /// What is left of it in a variable of a kind.
    fn as_used(self, kind: Option<Kind>) -> Number {
        match (self, kind) {
            (Number::Int(value), Some(Kind::Char)) => Number::Int((value as u16).into()),
            (Number::Int(value), Some(Kind::Byte)) => Number::Int((value as i8).into()),
            (Number::Int(value), Some(Kind::Short)) => Number::Int((value as i16).into()),
            _ => self,
        }
    }

    /// The same bits.
    pub(crate) fn same(self, other: Number) -> bool {
        match (self, other) {
            (Number::Float(a), Number::Float(b)) => a.to_bits() == b.to_bits(),
            (Number::Double(a), Number::Double(b)) => a.to_bits() == b.to_bits(),
            _ => self == other,
        }
    }

    /// As Java writes it.
    pub(crate) fn text(self) -> String {
        let special = |value: f64, class: &str, suffix: &str, text: String| {
            if value.is_nan() {
                format!("{class}.NaN")
            } else if value.is_infinite() {
                let sign = if value < 0.0 { "NEGATIVE" } else { "POSITIVE" };
                format!("{class}.{sign}_INFINITY")
            } else {
                format!("{text}{suffix}")
            }
        };
        match self {
            Number::Int(value) => value.to_string(),
            Number::Long(value) => format!("{value}L"),
            Number::Float(value) => special(value.into(), "Float", "f", format!("{value:?}")),
            Number::Double(value) => special(value, "Double", "", format!("{value:?}")),
        }
    }
}

/// The number that a site loads, and whether it is used as a boolean.
pub(crate) fn constant_at(site: &Site<'_>) -> Option<(Number, bool)> {
    let number = Number::of(site.insn, site.body.pool)?;
    Some((number, site.body.uses[site.at] == Some(Kind::Boolean)))
}

/// Proposes another number, unless it is the same.
pub(crate) fn replace(
    site: &Site<'_>,
    old: Number,
    new: Number,
    variant: &str,
    out: &mut Proposals,
) {
    let new = new.as_used(site.body.uses[site.at]);
    if new.same(old) {
        return;
    }
    let description = format!("replaced {} by {}", old.text(), new.text());
    out.replace(site, [new.step()], variant, description);
}
