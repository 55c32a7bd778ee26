//! Logical connectors exchanged (LCR, also called COR).

use braid_classfile::{Insn, Op};

use crate::binary::{Binary, replace};
use crate::condition::{Connector, Sense};
use crate::kind::Kind;
use crate::operator::{Edit, Example, Operator, Proposals, Propose, Site};

pub(crate) static OPERATOR: Operator = Operator {
    id: "lcr",
    pit: &[],
    summary: "replaces && by || and the reverse; & by | and the reverse on booleans",
    example: Example {
        before: "static boolean f(boolean a, boolean b) { return a && b; }",
        after: "static boolean f(boolean a, boolean b) { return a || b; }",
    },
    propose: Propose::Insn(propose),
};

fn propose(site: &Site<'_>, out: &mut Proposals) {
    match site.insn {
        Insn::Jump(op, _) => connector(site, op, out),
        Insn::Plain(op @ (Op::Iand | Op::Ior)) => {
            if site.body.before[site.at].top == Kind::Boolean
                && let Some(old) = Binary::of(op)
            {
                let new = if old == Binary::And {
                    Binary::Or
                } else {
                    Binary::And
                };
                replace(site, old, new, out);
            }
        }
        _ => {}
    }
}

fn connector(site: &Site<'_>, op: Op, out: &mut Proposals) {
    let (Some(negated), Some(connector)) = (op.negated(), Connector::of(site.body, site.at)) else {
        return;
    };
    let (old, new, name) = match Sense::of(site.body, site.at) {
        Sense::OnFalse => ("&&", "||", "or"),
        Sense::OnTrue => ("||", "&&", "and"),
    };
    let description = format!("replaced {old} by {new}");
    if connector.assigns {
        out.impossible(site, description, "the right operand assigns a variable");
        return;
    }
    let edit = Edit::Retarget(site.at, negated, connector.other);
    out.edit(site.at, edit, name, description);
    // Jumps of a compound left operand to the right operand skip it from now on.
    let right = site.body.next(site.at);
    for at in 0..site.at {
        if let Insn::Jump(op, label) = site.body.insn(at)
            && op.is_conditional()
            && site.body.target(label) == right
        {
            out.also(Edit::Retarget(at, op, connector.other));
        }
    }
}
