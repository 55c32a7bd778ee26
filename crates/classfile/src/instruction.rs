//! Decoding instructions one by one from a method's bytes.

use crate::error::{Error, ErrorKind, Result};
use crate::opcode::{Op, OperandKind};
use crate::reader::{u16_at, u32_at};

/// A decoded instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Instruction<'a> {
    /// Its code offset.
    pub pc: u32,
    /// The code offset just behind it.
    pub next_pc: u32,
    /// What it does. Never [`Op::Wide`]: a widened instruction has its own opcode.
    pub op: Op,
    /// Its operand.
    pub operand: Operand<'a>,
}

/// The operand of an instruction. Indices refer to the constant pool, targets are code offsets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand<'a> {
    /// None.
    None,
    /// The value of `bipush` or `sipush`.
    Int(i16),
    /// A local, also where the opcode implies it (`iload_0`).
    Local(u16),
    /// `iinc`.
    Iinc {
        /// The local.
        local: u16,
        /// What is added.
        delta: i16,
    },
    /// A loadable constant: `ldc`, `ldc_w`, `ldc2_w`.
    Const(u16),
    /// A field.
    Field(u16),
    /// A method, except of `invokeinterface`.
    Method(u16),
    /// An interface method with the number of argument slots, the receiver included.
    InterfaceMethod(u16, u8),
    /// A call site.
    Dynamic(u16),
    /// A class.
    Class(u16),
    /// The element type of `newarray`.
    NewArray(PrimitiveType),
    /// `multianewarray`: class and number of dimensions to allocate.
    MultiNewArray(u16, u8),
    /// The target of a jump. It may lie outside of the code if the class is broken.
    Jump(i64),
    /// `tableswitch`.
    TableSwitch(TableSwitch<'a>),
    /// `lookupswitch`.
    LookupSwitch(LookupSwitch<'a>),
}

/// Element types of `newarray`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum PrimitiveType {
    Boolean = 4,
    Char,
    Float,
    Double,
    Byte,
    Short,
    Int,
    Long,
}

impl PrimitiveType {
    /// All in the order of their codes, from 4.
    pub const ALL: [PrimitiveType; 8] = [
        PrimitiveType::Boolean,
        PrimitiveType::Char,
        PrimitiveType::Float,
        PrimitiveType::Double,
        PrimitiveType::Byte,
        PrimitiveType::Short,
        PrimitiveType::Int,
        PrimitiveType::Long,
    ];

    /// The type with this code.
    pub fn from_u8(code: u8) -> Option<PrimitiveType> {
        PrimitiveType::ALL
            .get(usize::from(code).wrapping_sub(4))
            .copied()
    }

    /// Its letter in descriptors.
    pub fn letter(self) -> u8 {
        b"ZCFDBSIJ"[self as usize - 4]
    }

    /// Its name in Java.
    pub fn name(self) -> &'static str {
        [
            "boolean", "char", "float", "double", "byte", "short", "int", "long",
        ][self as usize - 4]
    }
}

/// The operands of `tableswitch`.
#[derive(Clone, Copy, PartialEq)]
pub struct TableSwitch<'a> {
    pc: u32,
    /// Where it goes for keys outside of the range.
    pub default: i64,
    /// The lowest key.
    pub low: i32,
    targets: &'a [u8],
}

impl<'a> TableSwitch<'a> {
    /// The highest key.
    pub fn high(self) -> i32 {
        (i64::from(self.low) + (self.targets.len() / 4) as i64 - 1) as i32
    }

    /// Number of keys.
    pub fn len(self) -> usize {
        self.targets.len() / 4
    }

    /// True if there is no key.
    pub fn is_empty(self) -> bool {
        self.targets.is_empty()
    }

    /// Target for each key from `low` up.
    pub fn targets(self) -> impl ExactSizeIterator<Item = i64> + Clone + 'a {
        let pc = self.pc;
        self.targets
            .chunks_exact(4)
            .map(move |b| relative(pc, u32_at(b, 0)))
    }
}

impl std::fmt::Debug for TableSwitch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map()
            .entries((self.low..).zip(self.targets()))
            .entry(&"default", &self.default)
            .finish()
    }
}

/// The operands of `lookupswitch`.
#[derive(Clone, Copy, PartialEq)]
pub struct LookupSwitch<'a> {
    pc: u32,
    /// Where it goes for other keys.
    pub default: i64,
    pairs: &'a [u8],
}

impl<'a> LookupSwitch<'a> {
    /// Number of keys.
    pub fn len(self) -> usize {
        self.pairs.len() / 8
    }

    /// True if there is no key.
    pub fn is_empty(self) -> bool {
        self.pairs.is_empty()
    }

    /// Keys with their targets, sorted by key.
    pub fn pairs(self) -> impl ExactSizeIterator<Item = (i32, i64)> + Clone + 'a {
        let pc = self.pc;
        self.pairs
            .chunks_exact(8)
            .map(move |b| (u32_at(b, 0) as i32, relative(pc, u32_at(b, 4))))
    }
}

impl std::fmt::Debug for LookupSwitch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map()
            .entries(self.pairs())
            .entry(&"default", &self.default)
            .finish()
    }
}

fn relative(pc: u32, distance: u32) -> i64 {
    i64::from(pc) + i64::from(distance as i32)
}

impl Operand<'_> {
    /// Every place this instruction may jump to (default first for switches).
    pub fn targets(&self) -> Vec<i64> {
        match self {
            Operand::Jump(target) => vec![*target],
            Operand::TableSwitch(s) => std::iter::once(s.default).chain(s.targets()).collect(),
            Operand::LookupSwitch(s) => std::iter::once(s.default)
                .chain(s.pairs().map(|(_, target)| target))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Iterator over the instructions of a method. Ends after the first error.
#[derive(Clone)]
pub struct Instructions<'a> {
    bytes: &'a [u8],
    offset: usize,
    pc: usize,
}

impl<'a> Instructions<'a> {
    /// Decodes `bytes`, which stand at `offset` of the class file (for error messages).
    pub fn new(bytes: &'a [u8], offset: usize) -> Self {
        Instructions {
            bytes,
            offset,
            pc: 0,
        }
    }

    /// Goes on decoding at this code offset.
    pub fn seek(&mut self, pc: u32) {
        self.pc = pc as usize;
    }

    fn truncated(&self) -> Error {
        ErrorKind::Truncated.at(self.offset + self.bytes.len())
    }

    fn need(&self, at: usize, len: usize) -> Result<&'a [u8]> {
        self.bytes
            .get(at..)
            .and_then(|b| b.get(..len))
            .ok_or_else(|| self.truncated())
    }

    /// Decodes the instruction at the current code offset.
    fn decode(&self) -> Result<Instruction<'a>> {
        let pc = self.pc;
        let byte = self.need(pc, 1)?[0];
        let bad = || ErrorKind::BadOpcode(byte).at(self.offset + pc);
        let op = Op::from_u8(byte).ok_or_else(bad)?;
        let at = pc + 1;
        let u16 = || self.need(at, 2).map(|b| u16_at(b, 0));
        let (operand, len) = match op.kind() {
            OperandKind::None => (Operand::None, 1),
            OperandKind::LocalImplied => {
                (op.implied_local().map_or(Operand::None, Operand::Local), 1)
            }
            OperandKind::Local => (Operand::Local(self.need(at, 1)?[0].into()), 2),
            OperandKind::Byte => (Operand::Int(i16::from(self.need(at, 1)?[0] as i8)), 2),
            OperandKind::Short => (Operand::Int(u16()? as i16), 3),
            OperandKind::ConstNarrow => (Operand::Const(self.need(at, 1)?[0].into()), 2),
            OperandKind::Const => (Operand::Const(u16()?), 3),
            OperandKind::Field => (Operand::Field(u16()?), 3),
            OperandKind::Method => (Operand::Method(u16()?), 3),
            OperandKind::Class => (Operand::Class(u16()?), 3),
            OperandKind::Dynamic => (Operand::Dynamic(u16_at(self.need(at, 4)?, 0)), 5),
            OperandKind::Jump => (Operand::Jump(pc as i64 + i64::from(u16()? as i16)), 3),
            OperandKind::JumpWide => (
                Operand::Jump(relative(pc as u32, u32_at(self.need(at, 4)?, 0))),
                5,
            ),
            OperandKind::Iinc => {
                let b = self.need(at, 2)?;
                (
                    Operand::Iinc {
                        local: b[0].into(),
                        delta: i16::from(b[1] as i8),
                    },
                    3,
                )
            }
            OperandKind::InterfaceMethod => {
                let b = self.need(at, 4)?;
                (Operand::InterfaceMethod(u16_at(b, 0), b[2]), 5)
            }
            OperandKind::MultiNewArray => {
                let b = self.need(at, 3)?;
                (Operand::MultiNewArray(u16_at(b, 0), b[2]), 4)
            }
            OperandKind::NewArray => (Operand::NewArray(self.primitive(at)?), 2),
            OperandKind::TableSwitch => self.table_switch(pc)?,
            OperandKind::LookupSwitch => self.lookup_switch(pc)?,
            OperandKind::Wide => return self.wide(pc),
        };
        Ok(Instruction {
            pc: pc as u32,
            next_pc: (pc + len) as u32,
            op,
            operand,
        })
    }

    fn primitive(&self, at: usize) -> Result<PrimitiveType> {
        let code = self.need(at, 1)?[0];
        PrimitiveType::from_u8(code).ok_or_else(|| {
            let what = "array element type";
            ErrorKind::BadValue {
                what,
                value: u32::from(code),
            }
            .at(self.offset + at)
        })
    }

    fn table_switch(&self, pc: usize) -> Result<(Operand<'a>, usize)> {
        let at = (pc + 4) & !3;
        let b = self.need(at, 12)?;
        let (low, high) = (u32_at(b, 4) as i32, u32_at(b, 8) as i32);
        let count = i64::from(high) - i64::from(low) + 1;
        let count = usize::try_from(count).ok().filter(|n| *n <= 0xffff);
        let what = "tableswitch range";
        let bad = || {
            ErrorKind::BadValue {
                what,
                value: high as u32,
            }
            .at(self.offset + at)
        };
        let targets = self.need(at + 12, 4 * count.ok_or_else(bad)?)?;
        let default = relative(pc as u32, u32_at(b, 0));
        let len = at + 12 + targets.len() - pc;
        Ok((
            Operand::TableSwitch(TableSwitch {
                pc: pc as u32,
                default,
                low,
                targets,
            }),
            len,
        ))
    }

    fn lookup_switch(&self, pc: usize) -> Result<(Operand<'a>, usize)> {
        let at = (pc + 4) & !3;
        let b = self.need(at, 8)?;
        let count = u32_at(b, 4) as usize;
        if count > 0xffff {
            let what = "lookupswitch count";
            return Err(ErrorKind::BadValue {
                what,
                value: count as u32,
            }
            .at(self.offset + at));
        }
        let pairs = self.need(at + 8, 8 * count)?;
        let default = relative(pc as u32, u32_at(b, 0));
        let len = at + 8 + pairs.len() - pc;
        Ok((
            Operand::LookupSwitch(LookupSwitch {
                pc: pc as u32,
                default,
                pairs,
            }),
            len,
        ))
    }

    fn wide(&self, pc: usize) -> Result<Instruction<'a>> {
        let byte = self.need(pc + 1, 1)?[0];
        let bad = || ErrorKind::BadOpcode(byte).at(self.offset + pc + 1);
        let op = Op::from_u8(byte).ok_or_else(bad)?;
        let local = u16_at(self.need(pc + 2, 2)?, 0);
        let (operand, len) = match op.kind() {
            OperandKind::Local => (Operand::Local(local), 4),
            OperandKind::Iinc => {
                let delta = u16_at(self.need(pc + 4, 2)?, 0) as i16;
                (Operand::Iinc { local, delta }, 6)
            }
            _ => return Err(bad()),
        };
        Ok(Instruction {
            pc: pc as u32,
            next_pc: (pc + len) as u32,
            op,
            operand,
        })
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pc >= self.bytes.len() {
            return None;
        }
        let decoded = self.decode();
        self.pc = match &decoded {
            Ok(instruction) => instruction.next_pc as usize,
            Err(_) => self.bytes.len(),
        };
        Some(decoded)
    }
}
