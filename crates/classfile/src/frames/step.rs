//! What one instruction does to the types of locals and stack. Driven by the opcode table;
//! only instructions whose effect depends on more than their opcode are written out.

use crate::edit::{Insn, PoolBuilder};
use crate::error::{Error, ErrorKind};
use crate::frames::state::{State, StepResult};
use crate::frames::types::{Types, VType, well_known};
use crate::instruction::PrimitiveType;
use crate::opcode::Op;
use crate::pool::tag;

/// The effect of an instruction that always has the same.
#[derive(Clone, Copy)]
struct Effect {
    pops: u8,
    push: Option<VType>,
    /// False if the table says `*`.
    fixed: bool,
}

const fn effect(op: Op) -> Effect {
    let pushes = op.pushes().as_bytes();
    let push = if pushes.is_empty() {
        None
    } else {
        match pushes[0] {
            b'I' => Some(VType::INTEGER),
            b'J' => Some(VType::LONG),
            b'F' => Some(VType::FLOAT),
            b'D' => Some(VType::DOUBLE),
            b'N' => Some(VType::NULL),
            _ => None,
        }
    };
    match (op.pop_slots(), op.push_slots()) {
        (Some(pops), Some(_)) => Effect {
            pops,
            push,
            fixed: true,
        },
        _ => Effect {
            pops: 0,
            push: None,
            fixed: false,
        },
    }
}

static EFFECTS: [Effect; 256] = {
    let mut table = [effect(Op::Nop); 256];
    let mut i = 0;
    while i < Op::ALL.len() {
        table[i] = effect(Op::ALL[i]);
        i += 1;
    }
    table
};

/// What the simulation of one method needs besides the state.
pub(crate) struct Context<'c, 'p> {
    pub(crate) pool: &'c PoolBuilder<'p>,
    pub(crate) types: &'c mut Types,
    /// The class itself.
    pub(crate) this: VType,
    /// Position and class of each `new` in the code.
    pub(crate) news: &'c [(u32, VType)],
}

impl Context<'_, '_> {
    /// Simulates an instruction that is not a label. Jumps only pop what they compare.
    #[inline]
    pub(crate) fn step(&mut self, state: &mut State, insn: Insn, position: u32) -> StepResult {
        match insn {
            Insn::Plain(op) => self.plain(state, op),
            Insn::Push(_) => {
                state.push(VType::INTEGER);
                Ok(())
            }
            Insn::Local(op, local) => self.local(state, op, local),
            Insn::Iinc(..) | Insn::Label(_) => Ok(()),
            Insn::Const(_, index) => self.constant(state, index),
            Insn::Field(op, index) => self.field(state, op, index),
            Insn::Invoke(op, index) => self.invoke(state, op, index),
            Insn::InvokeInterface(index, _) => self.invoke(state, Op::Invokeinterface, index),
            Insn::InvokeDynamic(index) => self.invoke(state, Op::Invokedynamic, index),
            Insn::Class(op, index) => self.class(state, op, index, position),
            Insn::NewArray(ty) => {
                state.drop(1)?;
                state.push(self.primitive_array(ty));
                Ok(())
            }
            Insn::MultiNewArray(index, dimensions) => {
                state.drop(usize::from(dimensions))?;
                state.push(self.types.of_class(self.pool, index).map_err(kind)?);
                Ok(())
            }
            Insn::Jump(op, _) => state.drop(usize::from(EFFECTS[op as usize].pops)),
            Insn::Switch(_) => state.drop(1),
        }
    }

    #[inline]
    fn plain(&mut self, state: &mut State, op: Op) -> StepResult {
        let effect = EFFECTS[op as usize];
        if !effect.fixed {
            return self.shuffle(state, op);
        }
        state.drop(usize::from(effect.pops))?;
        if let Some(ty) = effect.push {
            state.push(ty);
        }
        Ok(())
    }

    fn shuffle(&mut self, state: &mut State, op: Op) -> StepResult {
        match op {
            Op::Dup => state.dup(1, 0),
            Op::DupX1 => state.dup(1, 1),
            Op::DupX2 => state.dup(1, 2),
            Op::Dup2 => state.dup(2, 0),
            Op::Dup2X1 => state.dup(2, 1),
            Op::Dup2X2 => state.dup(2, 2),
            Op::Swap => state.swap(),
            Op::Aaload => {
                state.drop(1)?;
                let array = state.pop()?;
                state.push(self.types.element(array));
                Ok(())
            }
            _ => Err(ErrorKind::Encode("an instruction without its operand")),
        }
    }

    #[inline]
    fn local(&mut self, state: &mut State, op: Op, local: u16) -> StepResult {
        match op {
            Op::Aload => {
                let ty = state.local(local);
                if ty.tag() < VType::NULL.tag() {
                    return Err(WRONG_LOCAL);
                }
                state.push(ty);
            }
            Op::Astore => {
                let ty = state.pop()?;
                state.store(local, ty);
            }
            Op::Ret => return Err(ErrorKind::Flow("subroutines have no frames")),
            _ => {
                let effect = EFFECTS[op as usize];
                if let Some(ty) = effect.push {
                    if state.local(local) != ty {
                        return Err(WRONG_LOCAL);
                    }
                    state.push(ty);
                } else {
                    let slots = usize::from(effect.pops);
                    state.drop(slots)?;
                    let ty = match op {
                        Op::Istore => VType::INTEGER,
                        Op::Fstore => VType::FLOAT,
                        Op::Lstore => VType::LONG,
                        _ => VType::DOUBLE,
                    };
                    state.store(local, ty);
                }
            }
        }
        Ok(())
    }

    fn constant(&mut self, state: &mut State, index: u16) -> StepResult {
        let ty = match self.pool.view().tag(index) {
            tag::INTEGER => VType::INTEGER,
            tag::FLOAT => VType::FLOAT,
            tag::LONG => VType::LONG,
            tag::DOUBLE => VType::DOUBLE,
            tag::STRING => VType::object(well_known::STRING),
            tag::CLASS => VType::object(well_known::CLASS),
            tag::METHOD_TYPE => VType::object(well_known::METHOD_TYPE),
            tag::METHOD_HANDLE => VType::object(well_known::METHOD_HANDLE),
            tag::DYNAMIC => self.types.member(self.pool, index).map_err(kind)?.value,
            _ => {
                let expected = "a loadable constant";
                return Err(ErrorKind::BadConstant { index, expected });
            }
        };
        state.push(ty);
        Ok(())
    }

    #[inline]
    fn field(&mut self, state: &mut State, op: Op, index: u16) -> StepResult {
        let ty = self.types.member(self.pool, index).map_err(kind)?.value;
        let slots = if ty.is_wide() { 2 } else { 1 };
        match op {
            Op::Getstatic => state.push(ty),
            Op::Putstatic => state.drop(slots)?,
            Op::Getfield => {
                state.drop(1)?;
                state.push(ty);
            }
            _ => state.drop(slots + 1)?,
        }
        Ok(())
    }

    #[inline]
    fn invoke(&mut self, state: &mut State, op: Op, index: u16) -> StepResult {
        let descriptor = self.types.member(self.pool, index).map_err(kind)?;
        state.drop(usize::from(descriptor.slots))?;
        if op != Op::Invokestatic && op != Op::Invokedynamic {
            let receiver = state.pop()?;
            if op == Op::Invokespecial && !receiver.is_object() && self.is_constructor(index) {
                self.initialize(state, receiver);
            }
        }
        if descriptor.value != VType::TOP {
            state.push(descriptor.value);
        }
        Ok(())
    }

    fn is_constructor(&self, index: u16) -> bool {
        let view = self.pool.view();
        let name = view.pair(index).and_then(|(_, nat)| view.pair(nat));
        name.is_some_and(|(name, _)| view.utf8(name).is_ok_and(|name| name == "<init>"))
    }

    fn initialize(&mut self, state: &mut State, receiver: VType) {
        if receiver == VType::UNINITIALIZED_THIS {
            state.initialize(receiver, self.this);
        } else if receiver.is_uninitialized()
            && let Some((_, class)) = self.news.get(receiver.payload() as usize)
        {
            state.initialize(receiver, *class);
        }
    }

    fn class(&mut self, state: &mut State, op: Op, index: u16, position: u32) -> StepResult {
        match op {
            Op::New => {
                let ordinal = self.news.partition_point(|(at, _)| *at < position);
                state.push(VType::uninitialized(ordinal as u32));
            }
            Op::Anewarray => {
                state.drop(1)?;
                let element = self.types.of_class(self.pool, index).map_err(kind)?;
                state.push(self.types.array_of(element.payload()));
            }
            Op::Checkcast => {
                state.drop(1)?;
                state.push(self.types.of_class(self.pool, index).map_err(kind)?);
            }
            _ => {
                state.drop(1)?;
                state.push(VType::INTEGER);
            }
        }
        Ok(())
    }

    fn primitive_array(&mut self, ty: PrimitiveType) -> VType {
        VType::object(self.types.intern(&[b'[', ty.letter()]))
    }
}

const WRONG_LOCAL: ErrorKind = ErrorKind::Flow("a local does not hold what is loaded from it");

fn kind(error: Error) -> ErrorKind {
    error.kind
}
