//! Fuel: every cycle of a method passes a tick.
//!
//! A cycle in the code goes backward somewhere: by a jump, or by an exception whose handler
//! stands before the end of its range. The target of each backward edge ticks. When the fuel is
//! used up the tick throws; if it stands inside a try range, a handler can swallow that and go
//! round again. There a second, *hard* tick stands in front of the first, cut out of every range:
//! it throws once the fuel is far below zero, and nothing in the method can catch that.
//!
//! Handlers that only release a monitor are not cut: they always throw again, and the JIT refuses
//! methods in which a monitor might stay locked.

use braid_classfile::{Code, CodeTarget, Editor, Insn, Label, Op, TryRange};

use crate::error::Result;
use crate::instrument::flow::Flow;
use crate::names::BRAID;

/// True if the method calls anything but the constructor of `Object`: only then can it be part of
/// an endless recursion.
pub(super) fn calls_something(code: &Code) -> bool {
    code.insns
        .iter()
        .any(|insn| insn.op().is_some_and(Op::is_invoke))
}

/// What stands at the head of a loop.
#[derive(Clone, Copy, PartialEq)]
enum Head {
    /// A tick.
    Plain,
    /// A hard tick outside the try ranges, then a tick inside.
    Hard,
    /// Both outside the try ranges: the head is the handler of a range it stands in.
    Handler,
}

/// Puts ticks at the heads of loops; false if there are no loops.
pub(super) fn at_loop_heads(editor: &mut Editor<'_>, code: &mut Code, tick: u16) -> Result<bool> {
    let flow = Flow::of(code);
    let mut monitors = vec![false; flow.positions.len()];
    for range in &code.tries {
        monitors[range.handler.0 as usize] = releases(code, &flow, range);
    }
    let heads = heads(code, &flow, &monitors);
    if heads.iter().all(Option::is_none) {
        return Ok(false);
    }
    let hard = match heads.iter().flatten().any(|head| *head != Head::Plain) {
        true => editor.pool_mut().method(BRAID, "hardTick", "()V")?,
        false => 0,
    };
    let mut cuts = Vec::new();
    let old = std::mem::take(&mut code.insns);
    for insn in old {
        code.insns.push(insn);
        let Insn::Label(label) = insn else { continue };
        let Some(head) = heads[label.0 as usize] else {
            continue;
        };
        let tick = Insn::Invoke(Op::Invokestatic, tick);
        let hard = Insn::Invoke(Op::Invokestatic, hard);
        if head == Head::Plain {
            code.insns.push(tick);
            continue;
        }
        let behind = code.new_label();
        match head {
            Head::Handler => code.insns.extend([hard, tick, Insn::Label(behind)]),
            _ => code.insns.extend([hard, Insn::Label(behind), tick]),
        }
        cuts.push((label, behind));
    }
    for (label, behind) in cuts {
        cut(code, &monitors, label, behind);
    }
    Ok(true)
}

/// What each label needs.
fn heads(code: &Code, flow: &Flow, monitors: &[bool]) -> Vec<Option<Head>> {
    let mut heads = vec![None; flow.positions.len()];
    for (label, head) in heads.iter_mut().enumerate() {
        if flow.loops[label] {
            let at = flow.positions[label];
            let covered = code
                .tries
                .iter()
                .any(|range| !monitors[range.handler.0 as usize] && covers(flow, range, at));
            *head = Some(if covered { Head::Hard } else { Head::Plain });
        }
    }
    for range in &code.tries {
        let monitor = monitors[range.handler.0 as usize];
        let (start, end) = (flow.position(range.start), flow.position(range.end));
        let handler = flow.position(range.handler);
        let throws = || {
            code.insns
                .get(start.max(handler)..end)
                .is_some_and(|insns| insns.iter().any(|insn| can_throw(*insn)))
        };
        if !monitor && handler < end && throws() {
            heads[range.handler.0 as usize] = Some(Head::Handler);
        }
    }
    heads
}

fn covers(flow: &Flow, range: &TryRange, at: usize) -> bool {
    flow.position(range.start) <= at && at < flow.position(range.end)
}

/// False for instructions that never throw.
fn can_throw(insn: Insn) -> bool {
    !matches!(
        insn,
        Insn::Label(_)
            | Insn::Local(..)
            | Insn::Iinc(..)
            | Insn::Push(_)
            | Insn::Jump(..)
            | Insn::Plain(Op::Nop | Op::Pop | Op::Pop2 | Op::Dup)
    )
}

/// True if a handler only releases a monitor and throws again.
fn releases(code: &Code, flow: &Flow, range: &TryRange) -> bool {
    let at = flow.position(range.handler);
    let Some(rest) = code.insns.get(at..) else {
        return false;
    };
    let mut real = rest.iter().filter(|insn| insn.is_real());
    let insns: [Option<&Insn>; 5] = std::array::from_fn(|_| real.next());
    match insns {
        [
            Some(Insn::Local(Op::Astore, kept)),
            Some(Insn::Local(Op::Aload, _)),
            Some(Insn::Plain(Op::Monitorexit)),
            Some(Insn::Local(Op::Aload, thrown)),
            Some(Insn::Plain(Op::Athrow)),
        ] => range.catch_type == 0 && kept == thrown,
        _ => false,
    }
}

/// Cuts what stands between two labels out of the try ranges around it.
fn cut(code: &mut Code, monitors: &[bool], label: Label, behind: Label) {
    let positions = code.positions();
    let place = |label: Label| positions[label.0 as usize];
    let at = place(label);
    let mut tries = Vec::with_capacity(code.tries.len() + 1);
    let mut moved = Vec::with_capacity(code.tries.len());
    for range in &code.tries {
        moved.push(tries.len() as u16);
        let keep = monitors[range.handler.0 as usize];
        if keep || !(place(range.start) <= at && at < place(range.end)) {
            tries.push(*range);
            continue;
        }
        if place(range.start) < at {
            tries.push(TryRange {
                end: label,
                ..*range
            });
        }
        tries.push(TryRange {
            start: behind,
            ..*range
        });
    }
    for annotation in &mut code.type_annotations {
        if let CodeTarget::Catch(index) = &mut annotation.target
            && let Some(new) = moved.get(usize::from(*index))
        {
            *index = *new;
        }
    }
    code.tries = tries;
}
