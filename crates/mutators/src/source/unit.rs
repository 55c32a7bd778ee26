//! Finds the source of a class's methods.

use tree_sitter::Node;

use super::walk::{Walker, children};
use crate::body::Body;

/// The body of a type in the source.
#[derive(Clone, Copy)]
pub(super) struct TypeBody<'t> {
    body: Node<'t>,
}

/// A method's source: what to walk over, and the body as a whole.
pub(super) struct MethodSource<'t> {
    /// The declaration: method, constructor or lambda; none for initialisers.
    declaration: Option<Node<'t>>,
    /// Field initialisers and blocks that run with it.
    initialisers: Vec<Node<'t>>,
}

const TYPES: [&str; 5] = [
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
];

impl<'t> TypeBody<'t> {
    /// The body of the type with a binary name, as `a/b/Outer$Inner$1`. Types without a name are
    /// told apart by the lines of their code.
    pub(super) fn find(
        root: Node<'t>,
        text: &str,
        name: &str,
        lines: (u32, u32),
    ) -> Option<TypeBody<'t>> {
        let mut rest = name.rsplit('/').next()?;
        let mut scope = root;
        while !rest.is_empty() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let found = if digits > 0 {
                let local = &rest[digits..];
                let end = local.find('$').unwrap_or(local.len());
                let own = &local[..end];
                rest = local[end..].trim_start_matches('$');
                unnamed(scope, text, own, lines)?
            } else {
                let (body, length) = member(scope, text, rest)?;
                rest = rest[length..].trim_start_matches('$');
                body
            };
            scope = found;
        }
        Some(TypeBody { body: scope })
    }

    /// The source of a method of the type.
    pub(super) fn methods(self, text: &str, body: &Body<'_>) -> Vec<MethodSource<'t>> {
        let lines = line_range(body);
        match body.name.as_str() {
            "<clinit>" => vec![MethodSource {
                declaration: None,
                initialisers: self.initialisers(text, true),
            }],
            "<init>" => {
                let initialisers = self.initialisers(text, false);
                let declared = self.declared(|node| {
                    matches!(
                        node.kind(),
                        "constructor_declaration" | "compact_constructor_declaration"
                    ) && overlaps(*node, lines)
                });
                let declaration = declared.into_iter().next();
                vec![MethodSource {
                    initialisers: match declaration.is_some_and(|d| calls_this(d, text)) {
                        true => Vec::new(),
                        false => initialisers,
                    },
                    declaration,
                }]
            }
            name if name.starts_with("lambda$") => self
                .lambdas(lines)
                .into_iter()
                .map(MethodSource::of)
                .collect(),
            name => {
                let named = |node: &Node<'t>| {
                    let own = node.child_by_field_name("name");
                    node.kind() == "method_declaration"
                        && own.is_some_and(|own| text.get(own.byte_range()) == Some(name))
                        && overlaps(*node, lines)
                };
                self.declared(named)
                    .into_iter()
                    .map(MethodSource::of)
                    .collect()
            }
        }
    }

    /// The members of the type; those of an enum stand behind its constants.
    fn members(self) -> impl Iterator<Item = Node<'t>> {
        children(self.body).flat_map(|child| match child.kind() {
            "enum_body_declarations" => children(child).collect(),
            _ => vec![child],
        })
    }

    fn declared(self, wanted: impl Fn(&Node<'t>) -> bool) -> Vec<Node<'t>> {
        self.members().filter(wanted).collect()
    }

    fn initialisers(self, text: &str, of_class: bool) -> Vec<Node<'t>> {
        let interface = self.body.kind() == "interface_body";
        let wanted = |node: &Node<'t>| match node.kind() {
            "field_declaration" => (interface || is_static(*node, text)) == of_class,
            "constant_declaration" | "static_initializer" | "enum_constant" => of_class,
            "block" => !of_class,
            _ => false,
        };
        self.declared(wanted)
    }

    /// The lambdas of the type on some lines, smallest first.
    fn lambdas(self, lines: (u32, u32)) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        collect(self.body, &mut |node| {
            if node.kind() == "lambda_expression" && holds(node, lines) {
                found.push(node);
            }
        });
        found.sort_by_key(|node| node.end_byte() - node.start_byte());
        found
    }
}

impl<'t> MethodSource<'t> {
    fn of(declaration: Node<'t>) -> MethodSource<'t> {
        MethodSource {
            declaration: Some(declaration),
            initialisers: Vec::new(),
        }
    }

    /// The body as a whole.
    pub(super) fn body(&self) -> Option<Node<'t>> {
        self.declaration?.child_by_field_name("body")
    }

    /// Walks over it in the order of its bytecode.
    pub(super) fn walk(&self, walker: &mut Walker<'_, 't>) {
        let mut initialised = false;
        if let Some(declaration) = self.declaration {
            walker.parameters(declaration.child_by_field_name("parameters"));
        }
        let statements: Vec<Node<'t>> = match self.body() {
            Some(body) if matches!(body.kind(), "block" | "constructor_body") => {
                children(body).collect()
            }
            Some(body) => {
                walker.lambda_value(body);
                Vec::new()
            }
            None => Vec::new(),
        };
        for statement in statements {
            if statement.kind() != "explicit_constructor_invocation" && !initialised {
                initialised = true;
                self.initialise(walker);
            }
            walker.statement(statement);
        }
        if !initialised {
            self.initialise(walker);
        }
    }

    fn initialise(&self, walker: &mut Walker<'_, 't>) {
        for node in &self.initialisers {
            match node.kind() {
                "static_initializer" => children(*node).for_each(|block| walker.statement(block)),
                "enum_constant" => walker.arguments(node.child_by_field_name("arguments")),
                _ => walker.statement(*node),
            }
        }
    }
}

/// First and last line of a method's code.
pub(super) fn line_range(body: &Body<'_>) -> (u32, u32) {
    let lines = || body.lines.iter().filter(|line| **line != 0);
    let first = lines().min().copied().unwrap_or(0);
    let last = lines().max().copied().unwrap_or(0);
    (first.into(), last.into())
}

fn rows(node: Node<'_>) -> (u32, u32) {
    let row = |row: usize| row as u32 + 1;
    (row(node.start_position().row), row(node.end_position().row))
}

fn overlaps(node: Node<'_>, (first, last): (u32, u32)) -> bool {
    let (start, end) = rows(node);
    start <= last && first <= end
}

fn holds(node: Node<'_>, (first, last): (u32, u32)) -> bool {
    let (start, end) = rows(node);
    start <= first && last <= end
}

fn is_static(node: Node<'_>, text: &str) -> bool {
    let modifiers = children(node).find(|child| child.kind() == "modifiers");
    modifiers.is_some_and(|modifiers| {
        let words = text.get(modifiers.byte_range()).unwrap_or("");
        words.split_whitespace().any(|word| word == "static")
    })
}

fn calls_this(constructor: Node<'_>, text: &str) -> bool {
    let body = constructor.child_by_field_name("body");
    let first = body.and_then(|body| children(body).next());
    first.is_some_and(|first| {
        let callee = first.child_by_field_name("constructor");
        first.kind() == "explicit_constructor_invocation"
            && callee.is_some_and(|callee| text.get(callee.byte_range()) == Some("this"))
    })
}

/// The member type whose name starts a binary name, and the length of its name.
fn member<'t>(scope: Node<'t>, text: &str, name: &str) -> Option<(Node<'t>, usize)> {
    let members = TypeBody { body: scope }.members();
    let candidates = members.filter(|node| TYPES.contains(&node.kind()));
    let named = candidates.filter_map(|node| {
        let own = text.get(node.child_by_field_name("name")?.byte_range())?;
        let rest = name.strip_prefix(own)?;
        let ends = rest.is_empty() || rest.starts_with('$');
        ends.then_some((node.child_by_field_name("body")?, own.len()))
    });
    named.max_by_key(|(_, length)| *length)
}

/// The local type of this name, or the anonymous one, that holds some lines: the smallest one.
fn unnamed<'t>(scope: Node<'t>, text: &str, name: &str, lines: (u32, u32)) -> Option<Node<'t>> {
    let mut found: Vec<Node<'t>> = Vec::new();
    collect_deep(scope, &mut |node| {
        let own = node
            .child_by_field_name("name")
            .and_then(|n| text.get(n.byte_range()));
        let body = match node.kind() {
            "class_body" if name.is_empty() => {
                let parent = node.parent().map_or("", |parent| parent.kind());
                let anonymous = matches!(parent, "object_creation_expression" | "enum_constant");
                anonymous.then_some(node)
            }
            kind if TYPES.contains(&kind) && own == Some(name) && !name.is_empty() => {
                node.child_by_field_name("body")
            }
            _ => None,
        };
        found.extend(body.filter(|body| holds(*body, lines)));
    });
    found
        .into_iter()
        .min_by_key(|node| node.end_byte() - node.start_byte())
}

/// Visits everything in a type but the bodies of other types.
fn collect<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    for child in children(node) {
        visit(child);
        let other = child.kind() == "class_body" || TYPES.contains(&child.kind());
        if !other {
            collect(child, visit);
        }
    }
}

fn collect_deep<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    for child in children(node) {
        visit(child);
        collect_deep(child, visit);
    }
}
