//! JSON: cut into objects, each of which is one patch or several.

mod object;
mod split;

use serde_json::{Map, Value};

use super::detect::Reader;
use super::draft::{Draft, Drafts, Place};
use crate::{Format, ReadProblem};
use split::{Element, Elements};

/// The patches of a JSON file, whose first bytes are `head`.
pub(super) fn drafts(place: Place, reader: Reader, head: &[u8]) -> Drafts {
    let elements = Elements::new(reader, head, &place);
    Box::new(
        elements
            .scan(0, move |number, element| {
                *number += 1;
                Some(element_drafts(&place, *number, element))
            })
            .flatten(),
    )
}

/// The patches of one object: the `number`-th of its file.
fn element_drafts(place: &Place, number: usize, element: Element) -> Drafts {
    let Element { line, bytes } = element;
    let mut named = place.clone();
    named.stem = format!("{}#{number}", place.stem);
    let value = bytes.and_then(|bytes| {
        serde_json::from_slice::<Value>(&bytes).map_err(|error| ReadProblem::Json {
            line: line + error.line().saturating_sub(1),
            column: error.column(),
            what: without_position(&error),
        })
    });
    match value {
        Ok(Value::Object(object)) => object_drafts(place, named, line, object),
        Ok(other) => {
            let what = format!("expected a JSON object for a patch, found {}", kind(&other));
            one(named.draft(line, Format::Json, Err(ReadProblem::Shape(what))))
        }
        Err(problem) => one(named.draft(line, Format::Json, Err(problem))),
    }
}

fn one(draft: Draft) -> Drafts {
    Box::new(std::iter::once(draft))
}

fn object_drafts(
    place: &Place,
    named: Place,
    line: usize,
    mut object: Map<String, Value>,
) -> Drafts {
    if object::is_express(&object) {
        let place = if named.stem.ends_with("#1") {
            place.clone()
        } else {
            named
        };
        return object::express(place, line, object);
    }
    if object::is_patch(&object) {
        return one(object::patch(&named, line, object));
    }
    if let Some(Value::Array(patches)) = object.get_mut("patches") {
        let patches = std::mem::take(patches);
        let stem = place.stem.clone();
        return Box::new(patches.into_iter().enumerate().map(move |(at, value)| {
            let mut named = named.clone();
            named.stem = format!("{stem}#{}", at + 1);
            mapped(&named, line, value)
        }));
    }
    if object::is_map(&object) {
        return Box::new(object.into_iter().map(move |(id, value)| {
            let mut named = named.clone();
            named.stem = id;
            mapped(&named, line, value)
        }));
    }
    one(object::patch(&named, line, object))
}

/// A patch inside an object: an object itself, or a diff.
fn mapped(named: &Place, line: usize, value: Value) -> Draft {
    match value {
        Value::Object(object) => object::patch(named, line, object),
        Value::String(diff) => {
            let object = Map::from_iter([("diff".to_owned(), Value::String(diff))]);
            object::patch(named, line, object)
        }
        other => {
            let what = format!("expected a JSON object for a patch, found {}", kind(&other));
            named.draft(line, Format::Json, Err(ReadProblem::Shape(what)))
        }
    }
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The parser's message without its own idea of the position.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
