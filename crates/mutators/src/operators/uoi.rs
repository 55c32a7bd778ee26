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
        let steps = changed(kind, Insn::Local(load, local), delta, before);
        out.replace(
            site,
            steps,
            name,
            format!("replaced a variable a by {text}"),
        );
    }
}

/// Reads a local and adds to it, before or after: what javac makes of `++a` and `a++`.
fn changed(kind: Kind, load: Insn, delta: i16, before: bool) -> Vec<Step> {
    let Insn::Local(_, local) = load else {
        return Vec::new();
    };
    let one = match kind {
        Kind::Int => {
            let mut steps = vec![Step::Insn(load), Insn::Iinc(local, delta).into()];
            if before {
                steps.reverse();
            }
            return steps;
        }
        Kind::Long => Step::Long(1),
        Kind::Float => Step::Float(1.0),
        Kind::Double => Step::Double(1.0),
        _ => Step::Int(1),
    };
    let compute = if delta > 0 { Op::Iadd } else { Op::Isub };
    let store = Step::Insn(Insn::Local(kind.variant_of(Op::Istore), local));
    let load = Step::Insn(load);
    let mut steps = vec![load.clone(), one, kind.variant_of(compute).into()];
    if let Some(narrow) = kind.narrow() {
        // Narrow ints wrap around; javac loads them twice.
        steps.extend([narrow.into(), store]);
        steps.insert(if before { steps.len() } else { 0 }, load);
        return steps;
    }
    let copy = Step::from(if kind.is_wide() { Op::Dup2 } else { Op::Dup });
    steps.insert(if before { steps.len() } else { 1 }, copy);
    steps.push(store);
    steps
}
