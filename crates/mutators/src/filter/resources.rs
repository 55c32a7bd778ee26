//! What javac makes of `try` with resources.
//!
//! Since Java 11 the handler is `store t, [load r, ifnull end], load r, close, goto end, store x,
//! load t, load x, addSuppressed, end: load t, throw`; the normal ways close the resource right
//! behind each protected range. Before, one piece of code served both ways:
//! `load r, ifnull end, load t, ifnull plain, load r, close, goto end, store x, load t, load x,
//! addSuppressed, goto end, plain: load r, close`.

use braid_classfile::{Insn, Op};

use super::{Marks, calls, each, is_goto, loaded, offset, stored};
use crate::body::Body;

const WHAT: &str = "try with resources";

pub(super) fn mark(body: &Body<'_>, marks: &mut Marks) {
    for (at, _) in each(body) {
        let descriptor = "(Ljava/lang/Throwable;)V";
        if calls(body, at, "java/lang/Throwable", "addSuppressed", descriptor) {
            let _ = handler(body, at, marks).or_else(|| old_close(body, at, marks));
        }
    }
}

fn is_close(body: &Body<'_>, at: usize) -> bool {
    calls(body, at, "", "close", "()V")
}

fn is_null_jump(body: &Body<'_>, at: usize) -> bool {
    matches!(body.insn(at), Insn::Jump(Op::Ifnull, _))
}

/// The close before the `addSuppressed` at a position: resource, its load, and the store of the
/// second exception.
fn close_before(body: &Body<'_>, suppressed: usize) -> Option<(u16, usize)> {
    let steps = |steps| offset(body, suppressed, steps);
    let (store, jump, close, load) = (steps(-3)?, steps(-4)?, steps(-5)?, steps(-6)?);
    let same = stored(body, store).is_some()
        && stored(body, store) == loaded(body, steps(-1)?)
        && is_goto(body.insn(jump))
        && is_close(body, close);
    let resource = loaded(body, load).filter(|_| same)?;
    Some((resource, load))
}

fn handler(body: &Body<'_>, suppressed: usize, marks: &mut Marks) -> Option<()> {
    let (resource, load) = close_before(body, suppressed)?;
    let end = offset(body, suppressed, 2)?;
    if body.insn(end) != Insn::Plain(Op::Athrow) {
        return None;
    }
    let before = body.previous(load)?;
    let start = if is_null_jump(body, before) {
        offset(body, before, -2)?
    } else {
        before
    };
    stored(body, start)?;
    marks.compiler(start..end + 1, WHAT);
    for range in &body.code.tries {
        if body.target(range.handler) == Some(start) {
            normal_close(body, body.target(range.end), resource, marks);
        }
    }
    Some(())
}

/// The close behind a protected range, with its null check if it has one.
fn normal_close(body: &Body<'_>, at: Option<usize>, resource: u16, marks: &mut Marks) {
    let Some(start) = at.filter(|at| loaded(body, *at) == Some(resource)) else {
        return;
    };
    for steps in [1, 3] {
        if let Some(end) = offset(body, start, steps)
            && is_close(body, end)
        {
            marks.compiler(start..end + 1, WHAT);
            return;
        }
    }
}

fn old_close(body: &Body<'_>, suppressed: usize, marks: &mut Marks) -> Option<()> {
    let (resource, load) = close_before(body, suppressed)?;
    let start = offset(body, load, -4)?;
    let end = offset(body, suppressed, 3)?;
    let same = loaded(body, start) == Some(resource)
        && is_null_jump(body, body.previous(load)?)
        && is_goto(body.insn(body.next(suppressed)?))
        && is_close(body, end);
    if same {
        marks.compiler(start..end + 1, WHAT);
    }
    Some(())
}
