//! From the code model to instruction bytes: code offsets, short and wide jumps, switch padding.

use crate::edit::code::Code;
use crate::edit::insn::{Cases, Insn, Label, Switch};
use crate::error::{ErrorKind, Result};
use crate::opcode::{Op, OperandKind};

/// Where everything came to stand, and scratch memory.
#[derive(Default)]
pub(crate) struct Layout {
    /// Code offset of each label plus one; 0 if it stands nowhere.
    label_pcs: Vec<u32>,
    /// Code offsets of the `new` instructions in order.
    pub(crate) news: Vec<u32>,
    /// Code offset of each item, if the code has annotations that need it.
    pub(crate) item_pcs: Vec<u32>,
    fixups: Vec<Fixup>,
    /// The bytes; longer than they need be, so that it rarely has to grow.
    buffer: Vec<u8>,
    pub(crate) size: u32,
}

#[derive(Clone, Copy)]
struct Fixup {
    /// Position in the bytes.
    at: u32,
    /// Code offset of the instruction.
    pc: u32,
    label: Label,
    wide: bool,
}

/// What became of an attempt to encode.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Encoded {
    Done,
    /// Some jump does not reach its target; [`widen`] it and try again.
    JumpTooLong,
}

const MAX_CODE: usize = 0xffff;
const WINDOW: usize = 8;
type Window = [u8; WINDOW];

impl Layout {
    /// Code offset of a label.
    pub(crate) fn pc(&self, label: Label) -> Result<u32> {
        match self.label_pcs.get(label.0 as usize) {
            Some(&pc) if pc != 0 => Ok(pc - 1),
            _ => Err(ErrorKind::Label(label.0).at(0)),
        }
    }

    /// Encodes the instructions; [`Layout::bytes`] has them afterwards.
    pub(crate) fn encode(&mut self, code: &Code) -> Result<Encoded> {
        self.label_pcs.clear();
        self.label_pcs.resize(code.label_count() as usize, 0);
        self.news.clear();
        self.fixups.clear();
        self.item_pcs.clear();
        let note_items = !code.type_annotations.is_empty();
        let mut pc = 0;
        for (position, insn) in code.insns.iter().enumerate() {
            if note_items {
                self.item_pcs.push(pc as u32);
            }
            // Every instruction but a switch fits into a window of eight bytes.
            if self.buffer.len() < pc + WINDOW {
                self.buffer.resize(2 * (pc + WINDOW), 0);
            }
            let window: &mut Window = (&mut self.buffer[pc..pc + WINDOW])
                .try_into()
                .expect("a slice of this length");
            let at = |kind: ErrorKind| kind.at(position);
            pc += match *insn {
                Insn::Label(label) => {
                    match self.label_pcs.get_mut(label.0 as usize) {
                        Some(slot) if *slot == 0 => *slot = pc as u32 + 1,
                        _ => return Err(at(ErrorKind::Label(label.0))),
                    }
                    0
                }
                Insn::Jump(op, label) => {
                    window[0] = op as u8;
                    if !matches!(op.kind(), OperandKind::Jump | OperandKind::JumpWide) {
                        return Err(at(WRONG_OPCODE));
                    }
                    self.jump(pc, op, label)
                }
                Insn::Switch(index) => match code.switches.get(index as usize) {
                    Some(switch) => self.switch(pc, switch),
                    None => return Err(at(ErrorKind::Encode("a switch that is not there"))),
                },
                insn => {
                    if matches!(insn, Insn::Class(Op::New, _)) {
                        self.news.push(pc as u32);
                    }
                    encode_simple(window, insn).map_err(at)?
                }
            };
        }
        self.size = pc as u32;
        if pc == 0 || pc > MAX_CODE {
            // Jumps that would have to be widened only make it larger.
            return Err(ErrorKind::CodeSize { size: pc }.at(code.insns.len()));
        }
        self.patch()
    }

    /// The encoded instructions.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.size as usize]
    }

    /// Notes a jump's target; returns the jump's size.
    fn jump(&mut self, pc: usize, op: Op, label: Label) -> usize {
        let wide = matches!(op, Op::GotoW | Op::JsrW);
        self.fixups.push(Fixup {
            at: pc as u32 + 1,
            pc: pc as u32,
            label,
            wide,
        });
        if wide { 5 } else { 3 }
    }

    /// Encodes a switch; returns its size.
    fn switch(&mut self, pc: usize, switch: &Switch) -> usize {
        self.buffer.truncate(pc);
        self.buffer.push(switch.op() as u8);
        self.buffer
            .extend(std::iter::repeat_n(0, switch_padding(pc)));
        self.wide_target(pc, switch.default);
        match &switch.cases {
            Cases::Table { low, targets } => {
                self.buffer.extend(low.to_be_bytes());
                let high = low.wrapping_add(targets.len() as i32).wrapping_sub(1);
                self.buffer.extend(high.to_be_bytes());
                for label in targets {
                    self.wide_target(pc, *label);
                }
            }
            Cases::Lookup(pairs) => {
                self.buffer.extend((pairs.len() as u32).to_be_bytes());
                for (key, label) in pairs {
                    self.buffer.extend(key.to_be_bytes());
                    self.wide_target(pc, *label);
                }
            }
        }
        self.buffer.len() - pc
    }

    fn wide_target(&mut self, pc: usize, label: Label) {
        let at = self.buffer.len() as u32;
        self.buffer.extend([0; 4]);
        self.fixups.push(Fixup {
            at,
            pc: pc as u32,
            label,
            wide: true,
        });
    }

    /// Fills in the distances of all jumps.
    fn patch(&mut self) -> Result<Encoded> {
        for fixup in &self.fixups {
            let target = self.pc(fixup.label)?;
            let at = fixup.at as usize;
            let distance = i64::from(target) - i64::from(fixup.pc);
            if fixup.wide {
                self.buffer[at..at + 4].copy_from_slice(&(distance as i32).to_be_bytes());
            } else if let Ok(short) = i16::try_from(distance) {
                self.buffer[at..at + 2].copy_from_slice(&short.to_be_bytes());
            } else {
                return Ok(Encoded::JumpTooLong);
            }
        }
        Ok(Encoded::Done)
    }
}

/// Bytes between a switch's opcode and its first operand.
fn switch_padding(pc: usize) -> usize {
    3 - pc % 4
}

const WRONG_OPCODE: ErrorKind = ErrorKind::Encode("an instruction with another's opcode");

/// The bytes of an instruction, the first in the lowest bits, and how many there are.
type Word = (u64, usize);

/// Encodes an instruction that refers to no label; returns its size.
#[inline(always)]
fn encode_simple(out: &mut Window, insn: Insn) -> Result<usize, ErrorKind> {
    let (op, index, kind) = match insn {
        Insn::Plain(op) => (op, 0, OperandKind::None),
        Insn::Field(op, index) => (op, index, OperandKind::Field),
        Insn::Invoke(op, index) => (op, index, OperandKind::Method),
        Insn::Class(op, index) => (op, index, OperandKind::Class),
        other => {
            let (word, size) = match other {
                Insn::Local(op, local) => local_word(op, local)?,
                other => uncommon_word(other)?,
            };
            *out = word.to_le_bytes();
            return Ok(size);
        }
    };
    // All tables are of 256 entries, so that no byte is out of bounds.
    if KINDS[op as usize] != kind {
        return Err(WRONG_OPCODE);
    }
    let (word, size) = indexed(op, index);
    *out = word.to_le_bytes();
    Ok(if kind == OperandKind::None { 1 } else { size })
}

/// The operand layout of each opcode.
static KINDS: [OperandKind; 256] = {
    let mut table = [OperandKind::Wide; 256];
    let mut i = 0;
    while i < Op::ALL.len() {
        table[i] = Op::ALL[i].kind();
        i += 1;
    }
    table
};

fn uncommon_word(insn: Insn) -> Result<Word, ErrorKind> {
    Ok(match insn {
        Insn::Const(Op::Ldc, index) => match u8::try_from(index) {
            Ok(index) => word(&[Op::Ldc as u8, index]),
            Err(_) => indexed(Op::LdcW, index),
        },
        Insn::Const(op @ (Op::LdcW | Op::Ldc2W), index) => indexed(op, index),
        Insn::Const(..) => return Err(WRONG_OPCODE),
        Insn::Push(value) => match i8::try_from(value) {
            Ok(byte) => word(&[Op::Bipush as u8, byte as u8]),
            Err(_) => indexed(Op::Sipush, value as u16),
        },
        Insn::Iinc(local, delta) => match (u8::try_from(local), i8::try_from(delta)) {
            (Ok(local), Ok(delta)) => word(&[Op::Iinc as u8, local, delta as u8]),
            _ => {
                let ([a, b], [c, d]) = (local.to_be_bytes(), delta.to_be_bytes());
                word(&[Op::Wide as u8, Op::Iinc as u8, a, b, c, d])
            }
        },
        Insn::InvokeInterface(index, count) => {
            let [a, b] = index.to_be_bytes();
            word(&[Op::Invokeinterface as u8, a, b, count, 0])
        }
        Insn::InvokeDynamic(index) => {
            let [a, b] = index.to_be_bytes();
            word(&[Op::Invokedynamic as u8, a, b, 0, 0])
        }
        Insn::NewArray(ty) => word(&[Op::Newarray as u8, ty as u8]),
        Insn::MultiNewArray(index, dimensions) => {
            let [a, b] = index.to_be_bytes();
            word(&[Op::Multianewarray as u8, a, b, dimensions])
        }
        _ => (0, 0),
    })
}

#[inline(always)]
fn word<const N: usize>(bytes: &[u8; N]) -> Word {
    let mut window = [0; WINDOW];
    window[..N].copy_from_slice(bytes);
    (u64::from_le_bytes(window), N)
}

#[inline(always)]
fn indexed(op: Op, index: u16) -> Word {
    (op as u64 | u64::from(index.swap_bytes()) << 8, 3)
}

#[inline(always)]
fn local_word(op: Op, local: u16) -> Result<Word, ErrorKind> {
    Ok(match (LOCALS[op as usize], local) {
        (NO_LOCAL, _) => return Err(WRONG_OPCODE),
        (implied @ 1.., 0..4) => (u64::from(implied) + u64::from(local), 1),
        (_, 0..=0xff) => (op as u64 | u64::from(local) << 8, 2),
        _ => {
            let [a, b] = local.to_be_bytes();
            word(&[Op::Wide as u8, op as u8, a, b])
        }
    })
}

const NO_LOCAL: u8 = 0xff;

/// For the loads and stores the opcode that implies local 0, for `ret` 0.
static LOCALS: [u8; 256] = {
    let mut table = [NO_LOCAL; 256];
    let mut i = 0;
    while i < 5 {
        table[Op::Iload as usize + i] = Op::Iload0 as u8 + 4 * i as u8;
        table[Op::Istore as usize + i] = Op::Istore0 as u8 + 4 * i as u8;
        i += 1;
    }
    table[Op::Ret as usize] = 0;
    table
};

/// Makes every jump that does not reach its target wide: `goto_w` and `jsr_w`, and for a
/// conditional jump the opposite condition around a `goto_w`.
///
/// Widening one jump can push another out of reach, so this goes on until nothing changes. It
/// ends because jumps only ever become wide.
pub(crate) fn widen(code: &mut Code) -> Result<()> {
    loop {
        let (pcs, labels) = measure(code)?;
        let mut changed = false;
        let old = std::mem::take(&mut code.insns);
        for (position, insn) in old.into_iter().enumerate() {
            let far = |label: Label| {
                let distance = i64::from(labels[label.0 as usize]) - i64::from(pcs[position]);
                i16::try_from(distance).is_err()
            };
            match insn {
                Insn::Jump(op, label) if far(label) && !matches!(op, Op::GotoW | Op::JsrW) => {
                    changed = true;
                    match (op, op.negated()) {
                        (_, Some(opposite)) => {
                            let next = code.new_label();
                            code.insns.extend([
                                Insn::Jump(opposite, next),
                                Insn::Jump(Op::GotoW, label),
                                Insn::Label(next),
                            ]);
                        }
                        (Op::Jsr, _) => code.insns.push(Insn::Jump(Op::JsrW, label)),
                        _ => code.insns.push(Insn::Jump(Op::GotoW, label)),
                    }
                }
                other => code.insns.push(other),
            }
        }
        if !changed {
            return Ok(());
        }
    }
}

/// Code offsets of all items and of all labels.
fn measure(code: &Code) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut pcs = Vec::with_capacity(code.insns.len());
    let mut labels = vec![0; code.label_count() as usize];
    let mut pc = 0;
    let mut scratch = [0; WINDOW];
    for insn in &code.insns {
        pcs.push(pc);
        match insn {
            Insn::Label(label) => match labels.get_mut(label.0 as usize) {
                Some(place) => *place = pc,
                None => return Err(ErrorKind::Label(label.0).at(0)),
            },
            Insn::Jump(Op::GotoW | Op::JsrW, _) => pc += 5,
            Insn::Jump(..) => pc += 3,
            Insn::Switch(index) => {
                let operands = match code.switches.get(*index as usize).map(|s| &s.cases) {
                    Some(Cases::Table { targets, .. }) => 12 + 4 * targets.len(),
                    Some(Cases::Lookup(pairs)) => 8 + 8 * pairs.len(),
                    None => 0,
                };
                pc += 1 + (switch_padding(pc as usize) + operands) as u32;
            }
            other => {
                pc += encode_simple(&mut scratch, *other).map_err(|kind| kind.at(0))? as u32;
            }
        }
    }
    Ok((pcs, labels))
}
