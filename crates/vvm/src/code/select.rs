//! Instruction selection: one bytecode instruction at a time.

use super::arith::{Binary, Compare, Unary};
use super::blocks;
use super::op::{InvokeKind, Op, Reg, Site, UNRESOLVED};
use super::translate::{Entry, Loadable, Translator, Value};
use crate::error::{Result, VmError};
use crate::value::Kind;
use std::cell::Cell;

const COMPARES: [Compare; 6] = [
    Compare::Eq,
    Compare::Ne,
    Compare::Lt,
    Compare::Ge,
    Compare::Gt,
    Compare::Le,
];

/// Operators from `iadd` (0x60) to `lxor` (0x83) that are not negations.
fn binary(opcode: u8) -> Option<(Binary, bool)> {
    use Binary::*;
    const ARITH: [[Binary; 4]; 5] = [
        [IAdd, LAdd, FAdd, DAdd],
        [ISub, LSub, FSub, DSub],
        [IMul, LMul, FMul, DMul],
        [IDiv, LDiv, FDiv, DDiv],
        [IRem, LRem, FRem, DRem],
    ];
    const LOGIC: [[Binary; 2]; 6] = [
        [IShl, LShl],
        [IShr, LShr],
        [IUshr, LUshr],
        [IAnd, LAnd],
        [IOr, LOr],
        [IXor, LXor],
    ];
    Some(match opcode {
        0x60..=0x73 => {
            let (row, column) = ((opcode - 0x60) / 4, (opcode - 0x60) % 4);
            (
                ARITH[usize::from(row)][usize::from(column)],
                column % 2 == 1,
            )
        }
        0x78..=0x83 => {
            let (row, column) = ((opcode - 0x78) / 2, (opcode - 0x78) % 2);
            (LOGIC[usize::from(row)][usize::from(column)], column == 1)
        }
        0x94 => (LCmp, false),
        0x95 => (FCmpL, false),
        0x96 => (FCmpG, false),
        0x97 => (DCmpL, false),
        0x98 => (DCmpG, false),
        _ => return None,
    })
}

fn unary(opcode: u8) -> Option<(Unary, bool)> {
    use Unary::*;
    const CONVERSIONS: [(Unary, bool); 15] = [
        (I2L, true),
        (I2F, false),
        (I2D, true),
        (L2I, false),
        (L2F, false),
        (L2D, true),
        (F2I, false),
        (F2L, true),
        (F2D, true),
        (D2I, false),
        (D2L, true),
        (D2F, false),
        (I2B, false),
        (I2C, false),
        (I2S, false),
    ];
    match opcode {
        0x74 => Some((INeg, false)),
        0x75 => Some((LNeg, true)),
        0x76 => Some((FNeg, false)),
        0x77 => Some((DNeg, true)),
        0x85..=0x93 => Some(CONVERSIONS[usize::from(opcode - 0x85)]),
        _ => None,
    }
}

impl Translator<'_> {
    /// Translates the instruction at `self.pc`; false if control does not fall through.
    pub(super) fn instruction(&mut self) -> Result<bool> {
        let pc = self.pc;
        let opcode = self.code.u8(pc)?;
        match opcode {
            0x00 => {}
            0x01 => self.push(Value::Int(0), false),
            0x02..=0x08 => self.push(Value::Int(i32::from(opcode) - 3), false),
            0x09 | 0x0A => self.wide_constant(u64::from(opcode - 0x09)),
            0x0B..=0x0D => self.float_constant(f32::from(opcode - 0x0B).to_bits()),
            0x0E | 0x0F => self.wide_constant(f64::from(opcode - 0x0E).to_bits()),
            0x10 => self.push(Value::Int(i32::from(self.code.u8(pc + 1)? as i8)), false),
            0x11 => self.push(Value::Int(i32::from(self.code.u16(pc + 1)? as i16)), false),
            0x12 => self.load_constant(u16::from(self.code.u8(pc + 1)?))?,
            0x13 | 0x14 => self.load_constant(self.code.u16(pc + 1)?)?,
            0x15..=0x19 => self.load(opcode - 0x15, u16::from(self.code.u8(pc + 1)?)),
            0x1A..=0x2D => self.load((opcode - 0x1A) / 4, u16::from((opcode - 0x1A) % 4)),
            0x2E..=0x35 => self.array_load(opcode)?,
            0x36..=0x3A => self.store(u16::from(self.code.u8(pc + 1)?))?,
            0x3B..=0x4E => self.store(u16::from((opcode - 0x3B) % 4))?,
            0x4F..=0x56 => self.array_store(opcode)?,
            0x57..=0x5F => self.stack_instruction(opcode)?,
            0x84 => {
                let by = i32::from(self.code.u8(pc + 2)? as i8);
                self.increment(u16::from(self.code.u8(pc + 1)?), by);
            }
            0x99..=0xA8 | 0xC6..=0xC9 => return self.branch(opcode),
            blocks::TABLESWITCH | blocks::LOOKUPSWITCH => return self.switch(),
            0xAC..=0xB1 | 0xBF => return self.leave(opcode),
            0xB2..=0xB5 => self.field(opcode)?,
            0xB6..=0xBA => self.invoke(opcode)?,
            0xBB..=0xC5 => self.object_instruction(opcode)?,
            _ => self.arithmetic(opcode)?,
        }
        Ok(true)
    }

    fn load(&mut self, kind: u8, local: Reg) {
        self.push(Value::Reg(local), kind == 1 || kind == 3);
    }

    fn wide_constant(&mut self, bits: u64) {
        let i = self.wide.len() as u32;
        self.wide.push(bits);
        self.push_op(true, |d| Op::ConstWide { d, i });
    }

    fn float_constant(&mut self, bits: u32) {
        self.push(Value::Int(bits as i32), false);
    }

    fn load_constant(&mut self, index: u16) -> Result<()> {
        match self.input.pool.loadable(index)? {
            Loadable::Int(k) => self.push(Value::Int(k), false),
            Loadable::Float(bits) => self.float_constant(bits),
            Loadable::Wide(bits) => self.wide_constant(bits),
            Loadable::Other => self.push_op(false, |d| Op::Ldc {
                d,
                i: u32::from(index),
            }),
            Loadable::OtherWide => self.push_op(true, |d| Op::Ldc {
                d,
                i: u32::from(index),
            }),
        }
        Ok(())
    }

    fn array_load(&mut self, opcode: u8) -> Result<()> {
        let i = self.pop_reg()?;
        let a = self.pop_reg()?;
        self.push_op(matches!(opcode, 0x2F | 0x31), |d| match opcode {
            0x2E | 0x30 => Op::IALoad { d, a, i },
            0x33 => Op::BALoad { d, a, i },
            0x34 => Op::CALoad { d, a, i },
            0x35 => Op::SALoad { d, a, i },
            _ => Op::WALoad { d, a, i },
        });
        Ok(())
    }

    fn array_store(&mut self, opcode: u8) -> Result<()> {
        let s = self.pop_reg()?;
        let i = self.pop_reg()?;
        let a = self.pop_reg()?;
        self.emit(match opcode {
            0x4F | 0x51 => Op::IAStore { a, i, s },
            0x50 | 0x52 => Op::LAStore { a, i, s },
            0x53 => Op::AAStore { a, i, s },
            0x54 => Op::BAStore { a, i, s },
            _ => Op::CAStore { a, i, s },
        });
        Ok(())
    }

    /// `pop`, `dup`, `swap` and their kin. Operands are counted as values, so forms differ by width.
    fn stack_instruction(&mut self, opcode: u8) -> Result<()> {
        let wide = |at: usize, stack: &[Entry]| {
            stack
                .len()
                .checked_sub(at + 1)
                .is_some_and(|index| stack[index].wide)
        };
        let (top, second, third) = (
            wide(0, &self.stack),
            wide(1, &self.stack),
            wide(2, &self.stack),
        );
        match opcode {
            0x57 => drop(self.pop()?),
            0x58 => {
                if !self.pop()?.wide {
                    self.pop()?;
                }
            }
            0x59 => self.copy_top(1)?,
            0x5C => self.copy_top(if top { 1 } else { 2 })?,
            0x5A => self.rearrange(2, &[1, 0, 1])?,
            0x5B if second => self.rearrange(2, &[1, 0, 1])?,
            0x5B => self.rearrange(3, &[2, 0, 1, 2])?,
            0x5D if top => self.rearrange(2, &[1, 0, 1])?,
            0x5D => self.rearrange(3, &[1, 2, 0, 1, 2])?,
            0x5E if top && second => self.rearrange(2, &[1, 0, 1])?,
            0x5E if top => self.rearrange(3, &[2, 0, 1, 2])?,
            0x5E if third => self.rearrange(3, &[1, 2, 0, 1, 2])?,
            0x5E => self.rearrange(4, &[2, 3, 0, 1, 2, 3])?,
            _ => self.rearrange(2, &[1, 0])?,
        }
        Ok(())
    }

    fn copy_top(&mut self, count: usize) -> Result<()> {
        let start = self
            .stack
            .len()
            .checked_sub(count)
            .ok_or_else(|| VmError::bad_class("operand stack underflow"))?;
        for index in start..start + count {
            let entry = self.stack[index];
            self.push(entry.value, entry.wide);
        }
        Ok(())
    }

    fn arithmetic(&mut self, opcode: u8) -> Result<()> {
        if let Some((op, wide)) = unary(opcode) {
            let a = self.pop_reg()?;
            self.push_op(wide, |d| conversion(op, d, a));
            return Ok(());
        }
        if opcode == 0xC4 {
            return self.widened();
        }
        let Some((op, wide)) = binary(opcode) else {
            return Err(VmError::bad_class(format!("unknown opcode {opcode:#x}")));
        };
        let right = self.pop()?;
        let left = self.pop()?;
        if op.is_int() && self.with_constant(op, left, right) {
            return Ok(());
        }
        let a = self.in_reg(left);
        let b = self.in_reg(right);
        self.push_op(wide, |d| register_form(op, d, a, b));
        Ok(())
    }

    /// Uses a form with an immediate operand, if one fits.
    fn with_constant(&mut self, op: Binary, left: Entry, right: Entry) -> bool {
        let commutes = matches!(
            op,
            Binary::IAdd | Binary::IMul | Binary::IAnd | Binary::IOr | Binary::IXor
        );
        let (entry, k) = match (left.value, right.value) {
            (_, Value::Int(k)) => (left, k),
            (Value::Int(k), _) if commutes => (right, k),
            _ => return false,
        };
        let k = if op == Binary::ISub {
            k.wrapping_neg()
        } else {
            k
        };
        let Ok(k) = i16::try_from(k) else {
            return false;
        };
        if op.divides() && k == 0 {
            return false;
        }
        let a = self.in_reg(entry);
        self.push_op(false, |d| match op {
            Binary::IAdd | Binary::ISub => Op::IAddK { d, a, k },
            Binary::IMul => Op::IMulK { d, a, k },
            Binary::IAnd => Op::IAndK { d, a, k },
            Binary::IShl => Op::IShlK { d, a, k },
            Binary::IShr => Op::IShrK { d, a, k },
            Binary::IUshr => Op::IUshrK { d, a, k },
            _ => Op::BinK { op, d, a, k },
        });
        true
    }

    fn widened(&mut self) -> Result<()> {
        let opcode = self.code.u8(self.pc + 1)?;
        let local = self.code.u16(self.pc + 2)?;
        match opcode {
            0x15..=0x19 => self.load(opcode - 0x15, local),
            0x36..=0x3A => self.store(local)?,
            0x84 => {
                let by = i32::from(self.code.u16(self.pc + 4)? as i16);
                self.increment(local, by);
            }
            _ => {
                return Err(VmError::bad_class(
                    "subroutines (jsr, ret) are not supported",
                ));
            }
        }
        Ok(())
    }

    fn branch(&mut self, opcode: u8) -> Result<bool> {
        let pc = self.pc;
        if matches!(opcode, 0xA8 | 0xA9 | 0xC9) {
            return Err(VmError::bad_class(
                "subroutines (jsr, ret) are not supported",
            ));
        }
        if matches!(opcode, 0xA7 | 0xC8) {
            let target = if opcode == 0xA7 {
                self.code.jump(pc)?
            } else {
                self.code.jump_wide(pc)?
            };
            self.flush();
            self.jump(Op::Goto { t: 0 }, target)?;
            return Ok(false);
        }
        let target = self.code.jump(pc)?;
        let op = match opcode {
            0x99..=0x9E => {
                let compare = COMPARES[usize::from(opcode - 0x99)];
                let a = self.pop_reg()?;
                match self.take_long_compare(a) {
                    Some((a, b)) => Op::JLong {
                        how: compare,
                        a,
                        b,
                        t: 0,
                    },
                    None => Op::jump_const(compare, a, 0),
                }
            }
            0xC6 | 0xC7 => {
                let a = self.pop_reg()?;
                Op::jump_const(COMPARES[usize::from(opcode - 0xC6)], a, 0)
            }
            _ => {
                let compare = if opcode >= 0xA5 {
                    COMPARES[usize::from(opcode - 0xA5)]
                } else {
                    COMPARES[usize::from(opcode - 0x9F)]
                };
                let right = self.pop()?;
                let a = self.pop_reg()?;
                match right.value {
                    Value::Int(k) if i16::try_from(k).is_ok() => {
                        Op::jump_const(compare, a, k as i16)
                    }
                    _ => Op::jump(compare, a, self.in_reg(right)),
                }
            }
        };
        self.flush();
        self.jump(op, target)?;
        Ok(true)
    }

    fn switch(&mut self) -> Result<bool> {
        let a = self.pop_reg()?;
        self.flush();
        let raw = blocks::read_switch(self.code, self.pc)?;
        let i = self.switches.len() as u32;
        self.emit(Op::Switch { a, i });
        self.reach_flushed(raw.default)?;
        for &target in &raw.targets {
            self.reach_flushed(target)?;
        }
        self.switches.push(raw);
        Ok(false)
    }

    fn leave(&mut self, opcode: u8) -> Result<bool> {
        let op = match opcode {
            0xB1 => Op::ReturnVoid,
            0xBF => Op::Throw { s: self.pop_reg()? },
            _ => Op::Return { s: self.pop_reg()? },
        };
        self.emit(op);
        Ok(false)
    }

    fn field(&mut self, opcode: u8) -> Result<()> {
        let i = self.code.u16(self.pc + 1)?;
        let kind = Kind::of(&self.input.pool.descriptor(i)?);
        let wide = kind.words() == 2;
        match opcode {
            0xB2 => self.push_op(wide, |d| Op::GetStatic { d, i }),
            0xB3 => {
                let s = self.pop_reg()?;
                self.emit(Op::PutStatic { s, i });
            }
            0xB4 => {
                let o = self.pop_reg()?;
                self.push_op(wide, |d| Op::GetField { d, o, i });
            }
            _ => {
                let s = self.pop_reg()?;
                let o = self.pop_reg()?;
                self.emit(Op::PutField { o, s, i });
            }
        }
        Ok(())
    }

    fn invoke(&mut self, opcode: u8) -> Result<()> {
        let pool = self.code.u16(self.pc + 1)?;
        let kind = match opcode {
            0xB6 => InvokeKind::Virtual,
            0xB7 => InvokeKind::Special,
            0xB8 => InvokeKind::Static,
            0xB9 => InvokeKind::Interface,
            _ => InvokeKind::Dynamic,
        };
        let descriptor = self.input.pool.descriptor(pool)?;
        let (params, result) = crate::descriptor::parse(&descriptor)?;
        let receiver = usize::from(!matches!(kind, InvokeKind::Static | InvokeKind::Dynamic));
        let mut args = vec![0; params.len() + receiver];
        for arg in args.iter_mut().rev() {
            *arg = self.pop_reg()?;
        }
        let i = self.sites.len() as u32;
        self.sites.push(Site {
            pool,
            kind,
            args: args.into(),
            method: Cell::new(UNRESOLVED),
            vtable: Cell::new(UNRESOLVED),
            cached_class: Cell::new(UNRESOLVED),
            cached_method: Cell::new(UNRESOLVED),
        });
        if result == Kind::Void {
            // The destination is a temporary that nothing reads.
            let d = self.temp(3);
            self.emit(Op::Invoke { d, i });
        } else {
            self.push_op(result.words() == 2, |d| Op::Invoke { d, i });
        }
        Ok(())
    }

    fn object_instruction(&mut self, opcode: u8) -> Result<()> {
        let pc = self.pc;
        match opcode {
            0xBB => {
                let i = self.code.u16(pc + 1)?;
                self.push_op(false, |d| Op::New { d, i });
            }
            0xBC => {
                let kind = array_kind(self.code.u8(pc + 1)?)?;
                let n = self.pop_reg()?;
                self.push_op(false, |d| Op::NewArray { d, n, kind });
            }
            0xBD => {
                let i = self.code.u16(pc + 1)?;
                let n = self.pop_reg()?;
                self.push_op(false, |d| Op::ANewArray { d, n, i });
            }
            0xBE => {
                let a = self.pop_reg()?;
                self.push_op(false, |d| Op::ArrayLength { d, a });
            }
            0xC0 => {
                let i = self.code.u16(pc + 1)?;
                let entry = self.pop()?;
                let s = self.in_reg(entry);
                self.emit(Op::CheckCast { s, i });
                self.push(Value::Reg(s), false);
            }
            0xC1 => {
                let i = self.code.u16(pc + 1)?;
                let s = self.pop_reg()?;
                self.push_op(false, |d| Op::InstanceOf { d, s, i });
            }
            0xC2 | 0xC3 => {
                let s = self.pop_reg()?;
                self.emit(if opcode == 0xC2 {
                    Op::MonitorEnter { s }
                } else {
                    Op::MonitorExit { s }
                });
            }
            0xC5 => {
                let i = self.code.u16(pc + 1)?;
                let dims = self.code.u8(pc + 3)?;
                self.flush();
                for _ in 0..dims {
                    self.pop()?;
                }
                self.push_op(false, |d| Op::MultiNewArray { dims, d, i });
            }
            _ => return self.arithmetic(opcode),
        }
        Ok(())
    }
}

fn array_kind(code: u8) -> Result<Kind> {
    const KINDS: [Kind; 8] = [
        Kind::Boolean,
        Kind::Char,
        Kind::Float,
        Kind::Double,
        Kind::Byte,
        Kind::Short,
        Kind::Int,
        Kind::Long,
    ];
    KINDS
        .get(usize::from(code.wrapping_sub(4)))
        .copied()
        .ok_or_else(|| VmError::bad_class("unknown element type of an array"))
}

fn register_form(op: Binary, d: Reg, a: Reg, b: Reg) -> Op {
    match op {
        Binary::IAdd => Op::IAdd { d, a, b },
        Binary::ISub => Op::ISub { d, a, b },
        Binary::IMul => Op::IMul { d, a, b },
        Binary::IAnd => Op::IAnd { d, a, b },
        Binary::IOr => Op::IOr { d, a, b },
        Binary::IXor => Op::IXor { d, a, b },
        Binary::IShl => Op::IShl { d, a, b },
        Binary::IShr => Op::IShr { d, a, b },
        Binary::IUshr => Op::IUshr { d, a, b },
        Binary::LAdd => Op::LAdd { d, a, b },
        Binary::LSub => Op::LSub { d, a, b },
        Binary::LMul => Op::LMul { d, a, b },
        Binary::DAdd => Op::DAdd { d, a, b },
        Binary::DSub => Op::DSub { d, a, b },
        Binary::DMul => Op::DMul { d, a, b },
        Binary::DDiv => Op::DDiv { d, a, b },
        _ if op.divides() => Op::Div { op, d, a, b },
        _ => Op::Bin { op, d, a, b },
    }
}

fn conversion(op: Unary, d: Reg, a: Reg) -> Op {
    match op {
        Unary::I2L => Op::I2L { d, a },
        Unary::I2D => Op::I2D { d, a },
        Unary::I2B => Op::I2B { d, a },
        Unary::I2C => Op::I2C { d, a },
        Unary::L2I => Op::L2I { d, a },
        _ => Op::Un { op, d, a },
    }
}
