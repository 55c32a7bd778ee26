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

/// Encodes an instruction that refers to no label; returns its size.
#[inline(always)]
fn encode_simple(out: &mut Window, insn: Insn) -> Result<usize, ErrorKind> {
    Ok(match insn {
        Insn::Plain(op) => {
            out[0] = op as u8;
            if op.kind() != OperandKind::None {
                return Err(WRONG_OPCODE);
            }
            1
        }
        Insn::Local(op, local) => encode_local(out, op, local)?,
        Insn::Field(op, index) if op.kind() == OperandKind::Field => indexed(out, op, index),
        Insn::Invoke(op, index) if op.kind() == OperandKind::Method => indexed(out, op, index),
        Insn::Class(op, index) if op.kind() == OperandKind::Class => indexed(out, op, index),
        Insn::Const(Op::Ldc, index) => match u8::try_from(index) {
            Ok(index) => put(out, [Op::Ldc as u8, index]),
            Err(_) => indexed(out, Op::LdcW, index),
        },
        Insn::Const(op @ (Op::LdcW | Op::Ldc2W), index) => indexed(out, op, index),
        Insn::Push(value) => match i8::try_from(value) {
            Ok(byte) => put(out, [Op::Bipush as u8, byte as u8]),
            Err(_) => indexed(out, Op::Sipush, value as u16),
        },
        Insn::Iinc(local, delta) => match (u8::try_from(local), i8::try_from(delta)) {
            (Ok(local), Ok(delta)) => put(out, [Op::Iinc as u8, local, delta as u8]),
            _ => {
                let ([a, b], [c, d]) = (local.to_be_bytes(), delta.to_be_bytes());
                put(out, [Op::Wide as u8, Op::Iinc as u8, a, b, c, d])
            }
        },
        Insn::InvokeInterface(index, count) => {
            let [a, b] = index.to_be_bytes();
            put(out, [Op::Invokeinterface as u8, a, b, count, 0])
        }
        Insn::InvokeDynamic(index) => {
            let [a, b] = index.to_be_bytes();
            put(out, [Op::Invokedynamic as u8, a, b, 0, 0])
        }
        Insn::NewArray(ty) => put(out, [Op::Newarray as u8, ty as u8]),
        Insn::MultiNewArray(index, dimensions) => {
            let [a, b] = index.to_be_bytes();
            put(out, [Op::Multianewarray as u8, a, b, dimensions])
        }
        Insn::Label(_) | Insn::Jump(..) | Insn::Switch(_) => 0,
        Insn::Field(..) | Insn::Invoke(..) | Insn::Class(..) | Insn::Const(..) => {
            return Err(WRONG_OPCODE);
        }
    })
}

#[inline]
fn put<const N: usize>(out: &mut Window, bytes: [u8; N]) -> usize {
    out[..N].copy_from_slice(&bytes);
    N
}

#[inline]
fn indexed(out: &mut Window, op: Op, index: u16) -> usize {
    let [a, b] = index.to_be_bytes();
    put(out, [op as u8, a, b])
}

#[inline(always)]
fn encode_local(out: &mut Window, op: Op, local: u16) -> Result<usize, ErrorKind> {
    let implied = match op as u8 {
        byte @ IL..=AL => Op::Iload0 as u8 + 4 * (byte - IL),
        byte @ IS..=AS => Op::Istore0 as u8 + 4 * (byte - IS),
        _ if op == Op::Ret => 0,
        _ => return Err(WRONG_OPCODE),
    };
    Ok(match u8::try_from(local) {
        Ok(local @ 0..4) if implied != 0 => put(out, [implied + local]),
        Ok(local) => put(out, [op as u8, local]),
        Err(_) => {
            let [a, b] = local.to_be_bytes();
            put(out, [Op::Wide as u8, op as u8, a, b])
        }
    })
}

const IL: u8 = Op::Iload as u8;
const AL: u8 = Op::Aload as u8;
const IS: u8 = Op::Istore as u8;
const AS: u8 = Op::Astore as u8;

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
