//! Finds what a patched class changes, or why that cannot be woven.

use std::collections::{HashMap, HashSet};

use braid_classfile::{AccessFlags, Attribute, ClassFile, Constant, Member};

use crate::error::Result;
use crate::weave::canonical::{Canonical, is_lambda};
use crate::weave::header;

/// What a patched class changes.
#[derive(Default)]
pub(crate) struct Diff {
    /// Positions in the patched class of methods whose code differs, or that are new.
    pub(crate) methods: Vec<usize>,
    /// Positions in the patched class of new static fields.
    pub(crate) fields: Vec<usize>,
    /// Positions in the original class of fields that are no longer final.
    pub(crate) unfinal: Vec<usize>,
    /// The patched class has no initialiser any more.
    pub(crate) drops_initialiser: bool,
}

/// Why a change cannot be woven.
pub(crate) type Reason = String;

type Key<'a> = (&'a [u8], &'a [u8]);

fn key(member: Member<'_>) -> Key<'_> {
    (member.name().as_bytes(), member.descriptor().as_bytes())
}

/// Compares two versions of a class.
pub(crate) fn diff<'a>(
    original: &'a ClassFile<'a>,
    patched: &'a ClassFile<'a>,
) -> Result<Result<Diff, Reason>> {
    let mut diff = Diff::default();
    if let Err(reason) = headers(original, patched)? {
        return Ok(Err(reason));
    }
    if let Err(reason) = fields(original, patched, &mut diff)? {
        return Ok(Err(reason));
    }
    if let Err(reason) = methods(original, patched, &mut diff)? {
        return Ok(Err(reason));
    }
    Ok(Ok(diff))
}

fn headers(original: &ClassFile<'_>, patched: &ClassFile<'_>) -> Result<Result<(), Reason>> {
    let same_version = original.major_version() == patched.major_version();
    let checks = [
        (original.name() == patched.name(), "the class's name"),
        (same_version, "the class file version"),
        (
            original.access() == patched.access(),
            "the class's modifiers",
        ),
        (
            original.super_name() == patched.super_name(),
            "the superclass",
        ),
        (
            original.interfaces().eq(patched.interfaces()),
            "the interfaces",
        ),
    ];
    if let Some((_, what)) = checks.iter().find(|(same, _)| !same) {
        return Ok(Err(format!("changes {what}")));
    }
    let before = header::attributes(original.pool(), original.attributes())?;
    let after = header::attributes(patched.pool(), patched.attributes())?;
    Ok(match before == after {
        true => Ok(()),
        false => Err("changes the class's annotations, signature or record components".to_owned()),
    })
}

/// The constant of a static field in a form that can be compared.
fn constant_value(class: &ClassFile<'_>, field: Member<'_>) -> Result<Option<String>> {
    Ok(match field.attribute("ConstantValue")? {
        Some(Attribute::ConstantValue(index)) => Some(match class.pool().get(index)? {
            Constant::Float(value) => format!("{:x}", value.to_bits()),
            Constant::Double(value) => format!("{:x}", value.to_bits()),
            other => format!("{other:?}"),
        }),
        _ => None,
    })
}

fn fields(
    original: &ClassFile<'_>,
    patched: &ClassFile<'_>,
    diff: &mut Diff,
) -> Result<Result<(), Reason>> {
    let after: HashMap<Key<'_>, Member<'_>> = patched.fields().map(|f| (key(f), f)).collect();
    let before: HashSet<Key<'_>> = original.fields().map(key).collect();
    for (position, old) in original.fields().enumerate() {
        let Some(new) = after.get(&key(old)).copied() else {
            let hidden = old.access().is_private() || old.access().is_synthetic();
            if old.access().is_static() && hidden {
                continue;
            }
            return Ok(Err(format!("removes field {}", old.name())));
        };
        let without = |field: Member<'_>| field.access().without(AccessFlags::FINAL);
        let same = without(old) == without(new)
            && header::attributes(original.pool(), old.attributes())?
                == header::attributes(patched.pool(), new.attributes())?;
        let constants = (
            constant_value(original, old)?,
            constant_value(patched, new)?,
        );
        let same_constant = constants.0 == constants.1
            || (old.access().is_private() && constants.0.is_some() && constants.1.is_some());
        if !same || !same_constant {
            return Ok(Err(format!(
                "changes the declaration of field {}",
                old.name()
            )));
        }
        match (old.access().is_final(), new.access().is_final()) {
            (true, false) => diff.unfinal.push(position),
            (false, true) if !original.access().is_interface() => {}
            _ => {}
        }
    }
    for (position, new) in patched.fields().enumerate() {
        if before.contains(&key(new)) {
            continue;
        }
        if let Err(reason) = may_add_field(original, new) {
            return Ok(Err(reason));
        }
        diff.fields.push(position);
    }
    Ok(Ok(()))
}

/// New static fields that no other class can mistake for one of its own.
fn may_add_field(original: &ClassFile<'_>, field: Member<'_>) -> Result<(), Reason> {
    let name = field.name();
    if !field.access().is_static() {
        return Err(format!("adds instance field {name}"));
    }
    let root = original
        .super_name()
        .is_some_and(|parent| parent == "java/lang/Object")
        && original.interfaces().next().is_none();
    match field.access().is_private() || field.access().is_synthetic() || root {
        _ if original.access().is_interface() => Err(format!("adds interface field {name}")),
        true => Ok(()),
        false => Err(format!("adds field {name}, which may hide another")),
    }
}

fn methods<'a>(
    original: &'a ClassFile<'a>,
    patched: &'a ClassFile<'a>,
    diff: &mut Diff,
) -> Result<Result<(), Reason>> {
    let mut old_code = Canonical::new(original)?;
    let mut new_code = Canonical::new(patched)?;
    let before: HashMap<Key<'_>, Member<'_>> = original.methods().map(|m| (key(m), m)).collect();
    let after: HashSet<Key<'_>> = patched.methods().map(key).collect();
    for old in original.methods() {
        if after.contains(&key(old)) {
            continue;
        }
        if old.name() == "<clinit>" {
            diff.drops_initialiser = true;
        } else if !(old.access().is_private() || is_hidden_static(old)) {
            return Ok(Err(format!(
                "removes method {}{}",
                old.name(),
                old.descriptor()
            )));
        }
    }
    for (position, new) in patched.methods().enumerate() {
        if is_lambda(new) {
            continue;
        }
        let changed = match before.get(&key(new)).copied() {
            Some(old) => {
                if let Err(reason) = declaration(original, old, patched, new)? {
                    return Ok(Err(reason));
                }
                let synchronized = AccessFlags::SYNCHRONIZED;
                old.access().contains(synchronized) != new.access().contains(synchronized)
                    || old_code.method(old)? != new_code.method(new)?
            }
            None => {
                if !may_add_method(original, new) {
                    let (name, descriptor) = (new.name(), new.descriptor());
                    return Ok(Err(format!(
                        "adds method {name}{descriptor}, which others may see"
                    )));
                }
                true
            }
        };
        if changed {
            diff.methods.push(position);
        }
    }
    Ok(Ok(()))
}

fn is_hidden_static(method: Member<'_>) -> bool {
    method.access().is_static() && method.access().is_synthetic()
}

/// New methods that no other class can mistake for one it calls already.
fn may_add_method(original: &ClassFile<'_>, method: Member<'_>) -> bool {
    let has_code = !method.access().is_native() && !method.access().is_abstract();
    let initialiser = method.name() == "<clinit>";
    // Static methods of interfaces are not inherited.
    let root = original
        .super_name()
        .is_some_and(|parent| parent == "java/lang/Object");
    let hides_none = method.access().is_static() && root && !original.access().is_interface();
    let hidden = method.access().is_private() || is_hidden_static(method);
    has_code && (initialiser || hidden || hides_none)
}

/// Compares what two versions of a method say about themselves. `synchronized` may differ.
fn declaration(
    original: &ClassFile<'_>,
    old: Member<'_>,
    patched: &ClassFile<'_>,
    new: Member<'_>,
) -> Result<Result<(), Reason>> {
    let flags = |method: Member<'_>| method.access().without(AccessFlags::SYNCHRONIZED);
    let same = flags(old) == flags(new)
        && header::attributes(original.pool(), old.attributes())?
            == header::attributes(patched.pool(), new.attributes())?;
    Ok(match same {
        true => Ok(()),
        false => Err(format!(
            "changes the declaration of method {}{}",
            old.name(),
            old.descriptor()
        )),
    })
}
