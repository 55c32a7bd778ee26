//! Several states in one frame: splitting, scheduling, merging.
//!
//! A frame starts with one state. Once a branch depends on a choice, the frame holds several: each has its
//! own instruction, context and registers; the contexts are disjoint. The state with the lowest instruction
//! runs first, and states that meet at an instruction become one, their live registers joined by context.

use super::decide::Jump;
use super::thrown::Thrown;
use crate::code::liveness;
use crate::code::op::Code;
use crate::trap::Step;
use crate::value::Slot;
use crate::vm::Vm;
use braid_cond::Cond;
use std::cell::Cell;

/// A state that waits.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) pc: usize,
    pub(crate) ctx: Cond,
    pub(crate) regs: Box<[Slot]>,
    pub(crate) fuel: u64,
    /// The longest way that leads here, in steps.
    pub(crate) path: u64,
    /// Split off to run its instruction alone: must take a step before it may merge.
    pub(crate) fresh: bool,
}

/// The waiting states of a frame and what its finished states produced.
#[derive(Debug, Default)]
pub(crate) struct Multi {
    pub(crate) states: Vec<State>,
    pub(crate) returned: Option<(Cond, Slot)>,
    pub(crate) thrown: Thrown,
    /// The most fuel that a finished state had left.
    pub(crate) fuel: u64,
    /// The longest way to the end of a finished state, in steps.
    pub(crate) path: u64,
}

impl Multi {
    /// Whether some state has returned or thrown.
    pub(crate) fn has_finished(&self) -> bool {
        self.returned.is_some() || !self.thrown.is_empty()
    }
}

/// Registers of the running state.
pub(crate) type Regs = [Cell<Slot>];

pub(crate) fn save(regs: &Regs, count: u16) -> Box<[Slot]> {
    regs[..usize::from(count)].iter().map(Cell::get).collect()
}

fn load(regs: &Regs, saved: &[Slot]) {
    regs.iter()
        .zip(saved)
        .for_each(|(cell, &slot)| cell.set(slot));
}

impl Vm {
    /// The frame's record of states, made on first use.
    pub(crate) fn multi(&mut self, multi: &mut Option<usize>) -> &mut Multi {
        let index = *multi.get_or_insert_with(|| {
            self.multis.push(Multi::default());
            self.multis.len() - 1
        });
        &mut self.multis[index]
    }

    /// Adds a waiting state with the given registers.
    pub(crate) fn add_state(&mut self, multi: &mut Option<usize>, state: State) {
        let multi = self.multi(multi);
        multi.states.push(state);
        let count = multi.states.len();
        self.counters.peak_states = self.counters.peak_states.max(count);
    }

    /// The instruction at which the running state must stop: the lowest waiting one.
    pub(crate) fn limit(&self, multi: Option<usize>) -> usize {
        let Some(index) = multi else {
            return usize::MAX;
        };
        let states = &self.multis[index].states;
        states
            .iter()
            .map(|state| if state.fresh { 0 } else { state.pc })
            .min()
            .unwrap_or(usize::MAX)
    }

    /// The running state goes both ways at a branch. Returns where to go on.
    pub(crate) fn fork(
        &mut self,
        code: &Code,
        multi: &mut Option<usize>,
        regs: &Regs,
        Jump {
            taken,
            rest,
            target,
        }: Jump,
        next: usize,
    ) -> Step<usize> {
        if taken.is_false() {
            return Ok(next);
        }
        if rest.is_false() {
            return Ok(target);
        }
        self.counters.splits += 1;
        let ((run_pc, run_ctx), (wait_pc, wait_ctx)) = if target <= next {
            ((target, taken), (next, rest))
        } else {
            ((next, rest), (target, taken))
        };
        let state = State {
            pc: wait_pc,
            ctx: wait_ctx,
            regs: save(regs, code.regs),
            fuel: self.fuel,
            path: self.walked(),
            fresh: false,
        };
        self.add_state(multi, state);
        self.ctx = run_ctx;
        Ok(run_pc)
    }

    /// Replaces the running state by parts of its context that each run the present instruction alone.
    pub(crate) fn split(
        &mut self,
        code: &Code,
        multi: &mut Option<usize>,
        regs: &Regs,
        pc: usize,
        parts: Vec<Cond>,
    ) {
        self.counters.splits += parts.len() as u64 - 1;
        for ctx in parts {
            let regs = save(regs, code.regs);
            let (fuel, path) = (self.fuel, self.walked());
            self.add_state(
                multi,
                State {
                    pc,
                    ctx,
                    regs,
                    fuel,
                    path,
                    fresh: true,
                },
            );
        }
    }

    /// Called when the running state (if it is still alive) has reached the lowest waiting one: chooses
    /// which state runs next, merges all that stand at the same instruction, and returns where to go on,
    /// or `None` when no state is left.
    pub(crate) fn schedule(
        &mut self,
        code: &Code,
        multi: Option<usize>,
        regs: &Regs,
        running: Option<usize>,
    ) -> Step<Option<usize>> {
        let Some(index) = multi else {
            return Ok(running);
        };
        if let Some(at) = self.multis[index]
            .states
            .iter()
            .position(|state| state.fresh)
        {
            let state = self.multis[index].states.swap_remove(at);
            if let Some(pc) = running {
                self.suspend(code, index, regs, pc);
            }
            self.resume(&state, regs);
            return Ok(Some(state.pc));
        }
        let lowest = self.multis[index].states.iter().map(|state| state.pc).min();
        let pc = match (running, lowest) {
            (None, None) => return Ok(None),
            (Some(pc), None) => return Ok(Some(pc)),
            (Some(pc), Some(lowest)) if pc <= lowest => pc,
            (running, Some(lowest)) => {
                if let Some(pc) = running {
                    self.suspend(code, index, regs, pc);
                }
                let states = &mut self.multis[index].states;
                let at = states
                    .iter()
                    .position(|state| state.pc == lowest)
                    .expect("the minimum is there");
                let state = states.swap_remove(at);
                self.resume(&state, regs);
                lowest
            }
        };
        self.merge_at(code, index, regs, pc)?;
        Ok(Some(pc))
    }

    fn suspend(&mut self, code: &Code, index: usize, regs: &Regs, pc: usize) {
        let state = State {
            pc,
            ctx: self.ctx,
            regs: save(regs, code.regs),
            fuel: self.fuel,
            path: self.walked(),
            fresh: false,
        };
        self.multis[index].states.push(state);
    }

    fn resume(&mut self, state: &State, regs: &Regs) {
        load(regs, &state.regs);
        self.ctx = state.ctx;
        self.set_fuel(state.fuel);
        self.path = state.path;
    }

    /// Another state's fuel; what the running one used is counted.
    pub(crate) fn set_fuel(&mut self, fuel: u64) {
        let used = self.fuel_mark.wrapping_sub(self.fuel);
        self.counters.steps += used;
        self.path += used;
        self.fuel = fuel;
        self.fuel_mark = fuel;
    }

    /// How many steps the longest way to the running state has.
    pub(crate) fn walked(&self) -> u64 {
        self.path + self.fuel_mark.wrapping_sub(self.fuel)
    }

    /// Joins every waiting state at `pc` into the running one.
    fn merge_at(&mut self, code: &Code, index: usize, regs: &Regs, pc: usize) -> Step<()> {
        let mut at = 0;
        while at < self.multis[index].states.len() {
            if self.multis[index].states[at].pc != pc {
                at += 1;
                continue;
            }
            let state = self.multis[index].states.swap_remove(at);
            self.counters.merges += 1;
            let live = code.live.get_or_init(|| liveness::compute(code));
            for reg in live.at(pc) {
                let cell = &regs[usize::from(reg)];
                let joined =
                    self.select_slot(state.ctx, state.regs[usize::from(reg)], cell.get())?;
                cell.set(joined);
            }
            self.ctx = self.conds.or(self.ctx, state.ctx)?;
            let fuel = self.fuel.max(state.fuel);
            self.set_fuel(fuel);
            self.path = self.path.max(state.path);
        }
        Ok(())
    }

    /// Notes that the running state returned.
    pub(crate) fn add_return(&mut self, multi: &mut Option<usize>, value: Slot) -> Step<()> {
        let ctx = self.ctx;
        let before = self.multi(multi).returned;
        let joined = self.join_result(before, ctx, value)?;
        let (fuel, path) = (self.fuel, self.walked());
        let multi = self.multi(multi);
        multi.returned = Some(joined);
        multi.fuel = multi.fuel.max(fuel);
        multi.path = multi.path.max(path);
        Ok(())
    }

    /// Notes that the frame throws in a context.
    pub(crate) fn add_throw(
        &mut self,
        multi: &mut Option<usize>,
        ctx: Cond,
        exception: Slot,
    ) -> Step<()> {
        let mut thrown = std::mem::take(&mut self.multi(multi).thrown);
        let added = self.add_thrown(&mut thrown, ctx, exception);
        let (fuel, path) = (self.fuel, self.walked());
        let multi = self.multi(multi);
        multi.thrown = thrown;
        multi.fuel = multi.fuel.max(fuel);
        multi.path = multi.path.max(path);
        added
    }

    fn join_result(
        &mut self,
        before: Option<(Cond, Slot)>,
        ctx: Cond,
        slot: Slot,
    ) -> Step<(Cond, Slot)> {
        match before {
            None => Ok((ctx, slot)),
            Some((old_ctx, old)) => Ok((
                self.conds.or(old_ctx, ctx)?,
                self.select_slot(ctx, slot, old)?,
            )),
        }
    }
}
