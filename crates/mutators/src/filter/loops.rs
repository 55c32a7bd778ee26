//! Loops over collections and arrays.

use braid_classfile::{Insn, Op};

use super::{Marks, calls, each, is_unnamed, loaded, offset, stored};
use crate::body::Body;

const WHAT: &str = "a loop over all elements";

pub(super) fn mark(body: &Body<'_>, marks: &mut Marks) {
    for (at, insn) in each(body) {
        let found = match insn {
            Insn::InvokeInterface(..) => iterator(body, at),
            Insn::Plain(Op::Arraylength) => array(body, at),
            _ => None,
        };
        marks.compiler(found.into_iter().flatten(), WHAT);
    }
}

/// `iterator, store it, load it, hasNext, ifeq end, load it, next`, told at `hasNext`.
fn iterator(body: &Body<'_>, has_next: usize) -> Option<Vec<usize>> {
    if !calls(body, has_next, "java/util/Iterator", "hasNext", "()Z") {
        return None;
    }
    let positions: Vec<usize> = [-3, -2, -1, 0, 1, 2, 3]
        .into_iter()
        .map(|steps| offset(body, has_next, steps))
        .collect::<Option<_>>()?;
    let &[make, store, load, _, jump, again, next] = positions.as_slice() else {
        return None;
    };
    let local = stored(body, store)?;
    let made = body.callee(body.insn(make)).is_some_and(|callee| {
        callee.name == "iterator" && callee.descriptor == "()Ljava/util/Iterator;"
    });
    let hidden = match body.code.locals.is_empty() {
        true => body.lines[make] == body.lines[has_next] && body.lines[next] == body.lines[make],
        false => is_unnamed(body, load, local),
    };
    let same = made
        && loaded(body, load) == Some(local)
        && loaded(body, again) == Some(local)
        && matches!(body.insn(jump), Insn::Jump(Op::Ifeq, _))
        && calls(
            body,
            next,
            "java/util/Iterator",
            "next",
            "()Ljava/lang/Object;",
        );
    (same && hidden).then_some(positions)
}

/// `load a, arraylength, store n, 0, store i, load i, load n, if_icmpge end, load a, load i,
/// load element … iinc i, goto`, told at `arraylength`.
fn array(body: &Body<'_>, length: usize) -> Option<Vec<usize>> {
    let mut positions: Vec<usize> = (-1..10)
        .map(|steps| offset(body, length, steps))
        .collect::<Option<_>>()?;
    let [
        array,
        _,
        store_n,
        zero,
        store_i,
        load_i,
        load_n,
        jump,
        again,
        index,
        _,
    ] = positions.as_slice().try_into().ok()?;
    let (a, n, i) = (
        loaded(body, array)?,
        stored(body, store_n)?,
        stored(body, store_i)?,
    );
    let Insn::Jump(Op::IfIcmpge, end) = body.insn(jump) else {
        return None;
    };
    let same = body.insn(zero) == Insn::Plain(Op::Iconst0)
        && loaded(body, load_i) == Some(i)
        && loaded(body, load_n) == Some(n)
        && loaded(body, again) == Some(a)
        && loaded(body, index) == Some(i);
    if !same || !body.code.locals.is_empty() && !is_unnamed(body, load_i, i) {
        return None;
    }
    // The step stands before the jump back, which stands before the end.
    let step = |at: &usize| matches!(body.insn(*at), Insn::Iinc(local, 1) if local == i);
    let end = body.place(end).min(body.code.insns.len());
    positions.extend((jump..end).rev().find(step));
    Some(positions)
}
