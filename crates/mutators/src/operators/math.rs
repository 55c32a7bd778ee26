//! Arithmetic and bitwise operators, each replaced by one other.

use crate::binary::{Binary, replace};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "math",
    pit: &["MATH"],
    summary: "replaces an arithmetic, bitwise or shift operator by one that is unlike it",
    example: Example {
        before: "static int f(int a, int b) { return a + b; }",
        after: "static int f(int a, int b) { return a - b; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((binary, _)) = site.binary() else {
        return;
    };
    let other = match binary {
        Binary::Add => Binary::Sub,
        Binary::Sub => Binary::Add,
        Binary::Mul => Binary::Div,
        Binary::Div | Binary::Rem => Binary::Mul,
        Binary::And => Binary::Or,
        Binary::Or | Binary::Xor => Binary::And,
        Binary::Shl => Binary::Shr,
        Binary::Shr | Binary::Ushr => Binary::Shl,
    };
    replace(site, binary, other, out);
}
