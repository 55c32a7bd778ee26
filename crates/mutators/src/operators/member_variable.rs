//! Assignments to fields, left out.

use braid_classfile::{FieldType, Insn, Op};

use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

pub(crate) static OPERATOR: Operator = Operator {
    id: "member-variable",
    pit: &["EXPERIMENTAL_MEMBER_VARIABLE"],
    summary: "removes an assignment to a field of an object",
    example: Example {
        before: "int x; void f(int a) { x = a; }",
        after: "int x; void f(int a) { }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    if !matches!(site.insn, Insn::Field(Op::Putfield, _)) {
        return;
    }
    let Some(field) = site.body.field(site.insn) else {
        return;
    };
    if let Ok(ty) = FieldType::parse(field.descriptor) {
        let steps = [Step::from(Kind::of(ty).pop()), Op::Pop.into()];
        out.replace(
            site,
            steps,
            "",
            format!("removed assignment to {}", field.name),
        );
    }
}
