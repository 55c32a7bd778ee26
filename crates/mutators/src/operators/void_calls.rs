//! Calls of void methods, left out.

use crate::calls::{describe, removed_call};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "void-calls",
    pit: &["VOID_METHOD_CALLS"],
    summary: "removes a call of a method that returns nothing",
    example: Example {
        before: "static void f(Runnable a) { a.run(); }",
        after: "static void f(Runnable a) { }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some(callee) = site.body.callee(site.insn) else {
        return;
    };
    if callee.name == "<init>" {
        return;
    }
    if let Some((steps, None)) = removed_call(site.insn, callee) {
        out.replace(
            site,
            steps,
            "",
            format!("removed call of {}", describe(callee)),
        );
    }
}
