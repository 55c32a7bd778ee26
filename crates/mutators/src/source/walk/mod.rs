//! Walks over Java source in the order in which javac emits instructions.

mod assign;
mod condition;

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::binary::Binary;
use crate::source::event::{Key, Origin, SourceEvent};
use crate::source::literal;

/// Collects the events of statements and expressions.
pub(super) struct Walker<'s, 't> {
    text: &'s str,
    pub(super) events: Vec<SourceEvent<'t>>,
    /// Declared types of locals and parameters by name.
    locals: HashMap<&'s str, &'s str>,
    /// Those of them that are final.
    finals: HashSet<&'s str>,
    statement_line: u32,
}

impl<'s, 't> Walker<'s, 't> {
    pub(super) fn new(text: &'s str) -> Walker<'s, 't> {
        Walker {
            text,
            events: Vec::new(),
            locals: HashMap::new(),
            finals: HashSet::new(),
            statement_line: 0,
        }
    }

    fn text_of(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn event(&mut self, key: Key, node: Node<'t>) {
        self.condition_event(key, node, false);
    }

    fn condition_event(&mut self, key: Key, node: Node<'t>, negated: bool) {
        let origin = Origin {
            node,
            negated,
            constant: node.kind() == "identifier" && self.finals.contains(self.text_of(node)),
            connector: None,
            statement_line: self.statement_line,
        };
        self.events.push(SourceEvent { key, origin });
    }

    /// Parameters of a method or lambda.
    pub(super) fn parameters(&mut self, node: Option<Node<'t>>) {
        let Some(node) = node else {
            return;
        };
        for parameter in children(node) {
            self.declare(parameter.child_by_field_name("type"), parameter);
        }
    }

    fn declare(&mut self, ty: Option<Node<'t>>, named: Node<'t>) {
        let name = named.child_by_field_name("name").unwrap_or(named);
        let ty = ty.map_or("", |ty| self.text_of(ty));
        let name = self.text_of(name);
        self.locals.insert(name, ty);
        let is_final = |node: Node<'_>| {
            let modifiers = children(node).find(|child| child.kind() == "modifiers");
            modifiers.is_some_and(|modifiers| self.text_of(modifiers).contains("final"))
        };
        if is_final(named) || named.parent().is_some_and(is_final) {
            self.finals.insert(name);
        } else {
            self.finals.remove(name);
        }
    }

    /// The body of a lambda that is an expression: its value is returned.
    pub(super) fn lambda_value(&mut self, body: Node<'t>) {
        self.statement_line = body.start_position().row as u32 + 1;
        self.expression(body);
        self.event(Key::Return, body);
    }

    /// A statement or declaration, or anything that holds some.
    pub(super) fn statement(&mut self, node: Node<'t>) {
        let outer = self.statement_line;
        if node.kind() != "block" && node.kind() != "constructor_body" {
            self.statement_line = node.start_position().row as u32 + 1;
        }
        self.statement_inner(node);
        self.statement_line = outer;
    }

    fn statement_inner(&mut self, node: Node<'t>) {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "if_statement" => {
                self.condition_of(field("condition"));
                self.maybe_statement(field("consequence"));
                self.maybe_statement(field("alternative"));
            }
            "while_statement" => {
                self.condition_of(field("condition"));
                self.maybe_statement(field("body"));
            }
            "do_statement" => {
                self.maybe_statement(field("body"));
                self.statement_line = node.start_position().row as u32 + 1;
                self.condition_of(field("condition"));
            }
            "for_statement" => self.for_statement(node),
            "enhanced_for_statement" => {
                self.declare(field("type"), node);
                self.maybe_expression(field("value"));
                self.maybe_statement(field("body"));
            }
            "return_statement" => {
                if let Some(value) = node.named_child(0).filter(is_code) {
                    self.expression(value);
                    self.event(Key::Return, node);
                }
            }
            "try_statement" | "try_with_resources_statement" => self.try_statement(node),
            "local_variable_declaration" | "field_declaration" => self.declaration(node),
            "assert_statement"
            | "class_declaration"
            | "record_declaration"
            | "enum_declaration"
            | "interface_declaration" => {}
            "explicit_constructor_invocation" => self.arguments(field("arguments")),
            _ if node.kind().ends_with("_statement") || is_group(node.kind()) => {
                for child in children(node) {
                    self.statement_or_expression(child);
                }
            }
            _ => self.expression(node),
        }
    }

    fn statement_or_expression(&mut self, node: Node<'t>) {
        let kind = node.kind();
        if kind.ends_with("_statement") || kind.ends_with("_declaration") || is_group(kind) {
            self.statement(node);
        } else {
            self.expression(node);
        }
    }

    fn maybe_statement(&mut self, node: Option<Node<'t>>) {
        if let Some(node) = node {
            self.statement(node);
        }
    }

    fn maybe_expression(&mut self, node: Option<Node<'t>>) {
        if let Some(node) = node {
            self.expression(node);
        }
    }

    fn condition_of(&mut self, node: Option<Node<'t>>) {
        if let Some(node) = node {
            self.condition(node, false);
        }
    }

    fn for_statement(&mut self, node: Node<'t>) {
        let fields = |name: &str| -> Vec<Node<'t>> {
            node.children_by_field_name(name, &mut node.walk())
                .collect()
        };
        for init in fields("init") {
            self.statement_or_expression(init);
        }
        self.condition_of(node.child_by_field_name("condition"));
        self.maybe_statement(node.child_by_field_name("body"));
        self.statement_line = node.start_position().row as u32 + 1;
        for update in fields("update") {
            self.expression(update);
        }
    }

    /// The `finally` block comes before the handlers: its first copy does.
    fn try_statement(&mut self, node: Node<'t>) {
        if let Some(resources) = node.child_by_field_name("resources") {
            for resource in children(resources) {
                self.declare(resource.child_by_field_name("type"), resource);
                self.maybe_expression(resource.child_by_field_name("value"));
            }
        }
        self.maybe_statement(node.child_by_field_name("body"));
        let clauses = || children(node).filter(|child| child.kind().ends_with("_clause"));
        let finally = clauses().filter(|child| child.kind() == "finally_clause");
        let catches = clauses().filter(|child| child.kind() == "catch_clause");
        for clause in finally.chain(catches) {
            for block in children(clause).filter(|child| child.kind() == "block") {
                self.statement(block);
            }
        }
    }

    fn declaration(&mut self, node: Node<'t>) {
        let ty = node.child_by_field_name("type");
        for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
            if node.kind() == "local_variable_declaration" {
                self.declare(ty, declarator);
            }
            self.maybe_expression(declarator.child_by_field_name("value"));
            if node.kind() == "field_declaration"
                && let Some(name) = declarator.child_by_field_name("name")
                && declarator.child_by_field_name("value").is_some()
            {
                self.event(Key::Assign(self.text_of(name).to_owned()), declarator);
            }
        }
    }

    pub(super) fn arguments(&mut self, node: Option<Node<'t>>) {
        for argument in node.into_iter().flat_map(children) {
            self.expression(argument);
        }
    }

    /// An expression whose value is wanted.
    pub(super) fn expression(&mut self, node: Node<'t>) {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "binary_expression" => self.binary(node),
            "unary_expression" => self.unary(node),
            "update_expression" => self.update(node),
            "assignment_expression" => self.assignment(node),
            "method_invocation" => {
                self.maybe_expression(field("object"));
                self.arguments(field("arguments"));
                let name = field("name").map_or("", |name| self.text_of(name));
                self.event(Key::Call(name.to_owned()), node);
            }
            "object_creation_expression" => {
                self.arguments(field("arguments"));
                let ty = field("type").map_or("", |ty| self.text_of(ty));
                let anonymous = children(node).any(|child| child.kind() == "class_body");
                let name = if anonymous {
                    ""
                } else {
                    literal::simple_type(ty)
                };
                self.event(Key::New(name.to_owned()), node);
            }
            "field_access" => {
                self.maybe_expression(field("object"));
                let name = field("field").map_or("", |name| self.text_of(name));
                self.event(Key::Name(name.to_owned()), node);
            }
            "identifier" => self.event(Key::Name(self.text_of(node).to_owned()), node),
            "array_access" => {
                self.maybe_expression(field("array"));
                self.maybe_expression(field("index"));
                self.event(Key::Element, node);
            }
            "ternary_expression" => {
                self.condition_of(field("condition"));
                self.maybe_expression(field("consequence"));
                self.maybe_expression(field("alternative"));
            }
            "instanceof_expression" => {
                if let Some(name) = field("name") {
                    self.declare(field("right"), name);
                }
                self.maybe_expression(field("left"));
            }
            "cast_expression" => self.maybe_expression(field("value")),
            "switch_expression" => self.switch(node),
            "lambda_expression" | "class_body" | "string_literal" | "class_literal" => {}
            "method_reference" => self.maybe_expression(node.named_child(0)),
            kind => match literal::value(kind, self.text_of(node)) {
                Some(key) => self.event(key, node),
                None => children(node).for_each(|child| self.expression(child)),
            },
        }
    }

    fn binary(&mut self, node: Node<'t>) {
        let field = |name| node.child_by_field_name(name);
        let operator = field("operator").map_or("", |operator| self.text_of(operator));
        match Binary::of_text(operator) {
            Some(binary) => {
                self.maybe_expression(field("left"));
                self.maybe_expression(field("right"));
                self.event(Key::Binary(binary), node);
            }
            None => self.condition(node, false),
        }
    }

    fn unary(&mut self, node: Node<'t>) {
        let Some(operand) = node.child_by_field_name("operand") else {
            return;
        };
        let operator = node.child_by_field_name("operator");
        match operator.map_or("", |operator| self.text_of(operator)) {
            "!" => self.condition(node, false),
            "-" => match literal::value(operand.kind(), self.text_of(operand)) {
                Some(Key::Number(text)) => {
                    let negative = match text.strip_prefix('-') {
                        Some(positive) if positive != "2147483648" => positive.to_owned(),
                        Some(_) => text,
                        None if text == "0" => text,
                        None => format!("-{text}"),
                    };
                    self.event(Key::Number(negative), node);
                }
                _ => {
                    self.expression(operand);
                    self.event(Key::Negate, node);
                }
            },
            "~" => {
                self.expression(operand);
                self.event(Key::Number("-1".to_owned()), node);
                self.event(Key::Binary(Binary::Xor), node);
            }
            _ => self.expression(operand),
        }
    }

    fn switch(&mut self, node: Node<'t>) {
        self.maybe_expression(node.child_by_field_name("condition"));
        self.event(Key::Switch, node);
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        for group in children(body) {
            for child in children(group).filter(|child| child.kind() != "switch_label") {
                self.statement_or_expression(child);
            }
        }
    }
}

/// The named children that are no comments.
pub(super) fn children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    // A cursor goes from child to child; asking for each by its number would start anew.
    let all: Vec<Node<'t>> = node.named_children(&mut node.walk()).collect();
    all.into_iter().filter(is_code)
}

fn is_code(node: &Node<'_>) -> bool {
    !matches!(node.kind(), "line_comment" | "block_comment")
}

fn is_group(kind: &str) -> bool {
    matches!(
        kind,
        "block" | "constructor_body" | "explicit_constructor_invocation"
    )
}

/// True for the last part of a `for`.
pub(super) fn is_for_update(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == "for_statement"
            && parent
                .children_by_field_name("update", &mut parent.walk())
                .any(|update| update.id() == node.id())
    })
}
