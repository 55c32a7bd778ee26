//! The methods of a source tree that can be edited.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    rc::Rc,
};

use anyhow::{Context, Result};
use tree_sitter::{Node, Parser};

/// A method or constructor with a body, and what an edit of it may touch.
#[derive(Debug, Clone)]
pub struct Method {
    /// The file it stands in.
    pub file: PathBuf,
    /// The whole text of that file.
    pub text: Rc<String>,
    /// Its simple name.
    pub name: String,
    /// The declared result type; empty for a constructor.
    pub result: String,
    /// Parameters as (type, name).
    pub parameters: Vec<(String, String)>,
    /// The statements directly in its body.
    pub statements: Vec<Range<usize>>,
    /// Places of the kinds that edits look for, over the whole body.
    pub places: Places,
}

/// Byte ranges in a body, by syntactic kind.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Operators of binary expressions.
    pub operators: Vec<Range<usize>>,
    /// Conditions of `if` and `while`, with their parentheses.
    pub conditions: Vec<Range<usize>>,
    /// Decimal integer literals.
    pub integers: Vec<Range<usize>>,
    /// `true` and `false`.
    pub booleans: Vec<Range<usize>>,
    /// Expression statements that call something.
    pub calls: Vec<Range<usize>>,
    /// Operands of `return`.
    pub returned: Vec<Range<usize>>,
    /// `return` statements as a whole.
    pub returns: Vec<Range<usize>>,
    /// Uses of plain names as values.
    pub names: Vec<Range<usize>>,
    /// Argument lists with two arguments: the range of each.
    pub pairs: Vec<(Range<usize>, Range<usize>)>,
}

/// All `.java` files below a folder that are plain ASCII, in a stable order.
pub(crate) fn source_files(folder: &Path, only: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        let path = entry.path();
        let name = path.to_string_lossy();
        let wanted = only.is_empty() || only.iter().any(|part| name.contains(part.as_str()));
        if wanted && path.extension().is_some_and(|e| e == "java") {
            files.push(path.to_path_buf());
        }
    }
    Ok(files)
}

/// The editable methods of one file; none when it is not ASCII or does not parse.
pub(crate) fn of_file(file: &Path) -> Result<Vec<Method>> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok(Vec::new());
    };
    if !text.is_ascii() || text.contains('\r') {
        return Ok(Vec::new());
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java_orchard::LANGUAGE.into())?;
    let Some(tree) = parser.parse(&text, None) else {
        return Ok(Vec::new());
    };
    let mut methods = Vec::new();
    collect(tree.root_node(), file, &Rc::new(text), &mut methods);
    Ok(methods)
}

fn collect(node: Node<'_>, file: &Path, text: &Rc<String>, methods: &mut Vec<Method>) {
    if matches!(
        node.kind(),
        "method_declaration" | "constructor_declaration"
    ) {
        methods.extend(method(node, file, text));
        return;
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        collect(child, file, text, methods);
    }
}

fn method(node: Node<'_>, file: &Path, text: &Rc<String>) -> Option<Method> {
    let body = node.child_by_field_name("body")?;
    let slice = |n: Node<'_>| text[n.byte_range()].to_string();
    let mut cursor = body.walk();
    let statements: Vec<_> = body
        .named_children(&mut cursor)
        .filter(|n| !n.kind().ends_with("comment") && n.kind() != "explicit_constructor_invocation")
        .map(|n| n.byte_range())
        .collect();
    if statements.len() < 2 {
        return None;
    }
    let mut parameters = Vec::new();
    let list = node.child_by_field_name("parameters")?;
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        let kind = parameter.child_by_field_name("type").map(slice);
        let name = parameter.child_by_field_name("name").map(slice);
        parameters.extend(kind.zip(name));
    }
    let mut places = Places::default();
    find_places(body, text, &mut places);
    Some(Method {
        file: file.to_path_buf(),
        text: Rc::clone(text),
        name: slice(node.child_by_field_name("name")?),
        result: node
            .child_by_field_name("type")
            .map(slice)
            .unwrap_or_default(),
        parameters,
        statements,
        places,
    })
}

fn find_places(node: Node<'_>, text: &str, places: &mut Places) {
    match node.kind() {
        "binary_expression" => {
            places
                .operators
                .extend(node.child_by_field_name("operator").map(|n| n.byte_range()));
        }
        "if_statement" | "while_statement" => {
            places.conditions.extend(
                node.child_by_field_name("condition")
                    .map(|n| n.byte_range()),
            );
        }
        "decimal_integer_literal" => places.integers.push(node.byte_range()),
        "true" | "false" => places.booleans.push(node.byte_range()),
        "expression_statement" if text[node.byte_range()].ends_with(");") => {
            places.calls.push(node.byte_range());
        }
        "return_statement" => {
            places.returns.push(node.byte_range());
            places
                .returned
                .extend(node.named_child(0).map(|n| n.byte_range()));
        }
        "argument_list" if node.named_child_count() == 2 => {
            let ranges = node.named_child(0).zip(node.named_child(1));
            places
                .pairs
                .extend(ranges.map(|(a, b)| (a.byte_range(), b.byte_range())));
        }
        "identifier" if is_value(node) => places.names.push(node.byte_range()),
        _ => {}
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        find_places(child, text, places);
    }
}

/// Whether an identifier stands for a value, rather than naming a declaration, a method or a label.
fn is_value(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "binary_expression" | "argument_list" | "return_statement" | "parenthesized_expression"
        )
    })
}
