//! Assignments, increments and decrements.

use tree_sitter::Node;

use super::{Walker, is_for_update};
use crate::binary::Binary;
use crate::source::event::Key;
use crate::source::literal;

impl<'s, 't> Walker<'s, 't> {
    /// The declared type of a local; none for fields.
    fn local_type(&self, node: Node<'_>) -> Option<&'s str> {
        (node.kind() == "identifier").then(|| self.locals.get(self.text_of(node)).copied())?
    }

    pub(super) fn update(&mut self, node: Node<'t>) {
        let Some(target) = node.named_child(0) else {
            return;
        };
        if matches!(self.local_type(target), Some("int" | "var" | "")) {
            // The value of the expression is read from the local.
            let statement = node
                .parent()
                .is_some_and(|p| p.kind() == "expression_statement");
            let prefix = target.start_byte() > node.start_byte();
            let name = Key::Name(self.text_of(target).to_owned());
            let value = !statement && !is_for_update(node);
            if value && !prefix {
                self.event(name.clone(), target);
            }
            self.event(Key::Increment, node);
            if value && prefix {
                self.event(name, target);
            }
            return;
        }
        self.expression(target);
        let adds = self.text_of(node).contains("++");
        let binary = if adds { Binary::Add } else { Binary::Sub };
        self.event(Key::Number("1".to_owned()), node);
        self.event(Key::Binary(binary), node);
        self.assigned(target, node);
    }

    fn assigned(&mut self, target: Node<'t>, node: Node<'t>) {
        let name = match target.kind() {
            "identifier" if self.local_type(target).is_none() => self.text_of(target),
            "field_access" => {
                let name = target.child_by_field_name("field");
                name.map_or("", |name| self.text_of(name))
            }
            _ => return,
        };
        self.event(Key::Assign(name.to_owned()), node);
    }

    pub(super) fn assignment(&mut self, node: Node<'t>) {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (field("left"), field("right")) else {
            return;
        };
        let operator = field("operator").map_or("", |operator| self.text_of(operator));
        let Some(binary) = operator.strip_suffix('=').and_then(Binary::of_text) else {
            match left.kind() {
                "field_access" => self.maybe_expression(left.child_by_field_name("object")),
                "array_access" => {
                    self.maybe_expression(left.child_by_field_name("array"));
                    self.maybe_expression(left.child_by_field_name("index"));
                }
                _ => {}
            }
            self.expression(right);
            self.assigned(left, node);
            return;
        };
        let constant = matches!(
            literal::value(right.kind(), self.text_of(right)),
            Some(Key::Number(_))
        );
        if constant
            && matches!(binary, Binary::Add | Binary::Sub)
            && matches!(self.local_type(left), Some("int" | "var"))
        {
            self.event(Key::Increment, node);
            return;
        }
        self.expression(left);
        self.expression(right);
        self.event(Key::Binary(binary), node);
        self.assigned(left, node);
    }
}
