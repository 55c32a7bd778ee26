//! Constants replaced by 1, 0, -1, their negation and their neighbours (CRCR).

use crate::constants::{constant_at, replace};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "crcr",
    pit: &["CRCR"],
    summary: "replaces a number c by 1, 0, -1, -c, c + 1 and c - 1",
    example: Example {
        before: "static int f(int a) { return a + 5; }",
        after: "static int f(int a) { return a + -5; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Some((old, false)) = constant_at(site) else {
        return;
    };
    for (name, new) in [
        ("one", old.of_same_kind(1)),
        ("zero", old.of_same_kind(0)),
        ("minus-one", old.of_same_kind(-1)),
        ("negated", old.negated()),
        ("plus-one", old.plus(1)),
        ("minus", old.plus(-1)),
    ] {
        replace(site, old, new, name, out);
    }
}
