//! Conditions, negated.

use braid_classfile::Insn;

use crate::condition::{Relation, Sense, equality};
use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "negate-conditionals",
    pit: &["NEGATE_CONDITIONALS"],
    summary: "negates a condition: == becomes !=, < becomes >=, a boolean becomes its opposite",
    example: Example {
        before: "static int f(int a, int b) { if (a == b) { return 1; } return 2; }",
        after: "static int f(int a, int b) { if (a != b) { return 1; } return 2; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Insn::Jump(op, label) = site.insn else {
        return;
    };
    let Some(negated) = op.negated() else {
        return;
    };
    let sense = Sense::of(site.body, site.at);
    let relation = Relation::of_jump(op).or_else(|| equality(op));
    let boolean = op.pop_slots() == Some(1) && site.body.before[site.at].top == Kind::Boolean;
    let description = match relation.map(|r| sense.source(r)) {
        Some(old) if !boolean => format!("replaced {} by {}", old.text(), old.negated().text()),
        _ => "negated a boolean condition".to_owned(),
    };
    out.replace(
        site,
        [Step::Insn(Insn::Jump(negated, label))],
        "",
        description,
    );
}
