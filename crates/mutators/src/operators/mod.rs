//! Every operator, one a file; operators that differ in one word share one.

mod abs;
mod aor;
mod argument_propagation;
mod big_numbers;
mod bitwise;
mod conditionals_boundary;
mod constructor_calls;
mod crcr;
mod empty_returns;
mod false_returns;
mod increments;
mod inline_constants;
mod invert_negs;
mod lcr;
mod math;
mod member_variable;
mod method_body;
mod naked_receiver;
mod negate_conditionals;
mod non_void_calls;
mod null_returns;
mod numeric_constants;
mod operand;
mod primitive_returns;
mod remove_conditionals;
mod remove_increments;
mod remove_switch;
mod ror;
mod shift;
mod switch;
mod true_returns;
mod uoi;
mod void_calls;

use crate::operator::Operator;

/// Every operator, in the order in which mutants of one place are listed. Of two mutants with the
/// same code the one whose operator comes first is made.
static OPERATORS: &[&Operator] = &[
    &conditionals_boundary::OPERATOR,
    &negate_conditionals::OPERATOR,
    &remove_conditionals::EQUAL_IF,
    &remove_conditionals::EQUAL_ELSE,
    &remove_conditionals::ORDER_IF,
    &remove_conditionals::ORDER_ELSE,
    &math::OPERATOR,
    &aor::OPERATOR,
    &ror::OPERATOR,
    &lcr::OPERATOR,
    &bitwise::OPERATOR,
    &shift::OPERATOR,
    &operand::OPERATOR,
    &increments::OPERATOR,
    &remove_increments::OPERATOR,
    &invert_negs::OPERATOR,
    &abs::NEGATION,
    &abs::ABSOLUTE,
    &uoi::OPERATOR,
    &inline_constants::OPERATOR,
    &numeric_constants::OPERATOR,
    &crcr::OPERATOR,
    &empty_returns::OPERATOR,
    &false_returns::OPERATOR,
    &true_returns::OPERATOR,
    &null_returns::OPERATOR,
    &primitive_returns::OPERATOR,
    &void_calls::OPERATOR,
    &non_void_calls::OPERATOR,
    &constructor_calls::OPERATOR,
    &argument_propagation::OPERATOR,
    &naked_receiver::OPERATOR,
    &switch::OPERATOR,
    &remove_switch::OPERATOR,
    &big_numbers::INTEGER,
    &big_numbers::DECIMAL,
    &member_variable::OPERATOR,
    &method_body::OPERATOR,
];

/// Every operator there is.
pub fn operators() -> &'static [&'static Operator] {
    OPERATORS
}
