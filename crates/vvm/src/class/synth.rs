//! Classes and methods that the VM makes itself: lambdas, accessors, concatenations.
//!
//! They have ordinary bytecode, so that conditional values need no second thought, and a pool of constants
//! that are already names or ids.

use super::{ClassId, MethodId};
use crate::code::translate::RawHandler;
use crate::value::Kind;
use std::rc::Rc;

/// A constant of a synthetic class's pool.
#[derive(Debug, Clone)]
pub enum SynthConst {
    /// A class.
    Class(ClassId),
    /// A field: class, name, descriptor.
    Field(ClassId, Rc<str>, Rc<str>),
    /// A method by id, with its descriptor.
    Method(MethodId, Rc<str>),
    /// A string.
    String(Vec<u16>),
    /// An `int`.
    Int(i32),
}

/// Bytecode made by the VM.
#[derive(Debug, Clone, Default)]
pub struct SynthCode {
    /// The instructions.
    pub bytes: Vec<u8>,
    /// Local variables.
    pub max_locals: u16,
    /// Operand stack depth.
    pub max_stack: u16,
    /// Exception table.
    pub handlers: Vec<RawHandler>,
}

/// Writes bytecode with a pool of its own.
#[derive(Debug, Default)]
pub struct Assembler {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    /// The pool so far; indices count from 1.
    pub pool: Vec<SynthConst>,
}

#[allow(missing_docs)] // the JVM's opcodes
pub mod opcode {
    pub const ACONST_NULL: u8 = 0x01;
    pub const ICONST_0: u8 = 0x03;
    pub const ICONST_1: u8 = 0x04;
    pub const LDC_W: u8 = 0x13;
    pub const AALOAD: u8 = 0x32;
    pub const POP: u8 = 0x57;
    pub const DUP: u8 = 0x59;
    pub const DUP_X1: u8 = 0x5A;
    pub const SWAP: u8 = 0x5F;
    pub const IADD: u8 = 0x60;
    pub const IMUL: u8 = 0x68;
    pub const IFEQ: u8 = 0x99;
    pub const IFNE: u8 = 0x9A;
    pub const IF_ICMPNE: u8 = 0xA0;
    pub const LCMP: u8 = 0x94;
    pub const GOTO: u8 = 0xA7;
    pub const ARETURN: u8 = 0xB0;
    pub const IRETURN: u8 = 0xAC;
    pub const RETURN: u8 = 0xB1;
    pub const GETFIELD: u8 = 0xB4;
    pub const PUTFIELD: u8 = 0xB5;
    pub const GETSTATIC: u8 = 0xB2;
    pub const PUTSTATIC: u8 = 0xB3;
    pub const INVOKEVIRTUAL: u8 = 0xB6;
    pub const INVOKESPECIAL: u8 = 0xB7;
    pub const INVOKESTATIC: u8 = 0xB8;
    pub const INVOKEINTERFACE: u8 = 0xB9;
    pub const NEW: u8 = 0xBB;
    pub const ATHROW: u8 = 0xBF;
    pub const CHECKCAST: u8 = 0xC0;
    pub const INSTANCEOF: u8 = 0xC1;
}

impl Assembler {
    /// Emits an opcode without operands.
    pub fn op(&mut self, opcode: u8) {
        self.bytes.push(opcode);
    }

    /// Adds a constant and returns its index.
    pub fn constant(&mut self, constant: SynthConst) -> u16 {
        self.pool.push(constant);
        self.pool.len() as u16
    }

    /// Emits an opcode with a new constant as operand.
    pub fn with(&mut self, opcode: u8, constant: SynthConst) {
        let index = self.constant(constant);
        self.bytes.push(opcode);
        self.bytes.extend(index.to_be_bytes());
        if opcode == opcode::INVOKEINTERFACE {
            self.bytes.extend([1, 0]);
        }
    }

    /// Pushes an `int`.
    pub fn int(&mut self, value: i32) {
        match i16::try_from(value) {
            Ok(short) => {
                self.bytes.push(0x11);
                self.bytes.extend(short.to_be_bytes());
            }
            Err(_) => self.with(opcode::LDC_W, SynthConst::Int(value)),
        }
    }

    /// Loads a local variable.
    pub fn load(&mut self, kind: Kind, local: u16) {
        let opcode = match kind {
            Kind::Long => 0x16,
            Kind::Float => 0x17,
            Kind::Double => 0x18,
            Kind::Ref => 0x19,
            _ => 0x15,
        };
        self.bytes.extend([0xC4, opcode]);
        self.bytes.extend(local.to_be_bytes());
    }

    /// Returns a value of this kind.
    pub fn ret(&mut self, kind: Kind) {
        self.op(match kind {
            Kind::Void => opcode::RETURN,
            Kind::Long => 0xAD,
            Kind::Float => 0xAE,
            Kind::Double => 0xAF,
            Kind::Ref => opcode::ARETURN,
            _ => opcode::IRETURN,
        });
    }

    /// Emits a forward jump; returns what [`Assembler::land`] needs.
    pub fn jump(&mut self, opcode: u8) -> usize {
        let at = self.bytes.len();
        self.bytes.extend([opcode, 0, 0]);
        at
    }

    /// Makes a forward jump end here.
    pub fn land(&mut self, jump: usize) {
        let distance = (self.bytes.len() - jump) as i16;
        self.bytes[jump + 1..jump + 3].copy_from_slice(&distance.to_be_bytes());
    }

    /// The finished code.
    pub fn code(&self, max_locals: u16, max_stack: u16) -> SynthCode {
        SynthCode {
            bytes: self.bytes.clone(),
            max_locals,
            max_stack,
            handlers: Vec::new(),
        }
    }
}
