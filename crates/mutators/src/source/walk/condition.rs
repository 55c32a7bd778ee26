//! Conditions, which jump instead of giving a value.

use tree_sitter::Node;

use super::Walker;
use crate::source::event::{Condition, Key};

impl<'t> Walker<'_, 't> {
    /// A condition: jumps instead of a value. `negated` if an odd number of `!` stands around it.
    pub(super) fn condition(&mut self, node: Node<'t>, negated: bool) {
        let field = |name| node.child_by_field_name(name);
        let operator = field("operator").map_or("", |operator| self.text_of(operator));
        match (node.kind(), operator) {
            ("parenthesized_expression", _) => {
                if let Some(inner) = node.named_child(0) {
                    self.condition(inner, negated);
                }
            }
            ("unary_expression", "!") => {
                if let Some(operand) = field("operand") {
                    self.condition(operand, !negated);
                }
            }
            ("binary_expression", "&&" | "||") => {
                self.condition_of_operand(field("left"), negated);
                let last = self.events.last_mut();
                if let Some(last) = last.filter(|last| matches!(last.key, Key::Condition(_))) {
                    last.origin.connector = Some(node);
                }
                self.condition_of_operand(field("right"), negated);
            }
            ("binary_expression", "==" | "!=" | "<" | "<=" | ">" | ">=") => {
                self.maybe_expression(field("left"));
                self.maybe_expression(field("right"));
                let order = operator.starts_with(['<', '>']);
                let condition = if order {
                    Condition::Order
                } else {
                    Condition::Equal
                };
                self.condition_event(Key::Condition(condition), node, negated);
            }
            ("true" | "false", _) => {}
            _ => {
                self.expression(node);
                self.condition_event(Key::Condition(Condition::Equal), node, negated);
            }
        }
    }

    fn condition_of_operand(&mut self, node: Option<Node<'t>>, negated: bool) {
        if let Some(node) = node {
            self.condition(node, negated);
        }
    }
}
