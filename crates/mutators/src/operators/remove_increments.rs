//! Increments of locals, left out.

use braid_classfile::Insn;

use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "remove-increments",
    pit: &["REMOVE_INCREMENTS"],
    summary: "removes an increment or decrement of a local variable",
    example: Example {
        before: "static int f(int a) { a++; return a; }",
        after: "static int f(int a) { return a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    if let Insn::Iinc(_, delta) = site.insn {
        let text = if delta < 0 { "decrement" } else { "increment" };
        out.replace(site, [], "", format!("removed {text}"));
    }
}
