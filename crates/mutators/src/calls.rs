//! Calls without their effect: operands dropped, a default in the place of the result.

use braid_classfile::{Insn, MemberRef, MethodDescriptor, Op};

use crate::kind::Kind;
use crate::operator::Step;

/// The steps that drop a call's operands, and the kind of its result.
pub(crate) fn removed_call(insn: Insn, callee: MemberRef<'_>) -> Option<(Vec<Step>, Option<Kind>)> {
    let descriptor = MethodDescriptor::parse(callee.descriptor).ok()?;
    let kinds: Vec<Kind> = descriptor.parameters().map(Kind::of).collect();
    let mut steps: Vec<Step> = kinds.iter().rev().map(|kind| kind.pop().into()).collect();
    if !matches!(insn, Insn::Invoke(Op::Invokestatic, _)) {
        steps.push(Op::Pop.into());
    }
    Some((steps, descriptor.return_type().map(Kind::of)))
}

/// `String.trim` for a method of `java/lang/String`.
pub(crate) fn describe(member: MemberRef<'_>) -> String {
    let owner = member.owner.to_str_lossy();
    format!("{}.{}", simple_name(&owner), member.name)
}

/// The part of a class name behind packages and outer classes.
pub(crate) fn simple_name(class: &str) -> &str {
    let name = class.rsplit('/').next().unwrap_or(class);
    match name.rsplit_once('$') {
        Some((_, inner)) if inner.starts_with(|c: char| c.is_alphabetic()) => inner,
        _ => name,
    }
}
