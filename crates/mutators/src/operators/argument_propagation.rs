//! Calls replaced by one of their arguments.

use braid_classfile::{Insn, MethodDescriptor, Op};

use crate::calls::describe;
use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "argument-propagation",
    pit: &["EXPERIMENTAL_ARGUMENT_PROPAGATION"],
    summary: "replaces a call by each argument of the type it returns",
    example: Example {
        before: "static int f(int a, int b) { return Math.max(a, b); }",
        after: "static int f(int a, int b) { return a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some(callee) = site.body.callee(site.insn) else {
        return;
    };
    let Ok(descriptor) = MethodDescriptor::parse(callee.descriptor) else {
        return;
    };
    let Some(result) = descriptor.return_type() else {
        return;
    };
    let types: Vec<_> = descriptor.parameters().collect();
    let receiver = !matches!(site.insn, Insn::Invoke(Op::Invokestatic, _));
    for (index, _) in types.iter().enumerate().filter(|(_, ty)| **ty == result) {
        let mut below: Vec<Kind> = types[..index].iter().map(|ty| Kind::of(*ty)).collect();
        if receiver {
            below.insert(0, Kind::Reference);
        }
        let above = types[index + 1..].iter().rev();
        let mut steps: Vec<Step> = above.map(|ty| Kind::of(*ty).pop().into()).collect();
        steps.extend(drop_below(Kind::of(result), &below));
        let number = index + 1;
        let description = format!("replaced call of {} by argument {number}", describe(callee));
        out.replace(site, steps, format!("arg{number}"), description);
    }
}

/// Drops what lies under the top value.
fn drop_below(kept: Kind, below: &[Kind]) -> Vec<Step> {
    if below.is_empty() {
        return Vec::new();
    }
    if !kept.is_wide() && !below.iter().any(|kind| kind.is_wide()) {
        let pairs = below.iter().map(|_| [Step::from(Op::Swap), Op::Pop.into()]);
        return pairs.flatten().collect();
    }
    let store = Step::Temp(kept.variant_of(Op::Istore));
    let load = Step::Temp(kept.variant_of(Op::Iload));
    let pops = below.iter().rev().map(|kind| kind.pop().into());
    [store].into_iter().chain(pops).chain([load]).collect()
}
