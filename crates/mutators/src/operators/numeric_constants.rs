//! Constants replaced by their neighbours and 0, as Javalanche does.

use crate::constants::{constant_at, replace};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "numeric-constants",
    pit: &[],
    summary: "replaces a number c by c + 1, c - 1 and 0",
    example: Example {
        before: "static int f(int a) { return a + 5; }",
        after: "static int f(int a) { return a + 4; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((old, false)) = constant_at(site) else {
        return;
    };
    for (name, new) in [
        ("plus-one", old.plus(1)),
        ("minus-one", old.plus(-1)),
        ("zero", old.of_same_kind(0)),
    ] {
        replace(site, old, new, name, out);
    }
}
