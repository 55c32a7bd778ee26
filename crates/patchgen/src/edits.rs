//! The edits a generated patch can make.

use std::ops::Range;

use fastrand::Rng;

use crate::methods::Method;

/// A replacement in the method's file, with the name of its kind.
#[derive(Debug, Clone)]
pub struct Edit {
    /// What is replaced.
    pub range: Range<usize>,
    /// By what.
    pub text: String,
    /// What sort of edit it is, as it appears in patch ids.
    pub kind: &'static str,
}

type Proposal = fn(&Method, &mut Rng) -> Option<Edit>;

/// Edits meant to compile. Some will not, as types are not looked at.
const WHOLE: &[Proposal] = &[
    operator,
    operator,
    negate,
    integer,
    boolean,
    drop_call,
    guard,
    default_result,
    swap,
    other_name,
    repeat_condition,
    endless,
];

/// Edits meant not to compile: one for each stage of the compiler that can object.
const BROKEN: &[Proposal] = &[
    undefined_name,
    wrong_initialiser,
    lost_semicolon,
    unreachable,
    undefined_method,
    unreported_exception,
    duplicate_variable,
    unassigned,
    missing_return,
    wrong_result,
    lost_parenthesis,
];

/// Proposes one edit of the method, or none when the kind drawn has no place in it.
pub(crate) fn propose(method: &Method, broken: bool, rng: &mut Rng) -> Option<Edit> {
    let kinds = if broken { BROKEN } else { WHOLE };
    kinds[rng.usize(0..kinds.len())](method, rng)
}

fn pick<'a, T>(items: &'a [T], rng: &mut Rng) -> Option<&'a T> {
    if items.is_empty() {
        None
    } else {
        Some(&items[rng.usize(0..items.len())])
    }
}

fn replace(range: &Range<usize>, text: impl Into<String>, kind: &'static str) -> Option<Edit> {
    Some(Edit {
        range: range.clone(),
        text: text.into(),
        kind,
    })
}

/// Inserts before one of the body's own statements (never before its first, which may be `super(...)`
/// in all but name).
fn insert(method: &Method, text: String, kind: &'static str, rng: &mut Rng) -> Option<Edit> {
    let at = pick(&method.statements[1..], rng)?.start;
    replace(&(at..at), format!("{text} "), kind)
}

fn default_of(kind: &str) -> &'static str {
    match kind {
        "boolean" => "false",
        "byte" | "short" | "char" | "int" | "long" | "float" | "double" => "0",
        "void" | "" => "",
        _ => "null",
    }
}

fn operator(method: &Method, rng: &mut Rng) -> Option<Edit> {
    const GROUPS: &[&[&str]] = &[
        &["+", "-", "*", "/", "%"],
        &["<", "<=", ">", ">="],
        &["==", "!="],
        &["&&", "||"],
        &["&", "|", "^"],
        &["<<", ">>", ">>>"],
    ];
    let range = pick(&method.places.operators, rng)?;
    let old = &method.text[range.clone()];
    let group = GROUPS.iter().find(|group| group.contains(&old))?;
    replace(range, *pick(group, rng)?, "operator")
}

fn negate(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.conditions, rng)?;
    replace(
        range,
        format!("(!{})", &method.text[range.clone()]),
        "negate",
    )
}

fn integer(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.integers, rng)?;
    let old: i64 = method.text[range.clone()].parse().ok()?;
    let new = [old + 1, old - 1, 0, 1, 2 * old][rng.usize(0..5)];
    replace(
        range,
        if new < 0 {
            format!("({new})")
        } else {
            new.to_string()
        },
        "integer",
    )
}

fn boolean(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.booleans, rng)?;
    replace(
        range,
        if &method.text[range.clone()] == "true" {
            "false"
        } else {
            "true"
        },
        "boolean",
    )
}

fn drop_call(method: &Method, rng: &mut Rng) -> Option<Edit> {
    replace(pick(&method.places.calls, rng)?, ";", "drop-call")
}

fn guard(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let (kind, name) = pick(&method.parameters, rng)?;
    let test = match default_of(kind) {
        "null" => format!("{name} == null"),
        "false" => format!("!{name}"),
        _ => format!("{name} == {}", rng.u8(0..4)),
    };
    let result = default_of(&method.result);
    insert(
        method,
        format!("if ({test}) {{ return {result}; }}"),
        "guard",
        rng,
    )
}

fn default_result(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.returned, rng)?;
    replace(range, default_of(&method.result), "default-result")
}

fn swap(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let (a, b) = pick(&method.places.pairs, rng)?;
    let text = &method.text;
    let middle = &text[a.end..b.start];
    replace(
        &(a.start..b.end),
        format!("{}{middle}{}", &text[b.clone()], &text[a.clone()]),
        "swap",
    )
}

fn other_name(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.names, rng)?;
    let other = pick(&method.places.names, rng)?;
    replace(range, &method.text[other.clone()], "other-name")
}

fn repeat_condition(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let condition = pick(&method.places.conditions, rng)?;
    let call = pick(&method.places.calls, rng)?;
    let text = &method.text;
    replace(
        call,
        format!(
            "if {} {{ {} }}",
            &text[condition.clone()],
            &text[call.clone()]
        ),
        "condition",
    )
}

/// Rare: one in forty of its draws, so that endless loops stay about two in a thousand.
fn endless(method: &Method, rng: &mut Rng) -> Option<Edit> {
    if rng.u8(0..40) != 0 {
        return None;
    }
    let text = "for (int braidLoop = 0; braidLoop >= 0; braidLoop = 0) { braidLoop++; }";
    insert(method, text.into(), "endless", rng)
}

fn undefined_name(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.names, rng)?;
    replace(
        range,
        format!("{}Value", &method.text[range.clone()]),
        "undefined-name",
    )
}

fn wrong_initialiser(method: &Method, rng: &mut Rng) -> Option<Edit> {
    insert(
        method,
        format!("int limit{} = \"none\";", rng.u8(..)),
        "wrong-initialiser",
        rng,
    )
}

fn lost_semicolon(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let end = pick(&method.statements, rng)?.end;
    let last = method.text.as_bytes()[end - 1];
    if last != b';' {
        return None;
    }
    replace(&(end - 1..end), "", "lost-semicolon")
}

fn unreachable(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let text = format!("throw new IllegalStateException(\"{}\");", rng.u8(..));
    insert(method, text, "unreachable", rng)
}

fn undefined_method(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.names, rng)?;
    replace(
        range,
        format!("normalise({})", &method.text[range.clone()]),
        "undefined-method",
    )
}

fn unreported_exception(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let text = format!(
        "if (Boolean.getBoolean(\"b{}\")) {{ throw new Exception(\"checked\"); }}",
        rng.u8(..)
    );
    insert(method, text, "unreported", rng)
}

fn duplicate_variable(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let (_, name) = pick(&method.parameters, rng)?;
    insert(
        method,
        format!("long {name} = {};", rng.u8(..)),
        "duplicate",
        rng,
    )
}

fn unassigned(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let n = rng.u8(..);
    insert(
        method,
        format!("int count{n}; count{n}++;"),
        "unassigned",
        rng,
    )
}

fn missing_return(method: &Method, rng: &mut Rng) -> Option<Edit> {
    if method.result.is_empty() || method.result == "void" {
        return None;
    }
    replace(pick(&method.places.returns, rng)?, ";", "missing-return")
}

fn wrong_result(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.returned, rng)?;
    let wrong = if default_of(&method.result) == "null" {
        "3.5 * 2"
    } else {
        "\"result\""
    };
    replace(range, wrong, "wrong-result")
}

fn lost_parenthesis(method: &Method, rng: &mut Rng) -> Option<Edit> {
    let range = pick(&method.places.conditions, rng)?;
    replace(&(range.end - 1..range.end), "", "lost-parenthesis")
}
