//! New objects replaced by null.

use braid_classfile::{Insn, MemberRef, MethodDescriptor, Op};

use crate::calls::{removed_call, simple_name};
use crate::operator::{Edit, Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "constructor-calls",
    pit: &["CONSTRUCTOR_CALLS"],
    summary: "replaces a new object by null",
    example: Example {
        before: "static Object f() { return new Object(); }",
        after: "static Object f() { return null; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some(callee) = site.body.callee(site.insn) else {
        return;
    };
    if callee.name != "<init>" || !is_new_object(site, callee) {
        return;
    }
    let Some((mut steps, None)) = removed_call(site.insn, callee) else {
        return;
    };
    let name = callee.owner.to_str_lossy();
    let description = format!("replaced new {} by null", simple_name(&name));
    let body = site.body;
    let start = body.before[site.at].start as usize;
    // Frames between `new` and the constructor speak of the object: then it is made and dropped.
    if body.blocks[start] == body.blocks[site.at]
        && let Some(copy) = body.next(start)
    {
        steps.pop();
        steps.push(Step::Null);
        let call = Edit::Replace(site.at..site.at + 1, steps);
        out.edit(site.at, call, "", description);
        out.also(Edit::Replace(start..copy + 1, Vec::new()));
    } else {
        // The reference that `dup` left for after the constructor.
        steps.extend([Step::from(Op::Pop), Step::Null]);
        out.replace(site, steps, "", description);
    }
}

/// True if the object comes from a `new` and a `dup`: not `this(..)` or `super(..)`, and nothing
/// else refers to the object yet.
fn is_new_object(site: &Site<'_>, callee: MemberRef<'_>) -> bool {
    let body = site.body;
    let start = body.before[site.at].start as usize;
    let Insn::Class(Op::New, class) = body.insn(start) else {
        return false;
    };
    let slots = MethodDescriptor::parse(callee.descriptor).map_or(0, |d| d.parameter_slots());
    let copied = body.next(start).map(|next| body.insn(next)) == Some(Insn::Plain(Op::Dup));
    copied
        && body
            .pool
            .class(class)
            .is_ok_and(|name| name == callee.owner)
        && body.before[site.at].depth == body.before[start].depth + slots + 2
}
