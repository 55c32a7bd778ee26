//! Objects that are patches; see the documentation of [`crate::read`] for their form.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::draft::{Draft, Drafts, Place};
use super::super::text::diff_draft;
use super::kind;
use crate::diff::Source;
use crate::{
    Change, FileState, Format, MethodSource, Occurrence, Position, ReadProblem, Region, RegionSite,
    RelPath, SearchReplace, TextEdit,
};

type Object = Map<String, Value>;

/// Our own keys, of which a patch has exactly one.
const OWN: [&str; 5] = ["diff", "search_replace", "method", "files", "edits"];

/// Others' keys for a diff, the first that is there counts.
const FOREIGN: [&str; 3] = ["model_patch", "fix_patch", "patch"];

/// Keys of ExpressAPR's patch sets.
const EXPRESS: [&str; 3] = ["context_above", "unpatched", "context_below"];

/// Whether the object is a patch, perhaps a malformed one.
pub(super) fn is_patch(object: &Object) -> bool {
    OWN.iter()
        .chain(&FOREIGN)
        .any(|key| object.contains_key(*key))
}

/// Whether the object is one of ExpressAPR's patch sets, perhaps a malformed one.
pub(super) fn is_express(object: &Object) -> bool {
    EXPRESS.iter().any(|key| object.contains_key(*key))
}

/// Whether the object maps ids to patches.
pub(super) fn is_map(object: &Object) -> bool {
    !object.is_empty()
        && object.values().all(|value| match value {
            Value::Object(object) => is_patch(object),
            Value::String(text) => crate::diff::looks_like_diff(text.as_bytes()),
            _ => false,
        })
}

/// The patch that an object is.
pub(super) fn patch(place: &Place, line: usize, mut object: Object) -> Draft {
    let id = id(&object);
    let failing = failing(&object);
    let mut draft = match change(place, line, &mut object) {
        Ok(draft) => draft,
        Err(problem) => place.draft(line, Format::Json, Err(problem)),
    };
    if let Some(id) = id {
        draft.id = id;
    }
    match failing {
        Ok(failing) => draft.failing = failing,
        Err(problem) if draft.change.is_ok() => draft.change = Err(problem),
        Err(_) => {}
    }
    draft
}

/// The object's own id.
fn id(object: &Object) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let get = |key: &str| object.get(key).and_then(text);
    get("id")
        .or_else(|| get("instance_id"))
        .or_else(|| get("patch_id"))
        .or_else(|| {
            Some(format!(
                "{}__{}-{}",
                get("org")?,
                get("repo")?,
                get("number")?
            ))
        })
}

/// The tests named as failing: strings, or as SWE-bench has it, one string of JSON.
fn failing(object: &Object) -> Result<Vec<String>, ReadProblem> {
    let (key, value) = match (object.get("failing"), object.get("FAIL_TO_PASS")) {
        (Some(value), _) => ("failing", value),
        (None, Some(value)) => ("FAIL_TO_PASS", value),
        (None, None) => return Ok(Vec::new()),
    };
    let parsed;
    let value = match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(list @ Value::Array(_)) => {
                parsed = list;
                &parsed
            }
            _ => return Ok(vec![text.clone()]),
        },
        value => value,
    };
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(names) => names
            .iter()
            .map(|name| string(name, &format!("{key}[]")))
            .collect(),
        other => Err(wrong(key, "an array of strings", other)),
    }
}

fn change(place: &Place, line: usize, object: &mut Object) -> Result<Draft, ReadProblem> {
    let there: Vec<&str> = OWN
        .into_iter()
        .filter(|key| object.get(*key).is_some_and(|value| !value.is_null()))
        .collect();
    let (key, format) = match there[..] {
        [key] => (key, Format::Json),
        [] => match FOREIGN.into_iter().find(|key| object.contains_key(*key)) {
            Some("patch") => ("patch", Format::Json),
            Some(key) => (key, Format::SweBench),
            None if OWN.iter().any(|key| object.contains_key(*key)) => {
                return Err(ReadProblem::Empty);
            }
            None => return Err(no_change(object)),
        },
        ref several => {
            let several = several.join("` and `");
            return Err(shape(format!(
                "expected one kind of change, found `{several}`"
            )));
        }
    };
    let value = object.remove(key).unwrap_or(Value::Null);
    let change = match key {
        "search_replace" => search_replace(value)?,
        "method" => methods(value)?,
        "files" => files(value)?,
        "edits" => edits(value)?,
        key => return diff(place, line, format, key, value),
    };
    Ok(place.draft(line, format, Ok(change)))
}

fn no_change(object: &Object) -> ReadProblem {
    let keys: Vec<_> = object.keys().take(8).map(String::as_str).collect();
    shape(format!(
        "expected one of the keys `{}`, `{}` or ExpressAPR's `{}`, found {}",
        OWN.join("`, `"),
        FOREIGN.join("`, `"),
        EXPRESS.join("`, `"),
        if keys.is_empty() {
            "none".to_owned()
        } else {
            format!("only `{}`", keys.join("`, `"))
        },
    ))
}

fn diff(
    place: &Place,
    line: usize,
    format: Format,
    key: &str,
    value: Value,
) -> Result<Draft, ReadProblem> {
    let text = match value {
        Value::Null => return Err(ReadProblem::Empty),
        Value::String(text) if text.trim().is_empty() => return Err(ReadProblem::Empty),
        Value::String(text) => text.into_bytes(),
        other => return Err(wrong(key, "a string with a diff", &other)),
    };
    let text = crate::diff::unfence(&text).unwrap_or(text);
    let mut draft = diff_draft(place, text, Source::Text, 1);
    draft.line = line;
    draft.format = format;
    Ok(draft)
}

fn search_replace(value: Value) -> Result<Change, ReadProblem> {
    let items = objects(value, "search_replace")?;
    let read = |(key, object): (String, Object)| {
        Ok(SearchReplace {
            path: field(&object, &key, "path")?,
            search: field(&object, &key, "search")?,
            replace: field(&object, &key, "replace")?,
            occurrence: match object.get("occurrence") {
                None | Some(Value::Null) => Occurrence::Only,
                Some(Value::String(all)) if all == "all" => Occurrence::All,
                Some(value) => match value.as_u64().map(usize::try_from) {
                    Some(Ok(number)) if number > 0 => Occurrence::Nth(number),
                    _ => {
                        let key = format!("{key}.occurrence");
                        return Err(wrong(&key, "a number from 1 or \"all\"", value));
                    }
                },
            },
        })
    };
    Ok(Change::SearchReplace(
        items.into_iter().map(read).collect::<Result<_, _>>()?,
    ))
}

fn methods(value: Value) -> Result<Change, ReadProblem> {
    let value = if value.is_object() {
        Value::Array(vec![value])
    } else {
        value
    };
    let items = objects(value, "method")?;
    let read = |(key, object): (String, Object)| -> Result<_, ReadProblem> {
        Ok(MethodSource {
            class: field(&object, &key, "class")?,
            signature: field(&object, &key, "signature")?,
            source: field(&object, &key, "source")?,
        })
    };
    Ok(Change::Methods(
        items.into_iter().map(read).collect::<Result<_, _>>()?,
    ))
}

fn files(value: Value) -> Result<Change, ReadProblem> {
    let Value::Object(object) = value else {
        return Err(wrong("files", "an object from path to content", &value));
    };
    if object.is_empty() {
        return Err(ReadProblem::Empty);
    }
    let mut files = BTreeMap::new();
    for (path, value) in object {
        let state = match value {
            Value::Null => FileState::Delete,
            Value::String(content) => FileState::Write(content.into_bytes()),
            other => {
                return Err(wrong(
                    &format!("files[{path:?}]"),
                    "a string or null",
                    &other,
                ));
            }
        };
        let checked = RelPath::new(&path).map_err(|source| ReadProblem::Path {
            path: path.clone(),
            source,
        })?;
        if files.insert(checked, state).is_some() {
            return Err(shape(format!("`files` names {path:?} twice")));
        }
    }
    Ok(Change::Files(files))
}

fn edits(value: Value) -> Result<Change, ReadProblem> {
    let items = objects(value, "edits")?;
    let read = |(key, object): (String, Object)| {
        let start = match (object.get("start"), object.get("offset")) {
            (Some(start), None) => position(start, &format!("{key}.start"))?,
            (None, Some(offset)) => position(offset, &format!("{key}.offset"))?,
            _ => {
                return Err(shape(format!(
                    "`{key}` must have either `start` or `offset`"
                )));
            }
        };
        let end = match object.get("end") {
            None | Some(Value::Null) => start,
            Some(end) => position(end, &format!("{key}.end"))?,
        };
        Ok(TextEdit {
            path: field(&object, &key, "path")?,
            start,
            end,
            text: field(&object, &key, "text")?,
        })
    };
    Ok(Change::Edits(
        items.into_iter().map(read).collect::<Result<_, _>>()?,
    ))
}

fn position(value: &Value, key: &str) -> Result<Position, ReadProblem> {
    let expected = "a byte offset or {line, col}";
    let number = |value: Option<&Value>| {
        value
            .and_then(Value::as_u64)
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| wrong(key, expected, value.unwrap_or(&Value::Null)))
    };
    match value {
        Value::Object(object) => {
            let column = object.get("col").or_else(|| object.get("column"));
            Ok(Position::LineColumn(
                number(object.get("line"))?,
                number(column)?,
            ))
        }
        value => Ok(Position::Offset(number(Some(value))?)),
    }
}

/// The patches of one of ExpressAPR's sets.
pub(super) fn express(place: Place, line: usize, mut object: Object) -> Drafts {
    let (site, patches) = match express_site(&mut object) {
        Ok(parts) => parts,
        Err(problem) => {
            return Box::new(std::iter::once(place.draft(
                line,
                Format::ExpressApr,
                Err(problem),
            )));
        }
    };
    let site = Arc::new(site);
    Box::new(patches.into_iter().enumerate().map(move |(at, value)| {
        let key = format!("patches[{at}]");
        let change = match value {
            Value::String(replacement) => Ok(Change::Region(Region {
                site: Arc::clone(&site),
                replacement,
            })),
            other => Err(wrong(&key, "a string", &other)),
        };
        let mut draft = place.draft(line, Format::ExpressApr, change);
        draft.id = format!("{}#{}", place.stem, at + 1);
        draft
    }))
}

fn express_site(object: &mut Object) -> Result<(RegionSite, Vec<Value>), ReadProblem> {
    let site = RegionSite {
        path: field(object, "", "filename")?,
        above: field(object, "", "context_above")?,
        unpatched: field(object, "", "unpatched")?,
        below: field(object, "", "context_below")?,
    };
    match object.remove("patches") {
        Some(Value::Array(patches)) => Ok((site, patches)),
        Some(other) => Err(wrong("patches", "an array of strings", &other)),
        None => Err(shape(
            "the key `patches` is missing; expected an array of strings".to_owned(),
        )),
    }
}

/// The objects of an array, each with its name for messages.
fn objects(value: Value, key: &str) -> Result<Vec<(String, Object)>, ReadProblem> {
    let Value::Array(items) = value else {
        return Err(wrong(key, "an array of objects", &value));
    };
    if items.is_empty() {
        return Err(ReadProblem::Empty);
    }
    let named = |(at, item): (usize, Value)| {
        let key = format!("{key}[{at}]");
        match item {
            Value::Object(object) => Ok((key, object)),
            other => Err(wrong(&key, "an object", &other)),
        }
    };
    items.into_iter().enumerate().map(named).collect()
}

fn field(object: &Object, owner: &str, name: &str) -> Result<String, ReadProblem> {
    let key = if owner.is_empty() {
        name.to_owned()
    } else {
        format!("{owner}.{name}")
    };
    match object.get(name) {
        Some(value) => string(value, &key),
        None => Err(shape(format!(
            "the key `{key}` is missing; expected a string"
        ))),
    }
}

fn string(value: &Value, key: &str) -> Result<String, ReadProblem> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(wrong(key, "a string", other)),
    }
}

fn wrong(key: &str, expected: &str, found: &Value) -> ReadProblem {
    shape(format!(
        "`{key}`: expected {expected}, found {}",
        kind(found)
    ))
}

fn shape(what: String) -> ReadProblem {
    ReadProblem::Shape(what)
}
