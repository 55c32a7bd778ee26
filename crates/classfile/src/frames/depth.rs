//! The deepest operand stack, without types: for code that keeps its frames or has none.

use crate::edit::{Code, Insn, Label, PoolBuilder};
use crate::error::{ErrorKind, Result};
use crate::frames::types::Types;
use crate::opcode::Op;

/// The deepest operand stack of the code in slots.
///
/// A subroutine is taken to leave the stack as it found it, as compilers made them.
pub(crate) fn max_stack(code: &Code, pool: &PoolBuilder<'_>, types: &mut Types) -> Result<usize> {
    let positions = code.positions();
    let mut walker = Walker {
        code,
        depths: vec![None; positions.len()],
        positions,
        pending: Vec::new(),
        max: 0,
    };
    for range in &code.tries {
        walker.reach(range.handler, 1)?;
    }
    walker.walk(pool, types, 0, 0)?;
    walker.finish(pool, types)?;
    // The verifier looks at code that nothing reaches, too: what stands there is in its frames.
    for frame in code.frames.iter() {
        if walker.positions.get(frame.label.0 as usize) == Some(&usize::MAX) {
            continue;
        }
        let slots = frame
            .stack
            .iter()
            .map(|value| 1 + usize::from(value.is_wide()));
        walker.reach(frame.label, slots.sum())?;
        walker.finish(pool, types)?;
    }
    Ok(walker.max)
}

struct Walker<'c> {
    code: &'c Code,
    positions: Vec<usize>,
    depths: Vec<Option<usize>>,
    pending: Vec<(usize, usize)>,
    max: usize,
}

impl Walker<'_> {
    fn reach(&mut self, label: Label, depth: usize) -> Result<()> {
        let at = label.0 as usize;
        match (self.depths.get_mut(at), self.positions.get(at)) {
            (Some(known), Some(position)) if *position != usize::MAX => {
                if known.is_none() {
                    *known = Some(depth);
                    self.max = self.max.max(depth);
                    self.pending.push((*position + 1, depth));
                }
                Ok(())
            }
            _ => Err(ErrorKind::Label(label.0).at(0)),
        }
    }

    fn finish(&mut self, pool: &PoolBuilder<'_>, types: &mut Types) -> Result<()> {
        while let Some((position, depth)) = self.pending.pop() {
            self.walk(pool, types, position, depth)?;
        }
        Ok(())
    }

    fn walk(
        &mut self,
        pool: &PoolBuilder<'_>,
        types: &mut Types,
        from: usize,
        mut depth: usize,
    ) -> Result<()> {
        for (offset, insn) in self.code.insns[from..].iter().enumerate() {
            let position = from + offset;
            if let Insn::Label(label) = insn {
                match self.depths.get_mut(label.0 as usize) {
                    Some(known @ None) => *known = Some(depth),
                    Some(_) => return Ok(()),
                    None => return Err(ErrorKind::Label(label.0).at(position)),
                }
                continue;
            }
            let (pops, pushes) = effect(*insn, pool, types)?;
            depth = depth
                .checked_sub(pops)
                .ok_or_else(|| ErrorKind::Flow("operand stack underflow").at(position))?;
            self.branch(*insn, depth)?;
            depth += pushes;
            self.max = self.max.max(depth);
            // Control comes back behind a subroutine call, with the stack as before.
            let returns = matches!(insn, Insn::Jump(Op::Jsr | Op::JsrW, _));
            if insn.ends_block() && !returns {
                return Ok(());
            }
        }
        Ok(())
    }

    fn branch(&mut self, insn: Insn, depth: usize) -> Result<()> {
        match insn {
            Insn::Jump(Op::Jsr | Op::JsrW, label) => self.reach(label, depth + 1),
            Insn::Jump(_, label) => self.reach(label, depth),
            Insn::Switch(index) => {
                let Some(switch) = self.code.switches.get(index as usize) else {
                    return Err(ErrorKind::Encode("a switch that is not there").at(0));
                };
                switch
                    .targets()
                    .try_for_each(|label| self.reach(label, depth))
            }
            _ => Ok(()),
        }
    }
}

/// Slots that an instruction pops and pushes on its straight way.
fn effect(insn: Insn, pool: &PoolBuilder<'_>, types: &mut Types) -> Result<(usize, usize)> {
    let slots = |wide: bool| if wide { 2 } else { 1 };
    Ok(match insn {
        Insn::Label(_) => (0, 0),
        Insn::Const(op, _) => (0, slots(op == Op::Ldc2W)),
        Insn::Field(op, index) => {
            let value = slots(types.member(pool, index)?.value.is_wide());
            match op {
                Op::Getstatic => (0, value),
                Op::Putstatic => (value, 0),
                Op::Getfield => (1, value),
                _ => (value + 1, 0),
            }
        }
        Insn::Invoke(_, index) | Insn::InvokeInterface(index, _) | Insn::InvokeDynamic(index) => {
            let descriptor = types.member(pool, index)?;
            let receiver = !matches!(
                insn,
                Insn::InvokeDynamic(_) | Insn::Invoke(Op::Invokestatic, _)
            );
            let pushes = match descriptor.value {
                crate::frames::VType::TOP => 0,
                value => slots(value.is_wide()),
            };
            (
                usize::from(descriptor.slots) + usize::from(receiver),
                pushes,
            )
        }
        Insn::MultiNewArray(_, dimensions) => (usize::from(dimensions), 1),
        Insn::Switch(_) => (1, 0),
        Insn::Jump(Op::Jsr | Op::JsrW, _) => (0, 0),
        Insn::Plain(Op::Aaload) => (2, 1),
        Insn::Plain(op @ (Op::Dup | Op::DupX1 | Op::DupX2)) => {
            let pops = usize::from(op.pop_slots().unwrap_or(0));
            (pops, pops + 1)
        }
        Insn::Plain(op @ (Op::Dup2 | Op::Dup2X1 | Op::Dup2X2)) => {
            let pops = usize::from(op.pop_slots().unwrap_or(0));
            (pops, pops + 2)
        }
        Insn::Plain(Op::Swap) => (2, 2),
        _ => {
            // Whatever is left pushes one reference where the table says `*`.
            let op = insn.op().unwrap_or(Op::Nop);
            (
                usize::from(op.pop_slots().unwrap_or(0)),
                usize::from(op.push_slots().unwrap_or(1)),
            )
        }
    })
}
