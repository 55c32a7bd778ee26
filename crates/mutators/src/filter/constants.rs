//! Constants that stand in no source: indices of array initialisers, values of conditions,
//! variables of the compiler.

use braid_classfile::{Insn, Op};

use super::{Marks, each, is_goto, is_unnamed, loaded, offset};
use crate::body::Body;
use crate::constants::Number;
use crate::kind::Kind;

pub(super) fn mark(body: &Body<'_>, marks: &mut Marks) {
    for (at, insn) in each(body) {
        match insn {
            Insn::Plain(Op::Dup) => array_index(body, at, marks),
            Insn::Plain(Op::Iconst1) => condition_value(body, at, marks),
            Insn::Plain(Op::Ixor | Op::Lxor) => complement(body, at, marks),
            Insn::Local(..) if loads_own(body, at) => {
                marks.compiler([at], "a variable of the compiler");
            }
            _ => {}
        }
    }
}

/// True for a load of a variable that the compiler made.
fn loads_own(body: &Body<'_>, at: usize) -> bool {
    loaded(body, at).is_some_and(|local| local > 0 && is_unnamed(body, at, local))
}

/// `{a, b}` is `dup, 0, a, store, dup, 1, b, store` behind the new array, whose length stands
/// before it.
fn array_index(body: &Body<'_>, dup: usize, marks: &mut Marks) {
    let (Some(before), Some(index)) = (body.previous(dup), body.next(dup)) else {
        return;
    };
    let Some(Number::Int(value)) = Number::of(body.insn(index), body.pool) else {
        return;
    };
    let made = matches!(
        body.insn(before),
        Insn::NewArray(_) | Insn::Class(Op::Anewarray, _)
    );
    let filled = matches!(body.insn(before), Insn::Plain(op)
        if (Op::Iastore as u8..=Op::Sastore as u8).contains(&(op as u8)));
    if made || filled && value > 0 {
        marks.compiler([index], "an array initialiser");
    }
    if made && let Some(length) = body.previous(before) {
        marks.compiler([length], "an array initialiser");
    }
}

/// `~a` is `a ^ -1`.
fn complement(body: &Body<'_>, xor: usize, marks: &mut Marks) {
    let right = body.previous(xor);
    let value = right.and_then(|right| Number::of(body.insn(right), body.pool));
    if let Some(Number::Int(-1) | Number::Long(-1)) = value {
        marks.compiler(right, "a complement");
    }
}

/// The value of a condition: `iconst_1, goto end, iconst_0, end`, used as a boolean.
fn condition_value(body: &Body<'_>, at: usize, marks: &mut Marks) {
    let (Some(jump), Some(zero)) = (offset(body, at, 1), offset(body, at, 2)) else {
        return;
    };
    let Insn::Jump(_, end) = body.insn(jump) else {
        return;
    };
    let same = is_goto(body.insn(jump))
        && body.insn(zero) == Insn::Plain(Op::Iconst0)
        && body.target(end) == body.next(zero);
    let tested = body.next(zero).map(|next| body.insn(next));
    let tested = matches!(tested, Some(Insn::Jump(Op::Ifeq | Op::Ifne, _)));
    if same && (tested || body.uses[at] == Some(Kind::Boolean)) {
        marks.compiler([at, zero], "the value of a condition");
    }
}
