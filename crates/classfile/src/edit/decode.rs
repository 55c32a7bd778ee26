//! What each opcode byte becomes in the code model, as a table, so that the common instructions
//! are decoded without asking what they are.

use crate::edit::insn::Insn;
use crate::opcode::{Op, OperandKind};

/// How the decoder treats a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The byte says everything.
    Complete,
    /// One operand of one or two bytes follows, that the template takes as it is.
    Operand,
    /// Anything else.
    Other,
}

/// What a byte becomes.
#[derive(Clone, Copy)]
pub(crate) struct Template {
    insn: Insn,
    /// Bits of the two bytes behind the opcode to be shifted away: 8 if only one belongs to it.
    shift: u8,
    /// Bits of the rest that are kept; the sign of `bipush` is in the upper ones.
    mask: u16,
    pub(crate) form: Form,
    /// Bytes of the instruction.
    pub(crate) size: u8,
}

impl Template {
    /// The instruction without its operand.
    #[inline]
    pub(crate) fn complete(self) -> Insn {
        self.insn
    }

    /// The instruction with its operand out of the two bytes behind the opcode.
    #[inline]
    pub(crate) fn with_operand(self, bytes: [u8; 2]) -> Insn {
        let operand = (i16::from_be_bytes(bytes) >> self.shift) as u16 & self.mask;
        let mut insn = self.insn;
        match &mut insn {
            Insn::Local(_, slot)
            | Insn::Const(_, slot)
            | Insn::Field(_, slot)
            | Insn::Invoke(_, slot)
            | Insn::Class(_, slot) => *slot = operand,
            Insn::Push(value) => *value = operand as i16,
            _ => {}
        }
        insn
    }
}

const OTHER: Template = Template {
    insn: Insn::Plain(Op::Nop),
    shift: 0,
    mask: 0,
    form: Form::Other,
    size: 0,
};

const fn operand(insn: Insn, size: u8, mask: u16) -> Template {
    Template {
        insn,
        shift: if size == 2 { 8 } else { 0 },
        mask,
        form: Form::Operand,
        size,
    }
}

const fn template(op: Op) -> Template {
    let general = op.general();
    let complete = match (op.kind(), op.implied_local()) {
        (OperandKind::None, _) => Insn::Plain(op),
        (OperandKind::LocalImplied, Some(local)) => Insn::Local(general, local),
        (OperandKind::Local, _) => return operand(Insn::Local(general, 0), 2, 0xff),
        (OperandKind::Byte, _) => return operand(Insn::Push(0), 2, 0xffff),
        (OperandKind::Short, _) => return operand(Insn::Push(0), 3, 0xffff),
        (OperandKind::ConstNarrow, _) => return operand(Insn::Const(general, 0), 2, 0xff),
        (OperandKind::Const, _) => return operand(Insn::Const(general, 0), 3, 0xffff),
        (OperandKind::Field, _) => return operand(Insn::Field(general, 0), 3, 0xffff),
        (OperandKind::Method, _) => return operand(Insn::Invoke(general, 0), 3, 0xffff),
        (OperandKind::Class, _) => return operand(Insn::Class(general, 0), 3, 0xffff),
        _ => return OTHER,
    };
    Template {
        insn: complete,
        form: Form::Complete,
        size: 1,
        ..OTHER
    }
}

/// What each byte becomes; bytes that are no instruction are [`Form::Other`].
pub(crate) static TEMPLATES: [Template; 256] = {
    let mut table = [OTHER; 256];
    let mut i = 0;
    while i < Op::ALL.len() {
        table[i] = template(Op::ALL[i]);
        i += 1;
    }
    table
};
