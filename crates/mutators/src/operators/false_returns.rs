//! Booleans returned, replaced by false.

use crate::operator::{Example, Operator, Propose};
use crate::returns::{self, boolean_value};

pub(crate) static OPERATOR: Operator = Operator {
    id: "false-returns",
    pit: &["FALSE_RETURNS"],
    summary: "replaces a returned boolean by false",
    example: Example {
        before: "static boolean f(boolean a) { return a; }",
        after: "static boolean f(boolean a) { return false; }",
    },
    propose: Propose::Insn(|site, out| {
        returns::propose(site, out, |ty, _| boolean_value(ty, false))
    }),
};
