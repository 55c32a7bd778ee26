//! Variables replaced by their negation, their absolute value and its negation (ABS).

use braid_classfile::Op;

use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};
use crate::variable::read_variable;

pub(crate) static NEGATION: Operator = Operator {
    id: "negation",
    pit: &["ABS"],
    summary: "negates a variable, field or array element where it is read",
    example: Example {
        before: "static int f(int a) { return a; }",
        after: "static int f(int a) { return -a; }",
    },
    propose: Propose::Insn(negation),
};

pub(crate) static ABSOLUTE: Operator = Operator {
    id: "absolute-value",
    pit: &[],
    summary: "replaces a variable, field or array element by its absolute value and by the negation of that",
    example: Example {
        before: "static int f(int a) { return a; }",
        after: "static int f(int a) { return Math.abs(a); }",
    },
    propose: Propose::Insn(absolute),
};

fn negation(site: &Site<'_>, out: &mut Proposals) {
    if let Some(kind) = read_variable(site) {
        let steps = [site.insn.into(), kind.variant_of(Op::Ineg).into()];
        out.replace(site, steps, "", "negated a variable");
    }
}

fn absolute(site: &Site<'_>, out: &mut Proposals) {
    let Some(kind) = read_variable(site) else {
        return;
    };
    let descriptor = match kind {
        Kind::Long => "(J)J",
        Kind::Float => "(F)F",
        Kind::Double => "(D)D",
        _ => "(I)I",
    };
    let abs = Step::Call(Op::Invokestatic, "java/lang/Math", "abs", descriptor);
    let positive = vec![site.insn.into(), abs];
    let mut negative = positive.clone();
    negative.push(kind.variant_of(Op::Ineg).into());
    out.replace(
        site,
        positive,
        "abs",
        "replaced a variable by its absolute value",
    );
    let description = "replaced a variable by its negated absolute value";
    out.replace(site, negative, "minus-abs", description);
}
