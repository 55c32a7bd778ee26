//! Switches on strings and enums, assertions.

use std::ops::Range;

use braid_classfile::{Insn, Op};

use super::{Marks, calls, each, loaded, offset, stored};
use crate::body::Body;
use crate::model::Reason;

/// A piece of code and what it was made for.
type Found = (Range<usize>, &'static str);

pub(super) fn mark(body: &Body<'_>, marks: &mut Marks) {
    for (at, insn) in each(body) {
        let found = match insn {
            Insn::Switch(_) => string_switch(body, at).or_else(|| enum_switch(body, at)),
            Insn::Field(Op::Getstatic, _) => assertion(body, at),
            Insn::Field(Op::Putstatic, _) => assertion_status(body, at),
            _ => None,
        };
        if let Some((range, what)) = found {
            marks.range(range, &Reason::Compiler(what));
        }
    }
}

/// `-1, store n, load s, hashCode, switch … load n, switch`: everything up to the second switch.
fn string_switch(body: &Body<'_>, switch: usize) -> Option<Found> {
    let hash = body.previous(switch)?;
    if !calls(body, hash, "java/lang/String", "hashCode", "()I") {
        return None;
    }
    let (start, store) = (offset(body, switch, -4)?, offset(body, switch, -3)?);
    let number = stored(body, store)?;
    let is_second = |at: &usize| {
        let next = body.next(*at).map(|next| body.insn(next));
        loaded(body, *at) == Some(number) && matches!(next, Some(Insn::Switch(_)))
    };
    let second = (switch..body.code.insns.len()).find(is_second)?;
    Some((start..second + 1, "a switch on strings"))
}

/// `getstatic $SwitchMap$…, load e, ordinal, iaload, switch`; newer compilers need no map for enums
/// of the same file.
fn enum_switch(body: &Body<'_>, switch: usize) -> Option<Found> {
    let mut ordinal = body.previous(switch)?;
    if body.insn(ordinal) == Insn::Plain(Op::Iaload) {
        ordinal = body.previous(ordinal)?;
    }
    let same = calls(body, ordinal, "", "ordinal", "()I");
    same.then_some((ordinal..switch, "a switch on an enum"))
}

/// `getstatic $assertionsDisabled, ifne end … throw, end`.
fn assertion(body: &Body<'_>, at: usize) -> Option<Found> {
    let field = body.field(body.insn(at))?;
    let jump = body.next(at)?;
    let Insn::Jump(Op::Ifne, end) = body.insn(jump) else {
        return None;
    };
    let end = body.place(end).min(body.code.insns.len());
    (field.name == "$assertionsDisabled").then_some((at..end, "an assertion"))
}

/// The static initialiser's question whether assertions are on.
fn assertion_status(body: &Body<'_>, at: usize) -> Option<Found> {
    let field = body.field(body.insn(at))?;
    if field.name != "$assertionsDisabled" {
        return None;
    }
    let asks = |position: &usize| {
        calls(
            body,
            *position,
            "java/lang/Class",
            "desiredAssertionStatus",
            "()Z",
        )
    };
    let start = (0..at).rev().find(asks)?;
    Some((start..at + 1, "an assertion"))
}
