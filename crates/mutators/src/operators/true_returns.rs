//! Booleans returned, replaced by true.

use crate::operator::{Example, Operator, Propose};
use crate::returns::{self, boolean_value};

pub(crate) static OPERATOR: Operator = Operator {
    id: "true-returns",
    pit: &["TRUE_RETURNS"],
    summary: "replaces a returned boolean by true",
    example: Example {
        before: "static boolean f(boolean a) { return a; }",
        after: "static boolean f(boolean a) { return true; }",
    },
    propose: Propose::Insn(|site, out| {
        returns::propose(site, out, |ty, _| boolean_value(ty, true))
    }),
};
