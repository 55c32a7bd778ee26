//! From the code model to instruction bytes: code offsets, short and wide jumps, switch padding.

use crate::edit::code::Code;
use crate::edit::insn::{Cases, Insn, Label, Switch};
use crate::error::{ErrorKind, Result};
use crate::opcode::Op;

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
    pub(crate) size: u32,
}

#[derive(Clone, Copy)]
struct Fixup {
    /// Position in the output.
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

impl Layout {
    /// Code offset of a label.
    pub(crate) fn pc(&self, label: Label) -> Result<u32> {
        match self.label_pcs.get(label.0 as usize) {
            Some(&pc) if pc != 0 => Ok(pc - 1),
            _ => Err(ErrorKind::Label(label.0).at(0)),
        }
    }

    /// Appends the encoded instructions to `out`.
    pub(crate) fn encode(&mut self, code: &Code, out: &mut Vec<u8>) -> Result<Encoded> {
        self.label_pcs.clear();
        self.label_pcs.resize(code.label_count() as usize, 0);
        self.news.clear();
        self.fixups.clear();
        self.item_pcs.clear();
        let note_items = !code.type_annotations.is_empty();
        let base = out.len();
        out.reserve(code.insns.len() * 3);
        for (position, insn) in code.insns.iter().enumerate() {
            let pc = (out.len() - base) as u32;
            if note_items {
                self.item_pcs.push(pc);
            }
            match *insn {
                Insn::Label(label) => {
                    let slot = self.label_pcs.get_mut(label.0 as usize);
                    match slot {
                        Some(slot) if *slot == 0 => *slot = pc + 1,
                        _ => return Err(ErrorKind::Label(label.0).at(position)),
                    }
                }
                Insn::Jump(op, label) => self.jump(out, pc, op, label),
                Insn::Switch(index) => match code.switches.get(index as usize) {
                    Some(switch) => self.switch(out, pc, switch),
                    None => {
                        return Err(ErrorKind::Encode("a switch that is not there").at(position));
                    }
                },
                insn => {
                    if matches!(insn, Insn::Class(Op::New, _)) {
                        self.news.push(pc);
                    }
                    encode_simple(out, insn).map_err(|kind| kind.at(position))?;
                }
            }
        }
        let size = out.len() - base;
        self.size = size as u32;
        if size == 0 || size > MAX_CODE {
            // Jumps that would have to be widened only make it larger.
            return Err(ErrorKind::CodeSize { size }.at(code.insns.len()));
        }
        self.patch(out)
    }

    fn jump(&mut self, out: &mut Vec<u8>, pc: u32, op: Op, label: Label) {
        let wide = matches!(op, Op::GotoW | Op::JsrW);
        out.push(op as u8);
        let at = out.len() as u32;
        out.extend(if wide { &[0; 4][..] } else { &[0; 2] });
        self.fixups.push(Fixup {
            at,
            pc,
            label,
            wide,
        });
    }

    fn switch(&mut self, out: &mut Vec<u8>, pc: u32, switch: &Switch) {
        out.push(switch.op() as u8);
        out.extend(std::iter::repeat_n(0, switch_padding(pc)));
        self.wide_target(out, pc, switch.default);
        match &switch.cases {
            Cases::Table { low, targets } => {
                out.extend(low.to_be_bytes());
                let high = low.wrapping_add(targets.len() as i32).wrapping_sub(1);
                out.extend(high.to_be_bytes());
                for label in targets {
                    self.wide_target(out, pc, *label);
                }
            }
            Cases::Lookup(pairs) => {
                out.extend((pairs.len() as u32).to_be_bytes());
                for (key, label) in pairs {
                    out.extend(key.to_be_bytes());
                    self.wide_target(out, pc, *label);
                }
            }
        }
    }

    fn wide_target(&mut self, out: &mut Vec<u8>, pc: u32, label: Label) {
        let at = out.len() as u32;
        out.extend([0; 4]);
        self.fixups.push(Fixup {
            at,
            pc,
            label,
            wide: true,
        });
    }

    /// Fills in the distances of all jumps.
    fn patch(&mut self, out: &mut [u8]) -> Result<Encoded> {
        for fixup in &self.fixups {
            let target = self.pc(fixup.label)?;
            let at = fixup.at as usize;
            let distance = i64::from(target) - i64::from(fixup.pc);
            if fixup.wide {
                out[at..at + 4].copy_from_slice(&(distance as i32).to_be_bytes());
            } else if let Ok(short) = i16::try_from(distance) {
                out[at..at + 2].copy_from_slice(&short.to_be_bytes());
            } else {
                return Ok(Encoded::JumpTooLong);
            }
        }
        Ok(Encoded::Done)
    }
}

/// Bytes between a switch's opcode and its first operand.
fn switch_padding(pc: u32) -> usize {
    (3 - pc % 4) as usize
}

/// Encodes an instruction that refers to no label.
#[inline]
fn encode_simple(out: &mut Vec<u8>, insn: Insn) -> Result<(), ErrorKind> {
    if !insn.is_consistent() {
        return Err(ErrorKind::Encode("an instruction with another's opcode"));
    }
    let indexed = |out: &mut Vec<u8>, op: Op, index: u16| {
        let [a, b] = index.to_be_bytes();
        out.extend_from_slice(&[op as u8, a, b]);
    };
    match insn {
        Insn::Plain(op) => out.push(op as u8),
        Insn::Push(value) => match i8::try_from(value) {
            Ok(byte) => out.extend_from_slice(&[Op::Bipush as u8, byte as u8]),
            Err(_) => indexed(out, Op::Sipush, value as u16),
        },
        Insn::Local(op, local) => encode_local(out, op, local),
        Insn::Iinc(local, delta) => match (u8::try_from(local), i8::try_from(delta)) {
            (Ok(local), Ok(delta)) => {
                out.extend_from_slice(&[Op::Iinc as u8, local, delta as u8]);
            }
            _ => {
                out.push(Op::Wide as u8);
                indexed(out, Op::Iinc, local);
                out.extend_from_slice(&delta.to_be_bytes());
            }
        },
        Insn::Const(Op::Ldc, index) => match u8::try_from(index) {
            Ok(index) => out.extend_from_slice(&[Op::Ldc as u8, index]),
            Err(_) => indexed(out, Op::LdcW, index),
        },
        Insn::Const(op, index)
        | Insn::Field(op, index)
        | Insn::Invoke(op, index)
        | Insn::Class(op, index) => indexed(out, op, index),
        Insn::InvokeInterface(index, count) => {
            indexed(out, Op::Invokeinterface, index);
            out.extend_from_slice(&[count, 0]);
        }
        Insn::InvokeDynamic(index) => {
            indexed(out, Op::Invokedynamic, index);
            out.extend_from_slice(&[0, 0]);
        }
        Insn::NewArray(ty) => out.extend_from_slice(&[Op::Newarray as u8, ty as u8]),
        Insn::MultiNewArray(index, dimensions) => {
            indexed(out, Op::Multianewarray, index);
            out.push(dimensions);
        }
        Insn::Label(_) | Insn::Jump(..) | Insn::Switch(_) => {}
    }
    Ok(())
}

#[inline]
fn encode_local(out: &mut Vec<u8>, op: Op, local: u16) {
    let implied = match op {
        Op::Iload | Op::Lload | Op::Fload | Op::Dload | Op::Aload => {
            Some(Op::Iload0 as u8 + 4 * (op as u8 - Op::Iload as u8))
        }
        Op::Istore | Op::Lstore | Op::Fstore | Op::Dstore | Op::Astore => {
            Some(Op::Istore0 as u8 + 4 * (op as u8 - Op::Istore as u8))
        }
        _ => None,
    };
    match (implied, u8::try_from(local)) {
        (Some(first), Ok(local @ 0..4)) => out.push(first + local),
        (_, Ok(local)) => out.extend_from_slice(&[op as u8, local]),
        (_, Err(_)) => {
            let [a, b] = local.to_be_bytes();
            out.extend_from_slice(&[Op::Wide as u8, op as u8, a, b]);
        }
    }
}

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
    let mut scratch = Vec::new();
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
                pc += 1 + (switch_padding(pc) + operands) as u32;
            }
            other => {
                scratch.clear();
                encode_simple(&mut scratch, *other).map_err(|kind| kind.at(0))?;
                pc += scratch.len() as u32;
            }
        }
    }
    Ok((pcs, labels))
}
