//! Junk: code that nobody wrote or that nobody tests, and copies of one piece of source.

mod calls;
mod constants;
mod finally;
mod loops;
mod members;
mod resources;
mod statements;

use std::ops::Range;

use braid_classfile::{Insn, Op};

use crate::body::Body;
use crate::model::Reason;
use crate::options::Filters;

pub(crate) use finally::Copies;
pub(crate) use members::{class_reason, method_reason};

/// For each item of a method's code, why mutants of it are left out.
pub(crate) struct Marks(Vec<Option<Reason>>);

impl Marks {
    /// Looks for everything that the filters name.
    pub(crate) fn new(body: &Body<'_>, filters: &Filters) -> Marks {
        let mut marks = Marks(vec![None; body.code.insns.len()]);
        if filters.compiler {
            resources::mark(body, &mut marks);
            loops::mark(body, &mut marks);
            statements::mark(body, &mut marks);
            constants::mark(body, &mut marks);
            members::mark(body, &mut marks);
            calls::mark_compiler(body, &mut marks);
        }
        calls::mark(body, filters, &mut marks);
        marks
    }

    /// Why mutants of an item are left out.
    pub(crate) fn at(&self, position: usize) -> Option<&Reason> {
        self.0.get(position)?.as_ref()
    }

    fn set(&mut self, position: usize, reason: &Reason) {
        if let Some(mark @ None) = self.0.get_mut(position) {
            *mark = Some(reason.clone());
        }
    }

    fn range(&mut self, range: Range<usize>, reason: &Reason) {
        for position in range {
            self.set(position, reason);
        }
    }

    fn compiler(&mut self, positions: impl IntoIterator<Item = usize>, what: &'static str) {
        for position in positions {
            self.set(position, &Reason::Compiler(what));
        }
    }
}

/// True if an instruction calls a method of this name and descriptor, of any class if `owner` is
/// empty.
fn calls(body: &Body<'_>, at: usize, owner: &str, name: &str, descriptor: &str) -> bool {
    body.callee(body.insn(at)).is_some_and(|callee| {
        callee.name == name
            && callee.descriptor == descriptor
            && (owner.is_empty() || callee.owner == owner)
    })
}

/// The local that an instruction loads.
fn loaded(body: &Body<'_>, at: usize) -> Option<u16> {
    match body.insn(at) {
        Insn::Local(op, local) if op.is_load() => Some(local),
        _ => None,
    }
}

/// The local that an instruction stores.
fn stored(body: &Body<'_>, at: usize) -> Option<u16> {
    match body.insn(at) {
        Insn::Local(op, local) if op.is_store() => Some(local),
        _ => None,
    }
}

/// The position `steps` real instructions behind (or before, if negative) another.
fn offset(body: &Body<'_>, from: usize, steps: i32) -> Option<usize> {
    let mut at = from;
    for _ in 0..steps.unsigned_abs() {
        at = if steps < 0 {
            body.previous(at)?
        } else {
            body.next(at)?
        };
    }
    Some(at)
}

/// True if the class names its locals and this one has no name here: the compiler's own.
fn is_unnamed(body: &Body<'_>, at: usize, local: u16) -> bool {
    !body.code.locals.is_empty()
        && !body.code.locals.iter().any(|named| {
            let (start, end) = (body.place(named.start), body.place(named.end));
            // A store stands before the range of the name.
            named.index == local && start <= at + 2 && at < end
        })
}

/// The real instructions of a method with their positions.
fn each<'b>(body: &'b Body<'_>) -> impl Iterator<Item = (usize, Insn)> + 'b {
    let insns = body.code.insns.iter().copied().enumerate();
    insns.filter(|(_, insn)| insn.is_real())
}

/// True for a jump back or forth without condition.
fn is_goto(insn: Insn) -> bool {
    matches!(insn, Insn::Jump(Op::Goto, _))
}
