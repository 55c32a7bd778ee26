//! What a class or member says about itself besides code, as bytes that do not depend on constant
//! pool numbering.

use std::fmt::Write;

use braid_classfile::attribute::{Annotation, ElementValue};
use braid_classfile::{Attribute, Attributes, ConstantPool};

use crate::error::Result;

/// Attributes that no running program can tell apart, or that are compared elsewhere.
const IGNORED: &[&str] = &[
    "Code",
    "SourceFile",
    "SourceDebugExtension",
    "InnerClasses",
    "NestMembers",
    "BootstrapMethods",
    "RuntimeInvisibleAnnotations",
    "RuntimeInvisibleParameterAnnotations",
    "RuntimeInvisibleTypeAnnotations",
    "ConstantValue",
];

/// The attributes in a form that can be compared.
pub(super) fn attributes(pool: ConstantPool<'_>, attributes: Attributes<'_>) -> Result<String> {
    let mut lines = Vec::new();
    for raw in attributes.iter() {
        if IGNORED.iter().any(|name| raw.name == *name) {
            continue;
        }
        let mut out = raw.name.to_string();
        match raw.parse()? {
            Attribute::Exceptions(table) => {
                for index in table.iter() {
                    let _ = write!(out, " {}", pool.class(index)?);
                }
            }
            Attribute::PermittedSubclasses(table) => {
                for index in table.iter() {
                    let _ = write!(out, " {}", pool.class(index)?);
                }
            }
            Attribute::Annotations { annotations, .. } => {
                annotations
                    .iter()
                    .for_each(|a| annotation(pool, a, &mut out));
            }
            Attribute::ParameterAnnotations { parameters, .. } => {
                for list in &parameters {
                    out.push('|');
                    list.iter().for_each(|a| annotation(pool, a, &mut out));
                }
            }
            Attribute::AnnotationDefault(element) => value(pool, &element, &mut out),
            Attribute::MethodParameters(table) => {
                for parameter in table.iter() {
                    let name = pool.optional_utf8(parameter.name)?;
                    let _ = write!(out, " {name:?}/{:?}", parameter.access);
                }
            }
            Attribute::Record(components) => {
                for component in &components {
                    let inner = self::attributes(pool, component.attributes)?;
                    let (name, descriptor) = (component.name, component.descriptor);
                    let _ = write!(out, " {name} {descriptor} [{inner}]");
                }
            }
            Attribute::Signature(text) => {
                let _ = write!(out, " {text}");
            }
            Attribute::NestHost(name) => {
                let _ = write!(out, " {name}");
            }
            Attribute::EnclosingMethod(method) => {
                let _ = write!(out, " {method:?}");
            }
            Attribute::Deprecated | Attribute::Synthetic => {}
            _ => {
                let _ = write!(out, " {:?}", raw.info);
            }
        }
        lines.push(out);
    }
    lines.sort();
    Ok(lines.join("\n"))
}

fn annotation(pool: ConstantPool<'_>, annotation: &Annotation<'_>, out: &mut String) {
    let _ = write!(out, " @{}(", annotation.descriptor);
    for (name, element) in &annotation.elements {
        let _ = write!(out, "{name}=");
        value(pool, element, out);
        out.push(',');
    }
    out.push(')');
}

fn value(pool: ConstantPool<'_>, element: &ElementValue<'_>, out: &mut String) {
    match element {
        ElementValue::Constant { tag, index } => {
            let _ = write!(out, "{tag}:{:?}", pool.get(*index));
        }
        ElementValue::Annotation(inner) => annotation(pool, inner, out),
        ElementValue::Array(values) => {
            out.push('[');
            for element in values {
                value(pool, element, out);
                out.push(',');
            }
            out.push(']');
        }
        other => {
            let _ = write!(out, "{other:?}");
        }
    }
}
