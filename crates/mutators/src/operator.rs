//! What an operator is, and what it proposes.

use std::ops::Range;

use braid_classfile::{Insn, Label, Op, PoolBuilder, Switch};

use crate::binary::Binary;
use crate::body::Body;

/// A mutation operator.
#[derive(Debug)]
pub struct Operator {
    /// Its name here: `conditionals-boundary`.
    pub id: &'static str,
    /// The names PIT has for it, or for a part of it.
    pub pit: &'static [&'static str],
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// A method before and after.
    pub example: Example,
    pub(crate) propose: Propose,
}

/// What an operator does to a method, as Java source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Example {
    /// The original.
    pub before: &'static str,
    /// One of its mutants.
    pub after: &'static str,
}

/// How an operator is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Propose {
    /// Once for each instruction.
    Insn(fn(&Site<'_>, &mut Proposals)),
    /// Once for each method.
    Method(fn(&Body<'_>, &mut Proposals)),
}

/// An instruction that may be mutated.
pub(crate) struct Site<'b> {
    pub(crate) body: &'b Body<'b>,
    /// Its position among the items of the code.
    pub(crate) at: usize,
    pub(crate) insn: Insn,
}

impl<'b> Site<'b> {
    /// The switch that it is, with its number.
    pub(crate) fn switch(&self) -> Option<(u32, &'b Switch)> {
        let Insn::Switch(index) = self.insn else {
            return None;
        };
        let switch = self.body.code.switches.get(index as usize)?;
        Some((index, switch))
    }

    /// The binary operator that it computes, with its instruction.
    pub(crate) fn binary(&self) -> Option<(Binary, Op)> {
        let Insn::Plain(op) = self.insn else {
            return None;
        };
        Some((Binary::of(op)?, op))
    }
}

/// An instruction of a replacement. Constants are put into the pool when it is written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    Insn(Insn),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Text(&'static str),
    Null,
    /// A call of a method of a class: instruction, owner, name, descriptor.
    Call(Op, &'static str, &'static str, &'static str),
    /// A static method of an interface.
    InterfaceStatic(&'static str, &'static str, &'static str),
    /// Makes an array of a class with the length on the stack.
    NewArray(String),
    /// A load or store of a local behind all others.
    Temp(Op),
}

/// A change of a method's code.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Edit {
    /// Other instructions in the place of these; labels in the range stay in front.
    Replace(Range<usize>, Vec<Step>),
    /// Another switch in the place of one.
    Switch(u32, Switch),
    /// A conditional jump that goes elsewhere: its new opcode and target.
    Retarget(usize, Op, Goal),
    /// Another body.
    Body(Vec<Step>),
}

/// Where a retargeted jump goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Goal {
    Label(Label),
    /// Just before the item at this position, where no label stands yet.
    Before(usize),
}

/// A mutant that an operator proposes.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    pub(crate) operator: &'static str,
    /// Which of the operator's replacements.
    pub(crate) variant: String,
    pub(crate) at: usize,
    /// The positions of the same instruction in other copies of its `finally` block.
    pub(crate) copies: Vec<usize>,
    pub(crate) edits: Vec<Edit>,
    pub(crate) description: String,
}

/// Collects what operators propose.
#[derive(Default)]
pub(crate) struct Proposals {
    pub(crate) operator: &'static str,
    pub(crate) list: Vec<Proposal>,
    /// What cannot be expressed, with the position and why.
    pub(crate) impossible: Vec<(&'static str, usize, String, &'static str)>,
}

impl Proposals {
    /// Proposes a change at a position.
    pub(crate) fn edit(
        &mut self,
        at: usize,
        edit: Edit,
        variant: impl Into<String>,
        description: impl Into<String>,
    ) {
        self.list.push(Proposal {
            operator: self.operator,
            variant: variant.into(),
            at,
            copies: Vec::new(),
            edits: vec![edit],
            description: description.into(),
        });
    }

    /// Makes a change part of the last proposal.
    pub(crate) fn also(&mut self, edit: Edit) {
        if let Some(last) = self.list.last_mut() {
            last.edits.push(edit);
        }
    }

    /// Proposes other instructions in the place of the site's.
    pub(crate) fn replace(
        &mut self,
        site: &Site<'_>,
        steps: impl IntoIterator<Item = Step>,
        variant: impl Into<String>,
        description: impl Into<String>,
    ) {
        let edit = Edit::Replace(site.at..site.at + 1, steps.into_iter().collect());
        self.edit(site.at, edit, variant, description);
    }

    /// Notes that something cannot be mutated, and why.
    pub(crate) fn impossible(
        &mut self,
        site: &Site<'_>,
        description: impl Into<String>,
        why: &'static str,
    ) {
        self.impossible
            .push((self.operator, site.at, description.into(), why));
    }
}

impl From<Op> for Step {
    fn from(op: Op) -> Step {
        Step::Insn(Insn::Plain(op))
    }
}

impl From<Insn> for Step {
    fn from(insn: Insn) -> Step {
        Step::Insn(insn)
    }
}

impl Step {
    /// The instruction, with its constants put into the pool. `temp` is the first free local.
    pub(crate) fn insn(
        &self,
        pool: &mut PoolBuilder<'_>,
        temp: u16,
    ) -> braid_classfile::Result<Insn> {
        Ok(match *self {
            Step::Insn(insn) => insn,
            Step::Int(value) => match Insn::int(value) {
                Some(insn) => insn,
                None => Insn::ldc(pool.integer(value)?),
            },
            Step::Long(0) => Insn::Plain(Op::Lconst0),
            Step::Long(1) => Insn::Plain(Op::Lconst1),
            Step::Long(value) => Insn::ldc2(pool.long(value)?),
            Step::Float(value) => match float_constant(f64::from(value), &FLOATS) {
                Some(op) => Insn::Plain(op),
                None => Insn::ldc(pool.float(value)?),
            },
            Step::Double(value) => match float_constant(value, &DOUBLES) {
                Some(op) => Insn::Plain(op),
                None => Insn::ldc2(pool.double(value)?),
            },
            Step::Text(text) => Insn::ldc(pool.string(text)?),
            Step::Null => Insn::Plain(Op::AconstNull),
            Step::Call(op, owner, name, descriptor) => {
                Insn::Invoke(op, pool.method(owner, name, descriptor)?)
            }
            Step::InterfaceStatic(owner, name, descriptor) => Insn::Invoke(
                Op::Invokestatic,
                pool.interface_method(owner, name, descriptor)?,
            ),
            Step::NewArray(ref class) => Insn::Class(Op::Anewarray, pool.class(class.as_str())?),
            Step::Temp(op) => Insn::Local(op, temp),
        })
    }

    /// Slots it may add to the stack at most.
    pub(crate) fn growth(&self) -> u16 {
        match self {
            Step::Insn(_) | Step::Temp(_) | Step::Long(_) | Step::Double(_) => 2,
            Step::Call(..) | Step::NewArray(_) => 0,
            _ => 1,
        }
    }
}

const FLOATS: [Op; 3] = [Op::Fconst0, Op::Fconst1, Op::Fconst2];
const DOUBLES: [Op; 2] = [Op::Dconst0, Op::Dconst1];

/// The instruction that loads 0, 1 or 2; negative zero needs a constant.
fn float_constant(value: f64, ops: &[Op]) -> Option<Op> {
    let small = [0.0f64, 1.0, 2.0];
    let index = small.iter().position(|v| v.to_bits() == value.to_bits())?;
    ops.get(index).copied()
}
