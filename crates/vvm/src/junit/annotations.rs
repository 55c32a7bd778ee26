//! Annotations as plain data.

use braid_classfile::attribute::{Annotation as RawAnnotation, ElementValue};
use braid_classfile::{Attribute, Attributes, Constant, ConstantPool};

/// An annotation: its type (`org/junit/Test`) and values.
#[derive(Debug, Clone)]
pub(crate) struct Annotation {
    pub(crate) name: String,
    pub(crate) values: Vec<(String, Value)>,
}

/// A value of an annotation.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Int(u8, i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Text(Vec<u16>),
    Class(String),
    Array(Vec<Value>),
    Other,
}

impl Annotation {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// Text of a string value.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.get(name)? {
            Value::Text(units) => Some(String::from_utf16_lossy(units)),
            _ => None,
        }
    }

    /// The values of an array, or the single value.
    pub(crate) fn list(&self, name: &str) -> Vec<Value> {
        match self.get(name) {
            Some(Value::Array(values)) => values.clone(),
            Some(value) => vec![value.clone()],
            None => Vec::new(),
        }
    }
}

/// The annotations among a member's or class's attributes.
pub(crate) fn read(attributes: Attributes<'_>, pool: ConstantPool<'_>) -> Vec<Annotation> {
    let mut found = Vec::new();
    for raw in attributes.iter() {
        if raw.name != "RuntimeVisibleAnnotations" {
            continue;
        }
        if let Ok(Attribute::Annotations { annotations, .. }) = raw.parse() {
            found.extend(
                annotations
                    .iter()
                    .map(|annotation| convert(annotation, pool)),
            );
        }
    }
    found
}

fn convert(annotation: &RawAnnotation<'_>, pool: ConstantPool<'_>) -> Annotation {
    let descriptor = annotation.descriptor.to_str_lossy();
    Annotation {
        name: crate::descriptor::class_name(&descriptor).to_owned(),
        values: annotation
            .elements
            .iter()
            .map(|(name, value)| (name.to_str_lossy().into_owned(), convert_value(value, pool)))
            .collect(),
    }
}

fn convert_value(value: &ElementValue<'_>, pool: ConstantPool<'_>) -> Value {
    match value {
        ElementValue::Constant { tag, index } => match pool.get(*index) {
            Ok(Constant::Integer(number)) => Value::Int(*tag, number),
            Ok(Constant::Long(number)) => Value::Long(number),
            Ok(Constant::Float(number)) => Value::Float(number),
            Ok(Constant::Double(number)) => Value::Double(number),
            Ok(Constant::Utf8(text)) => Value::Text(text.to_utf16()),
            _ => Value::Other,
        },
        ElementValue::Enum { .. } => Value::Other,
        ElementValue::Class(descriptor) => Value::Class(descriptor.to_str_lossy().into_owned()),
        ElementValue::Array(values) => Value::Array(
            values
                .iter()
                .map(|value| convert_value(value, pool))
                .collect(),
        ),
        ElementValue::Annotation(_) => Value::Other,
    }
}
