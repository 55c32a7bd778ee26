//! The binary operators of Java as instructions.

use braid_classfile::Op;

use crate::kind::Kind;
use crate::operator::{Proposals, Site, Step};

/// An arithmetic, shift or bitwise operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    Ushr,
    And,
    Or,
    Xor,
}

impl Binary {
    pub(crate) const ARITHMETIC: [Binary; 5] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Rem,
    ];
    pub(crate) const SHIFT: [Binary; 3] = [Binary::Shl, Binary::Shr, Binary::Ushr];
    pub(crate) const BITWISE: [Binary; 3] = [Binary::And, Binary::Or, Binary::Xor];

    /// Operator, its int instruction, its text, its short name.
    const TABLE: [(Binary, Op, &'static str, &'static str); 11] = [
        (Binary::Add, Op::Iadd, "+", "add"),
        (Binary::Sub, Op::Isub, "-", "sub"),
        (Binary::Mul, Op::Imul, "*", "mul"),
        (Binary::Div, Op::Idiv, "/", "div"),
        (Binary::Rem, Op::Irem, "%", "rem"),
        (Binary::Shl, Op::Ishl, "<<", "shl"),
        (Binary::Shr, Op::Ishr, ">>", "shr"),
        (Binary::Ushr, Op::Iushr, ">>>", "ushr"),
        (Binary::And, Op::Iand, "&", "and"),
        (Binary::Or, Op::Ior, "|", "or"),
        (Binary::Xor, Op::Ixor, "^", "xor"),
    ];

    /// The operator that an instruction computes.
    pub(crate) fn of(op: Op) -> Option<Binary> {
        let (value, first) = (op as u8, Op::Iadd as u8);
        if value < first
            || value > Op::Lxor as u8
            || (Op::Ineg as u8..=Op::Dneg as u8).contains(&value)
        {
            return None;
        }
        let row = Binary::TABLE
            .iter()
            .rev()
            .find(|row| row.1 as u8 <= value)?;
        Some(row.0)
    }

    /// Its instruction for the operands that `like` has.
    pub(crate) fn op_like(self, like: Op) -> Option<Op> {
        let own = Binary::of(like)?;
        Op::from_u8(self.int_op() as u8 + (like as u8 - own.int_op() as u8))
    }

    /// The operator with a short name.
    pub(crate) fn of_name(name: &str) -> Option<Binary> {
        Binary::TABLE
            .iter()
            .find(|row| row.3 == name)
            .map(|row| row.0)
    }

    /// The operator that Java writes so.
    pub(crate) fn of_text(text: &str) -> Option<Binary> {
        Binary::TABLE
            .iter()
            .find(|row| row.2 == text)
            .map(|row| row.0)
    }

    fn row(self) -> &'static (Binary, Op, &'static str, &'static str) {
        &Binary::TABLE[self as usize]
    }

    fn int_op(self) -> Op {
        self.row().1
    }

    /// As Java writes it.
    pub(crate) fn text(self) -> &'static str {
        self.row().2
    }

    /// Its short name.
    pub(crate) fn name(self) -> &'static str {
        self.row().3
    }
}

impl Binary {
    /// Kinds of the operands of one of its instructions.
    pub(crate) fn operand_kinds(self, op: Op) -> (Kind, Kind) {
        let pops = op.pops().as_bytes();
        let kind = |index: usize| Kind::of_letter(pops.get(index).copied().unwrap_or(b'I'));
        (kind(0), kind(1))
    }
}

/// Proposes each other operator of a table for an instruction whose operator is in it.
pub(crate) fn replace_by_others(site: &Site<'_>, table: &[Binary], out: &mut Proposals) {
    let Some((old, _)) = site.binary().filter(|(old, _)| table.contains(old)) else {
        return;
    };
    for new in table.iter().filter(|new| **new != old) {
        replace(site, old, *new, out);
    }
}

/// Proposes another operator on the same operands.
pub(crate) fn replace(site: &Site<'_>, old: Binary, new: Binary, out: &mut Proposals) {
    let Some(op) = site.insn.op().and_then(|op| new.op_like(op)) else {
        return;
    };
    let description = format!("replaced {} by {}", old.text(), new.text());
    out.replace(site, [Step::from(op)], new.name(), description);
}
