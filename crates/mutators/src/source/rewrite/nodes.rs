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
