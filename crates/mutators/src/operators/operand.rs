//! Binary operators deleted: one of the operands alone (AOD).

use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "operand",
    pit: &["AOD"],
    summary: "replaces a binary expression by its left operand and by its right operand",
    example: Example {
        before: "static int f(int a, int b) { return a * b; }",
        after: "static int f(int a, int b) { return a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((binary, op)) = site.binary() else {
        return;
    };
    let (left, right) = binary.operand_kinds(op);
    let describe = |side: &str| format!("replaced {} by its {side} operand", binary.text());
    out.replace(site, [right.pop().into()], "left", describe("left"));
    // The right operand of a shift of a long is an int, which is no long.
    if left == right {
        out.replace(site, keep_top(left), "right", describe("right"));
    }
}

/// Drops the value under the top one of the same kind.
fn keep_top(kind: Kind) -> Vec<Step> {
    use braid_classfile::Op::{Dup2X2, Pop, Pop2, Swap};
    match kind.is_wide() {
        true => vec![Dup2X2.into(), Pop2.into(), Pop2.into()],
        false => vec![Swap.into(), Pop.into()],
    }
}
