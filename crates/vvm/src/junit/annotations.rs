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
    Int(i32),
    Text(String),
    /// By its descriptor.
    Class(String),
    /// What nothing here asks for.
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
            Value::Text(text) => Some(text.clone()),
            _ => None,
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
        ElementValue::Constant { index, .. } => match pool.get(*index) {
            Ok(Constant::Integer(number)) => Value::Int(number),
            Ok(Constant::Utf8(text)) => Value::Text(text.to_str_lossy().into_owned()),
            _ => Value::Other,
        },
        ElementValue::Class(descriptor) => Value::Class(descriptor.to_str_lossy().into_owned()),
        ElementValue::Enum { .. } | ElementValue::Array(_) | ElementValue::Annotation(_) => {
            Value::Other
        }
    }
}
