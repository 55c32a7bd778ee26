//! Renames classes and methods in a class file, by its text constants.

use std::collections::BTreeMap;

use braid_classfile::{ClassFile, ConstantPool, tag};

use crate::error::Result;

/// The class with names replaced: texts that are a name, and class names inside descriptors and
/// signatures. `None` if a string of the program would change too.
pub(super) fn rename(bytes: &[u8], names: &BTreeMap<String, String>) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(bytes)?;
    let pool = class.pool();
    let mut out = bytes[..10].to_vec();
    let mut at = 10;
    let mut changed = Vec::new();
    for index in pool.indices() {
        let size = size_of(pool, bytes, at, index);
        let content = &bytes[at..at + size];
        match pool.tag(index) {
            tag::UTF8 => {
                let text = renamed(&content[3..], names);
                if let Some(text) = text {
                    changed.push(index);
                    out.push(tag::UTF8);
                    out.extend((text.len() as u16).to_be_bytes());
                    out.extend(text);
                } else {
                    out.extend_from_slice(content);
                }
            }
            _ => out.extend_from_slice(content),
        }
        at += size;
    }
    out.extend_from_slice(&bytes[at..]);
    let mut place = 10;
    for index in pool.indices() {
        let size = size_of(pool, bytes, place, index);
        let refers = u16::from_be_bytes([bytes[place + 1], bytes[place + 2]]);
        if pool.tag(index) == tag::STRING && changed.contains(&refers) {
            return Ok(None);
        }
        place += size;
    }
    Ok(Some(out))
}

/// Bytes that a constant takes.
fn size_of(pool: ConstantPool<'_>, bytes: &[u8], at: usize, index: u16) -> usize {
    match pool.tag(index) {
        tag::UTF8 => 3 + usize::from(u16::from_be_bytes([bytes[at + 1], bytes[at + 2]])),
        tag::LONG | tag::DOUBLE => 9,
        tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 3,
        tag::METHOD_HANDLE => 4,
        _ => 5,
    }
}

/// The text with names replaced; `None` if there are none in it.
fn renamed(text: &[u8], names: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    for (old, new) in names {
        if text == old.as_bytes() {
            return Some(new.as_bytes().to_vec());
        }
    }
    if !text.contains(&b'L') || !text.contains(&b';') {
        return None;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(&byte) = rest.first() {
        let hit = names.iter().find(|(old, _)| {
            byte == b'L'
                && rest[1..].starts_with(old.as_bytes())
                && matches!(rest.get(1 + old.len()), Some(b';' | b'<'))
        });
        match hit {
            Some((old, new)) => {
                out.push(b'L');
                out.extend(new.as_bytes());
                rest = &rest[1 + old.len()..];
                found = true;
            }
            None => {
                out.push(byte);
                rest = &rest[1..];
            }
        }
    }
    found.then_some(out)
}
