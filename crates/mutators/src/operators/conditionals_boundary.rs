//! Comparisons with and without equality.

use braid_classfile::Insn;

use crate::condition::{Relation, Sense, replace_jump};
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "conditionals-boundary",
    pit: &["CONDITIONALS_BOUNDARY"],
    summary: "replaces <, <=, >, >= by the comparison that treats equal operands otherwise",
    example: Example {
        before: "static boolean f(int a, int b) { return a < b; }",
        after: "static boolean f(int a, int b) { return a <= b; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Insn::Jump(op, _) = site.insn else {
        return;
    };
    let Some(relation) = Relation::of_jump(op) else {
        return;
    };
    let new = match relation {
        Relation::Lt => Relation::Le,
        Relation::Le => Relation::Lt,
        Relation::Gt => Relation::Ge,
        Relation::Ge => Relation::Gt,
        Relation::Eq | Relation::Ne => return,
    };
    replace_jump(site, Sense::of(site.body, site.at), relation, new, out);
}
