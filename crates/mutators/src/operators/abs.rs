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
        let steps = [kind.variant_of(Op::Ineg).into()];
        out.replace(site, computed(site, kind, steps), "", "negated a variable");
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
    let negated = [abs.clone(), kind.variant_of(Op::Ineg).into()];
    let description = "replaced a variable by its absolute value";
    out.replace(site, computed(site, kind, [abs]), "abs", description);
    let description = "replaced a variable by its negated absolute value";
    out.replace(
        site,
        computed(site, kind, negated),
        "minus-abs",
        description,
    );
}

/// Reads the variable and computes with it, within the range of its type.
fn computed<const N: usize>(site: &Site<'_>, kind: Kind, steps: [Step; N]) -> Vec<Step> {
    let narrow = kind.narrow().map(Step::from);
    [site.insn.into()]
        .into_iter()
        .chain(steps)
        .chain(narrow)
        .collect()
}
