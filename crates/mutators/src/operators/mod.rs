//! Every operator, one a file.

mod conditionals_boundary;
mod increments;
mod math;
mod void_calls;

use crate::operator::Operator;

/// Every operator, in the order in which mutants of one place are listed. Of two mutants with the
/// same code the one whose operator comes first is made.
static OPERATORS: &[&Operator] = &[
    &conditionals_boundary::OPERATOR,
    &math::OPERATOR,
    &increments::OPERATOR,
    &void_calls::OPERATOR,
];

/// Every operator there is.
pub fn operators() -> &'static [&'static Operator] {
    OPERATORS
}
