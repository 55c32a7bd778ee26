//! Checks a parsed `braid.toml` against its own JSON Schema, to say where a key is unknown and
//! what was probably meant.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something wrong at a place of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) span: Range<usize>,
    pub(super) message: String,
}

/// The first key that the schema does not know, or number that is below its minimum.
pub(super) fn check(table: &DeTable<'_>, schema: &Value) -> Result<(), Complaint> {
    Checker { root: schema }.table(table, schema, "")
}

struct Checker<'a> {
    root: &'a Value,
}

impl<'a> Checker<'a> {
    fn table(&self, table: &DeTable<'_>, schema: &'a Value, path: &str) -> Result<(), Complaint> {
        let schema = self.resolve(schema);
        for (key, value) in table.iter() {
            let name = key.get_ref().as_ref();
            let known = schema
                .get("properties")
                .and_then(|properties| properties.get(name));
            let open = schema
                .get("additionalProperties")
                .filter(|value| value.is_object());
            match known.or(open) {
                Some(schema) => self.value(value, schema, &join(path, name))?,
                None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    return Err(self.unknown(key.span(), name, schema, path));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn value(
        &self,
        value: &Spanned<DeValue<'_>>,
        schema: &'a Value,
        path: &str,
    ) -> Result<(), Complaint> {
        let number = match value.get_ref() {
            DeValue::Table(table) => return self.table(table, schema, path),
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|n| n as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        let minimum = self.resolve(schema).get("minimum").and_then(Value::as_f64);
        match (number, minimum) {
            (Some(number), Some(minimum)) if number < minimum => Err(Complaint {
                span: value.span(),
                message: format!("`{path}` must be at least {minimum}"),
            }),
            _ => Ok(()),
        }
    }

    fn unknown(&self, span: Range<usize>, name: &str, schema: &Value, path: &str) -> Complaint {
        let known = schema.get("properties").and_then(Value::as_object);
        let mut names: Vec<&str> = known
            .into_iter()
            .flat_map(|known| known.keys())
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        let place = if path.is_empty() {
            String::new()
        } else {
            format!(" in [{path}]")
        };
        let mut message = format!("unknown key `{name}`{place}");
        match nearest(name, &names) {
            Some(guess) => message.push_str(&format!("; did you mean `{guess}`?")),
            None => match self.elsewhere(name) {
                Some(section) => message.push_str(&format!("; it belongs into [{section}]")),
                None => message.push_str(&format!("; known are {}", names.join(", "))),
            },
        }
        Complaint { span, message }
    }

    /// The section of the file that has a key of this name.
    fn elsewhere(&self, name: &str) -> Option<&'a str> {
        let sections = self.root.get("properties")?.as_object()?;
        let holds = |schema: &'a Value| {
            self.resolve(schema)
                .get("properties")
                .is_some_and(|p| p.get(name).is_some())
        };
        sections
            .iter()
            .find(|(_, schema)| holds(schema))
            .map(|(section, _)| section.as_str())
    }

    fn resolve(&self, schema: &'a Value) -> &'a Value {
        let pointer = schema.get("$ref").and_then(Value::as_str);
        let target = pointer.and_then(|p| self.root.pointer(p.strip_prefix('#')?));
        target.unwrap_or(schema)
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The known name that is most like `name`, if one is like it at all.
pub(super) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let likeness = |other: &&&str| strsim::jaro_winkler(&plain(name), &plain(other));
    let best = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > 0.8).then_some(best)
}
