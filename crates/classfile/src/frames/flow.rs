//! The data-flow engine: simulates the code from the method's entry until no state changes.
//!
//! States are kept only at *targets*: labels that some jump, switch or handler leads to. Between
//! targets the code is straight and is simulated in one go. The lowest changed target goes next,
//! which for code from a compiler is close to reverse post-order, so most targets are simulated
//! once and loop bodies twice.
//!
//! In forward mode the targets that came with a frame are *pinned*: their state is that frame and
//! never changes.

use crate::edit::{Code, Insn, Label, PoolBuilder};
use crate::error::{ErrorKind, Result};
use crate::frames::merge::Lattice;
use crate::frames::state::State;
use crate::frames::step::Context;
use crate::frames::types::{Types, VType, well_known};
use crate::opcode::Op;

/// Scratch memory of the engine, reused from method to method.
#[derive(Default)]
pub(crate) struct Flow {
    labels: Vec<LabelInfo>,
    /// The labels in code order.
    order: Vec<Label>,
    /// Number of labels that something leads to.
    led_to: usize,
    /// For each instruction that no other falls through to: the labels that stand before it, as
    /// a range of `order`.
    entries: Vec<(u32, u32)>,
    targets: Vec<Target>,
    /// One bit for each target that must be simulated (again).
    dirty: Vec<u64>,
    arena: Vec<VType>,
    news: Vec<(u32, VType)>,
    tries: Vec<Try>,
    /// Handlers of the instruction being simulated: target and caught type.
    active: Vec<(u32, VType)>,
    state: State,
    max_locals: usize,
    /// The method's initial locals in slots.
    start: Vec<VType>,
}

#[derive(Clone, Copy, Default)]
struct LabelInfo {
    /// Where it stands plus one; 0 if nowhere.
    place: u32,
    /// Number of the target plus one; 0 if nothing leads here.
    target: u32,
    /// A try range starts or ends here.
    boundary: bool,
}

#[derive(Clone, Copy)]
struct Target {
    label: Label,
    position: u32,
    /// Offset of locals and stack in the arena.
    state: u32,
    stack: u32,
    reached: bool,
    pinned: bool,
}

#[derive(Clone, Copy)]
struct Try {
    start: u32,
    end: u32,
    target: u32,
    caught: VType,
}

/// Instructions without operand that control does not go on from.
static ENDS: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < Op::ALL.len() {
        table[i] = Op::ALL[i].is_return() || matches!(Op::ALL[i], Op::Athrow);
        i += 1;
    }
    table
};

/// The types a method starts with.
pub(crate) struct MethodStart {
    /// Receiver, if it has one: the class, or `this` before the super constructor call.
    pub(crate) receiver: Option<VType>,
    /// Text index of the method's descriptor.
    pub(crate) descriptor: u16,
    /// The class itself.
    pub(crate) this: VType,
}

impl Flow {
    /// Simulates the code. Afterwards the frames, the deepest stack and the number of locals can
    /// be asked for.
    pub(crate) fn run(
        &mut self,
        code: &Code,
        pool: &PoolBuilder<'_>,
        types: &mut Types,
        start: &MethodStart,
        lattice: &Lattice<'_>,
    ) -> Result<()> {
        self.prepare(code, pool, types)?;
        self.load_start(pool, types, start)?;
        if lattice.hierarchy.is_none() {
            self.pin(code);
        }
        let news = std::mem::take(&mut self.news);
        let this = start.this;
        let mut context = Context {
            pool,
            types,
            this,
            news: &news,
        };
        let mut done = self.walk(code, &mut context, lattice, 0);
        while done.is_ok()
            && let Some(target) = self.next_dirty()
        {
            self.load(target);
            let position = self.targets[target].position as usize + 1;
            done = self.walk(code, &mut context, lattice, position);
        }
        self.news = news;
        done
    }

    /// Finds labels, targets, handlers, `new`s and the number of locals.
    fn prepare(&mut self, code: &Code, pool: &PoolBuilder<'_>, types: &mut Types) -> Result<()> {
        self.labels.clear();
        self.labels
            .resize(code.label_count() as usize, LabelInfo::default());
        self.news.clear();
        self.targets.clear();
        self.arena.clear();
        self.max_locals = 0;
        self.order.clear();
        self.led_to = 0;
        self.entries.clear();
        // Number of labels when the last block ended, if no instruction came since.
        let mut ended = None;
        for (position, insn) in code.insns.iter().enumerate() {
            if let Insn::Label(label) = *insn {
                self.put_label(label, position)?;
                continue;
            }
            if let Some(start) = ended.take() {
                self.entries.push((start, self.order.len() as u32));
            }
            match *insn {
                Insn::Local(op, local) => {
                    let wide = matches!(op, Op::Lload | Op::Dload | Op::Lstore | Op::Dstore);
                    let end = usize::from(local) + if wide { 2 } else { 1 };
                    self.max_locals = self.max_locals.max(end);
                }
                Insn::Plain(op) => {
                    if !ENDS[op as usize] {
                        continue;
                    }
                    ended = Some(self.order.len() as u32);
                }
                Insn::Jump(op, label) => {
                    self.note_jump(op, label, position)?;
                    if !op.is_conditional() {
                        ended = Some(self.order.len() as u32);
                    }
                }
                Insn::Iinc(local, _) => {
                    self.max_locals = self.max_locals.max(usize::from(local) + 1);
                }
                Insn::Class(Op::New, index) => {
                    let class = types.of_class(pool, index)?;
                    self.news.push((position as u32, class));
                }
                Insn::Switch(index) => {
                    self.note_switch(code, index, position)?;
                    ended = Some(self.order.len() as u32);
                }
                _ => {}
            }
        }
        for range in &code.tries {
            self.label(range.start)?.boundary = true;
            self.label(range.end)?.boundary = true;
            self.lead_to(range.handler, 0)?;
        }
        self.number_targets()?;
        self.prepare_tries(code, pool, types)
    }

    fn label(&mut self, label: Label) -> Result<&mut LabelInfo> {
        let info = self.labels.get_mut(label.0 as usize);
        info.ok_or_else(|| ErrorKind::Label(label.0).at(0))
    }

    #[inline]
    fn put_label(&mut self, label: Label, position: usize) -> Result<()> {
        match self.labels.get_mut(label.0 as usize) {
            Some(info) if info.place == 0 => info.place = position as u32 + 1,
            _ => return Err(ErrorKind::Label(label.0).at(position)),
        }
        self.order.push(label);
        Ok(())
    }

    #[inline]
    fn note_jump(&mut self, op: Op, label: Label, position: usize) -> Result<()> {
        if matches!(op, Op::Jsr | Op::JsrW) {
            return Err(ErrorKind::Flow("subroutines have no frames").at(position));
        }
        self.lead_to(label, position)
    }

    /// Makes a label a target.
    #[inline]
    fn lead_to(&mut self, label: Label, position: usize) -> Result<()> {
        match self.labels.get_mut(label.0 as usize) {
            Some(info) => {
                self.led_to += usize::from(info.target == 0);
                info.target = 1;
                Ok(())
            }
            None => Err(ErrorKind::Label(label.0).at(position)),
        }
    }

    fn note_switch(&mut self, code: &Code, index: u32, position: usize) -> Result<()> {
        let Some(switch) = code.switches.get(index as usize) else {
            return Err(ErrorKind::Encode("a switch that is not there").at(position));
        };
        switch
            .targets()
            .try_for_each(|label| self.note_jump(Op::Goto, label, position))
    }

    fn number_targets(&mut self) -> Result<()> {
        self.dirty.clear();
        if self.led_to == 0 {
            return Ok(());
        }
        for label in &self.order {
            let info = &mut self.labels[label.0 as usize];
            if info.target != 0 {
                self.targets.push(Target {
                    label: *label,
                    position: info.place - 1,
                    state: 0,
                    stack: 0,
                    reached: false,
                    pinned: false,
                });
                info.target = self.targets.len() as u32;
            }
        }
        if self.targets.len() < self.led_to {
            let misplaced = |info: &LabelInfo| info.target != 0 && info.place == 0;
            let label = self.labels.iter().position(misplaced).unwrap_or(0);
            return Err(ErrorKind::Label(label as u32).at(0));
        }
        self.dirty.resize(self.targets.len().div_ceil(64), 0);
        Ok(())
    }

    fn prepare_tries(
        &mut self,
        code: &Code,
        pool: &PoolBuilder<'_>,
        types: &mut Types,
    ) -> Result<()> {
        self.tries.clear();
        for range in &code.tries {
            let (start, end) = (*self.label(range.start)?, *self.label(range.end)?);
            if start.place == 0 || end.place == 0 {
                return Err(ErrorKind::Label(range.start.0).at(0));
            }
            let caught = match range.catch_type {
                0 => VType::object(well_known::THROWABLE),
                index => types.of_class(pool, index)?,
            };
            let target = self.label(range.handler)?.target - 1;
            self.tries.push(Try {
                start: start.place - 1,
                end: end.place - 1,
                target,
                caught,
            });
        }
        Ok(())
    }

    fn load_start(
        &mut self,
        pool: &PoolBuilder<'_>,
        types: &mut Types,
        start: &MethodStart,
    ) -> Result<()> {
        let descriptor = types.descriptor(pool, start.descriptor)?;
        self.start.clear();
        self.start.extend(start.receiver);
        self.start.extend_from_slice(types.parameters(descriptor));
        self.max_locals = self.max_locals.max(self.start.len());
        self.state.stack.clear();
        self.state.max_stack = 0;
        self.state.locals.clear();
        self.state.locals.extend_from_slice(&self.start);
        self.state.locals.resize(self.max_locals, VType::TOP);
        Ok(())
    }

    /// Gives the targets that have a frame in the code that frame as their fixed state.
    fn pin(&mut self, code: &Code) {
        for frame in code.frames.iter() {
            let number = match self.labels.get(frame.label.0 as usize) {
                Some(info) if info.target != 0 => info.target as usize - 1,
                _ => continue,
            };
            let state = self.arena.len();
            let locals = frame.locals.len().min(self.max_locals);
            for ty in &frame.locals[..locals] {
                self.arena.push(self.ordinal(code, *ty));
            }
            self.arena.resize(state + self.max_locals, VType::TOP);
            for ty in frame.stack {
                self.arena.push(self.ordinal(code, *ty));
            }
            self.targets[number].state = state as u32;
            self.targets[number].stack = frame.stack.len() as u32;
            self.targets[number].reached = true;
            self.targets[number].pinned = true;
            self.dirty[number / 64] |= 1 << (number % 64);
        }
    }

    /// Names the result of a `new` by the ordinal of the first `new` behind the label.
    fn ordinal(&self, code: &Code, ty: VType) -> VType {
        if !ty.is_uninitialized() || ty.payload() >= code.label_count() {
            return ty;
        }
        let place = self.labels[ty.payload() as usize].place;
        let ordinal = self.news.partition_point(|(at, _)| *at + 1 < place);
        VType::uninitialized(ordinal as u32)
    }

    fn next_dirty(&mut self) -> Option<usize> {
        let (word, bits) = self
            .dirty
            .iter_mut()
            .enumerate()
            .find(|(_, bits)| **bits != 0)?;
        let bit = bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        Some(word * 64 + bit)
    }

    /// Makes a target's state the current one.
    fn load(&mut self, target: usize) {
        let target = &self.targets[target];
        let start = target.state as usize;
        let middle = start + self.max_locals;
        self.state.locals.clear();
        self.state
            .locals
            .extend_from_slice(&self.arena[start..middle]);
        self.state.stack.clear();
        let stack = &self.arena[middle..middle + target.stack as usize];
        self.state.stack.extend_from_slice(stack);
        self.state.max_stack = self.state.max_stack.max(stack.len());
    }

    /// The handlers of the instruction at a position.
    fn refresh_active(&mut self, position: usize) {
        self.active.clear();
        let position = position as u32;
        for range in &self.tries {
            if range.start <= position && position < range.end {
                self.active.push((range.target, range.caught));
            }
        }
    }

    /// Simulates from a position until control cannot go on or meets a state that does not change.
    fn walk(
        &mut self,
        code: &Code,
        context: &mut Context<'_, '_>,
        lattice: &Lattice<'_>,
        from: usize,
    ) -> Result<()> {
        self.refresh_active(from);
        // True if the locals changed since the handlers last saw them.
        let mut changed = true;
        for (offset, insn) in code.insns[from..].iter().enumerate() {
            let position = from + offset;
            let at = |kind: ErrorKind| kind.at(position);
            if let Insn::Label(label) = *insn {
                let info = self.labels[label.0 as usize];
                if info.boundary {
                    self.refresh_active(position);
                    changed = true;
                }
                if info.target != 0 {
                    if !self
                        .arrive(context.types, lattice, info.target as usize - 1)
                        .map_err(at)?
                    {
                        return Ok(());
                    }
                    changed = true;
                }
                continue;
            }
            if changed && !self.active.is_empty() {
                self.throw(context.types, lattice).map_err(at)?;
            }
            context
                .step(&mut self.state, *insn, position as u32)
                .map_err(at)?;
            changed = match *insn {
                Insn::Local(op, _) => op.is_store(),
                Insn::Invoke(op, _) => op == Op::Invokespecial,
                Insn::Plain(op) if ENDS[op as usize] => return Ok(()),
                Insn::Jump(op, label) => {
                    self.branch(context.types, lattice, label).map_err(at)?;
                    if !op.is_conditional() {
                        return Ok(());
                    }
                    false
                }
                Insn::Switch(index) => {
                    for label in code.switches[index as usize].targets() {
                        self.branch(context.types, lattice, label).map_err(at)?;
                    }
                    return Ok(());
                }
                _ => false,
            };
        }
        Err(ErrorKind::Flow("control falls off the end of the code").at(code.insns.len()))
    }

    /// Falls into a target. True if the code behind it must be simulated, with its state loaded.
    fn arrive(
        &mut self,
        types: &mut Types,
        lattice: &Lattice<'_>,
        target: usize,
    ) -> Result<bool, ErrorKind> {
        let first = !self.targets[target].reached;
        self.merge_into(types, lattice, target, None)?;
        let bit = 1 << (target % 64);
        let word = &mut self.dirty[target / 64];
        if *word & bit == 0 {
            return Ok(false);
        }
        *word &= !bit;
        if !first {
            self.load(target);
        }
        Ok(true)
    }

    /// Merges the current state into the target of a jump.
    #[inline]
    fn branch(
        &mut self,
        types: &mut Types,
        lattice: &Lattice<'_>,
        label: Label,
    ) -> Result<(), ErrorKind> {
        let target = self.labels[label.0 as usize].target as usize - 1;
        self.merge_into(types, lattice, target, None)
    }

    /// Merges the locals into the handlers of the current instruction.
    fn throw(&mut self, types: &mut Types, lattice: &Lattice<'_>) -> Result<(), ErrorKind> {
        for i in 0..self.active.len() {
            let (target, caught) = self.active[i];
            self.merge_into(types, lattice, target as usize, Some(caught))?;
        }
        // A handler starts with the exception on the stack.
        self.state.max_stack = self.state.max_stack.max(1);
        Ok(())
    }

    /// Merges the current state (with `caught` alone on the stack, if given) into a target's.
    fn merge_into(
        &mut self,
        types: &mut Types,
        lattice: &Lattice<'_>,
        number: usize,
        caught: Option<VType>,
    ) -> Result<(), ErrorKind> {
        let target = &mut self.targets[number];
        let thrown = caught.map(|ty| [ty]);
        let stack = thrown
            .as_ref()
            .map_or(self.state.stack.as_slice(), |one| one);
        if target.pinned {
            return Ok(());
        }
        if !target.reached {
            target.reached = true;
            target.state = self.arena.len() as u32;
            target.stack = stack.len() as u32;
            self.arena.extend_from_slice(&self.state.locals);
            self.arena.extend_from_slice(stack);
            self.dirty[number / 64] |= 1 << (number % 64);
            return Ok(());
        }
        if target.stack as usize != stack.len() {
            return Err(ErrorKind::Conflict("operand stacks of different depth"));
        }
        let (start, locals) = (target.state as usize, self.state.locals.len());
        let (old_locals, old_stack) =
            self.arena[start..start + locals + stack.len()].split_at_mut(locals);
        let mut changed = merge_all(types, lattice, old_locals, &self.state.locals)?;
        let on_stack = merge_all(types, lattice, old_stack, stack)?;
        if on_stack && lattice.hierarchy.is_none() {
            return Err(ErrorKind::Conflict("operand types that differ"));
        }
        changed |= on_stack;
        if changed {
            self.dirty[number / 64] |= 1 << (number % 64);
        }
        Ok(())
    }
}

/// Merges new types into old ones; true if an old one changed.
#[inline]
fn merge_all(
    types: &mut Types,
    lattice: &Lattice<'_>,
    old: &mut [VType],
    new: &[VType],
) -> Result<bool, ErrorKind> {
    let mut changed = false;
    for (old, new) in old.iter_mut().zip(new) {
        if *old != *new && *old != VType::TOP {
            let merged = lattice.merge(types, *old, *new)?;
            changed |= merged != *old;
            *old = merged;
        }
    }
    Ok(changed)
}

/// A frame that the engine computed.
pub(crate) struct ComputedFrame<'f> {
    pub(crate) label: Label,
    pub(crate) locals: &'f [VType],
    pub(crate) stack: &'f [VType],
}

/// What is known after [`Flow::run`].
impl Flow {
    /// The state at every reached target, in code order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = ComputedFrame<'_>> {
        self.targets
            .iter()
            .filter(|target| target.reached)
            .map(|target| {
                let start = target.state as usize;
                let middle = start + self.max_locals;
                ComputedFrame {
                    label: target.label,
                    locals: &self.arena[start..middle],
                    stack: &self.arena[middle..middle + target.stack as usize],
                }
            })
    }

    /// The deepest operand stack in slots.
    pub(crate) fn max_stack(&self) -> usize {
        self.state.max_stack
    }

    /// The number of local slots.
    pub(crate) fn max_locals(&self) -> usize {
        self.max_locals
    }

    /// The locals the method starts with, in slots.
    pub(crate) fn start(&self) -> &[VType] {
        &self.start
    }

    /// Whether an item is reached, given whether control goes on to it.
    fn reaches(&self, insn: Insn, reachable: &mut bool) -> bool {
        if let Insn::Label(label) = insn {
            let target = self.labels[label.0 as usize].target;
            *reachable |= target != 0 && self.targets[target as usize - 1].reached;
            return true;
        }
        let reached = *reachable;
        *reachable = reached && !insn.ends_block();
        reached
    }

    /// Removes the instructions that no path reaches; true if there were any.
    pub(crate) fn remove_dead(&self, code: &mut Code) -> bool {
        let reached = |label: &Label| {
            let target = self.labels[label.0 as usize].target;
            target != 0 && self.targets[target as usize - 1].reached
        };
        let live = |(start, end): &(u32, u32)| {
            self.order[*start as usize..*end as usize]
                .iter()
                .any(reached)
        };
        if self.entries.iter().all(live) {
            return false;
        }
        let mut reachable = true;
        code.insns
            .retain(|insn| self.reaches(*insn, &mut reachable));
        true
    }
}
