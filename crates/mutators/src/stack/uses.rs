//! As what values are used: declarations say whether an int is a boolean, a char or a number.

use braid_classfile::{Insn, JStr, MethodDescriptor, Op, PrimitiveType};

use super::{Slot, Walk};
use crate::kind::Kind;

impl Walk<'_> {
    /// Takes note that the value `below` slots under the top is used as a kind.
    fn used(&mut self, below: usize, kind: Kind) {
        let Some(index) = self.stack.len().checked_sub(below + 1) else {
            return;
        };
        for origin in self.stack[index].pushed_by {
            if let Some(place) = self.uses.get_mut(origin as usize) {
                *place = Some(kind);
            }
        }
    }

    /// Takes note of what declarations say about the operands of an instruction.
    pub(super) fn uses_of(&mut self, at: usize, insn: Insn) {
        match insn {
            Insn::Field(Op::Putfield | Op::Putstatic, index) => {
                self.used(0, self.field_kind(index));
            }
            Insn::Plain(op) if op.is_return() => {
                if let Some(kind) = self.returns {
                    self.used(0, kind);
                }
            }
            Insn::Plain(Op::Castore) => self.used(0, Kind::Char),
            Insn::Plain(Op::Sastore) => self.used(0, Kind::Short),
            Insn::Plain(Op::Bastore) => {
                let array = self.stack.len().checked_sub(3).map(|at| self.stack[at]);
                let kind = array.map_or(Kind::Byte, |array| self.byte_kind(array));
                self.used(0, kind);
            }
            Insn::Local(op, local) if op.is_store() => {
                // The name holds from behind the store on.
                let kind = self
                    .named_kind(at + 2, local)
                    .or(self.named_kind(at, local));
                if let Some(kind) = kind {
                    self.used(0, kind);
                }
            }
            Insn::Invoke(_, index) | Insn::InvokeInterface(index, _) => {
                if let Ok(member) = self.pool.method(index) {
                    self.uses_of_arguments(member.descriptor);
                }
            }
            Insn::InvokeDynamic(index) => {
                if let Ok(dynamic) = self.pool.dynamic(index) {
                    self.uses_of_arguments(dynamic.descriptor);
                }
            }
            _ => {}
        }
    }

    /// What an array of bytes or booleans holds.
    pub(super) fn byte_kind(&self, array: Slot) -> Kind {
        let at = array.pushed_by[0] as usize;
        let booleans = match self.code.insns.get(at).copied() {
            Some(Insn::NewArray(ty)) => ty == PrimitiveType::Boolean,
            Some(Insn::Field(_, index)) => {
                let field = self.pool.field(index);
                field.is_ok_and(|field| field.descriptor == "[Z")
            }
            Some(Insn::Invoke(_, index) | Insn::InvokeInterface(index, _)) => {
                let callee = self.pool.method(index);
                callee.is_ok_and(|callee| callee.descriptor.as_bytes().ends_with(b")[Z"))
            }
            Some(Insn::Local(_, local)) => self.is_boolean_array(at, local),
            _ => false,
        };
        if booleans { Kind::Boolean } else { Kind::Byte }
    }

    fn uses_of_arguments(&mut self, descriptor: JStr<'_>) {
        let Ok(descriptor) = MethodDescriptor::parse(descriptor) else {
            return;
        };
        let mut below = usize::from(descriptor.parameter_slots());
        for ty in descriptor.parameters() {
            below -= usize::from(ty.slots());
            self.used(below, Kind::of(ty));
        }
    }

    pub(super) fn named_kind(&self, at: usize, local: u16) -> Option<Kind> {
        let named = |row: &&(u16, usize, usize, Kind)| row.0 == local && row.1 <= at && at < row.2;
        self.named.iter().find(named).map(|row| row.3)
    }
}
