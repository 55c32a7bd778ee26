//! Negation of numbers, left out.

use braid_classfile::{Insn, Op};

use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "invert-negs",
    pit: &["INVERT_NEGS"],
    summary: "removes the negation of a number",
    example: Example {
        before: "static int f(int a) { return -a; }",
        after: "static int f(int a) { return a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    if let Insn::Plain(Op::Ineg | Op::Lneg | Op::Fneg | Op::Dneg) = site.insn {
        out.replace(site, [], "", "removed negation");
    }
}
