//! Calls replaced by the object they are made on.

use braid_classfile::{FieldType, Insn, MethodDescriptor, Op};

use crate::calls::describe;
use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "naked-receiver",
    pit: &["EXPERIMENTAL_NAKED_RECEIVER"],
    summary: "replaces a call that returns the type of its receiver by the receiver",
    example: Example {
        before: "static String f(String a) { return a.trim(); }",
        after: "static String f(String a) { return a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    if matches!(site.insn, Insn::Invoke(Op::Invokestatic, _)) {
        return;
    }
    let Some(callee) = site.body.callee(site.insn) else {
        return;
    };
    let Ok(descriptor) = MethodDescriptor::parse(callee.descriptor) else {
        return;
    };
    if descriptor.return_type() != Some(FieldType::Object(callee.owner)) {
        return;
    }
    let kinds: Vec<Kind> = descriptor.parameters().map(Kind::of).collect();
    let steps: Vec<Step> = kinds.iter().rev().map(|kind| kind.pop().into()).collect();
    let description = format!("replaced call of {} by its receiver", describe(callee));
    out.replace(site, steps, "", description);
}
