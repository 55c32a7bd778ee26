//! The types of a source file and where their methods are.

use std::fmt;
use std::ops::Range;

use tree_sitter::{Node, Parser};

/// A source file.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// With dots; empty for none.
    pub(crate) package: String,
    /// Every member type at any depth, but no local or anonymous ones.
    pub(crate) types: Vec<TypeDecl>,
    /// Whether the whole file is well-formed.
    pub(crate) well_formed: bool,
}

/// A class, interface, enum, record or annotation type.
#[derive(Clone, Debug)]
pub(crate) struct TypeDecl {
    /// With dots, without the package.
    pub(crate) name: String,
    pub(crate) is_public: bool,
    pub(crate) is_enum: bool,
    pub(crate) methods: Vec<Method>,
}

/// A method or constructor.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// `<init>` for constructors.
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) range: Range<usize>,
    /// The documentation comment right before it.
    pub(crate) comment: Option<Range<usize>>,
}

/// A parameter's type without type arguments and annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ErasedType {
    /// With dots.
    pub(crate) name: String,
    pub(crate) dimensions: usize,
}

/// A declared parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) declared: ErasedType,
    /// What a type variable stands for in the descriptor.
    pub(crate) erasure: Option<ErasedType>,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, parameter) in self.parameters.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let ErasedType { name, dimensions } = &parameter.declared;
            write!(f, "{comma}{name}{}", "[]".repeat(*dimensions))?;
        }
        f.write_str(")")
    }
}

impl Unit {
    /// Reads a source file in any encoding that extends ASCII.
    pub(crate) fn parse(source: &[u8]) -> Self {
        let text = ascii_if_not_utf8(source);
        let mut parser = Parser::new();
        let language = tree_sitter_java_orchard::LANGUAGE.into();
        if parser.set_language(&language).is_err() {
            return Self::default();
        }
        let Some(tree) = parser.parse(&text, None) else {
            return Self::default();
        };
        Reader { text: &text }.unit(tree.root_node())
    }

    /// The type with this [normal name](super::normal_class_name), with its package unless `name`
    /// has none.
    pub(crate) fn into_type(self, name: &str) -> Option<TypeDecl> {
        let package = super::normal_class_name(&self.package);
        self.types.into_iter().find(|decl| {
            let own = super::normal_class_name(&decl.name);
            own == name
                || name
                    .strip_suffix(own.as_str())
                    .and_then(|rest| rest.strip_suffix('.'))
                    .is_some_and(|prefix| prefix == package)
        })
    }
}

/// The same bytes, with those beyond ASCII replaced by a letter if they are not UTF-8. Offsets
/// stay.
fn ascii_if_not_utf8(source: &[u8]) -> Vec<u8> {
    let mut text = source.to_vec();
    if std::str::from_utf8(&text).is_err() {
        text.iter_mut()
            .filter(|byte| !byte.is_ascii())
            .for_each(|byte| *byte = b'x');
    }
    text
}

struct Reader<'t> {
    text: &'t [u8],
}

/// Type variables in scope and the types they stand for.
type Variables = Vec<(String, ErasedType)>;

impl Reader<'_> {
    fn unit(&self, root: Node<'_>) -> Unit {
        let mut unit = Unit {
            well_formed: !root.has_error(),
            ..Unit::default()
        };
        let mut pending: Vec<(Node<'_>, String, Variables)> = Vec::new();
        for node in children(root) {
            match node.kind() {
                "package_declaration" => unit.package = self.package(node),
                kind if is_type(kind) => pending.push((node, String::new(), Vec::new())),
                _ => {}
            }
        }
        pending.reverse();
        while let Some((node, outer, outer_variables)) = pending.pop() {
            let Some(name) = node.child_by_field_name("name") else {
                continue;
            };
            let name = format!("{outer}{}", self.slice(name));
            let mut variables = outer_variables;
            variables.extend(self.variables(node));
            let mut decl = TypeDecl {
                is_public: self.has_modifier(node, "public"),
                is_enum: node.kind() == "enum_declaration",
                name,
                methods: Vec::new(),
            };
            for member in self.members(node) {
                if is_type(member.kind()) {
                    pending.push((member, format!("{}.", decl.name), variables.clone()));
                } else if let Some(method) = self.method(member, node, &variables) {
                    decl.methods.push(method);
                }
            }
            unit.types.push(decl);
        }
        unit
    }

    fn slice(&self, node: Node<'_>) -> String {
        String::from_utf8_lossy(&self.text[node.byte_range()]).into_owned()
    }

    fn package(&self, node: Node<'_>) -> String {
        let name = children(node)
            .find(|child| matches!(child.kind(), "identifier" | "scoped_identifier"))
            .map(|name| self.slice(name));
        name.unwrap_or_default().split_whitespace().collect()
    }

    fn has_modifier(&self, node: Node<'_>, modifier: &str) -> bool {
        children(node)
            .find(|child| child.kind() == "modifiers")
            .is_some_and(|modifiers| children(modifiers).any(|child| child.kind() == modifier))
    }

    /// The members of a type; those of an enum stand one level deeper.
    fn members<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let Some(body) = node.child_by_field_name("body") else {
            return Vec::new();
        };
        children(body)
            .flat_map(|child| match child.kind() {
                "enum_body_declarations" => children(child).collect(),
                _ => vec![child],
            })
            .collect()
    }

    fn method(&self, node: Node<'_>, owner: Node<'_>, variables: &Variables) -> Option<Method> {
        let name = match node.kind() {
            "method_declaration" | "annotation_type_element_declaration" => {
                self.slice(node.child_by_field_name("name")?)
            }
            "constructor_declaration" | "compact_constructor_declaration" => "<init>".to_owned(),
            _ => return None,
        };
        let mut variables = variables.clone();
        variables.extend(self.variables(node));
        // A compact constructor has the parameters of its record.
        let from = if node.kind() == "compact_constructor_declaration" {
            owner
        } else {
            node
        };
        let parameters = match from.child_by_field_name("parameters") {
            Some(list) => children(list)
                .filter_map(|parameter| self.parameter(parameter, &variables))
                .collect(),
            None => Vec::new(),
        };
        Some(Method {
            name,
            parameters,
            range: node.byte_range(),
            comment: self.comment(node),
        })
    }

    /// The documentation comment right before a method.
    fn comment(&self, node: Node<'_>) -> Option<Range<usize>> {
        let before = node.prev_sibling()?;
        let is_comment = before.kind() == "block_comment" && self.slice(before).starts_with("/**");
        is_comment.then(|| before.byte_range())
    }

    fn parameter(&self, node: Node<'_>, variables: &Variables) -> Option<Parameter> {
        if !matches!(node.kind(), "formal_parameter" | "spread_parameter") {
            return None;
        }
        let mut declared = self.erased(node.child_by_field_name("type")?);
        if node.kind() == "spread_parameter" {
            declared.dimensions += 1;
        }
        let declarator = children(node).find(|child| child.kind() == "variable_declarator");
        for node in [Some(node), declarator].into_iter().flatten() {
            if let Some(dimensions) = node.child_by_field_name("dimensions") {
                declared.dimensions += self.brackets(dimensions);
            }
        }
        let stands_for = variables
            .iter()
            .rev()
            .find(|(name, _)| *name == declared.name);
        let erasure = stands_for.map(|(_, bound)| ErasedType {
            name: bound.name.clone(),
            dimensions: declared.dimensions + bound.dimensions,
        });
        Some(Parameter { declared, erasure })
    }

    fn brackets(&self, node: Node<'_>) -> usize {
        children(node).filter(|child| child.kind() == "[").count()
    }

    /// The type without type arguments and annotations.
    fn erased(&self, node: Node<'_>) -> ErasedType {
        let mut dimensions = 0;
        let mut node = node;
        loop {
            let inner = match node.kind() {
                "array_type" => {
                    let on = node.child_by_field_name("dimensions");
                    dimensions += on.map_or(0, |on| self.brackets(on));
                    node.child_by_field_name("element")
                }
                "annotated_type" => {
                    children(node).find(|child| !child.kind().contains("annotation"))
                }
                _ => None,
            };
            match inner {
                Some(inner) => node = inner,
                None => break,
            }
        }
        ErasedType {
            name: self.type_name(node),
            dimensions,
        }
    }

    /// `a.b.C` from `a.b.@X C<D>`: the identifiers outside type arguments and annotations.
    fn type_name(&self, node: Node<'_>) -> String {
        let mut parts = Vec::new();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            match node.kind() {
                "type_arguments" | "annotation" | "marker_annotation" => {}
                "generic_type" | "scoped_type_identifier" => {
                    let mut inner: Vec<_> = children(node).collect();
                    inner.reverse();
                    pending.extend(inner);
                }
                _ if node.is_named() => parts.push(self.slice(node)),
                _ => {}
            }
        }
        parts.join(".")
    }

    /// The type variables that a declaration introduces.
    fn variables(&self, node: Node<'_>) -> Variables {
        let Some(list) = node.child_by_field_name("type_parameters") else {
            return Vec::new();
        };
        let mut out: Variables = Vec::new();
        for parameter in children(list).filter(|child| child.kind() == "type_parameter") {
            let Some(name) = children(parameter).find(|child| child.kind() == "type_identifier")
            else {
                continue;
            };
            let bound = children(parameter)
                .find(|child| child.kind() == "type_bound")
                .and_then(|bound| children(bound).find(|child| child.is_named()))
                .map(|bound| self.erased(bound));
            let mut bound = bound.unwrap_or_else(|| ErasedType {
                name: "java.lang.Object".to_owned(),
                dimensions: 0,
            });
            // `<A, B extends A>`: B stands for what A stands for.
            if let Some((_, outer)) = out.iter().find(|(name, _)| *name == bound.name) {
                bound = outer.clone();
            }
            out.push((self.slice(name), bound));
        }
        out
    }
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

fn children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        let child = cursor.node();
        more = cursor.goto_next_sibling();
        Some(child)
    })
}
