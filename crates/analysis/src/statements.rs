//! Statement boundaries: the places where the operand stack is empty, so that code can be put there, or control moved
//! there, without anything on the stack to keep.

use braid_classfile::{ClassFile, CodeAttribute, Member, Result};

use crate::MethodTypes;

/// The indices of all instructions before which the operand stack is empty, ascending. Code that cannot be reached has
/// none.
pub fn statement_starts(
    class: &ClassFile<'_>,
    method: Member<'_>,
    code: CodeAttribute<'_>,
) -> Result<Vec<u32>> {
    let types = MethodTypes::new(class, method, code)?;
    let empty = |i: &u32| types.before(*i).is_some_and(|state| state.stack.is_empty());
    Ok((0..types.len() as u32).filter(empty).collect())
}
