//! What a mutant looks like in the source.

mod calls;
mod nodes;

use std::ops::Range;

use tree_sitter::Node;

use crate::binary::Binary;
use crate::body::Body;
use crate::condition::Relation;
use crate::kind::Kind;
use crate::model::Mutant;
use crate::source::code::compares_fractions;
use crate::source::event::Origin;
use crate::source::walk::{children, is_for_update};
use crate::source::{Source, literal};
use nodes::{
    binding, has_effects, in_parentheses, is_inside, is_loop_condition, is_simple, is_target,
    needs_parentheses, own_binding,
};

/// A range of the source and the text in its place.
pub(super) struct Rewrite {
    pub(super) range: Range<usize>,
    pub(super) text: Option<String>,
    pub(super) exact: bool,
}

/// A mutant whose place is known.
pub(super) struct Context<'c, 't> {
    pub(super) source: &'c Source,
    pub(super) body: &'c Body<'c>,
    /// Position of the mutated instruction.
    pub(super) at: usize,
    pub(super) mutant: &'c Mutant,
    pub(super) origin: &'c Origin<'t>,
}

/// The rewrite of a whole method body.
pub(super) fn body(node: Node<'_>, mutant: &Mutant) -> Rewrite {
    let value = mutant
        .description
        .strip_prefix("replaced the body of the method by return ");
    let block = node.kind() == "block";
    let text = match value {
        Some("an empty array") => None,
        Some(value) if block => Some(format!("{{ return {value}; }}")),
        Some(value) => Some(value.to_owned()),
        None => Some("{ }".to_owned()),
    };
    Rewrite {
        range: node.byte_range(),
        text,
        exact: true,
    }
}

impl<'t> Context<'_, 't> {
    pub(super) fn rewrite(&self) -> Option<Rewrite> {
        let node = self.origin.node;
        Some(match self.mutant.operator {
            "math" | "aor" | "bitwise" | "shift" => self.operator(node),
            "lcr" if self.origin.connector.is_none() => self.operator(node),
            "lcr" => self.connector()?,
            "operand" => self.operand(node),
            "conditionals-boundary" | "ror" => self.relation(node),
            "negate-conditionals" => self.negated(node),
            name if name.starts_with("remove-conditionals") => self.condition(node),
            "increments" => self.increment(node),
            "remove-increments" => self.without_increment(node),
            "invert-negs" => {
                let operand = node.child_by_field_name("operand");
                self.expression(node, operand.map(|o| self.text(o).to_owned()), true)
            }
            "negation" | "absolute-value" | "uoi" => self.variable(node),
            "inline-constants" | "crcr" | "numeric-constants" => self.constant(node),
            name if name.ends_with("-returns") => self.returned(node)?,
            "void-calls" => self.without_statement(node),
            "non-void-calls" | "constructor-calls" => self.call(node),
            "argument-propagation" => self.argument(node),
            "naked-receiver" => {
                let receiver = node.child_by_field_name("object");
                let text = receiver.map_or("this", |receiver| self.text(receiver));
                let arguments = node.child_by_field_name("arguments");
                let exact = arguments.is_none_or(|arguments| !has_effects(arguments));
                self.expression(node, Some(text.to_owned()), exact)
            }
            "big-integer" | "big-decimal" => self.renamed(node),
            "member-variable" => self.without_assignment(node),
            "switch" | "remove-switch" => self.switch(node),
            _ => self.expression(node, None, false),
        })
    }

    fn text(&self, node: Node<'_>) -> &str {
        self.source.node_text(node)
    }

    /// Another text in the place of an expression, in parentheses where its surroundings could
    /// take it apart.
    fn expression(&self, node: Node<'_>, text: Option<String>, exact: bool) -> Rewrite {
        let text = text.map(|text| match is_inside(node) && !is_simple(&text) {
            true => format!("({text})"),
            false => text,
        });
        Rewrite {
            range: node.byte_range(),
            text,
            exact,
        }
    }

    /// An operand, in parentheses if its parts hold together less tightly than asked for.
    fn part(&self, node: Option<Node<'_>>, least: u8) -> String {
        let Some(node) = node else {
            return String::new();
        };
        match own_binding(node).is_some_and(|own| own < least) {
            true => format!("({})", self.text(node)),
            false => self.text(node).to_owned(),
        }
    }

    /// A binary expression with another operator.
    fn with_operator(&self, node: Node<'_>, operator: &str) -> Rewrite {
        let least = binding(operator);
        let left = self.part(node.child_by_field_name("left"), least);
        // Java's operators take their left operand first.
        let right = self.part(node.child_by_field_name("right"), least + 1);
        let text = format!("{left} {operator} {right}");
        Rewrite {
            range: node.byte_range(),
            text: Some(match needs_parentheses(node, operator) {
                true => format!("({text})"),
                false => text,
            }),
            exact: true,
        }
    }

    fn operator(&self, node: Node<'_>) -> Rewrite {
        let new = self.mutant.variant.as_str();
        let Some(binary) = Binary::of_name(new) else {
            return self.expression(node, None, false);
        };
        let text = match node.kind() {
            "binary_expression" => return self.with_operator(node, binary.text()),
            "assignment_expression" => {
                let left = node
                    .child_by_field_name("left")
                    .map_or("", |left| self.text(left));
                let right = node
                    .child_by_field_name("right")
                    .map_or("", |r| self.text(r));
                Some(format!("{left} {}= {right}", binary.text()))
            }
            "update_expression" => match binary {
                Binary::Sub => Some(self.text(node).replace("++", "--")),
                Binary::Add => Some(self.text(node).replace("--", "++")),
                _ => None,
            },
            _ => None,
        };
        self.expression(node, text, true)
    }

    fn connector(&self) -> Option<Rewrite> {
        let node = self.origin.connector?;
        let operator = node.child_by_field_name("operator")?;
        let new = match self.text(operator) {
            "&&" => "||",
            _ => "&&",
        };
        // `a && (b && c)` has the code of `(a && b) && c`.
        let right = node.child_by_field_name("right")?;
        let same = same_chain(self, right, self.text(operator));
        Some(match same {
            true => self.expression(node, None, true),
            false => self.with_operator(node, new),
        })
    }

    fn operand(&self, node: Node<'_>) -> Rewrite {
        if node.kind() != "binary_expression" {
            return self.expression(node, None, false);
        }
        let left = self.mutant.variant == "left";
        let (kept, dropped) = if left {
            ("left", "right")
        } else {
            ("right", "left")
        };
        let text = node.child_by_field_name(kept).map(|kept| self.text(kept));
        let dropped = node.child_by_field_name(dropped);
        let exact = dropped.is_some_and(|dropped| !has_effects(dropped));
        self.expression(node, text.map(str::to_owned), exact)
    }

    fn relation(&self, node: Node<'_>) -> Rewrite {
        let new = Relation::ALL
            .into_iter()
            .find(|r| r.name() == self.mutant.variant);
        match new.filter(|_| node.kind() == "binary_expression") {
            Some(new) if self.origin.negated => self.with_operator(node, new.negated().text()),
            Some(new) => self.with_operator(node, new.text()),
            None => self.expression(node, None, true),
        }
    }

    fn negated(&self, node: Node<'_>) -> Rewrite {
        let operator = node
            .child_by_field_name("operator")
            .map_or("", |o| self.text(o));
        let relation = Relation::ALL.into_iter().find(|r| r.text() == operator);
        match relation.filter(|_| node.kind() == "binary_expression") {
            Some(relation) if !compares_fractions(self.body, self.at) => {
                self.with_operator(node, relation.negated().text())
            }
            _ => {
                let text = format!("!{}", in_parentheses(self.text(node)));
                self.expression(node, Some(text), true)
            }
        }
    }

    fn condition(&self, node: Node<'_>) -> Rewrite {
        let value = (self.mutant.variant == "true") != self.origin.negated;
        // A constant would make the body of a loop, or what follows it, unreachable.
        let text = match (has_effects(node) || is_loop_condition(node), value) {
            (false, _) => value.to_string(),
            (true, true) => format!("{} || true", in_parentheses(self.text(node))),
            (true, false) => format!("{} && false", in_parentheses(self.text(node))),
        };
        self.expression(node, Some(text), true)
    }

    fn increment(&self, node: Node<'_>) -> Rewrite {
        let old = self.text(node);
        let pairs = [("++", "--"), ("--", "++"), ("+=", "-="), ("-=", "+=")];
        let found = pairs.iter().find(|(sign, _)| old.contains(sign));
        let text = found.map(|(sign, other)| old.replacen(sign, other, 1));
        self.expression(node, text, true)
    }

    fn without_increment(&self, node: Node<'_>) -> Rewrite {
        if is_for_update(node) {
            return Rewrite {
                range: node.byte_range(),
                text: Some(String::new()),
                exact: true,
            };
        }
        match node.parent().map(|parent| (parent.kind(), parent)) {
            Some(("expression_statement", statement)) => nothing(statement, true),
            _ => {
                let target = node.named_child(0).or(node.child_by_field_name("left"));
                self.expression(
                    node,
                    target.map(|target| self.text(target).to_owned()),
                    true,
                )
            }
        }
    }

    fn variable(&self, node: Node<'_>) -> Rewrite {
        let name = self.text(node);
        let cast = match self.body.pushes.get(self.at).copied().flatten() {
            Some(Kind::Byte) => "(byte) ",
            Some(Kind::Char) => "(char) ",
            Some(Kind::Short) => "(short) ",
            _ => "",
        };
        let text = match (self.mutant.operator, self.mutant.variant.as_str()) {
            _ if !matches!(node.kind(), "identifier" | "field_access" | "array_access") => None,
            ("uoi", _) if self.origin.constant => None,
            ("negation", _) => Some(format!("{cast}-{name}")),
            ("absolute-value", "abs") => Some(format!("{cast}Math.abs({name})")),
            ("absolute-value", _) => Some(format!("{cast}-Math.abs({name})")),
            (_, "post-increment") => Some(format!("{name}++")),
            (_, "post-decrement") => Some(format!("{name}--")),
            (_, "pre-increment") => Some(format!("++{name}")),
            _ => Some(format!("--{name}")),
        };
        // Signs next to each other would be another one.
        let text = text.map(|text| match is_inside(node) && !text.starts_with("Math.") {
            true => format!("({text})"),
            false => text,
        });
        let target = is_target(node);
        Rewrite {
            range: node.byte_range(),
            text: text.filter(|_| !target),
            exact: true,
        }
    }

    fn constant(&self, node: Node<'_>) -> Rewrite {
        let new = self.mutant.description.rsplit(" by ").next().unwrap_or("");
        let plain = literal::value(node.kind(), self.text(node)).is_some()
            || matches!(node.kind(), "identifier" | "field_access")
            || node.kind() == "unary_expression" && self.text(node).starts_with('-');
        let text = match node.kind() {
            _ if !plain => None,
            "character_literal" if self.body.uses[self.at] == Some(Kind::Char) => {
                Some(format!("(char) {new}"))
            }
            _ => Some(new.to_owned()),
        };
        let text = text.map(|text| match text.starts_with('-') && !is_inside(node) {
            true => text,
            false if text.starts_with(['-', '(']) => format!("({text})"),
            false => text,
        });
        Rewrite {
            range: node.byte_range(),
            text,
            exact: true,
        }
    }

    fn returned(&self, node: Node<'_>) -> Option<Rewrite> {
        let value = match node.kind() {
            "return_statement" => children(node).next()?,
            _ => node,
        };
        let text = self.mutant.description.rsplit(" by ").next()?;
        Some(Rewrite {
            range: value.byte_range(),
            text: Some(text.to_owned()),
            exact: !has_effects(value),
        })
    }
}

fn nothing(statement: Node<'_>, exact: bool) -> Rewrite {
    Rewrite {
        range: statement.byte_range(),
        text: Some(";".to_owned()),
        exact,
    }
}

/// True if a right operand is itself a chain of the same connector.
fn same_chain(context: &Context<'_, '_>, node: Node<'_>, operator: &str) -> bool {
    match node.kind() {
        "parenthesized_expression" => {
            let inner = node.named_child(0);
            inner.is_some_and(|inner| same_chain(context, inner, operator))
        }
        "binary_expression" => {
            let own = node.child_by_field_name("operator");
            own.is_some_and(|own| context.text(own) == operator)
        }
        _ => false,
    }
}
