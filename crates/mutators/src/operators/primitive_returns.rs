//! Numbers returned, replaced by 0.

use crate::operator::{Example, Operator, Propose};
use crate::returns::{self, primitive_value};

pub(crate) static OPERATOR: Operator = Operator {
    id: "primitive-returns",
    pit: &["PRIMITIVE_RETURNS"],
    summary: "replaces a returned number by 0",
    example: Example {
        before: "static int f(int a) { return a; }",
        after: "static int f(int a) { return 0; }",
    },
    propose: Propose::Insn(|site, out| returns::propose(site, out, |ty, _| primitive_value(ty))),
};
