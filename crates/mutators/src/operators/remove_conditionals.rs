//! Conditions replaced by true and false.
//!
//! The four operators follow PIT: `equal` changes comparisons for equality, booleans and null,
//! `order` the others; `if` runs the guarded code always (the jump is never taken), `else` never.

use braid_classfile::{Insn, Op};

use crate::condition::{Relation, Sense};
use crate::operator::{Example, Operator, Proposals, Propose, Site, Step};

const EQUAL: &str = "static int f(int a, int b) { if (a == b) { return 1; } return 2; }";
const ORDER: &str = "static int f(int a, int b) { if (a < b) { return 1; } return 2; }";
const ALWAYS: &str = "static int f(int a, int b) { if (true) { return 1; } return 2; }";
const NEVER: &str = "static int f(int a, int b) { if (false) { return 1; } return 2; }";

pub(crate) static EQUAL_IF: Operator = Operator {
    id: "remove-conditionals-equal-if",
    pit: &["REMOVE_CONDITIONALS_EQUAL_IF"],
    summary: "replaces a test for equality, null or a boolean so that the guarded code always runs",
    example: Example {
        before: EQUAL,
        after: ALWAYS,
    },
    propose: Propose::Insn(|site, out| propose(site, out, false, false)),
};

pub(crate) static EQUAL_ELSE: Operator = Operator {
    id: "remove-conditionals-equal-else",
    pit: &["REMOVE_CONDITIONALS_EQUAL_ELSE"],
    summary: "replaces a test for equality, null or a boolean so that the guarded code never runs",
    example: Example {
        before: EQUAL,
        after: NEVER,
    },
    propose: Propose::Insn(|site, out| propose(site, out, false, true)),
};

pub(crate) static ORDER_IF: Operator = Operator {
    id: "remove-conditionals-order-if",
    pit: &["REMOVE_CONDITIONALS_ORDER_IF"],
    summary: "replaces <, <=, >, >= so that the guarded code always runs",
    example: Example {
        before: ORDER,
        after: ALWAYS,
    },
    propose: Propose::Insn(|site, out| propose(site, out, true, false)),
};

pub(crate) static ORDER_ELSE: Operator = Operator {
    id: "remove-conditionals-order-else",
    pit: &["REMOVE_CONDITIONALS_ORDER_ELSE"],
    summary: "replaces <, <=, >, >= so that the guarded code never runs",
    example: Example {
        before: ORDER,
        after: NEVER,
    },
    propose: Propose::Insn(|site, out| propose(site, out, true, true)),
};

fn propose(site: &Site<'_>, out: &mut Proposals, order: bool, jumps: bool) {
    let Insn::Jump(op, label) = site.insn else {
        return;
    };
    let is_order = Relation::of_jump(op).is_some_and(Relation::is_order);
    if !op.is_conditional() || order != is_order {
        return;
    }
    let pop = if op.pop_slots() == Some(2) {
        Op::Pop2
    } else {
        Op::Pop
    };
    let mut steps = vec![Step::from(pop)];
    if jumps {
        // A jump that is always taken, but keeps the code behind it alive for the verifier.
        steps.push(Op::Iconst0.into());
        steps.push(Insn::Jump(Op::Ifeq, label).into());
    }
    let value = (Sense::of(site.body, site.at) == Sense::OnTrue) == jumps;
    let description = format!("replaced condition by {value}");
    out.replace(site, steps, value.to_string(), description);
}
