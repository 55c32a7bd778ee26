//! Bitwise operators, each replaced by every other.

use crate::binary::{Binary, replace_by_others};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "bitwise",
    pit: &["OBBN"],
    summary: "replaces &, |, ^ by each of the others",
    example: Example {
        before: "static int f(int a, int b) { return a & b; }",
        after: "static int f(int a, int b) { return a ^ b; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    replace_by_others(site, &Binary::BITWISE, out);
}
