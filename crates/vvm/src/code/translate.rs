//! From stack bytecode to the register form.
//!
//! Each basic block is simulated with a stack of symbolic operands: loads and constants emit nothing, they
//! are used in place (copy propagation), and the result of an operator goes straight to the local variable
//! that the next instruction stores it in. Blocks are laid out in bytecode order, so that "lowest pc first"
//! means the same in both forms.
//!
//! The invariant that makes this simple: an operand on the simulated stack is a constant, a local variable,
//! or the stack register of its own position or of one below it whose operand is in place.

use super::blocks::{self, Bytes};
use super::op::{Code, Handler, Op, Reg, Site, SwitchTable};
use crate::error::{Result, VmError};
use crate::trace::TracedStore;
use crate::value::Kind;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;

/// A constant that `ldc` loads, as far as translation must know it.
#[derive(Debug, Clone, Copy)]
pub enum Loadable {
    /// An `int`.
    Int(i32),
    /// The bits of a `float`.
    Float(u32),
    /// A `long` or the bits of a `double`.
    Wide(u64),
    /// A string, class, method type, method handle or dynamic constant.
    Other,
    /// A dynamic constant of type `long` or `double`.
    OtherWide,
}

/// What translation asks the constant pool.
pub trait PoolInfo {
    /// The constant at an index.
    fn loadable(&self, index: u16) -> Result<Loadable>;
    /// Descriptor of the field, method or call site at an index.
    fn descriptor(&self, index: u16) -> Result<String>;
}

/// A row of the exception table.
#[derive(Debug, Clone, Copy)]
pub struct RawHandler {
    /// Start of the range.
    pub start: u16,
    /// End of the range.
    pub end: u16,
    /// Where control goes.
    pub handler: u16,
    /// Pool index of the class, 0 for any.
    pub class: u16,
}

/// A method to translate.
pub struct Input<'a> {
    /// Class id, kept in the result.
    pub class: u32,
    /// Method id, kept in the result.
    pub method: u32,
    /// The bytecode.
    pub bytes: &'a [u8],
    /// Local variables.
    pub max_locals: u16,
    /// Operand stack depth.
    pub max_stack: u16,
    /// Exception table.
    pub handlers: &'a [RawHandler],
    /// Kinds of the parameters, receiver first.
    pub params: &'a [Kind],
    /// The constant pool.
    pub pool: &'a dyn PoolInfo,
    /// Stores to a watched variable.
    pub traced: &'a [TracedStore],
}

/// An operand on the simulated stack.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Reg(Reg),
    Int(i32),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) wide: bool,
    /// The stack register of this position.
    pub(super) home: Reg,
}

#[derive(Default)]
struct Block {
    ops: Vec<Op>,
    positions: Vec<u16>,
}

pub(super) struct Translator<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) code: Bytes<'a>,
    leader: Vec<bool>,
    pub(super) stack: Vec<Entry>,
    block: Block,
    pub(super) pc: usize,
    /// Stack shapes (is each operand wide?) at block entries that are reached.
    shapes: BTreeMap<usize, Vec<bool>>,
    todo: Vec<usize>,
    pub(super) wide: Vec<u64>,
    pub(super) sites: Vec<Site>,
    /// Switches with targets still as bytecode positions.
    pub(super) switches: Vec<blocks::RawSwitch>,
    /// Bytecode targets of jumps, in order of emission; an op's `t` indexes this until layout.
    pub(super) jumps: Vec<usize>,
    too_large: bool,
}

/// Instructions that the test of a loop may have to be copied.
const MOST_TURNED: usize = 4;

/// Temporaries after the operand stack.
const TEMPS: u16 = 4;

/// Translates a method.
pub fn translate(input: &Input<'_>) -> Result<Code> {
    let code = Bytes(input.bytes);
    let leader = blocks::leaders(
        input.bytes,
        input.handlers.iter().map(|h| usize::from(h.handler)),
    )?;
    let mut translator = Translator {
        input,
        code,
        leader,
        stack: Vec::new(),
        block: Block::default(),
        pc: 0,
        shapes: BTreeMap::new(),
        todo: Vec::new(),
        wide: Vec::new(),
        sites: Vec::new(),
        switches: Vec::new(),
        jumps: Vec::new(),
        too_large: false,
    };
    translator.reach(0, Vec::new())?;
    for handler in input.handlers {
        translator.reach(usize::from(handler.handler), vec![false])?;
    }
    let mut blocks = BTreeMap::new();
    while let Some(start) = translator.todo.pop() {
        let block = translator.block_at(start)?;
        blocks.insert(start, block);
    }
    translator.layout(blocks)
}

impl<'a> Translator<'a> {
    /// Notes that a block is reached with a stack of this shape.
    pub(super) fn reach(&mut self, target: usize, shape: Vec<bool>) -> Result<()> {
        match self.shapes.get(&target) {
            Some(known) if *known == shape => Ok(()),
            Some(_) => Err(VmError::bad_class(
                "operand stacks differ where control joins",
            )),
            None => {
                self.shapes.insert(target, shape);
                self.todo.push(target);
                Ok(())
            }
        }
    }

    /// Brings every operand to its stack register and notes the target.
    pub(super) fn reach_flushed(&mut self, target: usize) -> Result<()> {
        let shape = self.stack.iter().map(|entry| entry.wide).collect();
        self.reach(target, shape)
    }

    fn block_at(&mut self, start: usize) -> Result<Block> {
        self.block = Block::default();
        self.stack.clear();
        let shape = self.shapes[&start].clone();
        for wide in shape {
            let home = self.next_home();
            self.push(Value::Reg(home), wide);
        }
        self.pc = start;
        loop {
            let next = self.pc + blocks::length(self.code, self.pc)?;
            let falls = self.instruction()?;
            self.trace();
            if !falls {
                break;
            }
            if next >= self.input.bytes.len() {
                return Err(VmError::bad_class("control falls off the end of a method"));
            }
            if self.leader[next] {
                self.flush();
                self.reach_flushed(next)?;
                break;
            }
            self.pc = next;
        }
        Ok(std::mem::take(&mut self.block))
    }

    /// Follows a watched store by an instruction that notes the value.
    fn trace(&mut self) {
        let traced = self.input.traced;
        let Some(store) = traced.iter().find(|t| usize::from(t.pc) == self.pc) else {
            return;
        };
        let value = match (store.local, self.block.ops.last()) {
            (Some(local), _) => local,
            (None, Some(Op::PutField { s, .. } | Op::PutStatic { s, .. })) => *s,
            _ => return,
        };
        self.emit(Op::Trace {
            s: value,
            i: store.place,
        });
    }

    fn next_home(&self) -> Reg {
        let base = self.input.max_locals;
        self.stack
            .last()
            .map_or(base, |entry| entry.home + if entry.wide { 2 } else { 1 })
    }

    pub(super) fn push(&mut self, value: Value, wide: bool) {
        let home = self.next_home();
        self.stack.push(Entry { value, wide, home });
    }

    pub(super) fn pop(&mut self) -> Result<Entry> {
        self.stack
            .pop()
            .ok_or_else(|| VmError::bad_class("operand stack underflow"))
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.block.ops.push(op);
        self.block.positions.push(self.pc as u16);
    }

    /// Pops an operand into a register.
    pub(super) fn pop_reg(&mut self) -> Result<Reg> {
        let entry = self.pop()?;
        Ok(self.in_reg(entry))
    }

    pub(super) fn in_reg(&mut self, entry: Entry) -> Reg {
        match entry.value {
            Value::Reg(reg) => reg,
            Value::Int(k) => {
                self.emit(Op::Const { d: entry.home, k });
                entry.home
            }
        }
    }

    /// Emits an operator whose destination is the next stack register and pushes it.
    pub(super) fn push_op(&mut self, wide: bool, make: impl FnOnce(Reg) -> Op) {
        let home = self.next_home();
        self.emit(make(home));
        self.push(Value::Reg(home), wide);
    }

    fn place(&mut self, index: usize) {
        let entry = self.stack[index];
        match entry.value {
            Value::Reg(reg) if reg == entry.home => return,
            Value::Reg(reg) => self.emit(Op::Move {
                d: entry.home,
                s: reg,
            }),
            Value::Int(k) => self.emit(Op::Const { d: entry.home, k }),
        }
        self.stack[index].value = Value::Reg(entry.home);
    }

    /// Brings every operand to its stack register, as block boundaries demand.
    pub(super) fn flush(&mut self) {
        for index in 0..self.stack.len() {
            self.place(index);
        }
    }

    /// Saves operands that stand for a local variable about to change.
    fn save_uses_of(&mut self, local: Reg) -> bool {
        let mut saved = false;
        for index in 0..self.stack.len() {
            if matches!(self.stack[index].value, Value::Reg(reg) if reg == local) {
                self.place(index);
                saved = true;
            }
        }
        saved
    }

    /// Stores the top of the stack in a local variable.
    pub(super) fn store(&mut self, local: Reg) -> Result<()> {
        let entry = self.pop()?;
        let saved = self.save_uses_of(local);
        match entry.value {
            Value::Int(k) => self.emit(Op::Const { d: local, k }),
            Value::Reg(reg) if reg == local => {}
            Value::Reg(reg) => {
                let shared = self
                    .stack
                    .iter()
                    .any(|other| matches!(other.value, Value::Reg(r) if r == reg));
                let is_stack = reg >= self.input.max_locals;
                if !saved && !shared && is_stack && self.redirect(reg, local) {
                    return Ok(());
                }
                self.emit(Op::Move { d: local, s: reg });
            }
        }
        Ok(())
    }

    /// Makes the last instruction write `to` instead of `from`, if that is what it writes.
    fn redirect(&mut self, from: Reg, to: Reg) -> bool {
        let Some(last) = self.block.ops.last_mut() else {
            return false;
        };
        if matches!(last, Op::MultiNewArray { .. }) {
            return false;
        }
        match last.dest_mut() {
            Some(dest) if *dest == from => {
                *dest = to;
                true
            }
            _ => false,
        }
    }

    /// Takes back the `lcmp` that has just been emitted into a register which nothing else uses.
    pub(super) fn take_long_compare(&mut self, reg: Reg) -> Option<(Reg, Reg)> {
        let shared = self
            .stack
            .iter()
            .any(|other| matches!(other.value, Value::Reg(r) if r == reg));
        match self.block.ops.last() {
            Some(&Op::Bin {
                op: super::arith::Binary::LCmp,
                d,
                a,
                b,
            }) if d == reg && !shared => {
                self.block.ops.pop();
                self.block.positions.pop();
                Some((a, b))
            }
            _ => None,
        }
    }

    /// `iinc`.
    pub(super) fn increment(&mut self, local: Reg, by: i32) {
        self.save_uses_of(local);
        match i16::try_from(by) {
            Ok(k) => self.emit(Op::IAddK {
                d: local,
                a: local,
                k,
            }),
            Err(_) => {
                let d = self.temp(0);
                self.emit(Op::Const { d, k: by });
                self.emit(Op::IAdd {
                    d: local,
                    a: local,
                    b: d,
                });
            }
        }
    }

    pub(super) fn temp(&self, index: u16) -> Reg {
        self.input.max_locals + self.input.max_stack + index
    }

    /// Replaces the top `count` operands by the given selection of them (indices from the bottom of the
    /// group), for `dup_x1`, `swap` and their kin.
    pub(super) fn rearrange(&mut self, count: usize, order: &[usize]) -> Result<()> {
        let mut group = Vec::new();
        for _ in 0..count {
            group.insert(0, self.pop()?);
        }
        let base = self.input.max_locals;
        let mut temp = 0;
        for entry in &mut group {
            if let Value::Reg(reg) = entry.value
                && reg >= base
            {
                let d = self.temp(temp);
                temp += 1;
                self.emit(Op::Move { d, s: reg });
                entry.value = Value::Reg(d);
            }
        }
        for &index in order {
            let entry = group[index];
            match entry.value {
                Value::Reg(reg) if reg >= base => {
                    self.push_op(entry.wide, |d| Op::Move { d, s: reg })
                }
                value => self.push(value, entry.wide),
            }
        }
        Ok(())
    }

    /// Emits a jump to a bytecode position.
    pub(super) fn jump(&mut self, mut op: Op, target: usize) -> Result<()> {
        let index = self.jumps.len();
        self.jumps.push(target);
        match op.target_mut() {
            Some(t) => *t = index as u16,
            None => return Err(VmError::bad_class("not a jump")),
        }
        self.too_large |= index > usize::from(u16::MAX);
        self.emit(op);
        self.reach_flushed(target)
    }

    /// A loop that ends with a jump to a short test at its head gets a copy of the test there instead, the other way
    /// round: one jump an iteration, not two.
    fn turn_loops(&mut self, blocks: &mut BTreeMap<usize, Block>) {
        let starts: Vec<usize> = blocks.keys().copied().collect();
        let after = |start: usize| {
            let next = starts.partition_point(|&other| other <= start);
            starts.get(next).copied()
        };
        for &start in &starts {
            let Some(&Op::Goto { t }) = blocks[&start].ops.last() else {
                continue;
            };
            let head = self.jumps[usize::from(t)];
            if head > start || blocks[&head].ops.len() > MOST_TURNED {
                continue;
            }
            let (mut ops, mut positions) =
                (blocks[&head].ops.clone(), blocks[&head].positions.clone());
            let (Some(turned), Some(body)) = (ops.pop().and_then(Op::inverted), after(head)) else {
                continue;
            };
            let (mut turned, simple) = (turned, ops.iter().all(Op::is_copied_freely));
            let Some(target) = turned.target_mut() else {
                continue;
            };
            let leaves_to = self.jumps[usize::from(*target)];
            if !simple
                || after(start) != Some(leaves_to)
                || self.jumps.len() >= usize::from(u16::MAX)
            {
                continue;
            }
            *target = self.jumps.len() as u16;
            self.jumps.push(body);
            ops.push(turned);
            let block = blocks.entry(start).or_default();
            block.ops.pop();
            block.positions.pop();
            block.ops.append(&mut ops);
            block.positions.append(&mut positions);
        }
    }

    fn layout(mut self, mut blocks: BTreeMap<usize, Block>) -> Result<Code> {
        self.turn_loops(&mut blocks);
        let mut starts = BTreeMap::new();
        let (mut ops, mut positions) = (Vec::new(), Vec::new());
        for (start, block) in blocks {
            starts.insert(start, ops.len() as u16);
            ops.extend(block.ops);
            positions.extend(block.positions);
            if ops.len() > usize::from(u16::MAX) - 1 || self.too_large {
                return Err(VmError::bad_class("method too large for the register form"));
            }
        }
        for op in &mut ops {
            if let Some(t) = op.target_mut() {
                *t = starts[&self.jumps[usize::from(*t)]];
            }
        }
        let switches = self.switches.iter().map(|raw| SwitchTable {
            low: raw.low,
            keys: raw.keys.clone().into(),
            targets: raw.targets.iter().map(|target| starts[target]).collect(),
            default: starts[&raw.default],
        });
        let handlers = self.input.handlers.iter().map(|raw| Handler {
            start: u32::from(raw.start),
            end: u32::from(raw.end),
            target: starts[&usize::from(raw.handler)],
            class: raw.class,
            reg: self.input.max_locals,
        });
        let mut next = 0;
        let params = self.input.params.iter().map(|kind| {
            let reg = next;
            next += kind.words();
            reg
        });
        Ok(Code {
            class: self.input.class,
            method: self.input.method,
            positions: positions.into(),
            regs: self.input.max_locals + self.input.max_stack + TEMPS,
            params: params.collect(),
            wide: self.wide.into(),
            class_sites: RefCell::default(),
            switches: switches.collect(),
            handlers: handlers.collect(),
            regions: RefCell::default(),
            live: OnceCell::new(),
            sites: self.sites.into(),
            ops: ops.into_iter().map(Cell::new).collect(),
        })
    }
}
