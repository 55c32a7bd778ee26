//! What the surroundings of a piece of source allow.

use tree_sitter::Node;

use crate::source::walk::children;

/// True if an expression is part of one that could take a new text apart.
pub(super) fn is_inside(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "binary_expression"
                | "unary_expression"
                | "cast_expression"
                | "instanceof_expression"
                | "ternary_expression"
                | "method_invocation"
                | "field_access"
                | "array_access"
        )
    })
}

/// How tightly a binary operator of Java binds.
pub(super) fn binding(operator: &str) -> u8 {
    match operator {
        "*" | "/" | "%" => 10,
        "+" | "-" => 9,
        "<<" | ">>" | ">>>" => 8,
        "<" | "<=" | ">" | ">=" | "instanceof" => 7,
        "==" | "!=" => 6,
        "&" => 5,
        "^" => 4,
        "|" => 3,
        "&&" => 2,
        _ => 1,
    }
}

/// How tightly the parts of an expression hold together: 0 if less than by any binary operator, none if nothing comes
/// between them.
pub(super) fn own_binding(node: Node<'_>) -> Option<u8> {
    match node.kind() {
        "binary_expression" => {
            let operator = node.child_by_field_name("operator");
            Some(operator.map_or(0, |operator| binding(operator.kind())))
        }
        "instanceof_expression" => Some(binding("instanceof")),
        "ternary_expression"
        | "assignment_expression"
        | "lambda_expression"
        | "switch_expression" => Some(0),
        _ => None,
    }
}

/// True if a binary expression with this operator has to stand in parentheses in the place of an expression.
pub(super) fn needs_parentheses(node: Node<'_>, operator: &str) -> bool {
    let Some(parent) = node.parent().filter(|_| is_inside(node)) else {
        return false;
    };
    let is_left = parent.child_by_field_name("left") == Some(node);
    match (parent.kind(), own_binding(parent)) {
        ("ternary_expression", _) => false,
        ("binary_expression", Some(outer)) if is_left => binding(operator) < outer,
        (_, Some(outer)) => binding(operator) <= outer,
        (_, None) => true,
    }
}

/// True for names, literals and what stands in parentheses.
pub(super) fn is_simple(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'"'))
}

pub(super) fn in_parentheses(text: &str) -> String {
    match is_simple(text) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

/// True if a variable is assigned where it stands.
pub(super) fn is_target(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| match parent.kind() {
        "update_expression" => true,
        "assignment_expression" => parent
            .child_by_field_name("left")
            .is_some_and(|left| left.id() == node.id()),
        _ => false,
    })
}

/// True for a part of the condition of a loop.
pub(super) fn is_loop_condition(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| match parent.kind() {
        "while_statement" | "do_statement" | "for_statement" => true,
        "parenthesized_expression" | "binary_expression" | "unary_expression" => {
            is_loop_condition(parent)
        }
        _ => false,
    })
}

/// True if evaluating an expression may do more than give a value.
pub(super) fn has_effects(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "method_invocation"
            | "object_creation_expression"
            | "assignment_expression"
            | "update_expression"
            | "array_access"
            | "cast_expression"
            | "array_creation_expression"
    ) || (node.kind() != "lambda_expression" && children(node).any(has_effects))
}
