//! Calls, assignments and switches.

use tree_sitter::Node;

use super::nodes::has_effects;
use super::{Context, Rewrite, nothing};
use crate::source::event::Key;
use crate::source::literal;
use crate::source::walk::children;

impl Context<'_, '_> {
    pub(super) fn without_statement(&self, node: Node<'_>) -> Rewrite {
        let inner = ["object", "arguments"].into_iter();
        let inner = inner.filter_map(|name| node.child_by_field_name(name));
        let exact = !inner.into_iter().any(has_effects);
        match node.parent().map(|parent| (parent.kind(), parent)) {
            Some(("expression_statement", statement)) => nothing(statement, exact),
            Some(("lambda_expression", _)) => Rewrite {
                range: node.byte_range(),
                text: Some("{ }".to_owned()),
                exact,
            },
            _ => self.expression(node, None, false),
        }
    }

    pub(super) fn call(&self, node: Node<'_>) -> Rewrite {
        let inner = ["object", "arguments"].into_iter();
        let inner = inner.filter_map(|name| node.child_by_field_name(name));
        let exact = !inner.into_iter().any(has_effects);
        let value = self
            .mutant
            .description
            .rsplit(" by ")
            .next()
            .unwrap_or("null");
        let parent = node.parent().map_or("", |parent| parent.kind());
        match parent {
            "expression_statement" => node.parent().map_or_else(
                || self.expression(node, None, false),
                |statement| nothing(statement, exact),
            ),
            // `null.f()` is no Java.
            "method_invocation" | "field_access" | "array_access" | "method_reference"
                if value == "null" =>
            {
                self.expression(node, None, false)
            }
            _ => Rewrite {
                range: node.byte_range(),
                text: Some(value.to_owned()),
                exact,
            },
        }
    }

    pub(super) fn argument(&self, node: Node<'_>) -> Rewrite {
        let number = self
            .mutant
            .variant
            .strip_prefix("arg")
            .and_then(|n| n.parse().ok());
        let arguments = node.child_by_field_name("arguments");
        let kept = arguments
            .zip(number)
            .and_then(|(arguments, number): (Node<'_>, usize)| {
                children(arguments).nth(number.checked_sub(1)?)
            });
        let others = arguments.into_iter().flat_map(children);
        let dropped = others.chain(node.child_by_field_name("object"));
        let exact = !dropped
            .filter(|node| Some(node.id()) != kept.map(|kept| kept.id()))
            .any(has_effects);
        self.expression(node, kept.map(|kept| self.text(kept).to_owned()), exact)
    }

    pub(super) fn renamed(&self, node: Node<'_>) -> Rewrite {
        let text = node.child_by_field_name("name").map(|name| {
            let (start, end) = (
                name.start_byte() - node.start_byte(),
                name.end_byte() - node.start_byte(),
            );
            let old = self.text(node);
            format!("{}{}{}", &old[..start], self.mutant.variant, &old[end..])
        });
        Rewrite {
            range: node.byte_range(),
            text,
            exact: true,
        }
    }

    pub(super) fn without_assignment(&self, node: Node<'_>) -> Rewrite {
        let right = node
            .child_by_field_name("right")
            .or(node.child_by_field_name("value"));
        let exact = right.is_some_and(|right| !has_effects(right));
        match (node.kind(), node.parent()) {
            ("assignment_expression" | "update_expression", Some(parent))
                if parent.kind() == "expression_statement" =>
            {
                nothing(parent, exact)
            }
            ("variable_declarator", _) => {
                let name = node.child_by_field_name("name");
                self.expression(node, name.map(|name| self.text(name).to_owned()), exact)
            }
            _ => self.expression(node, None, false),
        }
    }

    /// The selector of a switch, or the case that is removed.
    pub(super) fn switch(&self, node: Node<'_>) -> Rewrite {
        let selector = node.child_by_field_name("condition").unwrap_or(node);
        let mut place = selector;
        let key = self.mutant.variant.strip_prefix("case");
        if let (Some(key), Some(body)) = (key, node.child_by_field_name("body")) {
            let labels: Vec<Node<'_>> = children(body)
                .flat_map(children)
                .filter(|child| child.kind() == "switch_label")
                .flat_map(children)
                .collect();
            let text = |label: &&Node<'_>| match literal::value(label.kind(), self.text(**label)) {
                Some(Key::Number(text)) => text == key,
                _ => self.text(**label) == key,
            };
            let by_number = |label: &&Node<'_>| label.kind() == "string_literal";
            let numbered = key
                .parse()
                .ok()
                .and_then(|n: usize| labels.iter().filter(by_number).nth(n));
            if let Some(label) = labels.iter().find(text).or(numbered) {
                place = *label;
            }
        }
        Rewrite {
            range: place.byte_range(),
            text: None,
            exact: false,
        }
    }
}
