//! The register form of a method: eight-byte instructions over the frame's registers.
//!
//! Registers are the local variables followed by the operand stack followed by a few temporaries. An
//! instruction that depends on the constant pool starts in its slow form (`…` with a pool index) and
//! rewrites itself to a quick form once resolved and, where that matters, initialised.

use super::arith::{Binary, Compare, Unary};
use crate::value::Kind;
use std::cell::Cell;

/// A register of the frame.
pub type Reg = u16;

/// One instruction. `d` is always the destination, `t` the index of the instruction to jump to.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // the JVM's names; operands are explained above
pub enum Op {
    Nop,
    Move {
        d: Reg,
        s: Reg,
    },
    /// An `int` or `null`.
    Const {
        d: Reg,
        k: i32,
    },
    /// A `long`, `double` or `float`, from the method's table.
    ConstWide {
        d: Reg,
        i: u32,
    },
    /// A constant that needs resolution.
    Ldc {
        d: Reg,
        i: u32,
    },
    /// A string literal: index into the VM's table of literals.
    LdcString {
        d: Reg,
        i: u32,
    },

    IAdd {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    ISub {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IMul {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IAnd {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IOr {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IXor {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IShl {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IShr {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IUshr {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LAdd {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LSub {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LMul {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DAdd {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DSub {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DMul {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DDiv {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Any other operator that cannot throw.
    Bin {
        op: Binary,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// An operator that throws when `b` is zero.
    Div {
        op: Binary,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    IAddK {
        d: Reg,
        a: Reg,
        k: i16,
    },
    IMulK {
        d: Reg,
        a: Reg,
        k: i16,
    },
    IAndK {
        d: Reg,
        a: Reg,
        k: i16,
    },
    IShlK {
        d: Reg,
        a: Reg,
        k: i16,
    },
    IShrK {
        d: Reg,
        a: Reg,
        k: i16,
    },
    IUshrK {
        d: Reg,
        a: Reg,
        k: i16,
    },
    /// An `int` operator with a constant (never a division by zero).
    BinK {
        op: Binary,
        d: Reg,
        a: Reg,
        k: i16,
    },
    I2L {
        d: Reg,
        a: Reg,
    },
    I2D {
        d: Reg,
        a: Reg,
    },
    I2B {
        d: Reg,
        a: Reg,
    },
    I2C {
        d: Reg,
        a: Reg,
    },
    L2I {
        d: Reg,
        a: Reg,
    },
    /// Any other conversion or negation.
    Un {
        op: Unary,
        d: Reg,
        a: Reg,
    },

    Goto {
        t: u16,
    },
    JEq {
        a: Reg,
        b: Reg,
        t: u16,
    },
    JNe {
        a: Reg,
        b: Reg,
        t: u16,
    },
    JLt {
        a: Reg,
        b: Reg,
        t: u16,
    },
    JGe {
        a: Reg,
        b: Reg,
        t: u16,
    },
    JGt {
        a: Reg,
        b: Reg,
        t: u16,
    },
    JLe {
        a: Reg,
        b: Reg,
        t: u16,
    },
    JEqK {
        a: Reg,
        k: i16,
        t: u16,
    },
    JNeK {
        a: Reg,
        k: i16,
        t: u16,
    },
    JLtK {
        a: Reg,
        k: i16,
        t: u16,
    },
    JGeK {
        a: Reg,
        k: i16,
        t: u16,
    },
    JGtK {
        a: Reg,
        k: i16,
        t: u16,
    },
    JLeK {
        a: Reg,
        k: i16,
        t: u16,
    },
    /// Compares two `long`s and jumps: `lcmp` and the branch after it.
    JLong {
        how: Compare,
        a: Reg,
        b: Reg,
        t: u16,
    },
    Switch {
        a: Reg,
        i: u32,
    },

    IALoad {
        d: Reg,
        a: Reg,
        i: Reg,
    },
    BALoad {
        d: Reg,
        a: Reg,
        i: Reg,
    },
    CALoad {
        d: Reg,
        a: Reg,
        i: Reg,
    },
    SALoad {
        d: Reg,
        a: Reg,
        i: Reg,
    },
    /// `long`, `double` or reference elements.
    WALoad {
        d: Reg,
        a: Reg,
        i: Reg,
    },
    IAStore {
        a: Reg,
        i: Reg,
        s: Reg,
    },
    BAStore {
        a: Reg,
        i: Reg,
        s: Reg,
    },
    /// `char` or `short` elements.
    CAStore {
        a: Reg,
        i: Reg,
        s: Reg,
    },
    /// `long` or `double` elements.
    LAStore {
        a: Reg,
        i: Reg,
        s: Reg,
    },
    AAStore {
        a: Reg,
        i: Reg,
        s: Reg,
    },
    ArrayLength {
        d: Reg,
        a: Reg,
    },
    NewArray {
        d: Reg,
        n: Reg,
        kind: Kind,
    },
    ANewArray {
        d: Reg,
        n: Reg,
        i: u16,
    },
    ANewArrayQ {
        d: Reg,
        n: Reg,
        site: u16,
    },
    /// Dimensions are in `dims` consecutive registers from `d`.
    MultiNewArray {
        dims: u8,
        d: Reg,
        i: u16,
    },

    GetField {
        d: Reg,
        o: Reg,
        i: u16,
    },
    GetFieldQ {
        d: Reg,
        o: Reg,
        f: u16,
    },
    PutField {
        o: Reg,
        s: Reg,
        i: u16,
    },
    PutFieldQ {
        o: Reg,
        s: Reg,
        f: u16,
    },
    GetStatic {
        d: Reg,
        i: u16,
    },
    GetStaticQ {
        d: Reg,
        f: u32,
    },
    PutStatic {
        s: Reg,
        i: u16,
    },
    PutStaticQ {
        s: Reg,
        f: u32,
    },

    /// Any call; `i` is the call site.
    Invoke {
        d: Reg,
        i: u32,
    },
    /// A static method of an initialised class, or a special call's target after the null check.
    InvokeStaticQ {
        d: Reg,
        i: u32,
    },
    InvokeSpecialQ {
        d: Reg,
        i: u32,
    },
    InvokeVirtualQ {
        d: Reg,
        i: u32,
    },
    InvokeInterfaceQ {
        d: Reg,
        i: u32,
    },
    New {
        d: Reg,
        i: u16,
    },
    NewQ {
        d: Reg,
        class: u32,
    },
    CheckCast {
        s: Reg,
        i: u16,
    },
    CheckCastQ {
        s: Reg,
        class: u32,
    },
    InstanceOf {
        d: Reg,
        s: Reg,
        i: u16,
    },
    InstanceOfQ {
        d: Reg,
        s: Reg,
        site: u16,
    },
    MonitorEnter {
        s: Reg,
    },
    MonitorExit {
        s: Reg,
    },
    Throw {
        s: Reg,
    },
    Return {
        s: Reg,
    },
    ReturnVoid,
    /// Notes the value of a watched variable.
    Trace {
        s: Reg,
        i: u32,
    },
}

/// How a call finds its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the JVM's names
pub enum InvokeKind {
    Virtual,
    Special,
    Static,
    Interface,
    Dynamic,
}

/// No method or class yet.
pub const UNRESOLVED: u32 = u32::MAX;

/// A call site with its inline cache.
#[derive(Debug)]
pub struct Site {
    /// Index into the constant pool.
    pub pool: u16,
    /// The instruction.
    pub kind: InvokeKind,
    /// Registers of the arguments, receiver first.
    pub args: Box<[Reg]>,
    /// The resolved method.
    pub method: Cell<u32>,
    /// Virtual table index of the resolved method.
    pub vtable: Cell<u32>,
    /// Last receiver class.
    pub cached_class: Cell<u32>,
    /// Method selected for it.
    pub cached_method: Cell<u32>,
}

/// A switch: sorted keys and their targets.
#[derive(Debug)]
pub struct SwitchTable {
    /// For a table switch the first key, and targets are dense.
    pub low: Option<i32>,
    /// Keys of a lookup switch, ascending.
    pub keys: Box<[i32]>,
    /// Targets in the order of the keys.
    pub targets: Box<[u16]>,
    /// Where to go otherwise.
    pub default: u16,
}

impl SwitchTable {
    /// The target for a key.
    #[inline]
    pub fn target(&self, key: i32) -> usize {
        let found = match self.low {
            Some(low) => usize::try_from(i64::from(key) - i64::from(low)).ok(),
            None => self.keys.binary_search(&key).ok(),
        };
        usize::from(
            found
                .and_then(|at| self.targets.get(at))
                .copied()
                .unwrap_or(self.default),
        )
    }
}

/// A handler: bytecode range, target instruction and caught class (pool index, 0 for any).
#[derive(Debug, Clone, Copy)]
pub struct Handler {
    /// First bytecode position of the range.
    pub start: u32,
    /// End of the range.
    pub end: u32,
    /// Instruction index of the handler.
    pub target: u16,
    /// Pool index of the class caught, 0 for any.
    pub class: u16,
    /// Register that receives the exception.
    pub reg: Reg,
}

/// A method in register form.
#[derive(Debug)]
pub struct Code {
    /// The class whose constant pool the pool indices mean.
    pub class: u32,
    /// The method.
    pub method: u32,
    /// Instructions, in bytecode order.
    pub ops: Box<[Cell<Op>]>,
    /// Bytecode position of each instruction.
    pub positions: Box<[u16]>,
    /// Registers of a frame.
    pub regs: u16,
    /// Registers that receive arguments, in order.
    pub params: Box<[Reg]>,
    /// Wide constants.
    pub wide: Box<[u64]>,
    /// Call sites.
    pub sites: Box<[Site]>,
    /// Class sites of quick `anewarray` and `instanceof`.
    pub class_sites: std::cell::RefCell<Vec<u32>>,
    /// Switches.
    pub switches: Box<[SwitchTable]>,
    /// Exception handlers, in the class file's order.
    pub handlers: Box<[Handler]>,
    /// What follows each branch that was asked for, if it only computes.
    pub regions: std::cell::RefCell<
        rustc_hash::FxHashMap<usize, Option<std::rc::Rc<super::region::Region>>>,
    >,
    /// Registers live before each instruction; computed when states first merge.
    pub live: std::cell::OnceCell<super::liveness::Live>,
}

impl Op {
    /// The register written, if any.
    pub fn dest(&self) -> Option<Reg> {
        let mut copy = *self;
        copy.dest_mut().copied()
    }

    /// The register written, to change it.
    pub fn dest_mut(&mut self) -> Option<&mut Reg> {
        use Op::*;
        match self {
            Move { d, .. }
            | Const { d, .. }
            | ConstWide { d, .. }
            | Ldc { d, .. }
            | LdcString { d, .. }
            | IAdd { d, .. }
            | ISub { d, .. }
            | IMul { d, .. }
            | IAnd { d, .. }
            | IOr { d, .. }
            | IXor { d, .. }
            | IShl { d, .. }
            | IShr { d, .. }
            | IUshr { d, .. }
            | LAdd { d, .. }
            | LSub { d, .. }
            | LMul { d, .. }
            | DAdd { d, .. }
            | DSub { d, .. }
            | DMul { d, .. }
            | DDiv { d, .. }
            | Bin { d, .. }
            | Div { d, .. }
            | IAddK { d, .. }
            | IMulK { d, .. }
            | IAndK { d, .. }
            | IShlK { d, .. }
            | IShrK { d, .. }
            | IUshrK { d, .. }
            | BinK { d, .. }
            | I2L { d, .. }
            | I2D { d, .. }
            | I2B { d, .. }
            | I2C { d, .. }
            | L2I { d, .. }
            | Un { d, .. }
            | IALoad { d, .. }
            | BALoad { d, .. }
            | CALoad { d, .. }
            | SALoad { d, .. }
            | WALoad { d, .. }
            | ArrayLength { d, .. }
            | NewArray { d, .. }
            | ANewArray { d, .. }
            | ANewArrayQ { d, .. }
            | GetField { d, .. }
            | GetFieldQ { d, .. }
            | GetStatic { d, .. }
            | GetStaticQ { d, .. }
            | Invoke { d, .. }
            | InvokeStaticQ { d, .. }
            | InvokeSpecialQ { d, .. }
            | InvokeVirtualQ { d, .. }
            | InvokeInterfaceQ { d, .. }
            | New { d, .. }
            | NewQ { d, .. }
            | InstanceOf { d, .. }
            | InstanceOfQ { d, .. }
            | MultiNewArray { d, .. } => Some(d),
            _ => None,
        }
    }

    /// Calls `f` for each register read.
    pub fn uses(&self, code: &Code, mut f: impl FnMut(Reg)) {
        use Op::*;
        match *self {
            Move { s, .. }
            | PutStatic { s, .. }
            | PutStaticQ { s, .. }
            | CheckCast { s, .. }
            | CheckCastQ { s, .. }
            | InstanceOf { s, .. }
            | InstanceOfQ { s, .. }
            | MonitorEnter { s }
            | MonitorExit { s }
            | Throw { s }
            | Trace { s, .. }
            | Return { s } => f(s),
            IAdd { a, b, .. }
            | ISub { a, b, .. }
            | IMul { a, b, .. }
            | IAnd { a, b, .. }
            | IOr { a, b, .. }
            | IXor { a, b, .. }
            | IShl { a, b, .. }
            | IShr { a, b, .. }
            | IUshr { a, b, .. }
            | LAdd { a, b, .. }
            | LSub { a, b, .. }
            | LMul { a, b, .. }
            | DAdd { a, b, .. }
            | DSub { a, b, .. }
            | DMul { a, b, .. }
            | DDiv { a, b, .. }
            | Bin { a, b, .. }
            | Div { a, b, .. }
            | JEq { a, b, .. }
            | JNe { a, b, .. }
            | JLt { a, b, .. }
            | JGe { a, b, .. }
            | JGt { a, b, .. }
            | JLe { a, b, .. }
            | JLong { a, b, .. } => {
                f(a);
                f(b);
            }
            IAddK { a, .. }
            | IMulK { a, .. }
            | IAndK { a, .. }
            | IShlK { a, .. }
            | IShrK { a, .. }
            | IUshrK { a, .. }
            | BinK { a, .. }
            | I2L { a, .. }
            | I2D { a, .. }
            | I2B { a, .. }
            | I2C { a, .. }
            | L2I { a, .. }
            | Un { a, .. }
            | JEqK { a, .. }
            | JNeK { a, .. }
            | JLtK { a, .. }
            | JGeK { a, .. }
            | JGtK { a, .. }
            | JLeK { a, .. }
            | Switch { a, .. }
            | ArrayLength { a, .. } => f(a),
            IALoad { a, i, .. }
            | BALoad { a, i, .. }
            | CALoad { a, i, .. }
            | SALoad { a, i, .. }
            | WALoad { a, i, .. } => {
                f(a);
                f(i);
            }
            IAStore { a, i, s }
            | BAStore { a, i, s }
            | CAStore { a, i, s }
            | LAStore { a, i, s }
            | AAStore { a, i, s } => {
                f(a);
                f(i);
                f(s);
            }
            NewArray { n, .. } | ANewArray { n, .. } | ANewArrayQ { n, .. } => f(n),
            MultiNewArray { dims, d, .. } => (d..d + u16::from(dims)).for_each(f),
            GetField { o, .. } | GetFieldQ { o, .. } => f(o),
            PutField { o, s, .. } | PutFieldQ { o, s, .. } => {
                f(o);
                f(s);
            }
            Invoke { i, .. }
            | InvokeStaticQ { i, .. }
            | InvokeSpecialQ { i, .. }
            | InvokeVirtualQ { i, .. }
            | InvokeInterfaceQ { i, .. } => {
                code.sites[i as usize].args.iter().for_each(|&reg| f(reg));
            }
            _ => {}
        }
    }

    /// The jump target of a conditional or unconditional jump (not of a switch).
    pub fn target_mut(&mut self) -> Option<&mut u16> {
        use Op::*;
        match self {
            Goto { t }
            | JEq { t, .. }
            | JNe { t, .. }
            | JLt { t, .. }
            | JGe { t, .. }
            | JGt { t, .. }
            | JLe { t, .. }
            | JEqK { t, .. }
            | JNeK { t, .. }
            | JLtK { t, .. }
            | JGeK { t, .. }
            | JGtK { t, .. }
            | JLeK { t, .. }
            | JLong { t, .. } => Some(t),
            _ => None,
        }
    }

    /// A jump that compares two registers.
    pub fn jump(compare: Compare, a: Reg, b: Reg) -> Op {
        let t = 0;
        match compare {
            Compare::Eq => Op::JEq { a, b, t },
            Compare::Ne => Op::JNe { a, b, t },
            Compare::Lt => Op::JLt { a, b, t },
            Compare::Ge => Op::JGe { a, b, t },
            Compare::Gt => Op::JGt { a, b, t },
            Compare::Le => Op::JLe { a, b, t },
        }
    }

    /// A jump that compares a register with a constant.
    pub fn jump_const(compare: Compare, a: Reg, k: i16) -> Op {
        let t = 0;
        match compare {
            Compare::Eq => Op::JEqK { a, k, t },
            Compare::Ne => Op::JNeK { a, k, t },
            Compare::Lt => Op::JLtK { a, k, t },
            Compare::Ge => Op::JGeK { a, k, t },
            Compare::Gt => Op::JGtK { a, k, t },
            Compare::Le => Op::JLeK { a, k, t },
        }
    }

    /// Whether control never falls through to the next instruction.
    pub fn ends(&self) -> bool {
        matches!(
            self,
            Op::Goto { .. }
                | Op::Switch { .. }
                | Op::Throw { .. }
                | Op::Return { .. }
                | Op::ReturnVoid
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_takes_eight_bytes() {
        assert_eq!(std::mem::size_of::<Op>(), 8);
    }

    #[test]
    fn switches_find_their_targets() {
        let table = SwitchTable {
            low: Some(-1),
            keys: [].into(),
            targets: [7, 8, 9].into(),
            default: 1,
        };
        assert_eq!(
            [-2, -1, 1, 2, i32::MIN].map(|key| table.target(key)),
            [1, 7, 9, 1, 1]
        );
        let table = SwitchTable {
            low: None,
            keys: [-5, 100].into(),
            targets: [7, 8].into(),
            default: 1,
        };
        assert_eq!([-5, 100, 0].map(|key| table.target(key)), [7, 8, 1]);
    }
}
