//! What kind of computation an instruction is: many instructions, few shapes.

use super::arith::{Binary, Compare, Unary};
use super::op::{Op, Reg};
use crate::value::{Slot, int};

/// The second operand of an operator or comparison.
#[derive(Debug, Clone, Copy)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant.
    Plain(Slot),
}

/// A pure operator: it cannot throw.
#[derive(Debug, Clone, Copy)]
pub enum Operator {
    /// Of two operands.
    Two(Binary, Reg, Operand),
    /// Of one.
    One(Unary, Reg),
}

fn constant(k: i16) -> Operand {
    Operand::Plain(int(i32::from(k)))
}

impl Op {
    /// The jump in the opposite case.
    pub fn inverted(self) -> Option<Op> {
        Some(match self {
            Op::JEq { a, b, t } => Op::JNe { a, b, t },
            Op::JNe { a, b, t } => Op::JEq { a, b, t },
            Op::JLt { a, b, t } => Op::JGe { a, b, t },
            Op::JGe { a, b, t } => Op::JLt { a, b, t },
            Op::JGt { a, b, t } => Op::JLe { a, b, t },
            Op::JLe { a, b, t } => Op::JGt { a, b, t },
            Op::JEqK { a, k, t } => Op::JNeK { a, k, t },
            Op::JNeK { a, k, t } => Op::JEqK { a, k, t },
            Op::JLtK { a, k, t } => Op::JGeK { a, k, t },
            Op::JGeK { a, k, t } => Op::JLtK { a, k, t },
            Op::JGtK { a, k, t } => Op::JLeK { a, k, t },
            Op::JLeK { a, k, t } => Op::JGtK { a, k, t },
            Op::JLong { how, a, b, t } => {
                let how = how.inverted();
                Op::JLong { how, a, b, t }
            }
            _ => return None,
        })
    }

    /// Whether a copy at another place does the same: no call, no jump, nothing that is noted.
    pub fn is_copied_freely(&self) -> bool {
        matches!(
            self,
            Op::Move { .. }
                | Op::Const { .. }
                | Op::ConstWide { .. }
                | Op::ArrayLength { .. }
                | Op::GetField { .. }
                | Op::GetStatic { .. }
        ) || self.operator().is_some()
    }

    /// The operator that the instruction applies, and the register for the result.
    pub fn operator(&self) -> Option<(Reg, Operator)> {
        let (two, one) = (
            |op, d, a, b| Some((d, Operator::Two(op, a, b))),
            |op, d, a| Some((d, Operator::One(op, a))),
        );
        match *self {
            Op::IAdd { d, a, b } => two(Binary::IAdd, d, a, Operand::Reg(b)),
            Op::ISub { d, a, b } => two(Binary::ISub, d, a, Operand::Reg(b)),
            Op::IMul { d, a, b } => two(Binary::IMul, d, a, Operand::Reg(b)),
            Op::IAnd { d, a, b } => two(Binary::IAnd, d, a, Operand::Reg(b)),
            Op::IOr { d, a, b } => two(Binary::IOr, d, a, Operand::Reg(b)),
            Op::IXor { d, a, b } => two(Binary::IXor, d, a, Operand::Reg(b)),
            Op::IShl { d, a, b } => two(Binary::IShl, d, a, Operand::Reg(b)),
            Op::IShr { d, a, b } => two(Binary::IShr, d, a, Operand::Reg(b)),
            Op::IUshr { d, a, b } => two(Binary::IUshr, d, a, Operand::Reg(b)),
            Op::LAdd { d, a, b } => two(Binary::LAdd, d, a, Operand::Reg(b)),
            Op::LSub { d, a, b } => two(Binary::LSub, d, a, Operand::Reg(b)),
            Op::LMul { d, a, b } => two(Binary::LMul, d, a, Operand::Reg(b)),
            Op::DAdd { d, a, b } => two(Binary::DAdd, d, a, Operand::Reg(b)),
            Op::DSub { d, a, b } => two(Binary::DSub, d, a, Operand::Reg(b)),
            Op::DMul { d, a, b } => two(Binary::DMul, d, a, Operand::Reg(b)),
            Op::DDiv { d, a, b } => two(Binary::DDiv, d, a, Operand::Reg(b)),
            Op::Bin { op, d, a, b } => two(op, d, a, Operand::Reg(b)),
            Op::IAddK { d, a, k } => two(Binary::IAdd, d, a, constant(k)),
            Op::IMulK { d, a, k } => two(Binary::IMul, d, a, constant(k)),
            Op::IAndK { d, a, k } => two(Binary::IAnd, d, a, constant(k)),
            Op::IShlK { d, a, k } => two(Binary::IShl, d, a, constant(k)),
            Op::IShrK { d, a, k } => two(Binary::IShr, d, a, constant(k)),
            Op::IUshrK { d, a, k } => two(Binary::IUshr, d, a, constant(k)),
            Op::BinK { op, d, a, k } => two(op, d, a, constant(k)),
            Op::I2L { d, a } => one(Unary::I2L, d, a),
            Op::I2D { d, a } => one(Unary::I2D, d, a),
            Op::I2B { d, a } => one(Unary::I2B, d, a),
            Op::I2C { d, a } => one(Unary::I2C, d, a),
            Op::L2I { d, a } => one(Unary::L2I, d, a),
            Op::Un { op, d, a } => one(op, d, a),
            _ => None,
        }
    }

    /// The comparison of two `int`s or references that the instruction jumps on, and where to.
    pub fn comparison(&self) -> Option<(Compare, Reg, Operand, usize)> {
        let found = |how, a, b, t| Some((how, a, b, usize::from(t)));
        match *self {
            Op::JEq { a, b, t } => found(Compare::Eq, a, Operand::Reg(b), t),
            Op::JNe { a, b, t } => found(Compare::Ne, a, Operand::Reg(b), t),
            Op::JLt { a, b, t } => found(Compare::Lt, a, Operand::Reg(b), t),
            Op::JGe { a, b, t } => found(Compare::Ge, a, Operand::Reg(b), t),
            Op::JGt { a, b, t } => found(Compare::Gt, a, Operand::Reg(b), t),
            Op::JLe { a, b, t } => found(Compare::Le, a, Operand::Reg(b), t),
            Op::JEqK { a, k, t } => found(Compare::Eq, a, constant(k), t),
            Op::JNeK { a, k, t } => found(Compare::Ne, a, constant(k), t),
            Op::JLtK { a, k, t } => found(Compare::Lt, a, constant(k), t),
            Op::JGeK { a, k, t } => found(Compare::Ge, a, constant(k), t),
            Op::JGtK { a, k, t } => found(Compare::Gt, a, constant(k), t),
            Op::JLeK { a, k, t } => found(Compare::Le, a, constant(k), t),
            _ => None,
        }
    }
}
