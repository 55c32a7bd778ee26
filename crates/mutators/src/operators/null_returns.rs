//! Objects returned, replaced by null.

use crate::operator::{Example, Operator, Propose};
use crate::returns::{self, null_value};

pub(crate) static OPERATOR: Operator = Operator {
    id: "null-returns",
    pit: &["NULL_RETURNS"],
    summary: "replaces a returned object by null, where no empty one is known",
    example: Example {
        before: "static Object f(Object a) { return a; }",
        after: "static Object f(Object a) { return null; }",
    },
    propose: Propose::Insn(|site, out| returns::propose(site, out, null_value)),
};
