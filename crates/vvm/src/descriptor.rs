//! Method and field descriptors.

use crate::error::{Result, VmError};
use crate::value::Kind;

/// The kinds of the parameters and of the result of a method descriptor.
pub fn parse(descriptor: &str) -> Result<(Vec<Kind>, Kind)> {
    let parts = split(descriptor)?;
    let (result, params) = parts
        .split_last()
        .expect("split yields at least the result");
    Ok((
        params.iter().map(|part| Kind::of(part)).collect(),
        Kind::of(result),
    ))
}

/// The descriptors of the parameters, then that of the result.
pub fn split(descriptor: &str) -> Result<Vec<&str>> {
    let bad = || VmError::bad_class(format!("method descriptor {descriptor}"));
    let mut rest = descriptor.strip_prefix('(').ok_or_else(bad)?;
    let mut parts = Vec::new();
    while !rest.starts_with(')') {
        let length = field_length(rest).ok_or_else(bad)?;
        parts.push(&rest[..length]);
        rest = &rest[length..];
    }
    parts.push(&rest[1..]);
    Ok(parts)
}

/// Length of the field descriptor at the start of the text.
fn field_length(text: &str) -> Option<usize> {
    let dims = text.bytes().take_while(|&byte| byte == b'[').count();
    match text.as_bytes().get(dims)? {
        b'L' => Some(text.find(';')? + 1),
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(dims + 1),
        _ => None,
    }
}

/// The class name as the constant pool spells it (`a/B`, `[I`) of a reference type's descriptor.
pub fn class_name(descriptor: &str) -> &str {
    descriptor
        .strip_prefix('L')
        .and_then(|name| name.strip_suffix(';'))
        .unwrap_or(descriptor)
}

/// The descriptor of a class named as in the constant pool.
pub fn of_class(name: &str) -> String {
    if name.starts_with('[') {
        name.to_owned()
    } else {
        format!("L{name};")
    }
}

/// A type as `Class.getName` has it (`int`, `java.lang.String`, `[I`).
pub fn java_name(descriptor: &str) -> String {
    match Kind::of(descriptor).primitive_name() {
        Some(name) => name.to_owned(),
        None => class_name(descriptor).replace('/', "."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_split_into_their_parts() {
        let parts = split("(I[[JLjava/lang/String;[La/B;D)V").expect("well formed");
        assert_eq!(
            parts,
            ["I", "[[J", "Ljava/lang/String;", "[La/B;", "D", "V"]
        );
        assert!(split("(Lx)V").is_err());
        assert!(split("I").is_err());
    }

    #[test]
    fn types_have_their_java_names() {
        let names = ["I", "La/B;", "[J", "[La/B;"].map(java_name);
        assert_eq!(names, ["int", "a.B", "[J", "[La.B;"]);
    }
}
