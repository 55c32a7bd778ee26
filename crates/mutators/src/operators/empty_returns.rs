//! Objects returned, replaced by the empty one of their type.

use crate::operator::{Example, Operator, Propose};
use crate::returns::{self, empty_value};

pub(crate) static OPERATOR: Operator = Operator {
    id: "empty-returns",
    pit: &["EMPTY_RETURNS"],
    summary: "replaces a returned string, collection, optional, stream or boxed number by the empty one",
    example: Example {
        before: "static String f(String a) { return a; }",
        after: "static String f(String a) { return \"\"; }",
    },
    propose: Propose::Insn(|site, out| returns::propose(site, out, |ty, _| empty_value(ty))),
};
