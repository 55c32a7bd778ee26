//! Values to return instead of those a method computes.

use braid_classfile::{FieldType, Insn, Op};

use crate::body::Body;
use crate::kind::Kind;
use crate::operator::{Proposals, Site, Step};

/// A value and how Java writes it.
pub(crate) struct Value {
    pub(crate) steps: Vec<Step>,
    pub(crate) text: &'static str,
}

/// Proposes to return what `value` gives for the method's return type.
pub(crate) fn propose(
    site: &Site<'_>,
    out: &mut Proposals,
    value: impl Fn(FieldType<'_>, &Body<'_>) -> Option<Value>,
) {
    let Insn::Plain(op) = site.insn else {
        return;
    };
    if !op.is_return() || op == Op::Return {
        return;
    }
    let Some(ty) = site.body.return_type() else {
        return;
    };
    if let Some(Value { mut steps, text }) = value(ty, site.body) {
        steps.insert(0, Kind::of(ty).pop().into());
        steps.push(op.into());
        out.replace(
            site,
            steps,
            "",
            format!("replaced returned value by {text}"),
        );
    }
}

/// Zero for numbers.
pub(crate) fn primitive_value(ty: FieldType<'_>) -> Option<Value> {
    let kind = Kind::of(ty);
    kind.is_number().then(|| Value {
        steps: vec![kind.zero()],
        text: kind.zero_text(),
    })
}

/// A boolean, boxed if the type asks for it.
pub(crate) fn boolean_value(ty: FieldType<'_>, value: bool) -> Option<Value> {
    let mut steps = vec![Step::Int(value.into())];
    match ty {
        FieldType::Boolean => {}
        FieldType::Object(name) if name == "java/lang/Boolean" => {
            steps.push(box_call("java/lang/Boolean", "(Z)Ljava/lang/Boolean;"));
        }
        _ => return None,
    }
    let text = if value { "true" } else { "false" };
    Some(Value { steps, text })
}

/// Null for objects that have no empty form and are not promised to be there.
pub(crate) fn null_value(ty: FieldType<'_>, body: &Body<'_>) -> Option<Value> {
    let better = empty_value(ty).is_some() || boolean_value(ty, true).is_some();
    if !ty.is_reference() || better || body.never_null {
        return None;
    }
    Some(Value {
        steps: vec![Step::Null],
        text: "null",
    })
}

fn box_call(owner: &'static str, descriptor: &'static str) -> Step {
    Step::Call(Op::Invokestatic, owner, "valueOf", descriptor)
}

/// Owner, name and descriptor of a static method that gives an empty object.
type Factory = (&'static str, &'static str, &'static str);

const COLLECTIONS: &str = "java/util/Collections";
const EMPTY_LIST: Factory = (COLLECTIONS, "emptyList", "()Ljava/util/List;");

/// Type, factory of its empty object, and the text of the call.
const FACTORIES: &[(&str, Factory, &str)] = &[
    (
        "java/util/List",
        EMPTY_LIST,
        "java.util.Collections.emptyList()",
    ),
    (
        "java/util/Collection",
        EMPTY_LIST,
        "java.util.Collections.emptyList()",
    ),
    (
        "java/lang/Iterable",
        EMPTY_LIST,
        "java.util.Collections.emptyList()",
    ),
    (
        "java/util/Set",
        (COLLECTIONS, "emptySet", "()Ljava/util/Set;"),
        "java.util.Collections.emptySet()",
    ),
    (
        "java/util/Map",
        (COLLECTIONS, "emptyMap", "()Ljava/util/Map;"),
        "java.util.Collections.emptyMap()",
    ),
    (
        "java/util/Optional",
        ("java/util/Optional", "empty", "()Ljava/util/Optional;"),
        "java.util.Optional.empty()",
    ),
    (
        "java/util/stream/Stream",
        (
            "java/util/stream/Stream",
            "empty",
            "()Ljava/util/stream/Stream;",
        ),
        "java.util.stream.Stream.empty()",
    ),
];

/// Box, descriptor of its factory, zero, and the zero's text.
const BOXES: &[(&str, &str, Kind, &str)] = &[
    (
        "java/lang/Byte",
        "(B)Ljava/lang/Byte;",
        Kind::Byte,
        "(byte) 0",
    ),
    (
        "java/lang/Short",
        "(S)Ljava/lang/Short;",
        Kind::Short,
        "(short) 0",
    ),
    (
        "java/lang/Character",
        "(C)Ljava/lang/Character;",
        Kind::Char,
        "(char) 0",
    ),
    (
        "java/lang/Integer",
        "(I)Ljava/lang/Integer;",
        Kind::Int,
        "0",
    ),
    ("java/lang/Long", "(J)Ljava/lang/Long;", Kind::Long, "0L"),
    ("java/lang/Float", "(F)Ljava/lang/Float;", Kind::Float, "0f"),
    (
        "java/lang/Double",
        "(D)Ljava/lang/Double;",
        Kind::Double,
        "0d",
    ),
];

/// The empty object of a type, if it is known.
pub(crate) fn empty_value(ty: FieldType<'_>) -> Option<Value> {
    let FieldType::Object(name) = ty else {
        return None;
    };
    if name == "java/lang/String" {
        return Some(Value {
            steps: vec![Step::Text("")],
            text: "\"\"",
        });
    }
    if let Some((owner, descriptor, kind, text)) = BOXES.iter().find(|row| name == row.0) {
        return Some(Value {
            steps: vec![kind.zero(), box_call(owner, descriptor)],
            text,
        });
    }
    let (_, (owner, method, descriptor), text) = FACTORIES.iter().find(|row| name == row.0)?;
    let call = if *owner == "java/util/stream/Stream" {
        Step::InterfaceStatic(owner, method, descriptor)
    } else {
        Step::Call(Op::Invokestatic, owner, method, descriptor)
    };
    Some(Value {
        steps: vec![call],
        text,
    })
}
