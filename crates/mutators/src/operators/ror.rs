//! Relational operators, each replaced by every other (ROR).

use braid_classfile::Insn;

use crate::condition::{Relation, Sense, equality, replace_jump};
use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "ror",
    pit: &["ROR"],
    summary: "replaces a relational operator by each of the others",
    example: Example {
        before: "static boolean f(int a, int b) { return a < b; }",
        after: "static boolean f(int a, int b) { return a == b; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Insn::Jump(op, _) = site.insn else {
        return;
    };
    let sense = Sense::of(site.body, site.at);
    let boolean = op.pop_slots() == Some(1) && site.body.before[site.at].top == Kind::Boolean;
    match (Relation::of_jump(op), equality(op)) {
        (Some(old), _) if !boolean => {
            for new in Relation::ALL.into_iter().filter(|new| *new != old) {
                replace_jump(site, sense, old, new, out);
            }
        }
        (None, Some(old)) => replace_jump(site, sense, old, old.negated(), out),
        _ => {}
    }
}
