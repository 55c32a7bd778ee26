//! Whether anything in a loop depends on local variables that change from round to round.
//!
//! A round went the same way as the one before if nothing that decides the way comes from these variables: they, and
//! what is computed from them, may only be moved, computed with and stored in local variables again. What is stored so
//! changes, too. All other variables are then the same after each round if they were after one.

use braid_classfile::{FieldType, Instruction, MethodDescriptor, Op, Operand};

use super::body::Body;

/// Which slots hold something that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    locals: Vec<bool>,
    /// Above what lay there at the head of the loop.
    stack: Vec<bool>,
}

/// Whether the instructions `inside` the loop at `head` do nothing that depends on these local variables. `None` means
/// that they may.
pub(super) fn is_idle(
    body: &Body<'_>,
    head: usize,
    inside: &[bool],
    changing: &[u32],
) -> Option<()> {
    let mut locals = vec![false; usize::from(body.code.max_locals)];
    for slot in changing {
        *locals.get_mut(*slot as usize)? = true;
    }
    let stack = Vec::new();
    let mut states: Vec<Option<State>> = vec![None; body.insns.len()];
    states[head] = Some(State { locals, stack });
    let mut open = vec![head];
    while let Some(at) = open.pop() {
        let before = states[at].clone()?;
        let mut after = before.clone();
        after.step(body, &body.insns[at])?;
        let mut caught = before;
        caught.add(&after.locals);
        caught.stack = vec![false];
        let (next, handlers) = body.next[at].split_at(body.straight[at]);
        let ways = next.iter().map(|to| (to, &after));
        for (to, state) in ways.chain(handlers.iter().map(|to| (to, &caught))) {
            if inside[*to] && merge(&mut states[*to], state)? {
                open.push(*to);
            }
        }
    }
    Some(())
}

/// Adds what can come from elsewhere; whether that is new.
fn merge(known: &mut Option<State>, more: &State) -> Option<bool> {
    let Some(known) = known else {
        *known = Some(more.clone());
        return Some(true);
    };
    if known.stack.len() != more.stack.len() {
        return None;
    }
    let before = known.clone();
    known.add(&more.locals);
    for (mine, theirs) in known.stack.iter_mut().zip(&more.stack) {
        *mine |= *theirs;
    }
    Some(*known != before)
}

impl State {
    fn add(&mut self, locals: &[bool]) {
        for (mine, theirs) in self.locals.iter_mut().zip(locals) {
            *mine |= *theirs;
        }
    }

    /// Takes the topmost slots; the last one was on top.
    fn pop(&mut self, slots: usize) -> Option<Vec<bool>> {
        let rest = self.stack.len().checked_sub(slots)?;
        Some(self.stack.split_off(rest))
    }

    fn push(&mut self, slots: usize, changes: bool) {
        self.stack.extend(std::iter::repeat_n(changes, slots));
    }

    fn step(&mut self, body: &Body<'_>, insn: &Instruction<'_>) -> Option<()> {
        let op = insn.op;
        if let Operand::Local(local) = insn.operand {
            return self.local(op, usize::from(local));
        }
        if let Some((taken, order)) = shuffled(op) {
            let slots = self.pop(taken)?;
            self.stack.extend(order.iter().map(|from| slots[*from]));
            return Some(());
        }
        let (pops, pushes) = effect(body, insn)?;
        let operands = self.pop(pops)?;
        let divisor = match op {
            Op::Idiv | Op::Irem => 1,
            Op::Ldiv | Op::Lrem => 2,
            _ if only_computes(op) => 0,
            _ => operands.len(),
        };
        if operands[operands.len() - divisor..].contains(&true) {
            return None;
        }
        self.push(pushes, operands.contains(&true));
        Some(())
    }

    fn local(&mut self, op: Op, local: usize) -> Option<()> {
        let wide = matches!(
            op.general(),
            Op::Lload | Op::Dload | Op::Lstore | Op::Dstore
        );
        let slots = if wide { 2 } else { 1 };
        let place = self.locals.get_mut(local..local + slots)?;
        if op.is_load() {
            let changes = place.contains(&true);
            self.push(slots, changes);
        } else {
            let rest = self.stack.len().checked_sub(slots)?;
            let changes = self.stack.split_off(rest).contains(&true);
            place.fill(changes);
        }
        Some(())
    }
}

/// What an instruction that only moves slots takes, and which of these, counted from below, it leaves.
pub(crate) fn shuffled(op: Op) -> Option<(usize, &'static [usize])> {
    Some(match op {
        Op::Pop => (1, &[]),
        Op::Pop2 => (2, &[]),
        Op::Dup => (1, &[0, 0]),
        Op::DupX1 => (2, &[1, 0, 1]),
        Op::DupX2 => (3, &[2, 0, 1, 2]),
        Op::Dup2 => (2, &[0, 1, 0, 1]),
        Op::Dup2X1 => (3, &[1, 2, 0, 1, 2]),
        Op::Dup2X2 => (4, &[2, 3, 0, 1, 2, 3]),
        Op::Swap => (2, &[1, 0]),
        _ => return None,
    })
}

/// Whether an instruction computes a value of numbers, whatever these are, and throws nothing.
fn only_computes(op: Op) -> bool {
    let between = |first: Op, last: Op| (first as u8..=last as u8).contains(&(op as u8));
    let divides = matches!(op, Op::Idiv | Op::Irem | Op::Ldiv | Op::Lrem);
    between(Op::Iadd, Op::Lxor) && !divides || between(Op::I2l, Op::Dcmpg) || op == Op::Iinc
}

/// The slots that an instruction takes and leaves.
fn effect(body: &Body<'_>, insn: &Instruction<'_>) -> Option<(usize, usize)> {
    let pool = body.code.pool();
    let op = insn.op;
    Some(match insn.operand {
        Operand::Field(index) => {
            let member = pool.field(index).ok()?;
            let value = usize::from(FieldType::parse(member.descriptor).ok()?.slots());
            match op {
                Op::Getstatic => (0, value),
                Op::Getfield => (1, value),
                _ => return None,
            }
        }
        Operand::Method(index) => {
            let member = pool.method(index).ok()?;
            let descriptor = MethodDescriptor::parse(member.descriptor).ok()?;
            let receiver = usize::from(op != Op::Invokestatic);
            let value = descriptor.return_type();
            (
                usize::from(descriptor.parameter_slots()) + receiver,
                value.map_or(0, |value| usize::from(value.slots())),
            )
        }
        Operand::Const(_) => (0, if op == Op::Ldc2W { 2 } else { 1 }),
        Operand::InterfaceMethod(..) | Operand::Dynamic(_) | Operand::MultiNewArray(..) => {
            return None;
        }
        _ => {
            // what is left pushes a reference where the table does not say
            let pops = op.pop_slots()?;
            (usize::from(pops), usize::from(op.push_slots().unwrap_or(1)))
        }
    })
}
