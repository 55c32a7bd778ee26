//! Walks a method's code once and tells, before each instruction, how deep the operand stack is
//! and where the expression began that computed the instruction's operands.

mod uses;

use braid_classfile::{Code, Constant, ConstantPool, FieldType, Insn, Label, MethodDescriptor, Op};

use crate::kind::Kind;

/// A value, or half of one, on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    /// The instruction at which the expression begins that computed it.
    pub(crate) start: u32,
    /// The instructions that pushed it: two where the branches of an expression come together.
    pub(crate) pushed_by: [u32; 2],
}

/// What is known before an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// Slots on the stack.
    pub(crate) depth: u16,
    /// Where the expression begins that computes the operands; the instruction itself if it has
    /// none.
    pub(crate) start: u32,
    /// Kind of the value on top.
    pub(crate) top: Kind,
}

const NOTHING: Before = Before {
    depth: 0,
    start: 0,
    top: Kind::Int,
};

/// What a walk finds out.
pub(crate) struct Facts {
    /// What is known before each item.
    pub(crate) before: Vec<Before>,
    /// What each item pushes, if it pushes one value.
    pub(crate) pushes: Vec<Option<Kind>>,
    /// As what the pushed value is used, where a declaration says so.
    pub(crate) uses: Vec<Option<Kind>>,
}

/// The walk. Code from compilers is laid out so that one pass in order sees a predecessor of
/// every instruction first.
pub(crate) struct Walk<'c> {
    code: &'c Code,
    pool: ConstantPool<'c>,
    stack: Vec<Slot>,
    /// The stack at labels that were jumped to.
    at_labels: Vec<Option<Vec<Slot>>>,
    /// Locals with a name: slot, positions from and to, kind.
    named: Vec<(u16, usize, usize, Kind)>,
    /// Locals with a name that hold arrays of booleans: slot, positions from and to.
    boolean_arrays: Vec<(u16, usize, usize)>,
    /// What was stored last into a local, where the class does not name locals.
    stored: Vec<Kind>,
    returns: Option<Kind>,
    uses: Vec<Option<Kind>>,
    alive: bool,
}

impl<'c> Walk<'c> {
    pub(crate) fn new(
        code: &'c Code,
        pool: ConstantPool<'c>,
        positions: &[usize],
        parameters: impl Iterator<Item = Kind>,
        returns: Option<Kind>,
    ) -> Walk<'c> {
        let mut stored = vec![Kind::Int; usize::from(code.max_locals)];
        let mut local = 0;
        for kind in parameters {
            if let Some(slot) = stored.get_mut(local) {
                *slot = kind;
            }
            local += if kind.is_wide() { 2 } else { 1 };
        }
        let place = |label: Label| positions.get(label.0 as usize).copied();
        let named = |local: &braid_classfile::LocalVar| {
            let ty = FieldType::parse(pool.utf8(local.descriptor).ok()?).ok()?;
            let (from, to) = (place(local.start)?, place(local.end)?);
            Some((local.index, from, to, Kind::of(ty)))
        };
        let boolean_array = |local: &braid_classfile::LocalVar| {
            let descriptor = pool.utf8(local.descriptor).ok()?;
            let range = (local.index, place(local.start)?, place(local.end)?);
            (descriptor == "[Z").then_some(range)
        };
        let mut walk = Walk {
            code,
            pool,
            stack: Vec::new(),
            at_labels: vec![None; code.label_count() as usize],
            named: code.locals.iter().filter_map(named).collect(),
            boolean_arrays: code.locals.iter().filter_map(boolean_array).collect(),
            stored,
            returns,
            uses: vec![None; code.insns.len()],
            alive: true,
        };
        for range in &code.tries {
            let start = place(range.handler).unwrap_or(0) as u32;
            let caught = Slot {
                kind: Kind::Reference,
                start,
                pushed_by: [start; 2],
            };
            walk.meet(range.handler, vec![caught]);
        }
        walk
    }

    /// Walks over the code.
    pub(crate) fn run(mut self) -> Facts {
        let mut all = vec![NOTHING; self.code.insns.len()];
        let mut pushes = vec![None; self.code.insns.len()];
        for (at, &insn) in self.code.insns.iter().enumerate() {
            if let Insn::Label(label) = insn {
                self.arrive(label);
                all[at].depth = self.stack.len() as u16;
                all[at].start = at as u32;
                continue;
            }
            pushes[at] = self.pops_and_pushes(at, insn).1;
            all[at] = self.step(at, insn);
        }
        Facts {
            before: all,
            pushes,
            uses: self.uses,
        }
    }

    fn meet(&mut self, label: Label, stack: Vec<Slot>) {
        if let Some(known @ None) = self.at_labels.get_mut(label.0 as usize) {
            *known = Some(stack);
        }
    }

    /// At a label the values that lay on the stack when it was jumped to are there; where both
    /// ways come together, an expression began at the earlier place.
    fn arrive(&mut self, label: Label) {
        let Some(Some(known)) = self.at_labels.get(label.0 as usize) else {
            return;
        };
        if !self.alive || known.len() != self.stack.len() {
            self.stack.clone_from(known);
        } else {
            for (slot, other) in self.stack.iter_mut().zip(known) {
                slot.start = slot.start.min(other.start);
                slot.pushed_by[1] = other.pushed_by[0];
                if other.kind == Kind::Boolean {
                    slot.kind = Kind::Boolean;
                }
            }
        }
        self.alive = true;
    }

    fn step(&mut self, at: usize, insn: Insn) -> Before {
        let depth = self.stack.len() as u16;
        let top = match self.stack.as_slice() {
            [.., wide, half] if half.kind == Kind::Half => wide.kind,
            [.., slot] => slot.kind,
            [] => Kind::Int,
        };
        let start = match insn {
            Insn::Plain(op) if Op::Dup as u8 <= op as u8 && op as u8 <= Op::Swap as u8 => {
                self.shuffle(op, at)
            }
            _ => self.effect(at, insn),
        };
        self.branch(insn);
        Before { depth, start, top }
    }

    fn pop(&mut self, slots: usize) -> Option<u32> {
        let from = self.stack.len().saturating_sub(slots);
        self.stack.drain(from..).map(|slot| slot.start).min()
    }

    fn push(&mut self, kind: Kind, start: u32, at: u32) {
        let pushed_by = [at; 2];
        let halves = if kind.is_wide() {
            &[kind, Kind::Half][..]
        } else {
            &[kind]
        };
        for kind in halves.iter().copied() {
            self.stack.push(Slot {
                kind,
                start,
                pushed_by,
            });
        }
    }

    /// Copies and swaps slots: how many are taken from the top, and in which order they come back.
    fn shuffle(&mut self, op: Op, at: usize) -> u32 {
        let order: &[usize] = match op {
            Op::Dup => &[0, 0],
            Op::DupX1 => &[0, 1, 0],
            Op::DupX2 => &[0, 2, 1, 0],
            Op::Dup2 => &[1, 0, 1, 0],
            Op::Dup2X1 => &[1, 0, 2, 1, 0],
            Op::Dup2X2 => &[1, 0, 3, 2, 1, 0],
            _ => &[0, 1],
        };
        let taken = usize::from(op.pop_slots().unwrap_or(0));
        let from = self.stack.len().saturating_sub(taken);
        let mut top: Vec<Slot> = self.stack.drain(from..).collect();
        top.reverse();
        let start = top.iter().map(|s| s.start).min().unwrap_or(at as u32);
        for slot in order.iter().filter_map(|depth| top.get(*depth)) {
            self.stack.push(Slot { start, ..*slot });
        }
        start
    }

    /// Pops the operands and pushes the result; where the operands' expression began.
    fn effect(&mut self, at: usize, insn: Insn) -> u32 {
        let own = at as u32;
        let (pops, pushes) = self.pops_and_pushes(at, insn);
        self.uses_of(at, insn);
        let start = self.pop(pops).unwrap_or(own);
        if let Insn::Local(op, local) = insn
            && op.is_store()
            && let Some(slot) = self.stored.get_mut(usize::from(local))
        {
            *slot = Kind::Int;
        }
        if let Some(kind) = pushes {
            self.push(kind, start, own);
        }
        start
    }

    fn pops_and_pushes(&self, at: usize, insn: Insn) -> (usize, Option<Kind>) {
        match insn {
            Insn::Const(_, index) => (0, Some(constant_kind(self.pool, index))),
            Insn::Field(op, index) => {
                let kind = self.field_kind(index);
                let size = if kind.is_wide() { 2 } else { 1 };
                match op {
                    Op::Getstatic => (0, Some(kind)),
                    Op::Putstatic => (size, None),
                    Op::Getfield => (1, Some(kind)),
                    _ => (size + 1, None),
                }
            }
            Insn::Invoke(op, index) => self.call(index, op != Op::Invokestatic),
            Insn::InvokeInterface(index, _) => self.call(index, true),
            Insn::InvokeDynamic(index) => match self.pool.dynamic(index) {
                Ok(dynamic) => effect_of(dynamic.descriptor, false),
                Err(_) => (0, None),
            },
            Insn::MultiNewArray(_, dimensions) => (usize::from(dimensions), Some(Kind::Reference)),
            Insn::Switch(_) => (1, None),
            Insn::Local(Op::Iload, local) => (0, Some(self.local_kind(at, local))),
            Insn::Plain(op @ (Op::Iand | Op::Ior | Op::Ixor)) => (
                usize::from(op.pop_slots().unwrap_or(0)),
                Some(self.logical()),
            ),
            Insn::Plain(Op::Baload) => {
                let array = self.stack.len().checked_sub(2).map(|at| self.stack[at]);
                (2, array.map(|array| self.byte_kind(array)))
            }
            Insn::Plain(Op::I2b) => (1, Some(Kind::Byte)),
            Insn::Plain(Op::I2c) => (1, Some(Kind::Char)),
            Insn::Plain(Op::I2s) => (1, Some(Kind::Short)),
            Insn::Plain(Op::Caload) => (2, Some(Kind::Char)),
            Insn::Plain(Op::Saload) => (2, Some(Kind::Short)),
            Insn::Class(Op::Instanceof, _) => (1, Some(Kind::Boolean)),
            _ => table_effect(insn),
        }
    }

    /// `&`, `|` and `^` of booleans are booleans.
    fn logical(&self) -> Kind {
        match self.stack.as_slice() {
            [.., a, b] if a.kind == Kind::Boolean || b.kind == Kind::Boolean => Kind::Boolean,
            _ => Kind::Int,
        }
    }

    fn call(&self, index: u16, receiver: bool) -> (usize, Option<Kind>) {
        match self.pool.method(index) {
            Ok(member) => effect_of(member.descriptor, receiver),
            Err(_) => (0, None),
        }
    }

    fn field_kind(&self, index: u16) -> Kind {
        let member = self.pool.field(index);
        let ty = member.and_then(|member| FieldType::parse(member.descriptor));
        ty.map_or(Kind::Int, Kind::of)
    }

    fn local_kind(&self, at: usize, local: u16) -> Kind {
        let stored = self.stored.get(usize::from(local)).copied();
        let small = |kind: &Kind| kind.is_int() || *kind == Kind::Boolean;
        self.named_kind(at, local)
            .or(stored)
            .filter(small)
            .unwrap_or(Kind::Int)
    }

    fn is_boolean_array(&self, at: usize, local: u16) -> bool {
        let named = |row: &(u16, usize, usize)| row.0 == local && row.1 <= at && at < row.2;
        self.boolean_arrays.iter().any(named)
    }

    fn branch(&mut self, insn: Insn) {
        match insn {
            Insn::Jump(_, label) => self.meet(label, self.stack.clone()),
            Insn::Switch(index) => {
                if let Some(switch) = self.code.switches.get(index as usize) {
                    for label in switch.targets() {
                        self.meet(label, self.stack.clone());
                    }
                }
            }
            _ => {}
        }
        if insn.ends_block() {
            self.alive = false;
            self.stack.clear();
        }
    }
}

fn effect_of(descriptor: braid_classfile::JStr<'_>, receiver: bool) -> (usize, Option<Kind>) {
    match MethodDescriptor::parse(descriptor) {
        Ok(descriptor) => (
            usize::from(descriptor.parameter_slots()) + usize::from(receiver),
            descriptor.return_type().map(Kind::of),
        ),
        Err(_) => (0, None),
    }
}

/// The effect that the opcode table tells; what it leaves open pushes one reference.
fn table_effect(insn: Insn) -> (usize, Option<Kind>) {
    let op = insn.op().unwrap_or(Op::Nop);
    let pushes = op.pushes().as_bytes().first();
    (
        usize::from(op.pop_slots().unwrap_or(0)),
        pushes.map(|letter| Kind::of_letter(*letter)),
    )
}

/// The kind of a loaded constant.
pub(crate) fn constant_kind(pool: ConstantPool<'_>, index: u16) -> Kind {
    match pool.get(index) {
        Ok(Constant::Integer(_)) => Kind::Int,
        Ok(Constant::Long(_)) => Kind::Long,
        Ok(Constant::Float(_)) => Kind::Float,
        Ok(Constant::Double(_)) => Kind::Double,
        Ok(Constant::Dynamic(dynamic)) => {
            FieldType::parse(dynamic.descriptor).map_or(Kind::Reference, Kind::of)
        }
        _ => Kind::Reference,
    }
}
