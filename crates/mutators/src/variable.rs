//! Variables where they are read.

use braid_classfile::{FieldType, Insn, Op};

use crate::kind::Kind;
use crate::operator::Site;

/// The kind of the number that a site reads from a local, field or array.
pub(crate) fn read_variable(site: &Site<'_>) -> Option<Kind> {
    let kind = match site.insn {
        Insn::Local(Op::Iload, _) => site.body.local_kind(site.at),
        Insn::Local(Op::Lload, _) | Insn::Plain(Op::Laload) => Kind::Long,
        Insn::Local(Op::Fload, _) | Insn::Plain(Op::Faload) => Kind::Float,
        Insn::Local(Op::Dload, _) | Insn::Plain(Op::Daload) => Kind::Double,
        Insn::Plain(Op::Iaload) => Kind::Int,
        Insn::Plain(Op::Saload) => Kind::Short,
        Insn::Plain(Op::Caload) => Kind::Char,
        Insn::Field(Op::Getfield | Op::Getstatic, _) => {
            let field = site.body.field(site.insn)?;
            Kind::of(FieldType::parse(field.descriptor).ok()?)
        }
        _ => return None,
    };
    kind.is_number().then_some(kind)
}
