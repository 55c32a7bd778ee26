//! What frame computation must know about classes: who extends whom.

use std::collections::HashMap;

use crate::class::ClassFile;
use crate::jstr::JStr;

/// What a class extends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Superclass<'h> {
    /// This class.
    Class(JStr<'h>),
    /// Nothing: it is `java/lang/Object`.
    Root,
    /// It is an interface, which verification treats as `java/lang/Object`.
    Interface,
    /// The class is not known.
    Unknown,
}

/// Answers what a class extends. Frame computation never loads a class; this is all it asks.
pub trait Hierarchy {
    /// What the class with this internal name extends.
    fn superclass<'h>(&'h self, name: JStr<'_>) -> Superclass<'h>;

    /// The closest class that both extend; `Err` names the class that is not known.
    ///
    /// Interfaces count as `java/lang/Object`: the verifier lets any object pass for an interface.
    fn common_superclass<'h>(&'h self, a: JStr<'h>, b: JStr<'h>) -> Result<JStr<'h>, JStr<'h>> {
        let object = JStr::from("java/lang/Object");
        let mut chain = vec![a];
        let mut class = a;
        loop {
            match self.superclass(class) {
                Superclass::Class(parent) => class = parent,
                Superclass::Root => break,
                Superclass::Interface => return Ok(object),
                Superclass::Unknown => return Err(class),
            }
            // A cycle is possible in broken input.
            if class == b || chain.len() > 0xffff {
                return Ok(class);
            }
            chain.push(class);
        }
        let mut class = b;
        for _ in 0..0xffff {
            match self.superclass(class) {
                Superclass::Class(parent) => class = parent,
                Superclass::Root => break,
                Superclass::Interface => return Ok(object),
                Superclass::Unknown => return Err(class),
            }
            if chain.contains(&class) {
                return Ok(class);
            }
        }
        Ok(object)
    }
}

/// A hierarchy made of classes one has at hand.
///
/// ```
/// use braid_classfile::{ClassTable, Hierarchy, JStr};
/// let mut table = ClassTable::default();
/// table.add("java/lang/Object", None, false);
/// table.add("A", Some("java/lang/Object"), false);
/// table.add("B", Some("A"), false);
/// table.add("C", Some("A"), false);
/// assert_eq!(table.common_superclass(JStr::from("B"), JStr::from("C")).unwrap(), "A");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClassTable {
    classes: HashMap<Box<[u8]>, Parent>,
    lenient: bool,
}

#[derive(Clone, Debug)]
struct Parent {
    superclass: Option<Box<[u8]>>,
    interface: bool,
}

impl ClassTable {
    /// An empty table.
    pub fn new() -> ClassTable {
        ClassTable::default()
    }

    /// Treats classes it does not know as direct subclasses of `java/lang/Object` (good for
    /// libraries whose optional dependencies are missing) instead of reporting them.
    pub fn lenient(mut self) -> ClassTable {
        self.lenient = true;
        self
    }

    /// Adds a class by name.
    pub fn add<'s>(
        &mut self,
        name: impl Into<JStr<'s>>,
        superclass: Option<&'s str>,
        interface: bool,
    ) {
        self.insert(name.into(), superclass.map(JStr::from), interface);
    }

    /// Adds a parsed class.
    pub fn add_class(&mut self, class: &ClassFile<'_>) {
        self.insert(
            class.name(),
            class.super_name(),
            class.access().is_interface(),
        );
    }

    fn insert(&mut self, name: JStr<'_>, superclass: Option<JStr<'_>>, interface: bool) {
        let superclass = superclass.map(|name| name.as_bytes().into());
        let parent = Parent {
            superclass,
            interface,
        };
        self.classes.insert(name.as_bytes().into(), parent);
    }

    /// Takes over all classes of another table.
    pub fn extend(&mut self, other: ClassTable) {
        self.classes.extend(other.classes);
    }
}

impl Hierarchy for ClassTable {
    fn superclass<'h>(&'h self, name: JStr<'_>) -> Superclass<'h> {
        match self.classes.get(name.as_bytes()) {
            Some(Parent {
                interface: true, ..
            }) => Superclass::Interface,
            Some(Parent {
                superclass: Some(name),
                ..
            }) => Superclass::Class(JStr::new(name)),
            Some(_) => Superclass::Root,
            None if name == "java/lang/Object" => Superclass::Root,
            None if self.lenient => Superclass::Class(JStr::new(b"java/lang/Object")),
            None => Superclass::Unknown,
        }
    }
}
