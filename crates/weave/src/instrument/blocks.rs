//! Coverage probes at basic blocks, for those who ask which part of a method a run reaches.

use braid_classfile::{Code, Editor, Insn, Label};

use crate::error::Result;
use crate::instrument::entry;
use crate::instrument::flow::Flow;

/// Methods with more instructions have the probe at their entry only: they would grow too large.
const MOST: usize = 8_000;

/// Where blocks start, as counts of instructions before them; without the block at the entry.
pub(crate) fn starts(code: &Code) -> Vec<u32> {
    let flow = Flow::of(code);
    let (mut starts, mut real, mut fresh) = (Vec::new(), 0, false);
    for insn in &code.insns {
        if let Insn::Label(label) = insn {
            fresh |= flow.is_target(*label);
            continue;
        }
        if fresh && real > 0 {
            starts.push(real);
        }
        fresh = insn.ends_block() || matches!(insn, Insn::Jump(..));
        real += 1;
    }
    if real as usize > MOST {
        starts.clear();
    }
    starts
}

/// Marks where blocks start, before other passes insert anything.
pub(super) fn mark(code: &mut Code) -> Vec<Label> {
    let starts = starts(code);
    let labels: Vec<Label> = starts.iter().map(|_| code.new_label()).collect();
    let old = std::mem::take(&mut code.insns);
    let (mut real, mut next) = (0, 0);
    for insn in old {
        if insn.is_real() {
            if starts.get(next) == Some(&real) {
                code.insns.push(Insn::Label(labels[next]));
                next += 1;
            }
            real += 1;
        }
        code.insns.push(insn);
    }
    labels
}

/// Puts a probe behind each mark; the first has number `first`.
pub(super) fn probe(
    editor: &mut Editor<'_>,
    code: &mut Code,
    marks: &[Label],
    first: u32,
) -> Result<()> {
    let old = std::mem::take(&mut code.insns);
    let (mut number, mut marks) = (first, marks.iter());
    let mut next = marks.next();
    for insn in old {
        code.insns.push(insn);
        if next.is_some_and(|label| insn == Insn::Label(*label)) {
            entry::probe(editor, number, &mut code.insns)?;
            number += 1;
            next = marks.next();
        }
    }
    Ok(())
}
