//! The instructions of the editable code model.

use crate::instruction::PrimitiveType;
use crate::opcode::Op;

/// A place in a method's code, made by [`crate::Code::new_label`] and put somewhere by
/// [`Insn::Label`]. It belongs to one [`crate::Code`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label(pub u32);

/// An instruction, or the mark of a place, in a method's code.
///
/// Opcodes are in their general form: `iload_1` is `Local(Op::Iload, 1)`, `goto_w` is
/// `Jump(Op::Goto, ..)`; the writer picks the shortest encoding. Indices are those of the class's
/// constant pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Insn {
    /// Not an instruction: the label stands here.
    Label(Label),
    /// An instruction without operand.
    Plain(Op),
    /// `bipush` or `sipush`.
    Push(i16),
    /// A load or store of a local, or `ret`.
    Local(Op, u16),
    /// `iinc`: local and delta.
    Iinc(u16, i16),
    /// `ldc`, `ldc_w` or `ldc2_w` (which [`Insn::ldc`] chooses).
    Const(Op, u16),
    /// An access to a field.
    Field(Op, u16),
    /// `invokevirtual`, `invokespecial` or `invokestatic`.
    Invoke(Op, u16),
    /// `invokeinterface`, with the number of argument slots including the receiver.
    InvokeInterface(u16, u8),
    /// `invokedynamic`.
    InvokeDynamic(u16),
    /// `new`, `anewarray`, `checkcast` or `instanceof`.
    Class(Op, u16),
    /// `newarray`.
    NewArray(PrimitiveType),
    /// `multianewarray`: class and number of dimensions.
    MultiNewArray(u16, u8),
    /// A conditional branch, `goto` or `jsr`.
    Jump(Op, Label),
    /// `tableswitch` or `lookupswitch`: a position in [`crate::Code::switches`].
    Switch(u32),
}

impl Insn {
    /// Its opcode in general form; `None` for labels. A switch needs its [`Switch`] to say which
    /// of the two it is, and reads as `lookupswitch` here.
    pub fn op(self) -> Option<Op> {
        Some(match self {
            Insn::Label(_) => return None,
            Insn::Plain(op)
            | Insn::Local(op, _)
            | Insn::Const(op, _)
            | Insn::Field(op, _)
            | Insn::Invoke(op, _)
            | Insn::Class(op, _)
            | Insn::Jump(op, _) => op,
            Insn::Push(value) => {
                if i8::try_from(value).is_ok() {
                    Op::Bipush
                } else {
                    Op::Sipush
                }
            }
            Insn::Iinc(..) => Op::Iinc,
            Insn::InvokeInterface(..) => Op::Invokeinterface,
            Insn::InvokeDynamic(_) => Op::Invokedynamic,
            Insn::NewArray(_) => Op::Newarray,
            Insn::MultiNewArray(..) => Op::Multianewarray,
            Insn::Switch(_) => Op::Lookupswitch,
        })
    }

    /// True unless this is a label.
    pub fn is_real(self) -> bool {
        !matches!(self, Insn::Label(_))
    }

    /// True if control never goes on to the next instruction.
    #[inline]
    pub fn ends_block(self) -> bool {
        match self {
            Insn::Plain(op) => op.is_return() || op == Op::Athrow,
            Insn::Jump(op, _) => matches!(op, Op::Goto | Op::GotoW | Op::Jsr | Op::JsrW),
            Insn::Switch(_) | Insn::Local(Op::Ret, _) => true,
            _ => false,
        }
    }

    /// The instruction that loads an `int` in the shortest way, if no constant is needed.
    ///
    /// ```
    /// use braid_classfile::{Insn, Op};
    /// assert_eq!(Insn::int(-1), Some(Insn::Plain(Op::IconstM1)));
    /// assert_eq!(Insn::int(300), Some(Insn::Push(300)));
    /// assert_eq!(Insn::int(70_000), None);
    /// ```
    pub fn int(value: i32) -> Option<Insn> {
        match value {
            -1..=5 => Op::from_u8((Op::Iconst0 as i32 + value) as u8).map(Insn::Plain),
            _ => i16::try_from(value).ok().map(Insn::Push),
        }
    }

    /// Loads the one-slot constant at an index.
    pub fn ldc(index: u16) -> Insn {
        Insn::Const(if index < 256 { Op::Ldc } else { Op::LdcW }, index)
    }

    /// Loads the long or double at an index.
    pub fn ldc2(index: u16) -> Insn {
        Insn::Const(Op::Ldc2W, index)
    }
}

/// The keys and targets of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// Where it goes for all other keys.
    pub default: Label,
    /// The keys.
    pub cases: Cases,
}

/// How a switch finds its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cases {
    /// `tableswitch`.
    Table {
        /// The lowest key.
        low: i32,
        /// Targets for `low`, `low + 1` and so on.
        targets: Vec<Label>,
    },
    /// `lookupswitch`: pairs sorted by key.
    Lookup(Vec<(i32, Label)>),
}

impl Switch {
    /// All targets, the default first.
    pub fn targets(&self) -> impl Iterator<Item = Label> + '_ {
        let (table, lookup): (&[Label], &[(i32, Label)]) = match &self.cases {
            Cases::Table { targets, .. } => (targets, &[]),
            Cases::Lookup(pairs) => (&[], pairs),
        };
        std::iter::once(self.default)
            .chain(table.iter().copied())
            .chain(lookup.iter().map(|(_, label)| *label))
    }

    /// All targets, to be changed.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Label> + '_ {
        let (table, lookup): (&mut [Label], &mut [(i32, Label)]) = match &mut self.cases {
            Cases::Table { targets, .. } => (targets, &mut []),
            Cases::Lookup(pairs) => (&mut [], pairs),
        };
        std::iter::once(&mut self.default)
            .chain(table.iter_mut())
            .chain(lookup.iter_mut().map(|(_, label)| label))
    }

    /// Which instruction it is.
    pub fn op(&self) -> Op {
        match self.cases {
            Cases::Table { .. } => Op::Tableswitch,
            Cases::Lookup(_) => Op::Lookupswitch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_takes_eight_bytes() {
        assert_eq!(std::mem::size_of::<Insn>(), 8);
    }
}
