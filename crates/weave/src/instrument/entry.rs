//! The coverage probe at a method's entry.

use braid_classfile::{Editor, Insn, Op};

use crate::error::Result;
use crate::names::BRAID;

/// Pushes the instructions of a probe: `Braid.hit(number)`.
pub(super) fn probe(editor: &mut Editor<'_>, number: u32, out: &mut Vec<Insn>) -> Result<()> {
    let hit = editor.pool_mut().method(BRAID, "hit", "(I)V")?;
    out.push(int(editor, number as i32)?);
    out.push(Insn::Invoke(Op::Invokestatic, hit));
    Ok(())
}

/// The instruction that loads an `int`.
pub(super) fn int(editor: &mut Editor<'_>, value: i32) -> Result<Insn> {
    Ok(match Insn::int(value) {
        Some(insn) => insn,
        None => Insn::ldc(editor.pool_mut().integer(value)?),
    })
}
