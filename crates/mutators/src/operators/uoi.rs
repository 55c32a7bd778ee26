//! Unary operators inserted: variables incremented and decremented where they are read (UOI).

use braid_classfile::{Insn, Op};

use crate::kind::Kind;
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};
use crate::variable::read_variable;

pub(crate) static OPERATOR: Operator = Operator {
    id: "uoi",
    pit: &["UOI"],
    summary: "replaces a local variable a that is read by a++, a--, ++a and --a",
    example: Example {
        before: "static int f(int a) { return a; }",
        after: "static int f(int a) { return ++a; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    let Insn::Local(load, local) = site.insn else {
        return;
    };
    let Some(kind) = read_variable(site) else {
        return;
    };
    for (name, text, delta, before) in [
        ("post-increment", "a++", 1, false),
        ("post-decrement", "a--", -1, false),
        ("pre-increment", "++a", 1, true),
        ("pre-decrement", "--a", -1, true),
    ] {
        let load = Step::Insn(Insn::Local(load, local));
        let change = change(kind, local, delta);
        let steps: Vec<Step> = match before {
            true => change.into_iter().chain([load]).collect(),
            false => [load].into_iter().chain(change).collect(),
        };
        out.replace(
            site,
            steps,
            name,
            format!("replaced a variable a by {text}"),
        );
    }
}

/// Adds to a local.
fn change(kind: Kind, local: u16, delta: i16) -> Vec<Step> {
    let one = match kind {
        Kind::Int => return vec![Insn::Iinc(local, delta).into()],
        Kind::Long => Step::Long(1),
        Kind::Float => Step::Float(1.0),
        Kind::Double => Step::Double(1.0),
        _ => Step::Int(1),
    };
    let compute = if delta > 0 { Op::Iadd } else { Op::Isub };
    let mut steps = vec![
        Insn::Local(kind.variant_of(Op::Iload), local).into(),
        one,
        kind.variant_of(compute).into(),
    ];
    // Narrow ints wrap around.
    match kind {
        Kind::Byte => steps.push(Op::I2b.into()),
        Kind::Char => steps.push(Op::I2c.into()),
        Kind::Short => steps.push(Op::I2s.into()),
        _ => {}
    }
    steps.push(Insn::Local(kind.variant_of(Op::Istore), local).into());
    steps
}
