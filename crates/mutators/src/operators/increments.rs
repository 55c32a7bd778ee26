//! Increments of locals, turned round.

use braid_classfile::Insn;

use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "increments",
    pit: &["INCREMENTS"],
    summary: "replaces an increment of a local variable by a decrement and the reverse",
    example: Example {
        before: "static int f(int a) { a++; return a; }",
        after: "static int f(int a) { a--; return a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    if let Insn::Iinc(local, delta) = site.insn
        && delta != i16::MIN
        && delta != 0
    {
        let (old, new) = if delta > 0 {
            ("++", "--")
        } else {
            ("--", "++")
        };
        let description = match delta.abs() {
            1 => format!("replaced {old} by {new}"),
            _ => format!("changed increment from {delta} to {}", -delta),
        };
        out.replace(
            site,
            [Step::Insn(Insn::Iinc(local, -delta))],
            "",
            description,
        );
    }
}
