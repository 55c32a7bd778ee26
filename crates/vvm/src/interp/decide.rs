//! Branches whose ways only compute and soon meet again: both are run at once, and their results joined.
//!
//! `if (option) return a - b; return a + b;` makes one value that is a choice, not two states of the frame, which
//! have to be stored, scheduled and merged. Since a [region](crate::code::region) has no effects, it is simply run in the
//! usual manner when this one fails.

use super::quick::Frame;
use super::states::Regs;
use crate::code::arith::Binary;
use crate::code::op::Op;
use crate::code::region::{self, MOST_WRITES, Region};
use crate::code::shape::{Operand, Operator};
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::Vm;
use braid_cond::Cond;
use std::rc::Rc;

/// Where a region was left.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Left {
    /// Where its ways meet.
    At(usize),
    /// By returning this.
    Returned(Slot),
}

/// A conditional jump: the parts of the context that jump and do not, and where to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jump {
    pub(crate) taken: Cond,
    pub(crate) rest: Cond,
    pub(crate) target: usize,
}

impl Vm {
    /// Both ways of a branch at once.
    ///
    /// `None` if what follows is not a region below `limit` or could not be run this way; nothing has changed then.
    pub(crate) fn decide(
        &mut self,
        frame: &Frame<'_>,
        pc: usize,
        limit: usize,
        jump: Jump,
    ) -> Step<Option<Left>> {
        let Some(region) = region_after(frame, pc).filter(|region| region.end <= limit) else {
            return Ok(None);
        };
        let ctx = self.ctx;
        let before = values(frame.regs, &region);
        let left = self.both(frame, &region, pc, jump);
        self.ctx = ctx;
        if !matches!(left, Ok(Some(_))) {
            restore(frame.regs, &region, &before);
        }
        left
    }

    /// Runs both ways and joins them, in the registers. The context is the caller's to restore.
    fn both(
        &mut self,
        frame: &Frame<'_>,
        region: &Region,
        pc: usize,
        Jump {
            taken,
            rest,
            target,
        }: Jump,
    ) -> Step<Option<Left>> {
        let ctx = self.ctx;
        self.counters.splits += 1;
        let before = values(frame.regs, region);
        self.ctx = taken;
        let Some(first) = self.follow(frame, region, target)? else {
            return Ok(None);
        };
        let then = values(frame.regs, region);
        restore(frame.regs, region, &before);
        self.ctx = rest;
        let Some(second) = self.follow(frame, region, pc + 1)? else {
            return Ok(None);
        };
        self.ctx = ctx;
        self.counters.merges += 1;
        match (first, second) {
            (Left::At(one), Left::At(other)) if one == other => {
                for (&reg, &value) in region.writes.iter().zip(&then) {
                    let cell = &frame.regs[usize::from(reg)];
                    cell.set(self.select_slot(taken, value, cell.get())?);
                }
                Ok(Some(first))
            }
            (Left::Returned(one), Left::Returned(other)) => {
                Ok(Some(Left::Returned(self.select_slot(taken, one, other)?)))
            }
            _ => Ok(None),
        }
    }

    /// Runs one way to where it leaves the region, or gives up.
    fn follow(&mut self, frame: &Frame<'_>, region: &Region, mut pc: usize) -> Step<Option<Left>> {
        let regs = frame.regs;
        let ops = &frame.code.ops[..region.stop];
        loop {
            pc = self.quick(frame, ops, pc);
            let Some(op) = ops.get(pc) else {
                return Ok(Some(Left::At(pc)));
            };
            let op = op.get();
            if let Some((d, operator)) = op.operator() {
                regs[usize::from(d)].set(self.apply(regs, operator)?);
                pc += 1;
                continue;
            }
            let jump = match op {
                Op::Return { s } => {
                    return Ok(Some(Left::Returned(regs[usize::from(s)].get())));
                }
                Op::ReturnVoid => return Ok(Some(Left::Returned(0))),
                Op::GetStaticQ { d, f } => {
                    regs[usize::from(d)].set(self.get_static(f)?);
                    pc += 1;
                    continue;
                }
                Op::Div { op, d, a, b } => {
                    let (a, b) = (regs[usize::from(a)].get(), regs[usize::from(b)].get());
                    match self.lift_divide(op, a, b) {
                        Ok(value) => regs[usize::from(d)].set(value),
                        Err(Trap::SplitOn(_) | Trap::New(..)) => return Ok(None),
                        Err(trap) => return Err(trap),
                    }
                    pc += 1;
                    continue;
                }
                op => match self.jumps(regs, op)? {
                    Some(jump) => jump,
                    None => return Ok(None),
                },
            };
            if jump.taken.is_false() {
                pc += 1;
            } else if jump.rest.is_false() {
                pc = jump.target;
            } else {
                return self.both(frame, region, pc, jump);
            }
        }
    }

    /// The value of an operand.
    fn operand(regs: &Regs, operand: Operand) -> Slot {
        match operand {
            Operand::Reg(reg) => regs[usize::from(reg)].get(),
            Operand::Plain(slot) => slot,
        }
    }

    /// Applies a pure operator to registers, whatever they hold.
    pub(crate) fn apply(&mut self, regs: &Regs, operator: Operator) -> Step<Slot> {
        match operator {
            Operator::Two(op, a, b) => {
                self.lift2(op, regs[usize::from(a)].get(), Self::operand(regs, b))
            }
            Operator::One(op, a) => self.lift1(op, regs[usize::from(a)].get()),
        }
    }

    /// What a conditional jump does in the current context.
    pub(crate) fn jumps(&mut self, regs: &Regs, op: Op) -> Step<Option<Jump>> {
        let (how, a, b, target) = if let Op::JLong { how, a, b, t } = op {
            let (a, b) = (regs[usize::from(a)].get(), regs[usize::from(b)].get());
            (how, self.lift2(Binary::LCmp, a, b)?, 0, usize::from(t))
        } else if let Some((how, a, b, target)) = op.comparison() {
            (
                how,
                regs[usize::from(a)].get(),
                Self::operand(regs, b),
                target,
            )
        } else {
            return Ok(None);
        };
        let (taken, rest) = self.part_by(how, a, b)?;
        Ok(Some(Jump {
            taken,
            rest,
            target,
        }))
    }
}

/// The region after a branch, found out once.
fn region_after(frame: &Frame<'_>, pc: usize) -> Option<Rc<Region>> {
    let code = frame.code;
    if let Some(known) = code.regions.borrow().get(&pc) {
        return known.clone();
    }
    let found = region::after(code, pc).ok()?.map(Rc::new);
    code.regions.borrow_mut().insert(pc, found.clone());
    found
}

fn values(regs: &Regs, region: &Region) -> [Slot; MOST_WRITES] {
    let mut values = [0; MOST_WRITES];
    for (value, &reg) in values.iter_mut().zip(region.writes.iter()) {
        *value = regs[usize::from(reg)].get();
    }
    values
}

fn restore(regs: &Regs, region: &Region, values: &[Slot; MOST_WRITES]) {
    for (&reg, &value) in region.writes.iter().zip(values) {
        regs[usize::from(reg)].set(value);
    }
}
