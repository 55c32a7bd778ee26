//! Traps and exceptions: what a state does when an instruction cannot simply go on.

use super::states::{Regs, State, save};
use super::thrown::Thrown;
use super::{Done, Mixed};
use crate::class::ClassId;
use crate::code::op::{Code, Handler, Reg};
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot, as_ref, is_choice};
use crate::vm::Vm;
use braid_cond::Cond;
use std::cell::Cell;

/// Where the running state goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flow {
    /// On at this instruction.
    Go(usize),
    /// Nowhere: it has left the frame or waits.
    Dead,
}

/// What an abort object stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AbortKind {
    /// The VM cannot follow the program; the detail is the index of the reason.
    Unknown,
    /// `System.exit`; the detail is the status.
    Exit,
    /// More backward jumps and calls than allowed.
    Endless,
}

/// Calls that the reason of an unknown result names.
const SHOWN_CALLS: usize = 6;

const ABORT_KIND: u32 = 2;
const ABORT_DETAIL: u32 = 3;

impl Vm {
    /// Deals with a trap of the instruction at `pc`.
    pub(crate) fn handle(
        &mut self,
        code: &Code,
        multi: &mut Option<usize>,
        regs: &Regs,
        pc: usize,
        trap: Trap,
        _stack: &[Cell<Slot>],
    ) -> Step<Flow> {
        let parts = match trap {
            Trap::Split(slot) => self
                .leaves(slot)?
                .into_iter()
                .map(|(cond, _)| cond)
                .collect(),
            Trap::SplitOn(cond) => {
                let ctx = self.ctx;
                vec![self.conds.and(ctx, cond)?, self.conds.minus(ctx, cond)?]
            }
            Trap::Parts(parts) => parts,
            trap => {
                self.calls.push(crate::vm::Call {
                    method: code.method,
                    pc: pc as u32,
                });
                let exception = self.exception_of(trap);
                let exception = exception.and_then(|slot| self.drop_if_fast(slot));
                self.calls.pop();
                return self.raise(code, multi, regs, pc, exception?);
            }
        };
        let parts: Vec<Cond> = parts.into_iter().filter(|part| !part.is_false()).collect();
        if parts.len() <= 1 {
            return Err(Trap::unknown(
                "internal: a split of the context has only one part",
            ));
        }
        self.split(code, multi, regs, pc, parts);
        Ok(Flow::Dead)
    }

    /// In fast mode an exception in part of the configurations ends them, as unknown.
    fn drop_if_fast(&mut self, slot: Slot) -> Step<Slot> {
        if !self.fast || self.ctx == self.universe {
            return Ok(slot);
        }
        let object = self.plain_ref(slot);
        if let Ok(object) = object
            && self.abort_of(object).is_some()
        {
            return Ok(slot);
        }
        let name = match object {
            Ok(object) => self.java_name(self.class_of(object)),
            Err(_) => "an exception".into(),
        };
        let index = self.reason(format!("dropped by fast mode at {name}"));
        Ok(u64::from(self.abort(AbortKind::Unknown, index)?))
    }

    /// The exception (or abort) that a trap other than a split stands for.
    pub(crate) fn exception_of(&mut self, trap: Trap) -> Step<Slot> {
        match trap {
            Trap::Throw(slot) => {
                let slot = self.simplify(slot)?;
                if slot == 0 {
                    return Ok(u64::from(
                        self.make_exception("java/lang/NullPointerException", None)?,
                    ));
                }
                Ok(slot)
            }
            Trap::New(class, message) => {
                let made = self.make_exception(class, message.as_deref())?;
                Ok(u64::from(made))
            }
            Trap::Exit(status) => Ok(u64::from(self.abort(AbortKind::Exit, status as u32)?)),
            Trap::Unknown(reason) => {
                let index = self.reason(reason);
                Ok(u64::from(self.abort(AbortKind::Unknown, index)?))
            }
            other => Err(Trap::unknown(format!("internal: unexpected {other:?}"))),
        }
    }

    /// The index of a reason; the innermost calls are part of it, since they say what led there.
    fn reason(&mut self, reason: String) -> u32 {
        let callers: Vec<String> = self
            .calls
            .iter()
            .rev()
            .take(SHOWN_CALLS)
            .map(|call| self.short_name(call.method))
            .collect();
        let reason = if callers.is_empty() {
            reason
        } else {
            format!("{reason} (in {})", callers.join(" < "))
        };
        let known = self.reasons.iter().position(|old| *old == reason);
        known.unwrap_or_else(|| {
            self.reasons.push(reason);
            self.reasons.len() - 1
        }) as u32
    }

    /// An object that passes every handler on its way out.
    pub(crate) fn abort(&mut self, kind: AbortKind, detail: u32) -> Step<Ref> {
        let object = self.allocate(self.known.abort, 4, 0)?;
        self.heap.set_field(object, ABORT_KIND, kind as u64);
        self.heap.set_field(object, ABORT_DETAIL, u64::from(detail));
        Ok(object)
    }

    /// What an abort object says, or `None` for an exception.
    pub(crate) fn abort_of(&self, object: Ref) -> Option<(AbortKind, u32)> {
        if self.class_of(object) != self.known.abort {
            return None;
        }
        let kind = match self.heap.field(object, ABORT_KIND) {
            0 => AbortKind::Unknown,
            1 => AbortKind::Exit,
            _ => AbortKind::Endless,
        };
        Some((kind, self.heap.field(object, ABORT_DETAIL) as u32))
    }

    /// The running state throws.
    fn raise(
        &mut self,
        code: &Code,
        multi: &mut Option<usize>,
        regs: &Regs,
        pc: usize,
        exception: Slot,
    ) -> Step<Flow> {
        let exception = self.simplify(exception)?;
        if is_choice(exception) {
            let thrown = vec![(self.ctx, exception)];
            self.raise_apart(code, multi, regs, pc, &thrown)?;
            return Ok(Flow::Dead);
        }
        let class = self.class_of(as_ref(exception));
        if let Some(handler) = self.handler(code, pc, class)? {
            regs[usize::from(handler.reg)].set(exception);
            return Ok(Flow::Go(usize::from(handler.target)));
        }
        if multi.is_none() {
            self.escaped = exception;
        } else {
            let ctx = self.ctx;
            self.add_throw(multi, ctx, exception)?;
        }
        Ok(Flow::Dead)
    }

    /// An exception in part of the context becomes states of its own at their handlers, or leaves the frame.
    fn raise_apart(
        &mut self,
        code: &Code,
        multi: &mut Option<usize>,
        regs: &Regs,
        pc: usize,
        thrown: &Thrown,
    ) -> Step<()> {
        let mut passed: Thrown = Vec::new();
        let mut caught: Vec<((u16, Reg), Thrown)> = Vec::new();
        for (cond, exception) in self.exceptions(thrown)? {
            let class = self.class_of(as_ref(exception));
            let Some(handler) = self.handler(code, pc, class)? else {
                passed.push((cond, exception));
                continue;
            };
            let key = (handler.target, handler.reg);
            match caught.iter_mut().find(|(other, _)| *other == key) {
                Some((_, group)) => group.push((cond, exception)),
                None => caught.push((key, vec![(cond, exception)])),
            }
        }
        for (cond, exception) in passed {
            self.add_throw(multi, cond, exception)?;
        }
        for ((target, reg), group) in caught {
            let mut regs = save(regs, code.regs);
            regs[usize::from(reg)] = self.as_value(&group)?;
            let state = State {
                pc: usize::from(target),
                ctx: self.thrown_where(&group)?,
                regs,
                fuel: self.fuel,
                path: self.walked(),
                fresh: false,
            };
            self.add_state(multi, state);
        }
        Ok(())
    }

    /// The first handler at `pc` for an exception of this class. Aborts are never caught.
    fn handler(&mut self, code: &Code, pc: usize, class: ClassId) -> Step<Option<Handler>> {
        if class == self.known.abort {
            return Ok(None);
        }
        let position = u32::from(code.positions[pc]);
        for handler in code.handlers.iter() {
            if position < handler.start || position >= handler.end {
                continue;
            }
            if handler.class == 0 {
                return Ok(Some(*handler));
            }
            let caught = self.pool_class(code.class, handler.class)?;
            if self.is_subclass(class, caught) {
                return Ok(Some(*handler));
            }
        }
        Ok(None)
    }

    /// A call ended other than with a plain value.
    pub(crate) fn after_call(
        &mut self,
        code: &Code,
        multi: &mut Option<usize>,
        regs: &Regs,
        pc: usize,
        dest: Reg,
        done: Done,
    ) -> Step<Flow> {
        match done {
            Done::Value(value) => {
                regs[usize::from(dest)].set(value);
                Ok(Flow::Go(pc + 1))
            }
            Done::Threw(exception) => self.raise(code, multi, regs, pc, exception),
            Done::Mixed(mixed) => {
                if !mixed.thrown.is_empty() {
                    self.raise_apart(code, multi, regs, pc, &mixed.thrown)?;
                }
                let (returned, value) = mixed.returned;
                if returned.is_false() {
                    return Ok(Flow::Dead);
                }
                self.ctx = returned;
                regs[usize::from(dest)].set(value);
                Ok(Flow::Go(pc + 1))
            }
        }
    }

    /// The next state of a frame whose running state is gone, or the frame's result.
    pub(crate) fn next_state(
        &mut self,
        code: &Code,
        entry: Cond,
        multi: Option<usize>,
        regs: &Regs,
    ) -> Result<usize, Done> {
        if multi.is_none() {
            return Err(self.finish_thrown(entry));
        }
        match self.schedule(code, multi, regs, None) {
            Ok(Some(pc)) => Ok(pc),
            Ok(None) => Err(self.finish(entry, multi)),
            Err(trap) => Err(self.give_up(entry, multi, trap)),
        }
    }

    /// The frame's only state threw.
    pub(crate) fn finish_thrown(&mut self, entry: Cond) -> Done {
        self.ctx = entry;
        Done::Threw(std::mem::take(&mut self.escaped))
    }

    fn finish(&mut self, entry: Cond, multi: Option<usize>) -> Done {
        self.ctx = entry;
        let index = multi.expect("only frames with several states finish here");
        let multi = self.multis.swap_remove(index);
        self.set_fuel(multi.fuel);
        self.path = multi.path;
        debug_assert_eq!(index, self.multis.len());
        match (multi.returned, &multi.thrown[..]) {
            (Some((_, value)), []) => Done::Value(value),
            (None, &[(_, exception)]) => Done::Threw(exception),
            (returned, _) => Done::Mixed(Box::new(Mixed {
                returned: returned.unwrap_or((Cond::FALSE, 0)),
                thrown: multi.thrown,
            })),
        }
    }

    /// The VM cannot go on in this frame: everything in it becomes unknown.
    #[cold]
    pub(crate) fn give_up(&mut self, entry: Cond, multi: Option<usize>, trap: Trap) -> Done {
        if let Some(index) = multi {
            self.multis.truncate(index);
        }
        self.ctx = entry;
        match self.exception_of(trap) {
            Ok(exception) => Done::Threw(exception),
            // Not even an abort object fits: the reserve that was set aside at start-up is used.
            Err(_) => Done::Threw(u64::from(self.last_resort)),
        }
    }
}
