//! What is remembered of one class.

use braid_classfile::{AccessFlags, ClassFile, Member};

use crate::error::Result;
use crate::world::State;
use crate::world::simple;

/// Facts of a class that instrumenting other classes needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) public: bool,
    pub(crate) interface: bool,
    pub(crate) superclass: Option<Box<[u8]>>,
    pub(crate) interfaces: Vec<Box<[u8]>>,
    pub(crate) statics: Vec<StaticField>,
    /// An interface that a class's initialisation initialises too.
    pub(crate) has_defaults: bool,
    /// Making an instance does nothing but fill final fields with values that never change.
    pub(crate) builds_simply: bool,
    /// Its state; `Constant` holds only if the classes of `constant_if` build simply.
    pub(crate) state: State,
    /// What it is if they do not.
    pub(crate) fallback: State,
    pub(crate) constant_if: Option<Vec<Box<[u8]>>>,
}

/// A static field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StaticField {
    pub(crate) name: Box<[u8]>,
    pub(crate) descriptor: Box<[u8]>,
    /// Its value is a constant of the class file.
    pub(crate) constant: bool,
    /// Its position among the cells of an interface.
    pub(crate) cell: Option<usize>,
}

/// Why old interfaces stay as they are.
pub(super) const OLD_INTERFACE: &str = "an interface of a class file version before Java 8 has an initialiser, and can have no other code";

impl Facts {
    pub(crate) fn of(class: &ClassFile<'_>) -> Result<Facts> {
        let interface = class.access().is_interface();
        let statics = statics_of(class);
        let fallback = if class.major_version() < 52 && interface {
            State::Not(OLD_INTERFACE)
        } else {
            State::Resettable
        };
        let has_state = statics.iter().any(|field| !field.constant)
            || class.method("<clinit>", "()V").is_some();
        let constant_if = match has_state {
            true => simple::constant_initialiser(class)?,
            false => None,
        };
        let state = match (has_state, &constant_if) {
            (false, _) => State::Nothing,
            (true, Some(_)) => State::Constant,
            (true, None) => fallback.clone(),
        };
        let owned = |name: braid_classfile::JStr<'_>| name.as_bytes().into();
        Ok(Facts {
            public: class.access().is_public(),
            interface,
            superclass: class.super_name().map(owned),
            interfaces: class.interfaces().map(owned).collect(),
            statics,
            has_defaults: interface && class.methods().any(is_default),
            builds_simply: simple::builds_simply(class)?,
            state,
            fallback,
            constant_if,
        })
    }
}

fn is_default(method: Member<'_>) -> bool {
    !method.access().is_abstract() && !method.access().is_static()
}

/// The static fields of a class; those of an interface that are no constants are given cells.
fn statics_of(class: &ClassFile<'_>) -> Vec<StaticField> {
    let interface = class.access().is_interface();
    let mut cells = crate::names::FIRST_CELL;
    class
        .fields()
        .filter(|field| field.access().is_static())
        .map(|field| {
            let constant = is_constant(field);
            let cell = (interface && !constant).then(|| {
                cells += 1;
                cells - 1
            });
            StaticField {
                name: field.name().as_bytes().into(),
                descriptor: field.descriptor().as_bytes().into(),
                constant,
                cell,
            }
        })
        .collect()
}

/// True if a static field is final and has its value in the class file.
pub(crate) fn is_constant(field: Member<'_>) -> bool {
    field.access().contains(AccessFlags::FINAL)
        && field.attributes().find_raw("ConstantValue").is_some()
}
