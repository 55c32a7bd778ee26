//! The instructions of a method as events, to be matched with those of the source.

use braid_classfile::{Insn, Op};

use super::event::{Condition, Key};
use crate::binary::Binary;
use crate::body::Body;
use crate::calls::simple_name;
use crate::condition::Relation;
use crate::constants::Number;
use crate::filter::{Copies, Marks};

/// An instruction that stands for a piece of source.
pub(super) struct CodeEvent {
    pub(super) key: Key,
    /// Its position in the code.
    pub(super) at: usize,
    pub(super) line: u32,
}

/// The events of a method in order: without what the compiler made, and with one copy of each
/// `finally` block.
pub(super) fn events(body: &Body<'_>, marks: &Marks, copies: &Copies) -> Vec<CodeEvent> {
    let insns = body.code.insns.iter().copied().enumerate();
    insns
        .filter(|(at, _)| marks.at(*at).is_none() && copies.first(*at) == *at)
        .filter_map(|(at, insn)| {
            Some(CodeEvent {
                key: key(body, at, insn)?,
                at,
                line: body.line(at)?,
            })
        })
        .collect()
}

fn key(body: &Body<'_>, at: usize, insn: Insn) -> Option<Key> {
    if let Some(number) = Number::of(insn, body.pool) {
        return Some(Key::of_number(number));
    }
    Some(match insn {
        Insn::Jump(op, _) if op.is_conditional() => {
            let order = Relation::of_jump(op).is_some_and(Relation::is_order);
            Key::Condition(if order {
                Condition::Order
            } else {
                Condition::Equal
            })
        }
        Insn::Plain(op) => plain(body, op)?,
        Insn::Iinc(..) => Key::Increment,
        Insn::Switch(_) => Key::Switch,
        Insn::Local(op, local) if op.is_load() => Key::Name(local_name(body, at, local)?),
        Insn::Field(op, _) => {
            let name = body.field(insn)?.name.to_string();
            match op {
                Op::Getfield | Op::Getstatic => Key::Name(name),
                _ => Key::Assign(name),
            }
        }
        _ => {
            let callee = body.callee(insn)?;
            if callee.name == "<init>" {
                let owner = callee.owner.to_str_lossy();
                Key::New(without_number(simple_name(&owner)).to_owned())
            } else {
                Key::Call(callee.name.to_string())
            }
        }
    })
}

/// `Local` for the local class `1Local`.
fn without_number(name: &str) -> &str {
    let name = name.rsplit('$').next().unwrap_or(name);
    name.trim_start_matches(|c: char| c.is_ascii_digit())
}

fn plain(body: &Body<'_>, op: Op) -> Option<Key> {
    if let Some(binary) = Binary::of(op) {
        return Some(Key::Binary(binary));
    }
    match op {
        Op::Ineg | Op::Lneg | Op::Fneg | Op::Dneg => Some(Key::Negate),
        Op::Return => None,
        _ if op.is_return() => body.return_type().map(|_| Key::Return),
        _ if (Op::Iaload as u8..=Op::Saload as u8).contains(&(op as u8)) => Some(Key::Element),
        _ => None,
    }
}

/// The name of a local where it is read.
pub(super) fn local_name(body: &Body<'_>, at: usize, local: u16) -> Option<String> {
    let named = body.code.locals.iter().find(|named| {
        let (start, end) = (body.place(named.start), body.place(named.end));
        named.index == local && start <= at && at < end
    })?;
    let name = body.pool.utf8(named.name).ok()?.to_string();
    (name != "this").then_some(name)
}

/// True if a conditional jump tests the result of a comparison of fractions.
pub(super) fn compares_fractions(body: &Body<'_>, at: usize) -> bool {
    let previous = body.previous(at).map(|previous| body.insn(previous));
    matches!(
        previous,
        Some(Insn::Plain(Op::Fcmpl | Op::Fcmpg | Op::Dcmpl | Op::Dcmpg))
    )
}
