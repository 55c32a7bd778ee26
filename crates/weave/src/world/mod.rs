//! What instrumenting one class must know about the others: which of them have static state that
//! is initialised anew in each epoch, and who declares a static field.

mod codec;
mod facts;
mod simple;

use std::collections::{HashMap, HashSet};

use braid_classfile::{ClassFile, JStr};

use crate::error::Result;
use crate::names;
pub(crate) use facts::{Facts, StaticField, is_constant};

/// What a reset does with a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It has no static state.
    Nothing,
    /// Its static state never changes and depends on nothing: initialised once, by the JVM.
    Constant,
    /// It is initialised anew in each epoch.
    Resettable,
    /// It has static state that cannot be reset, for this reason.
    Not(&'static str),
}

/// The classes of a program as far as resetting must know them. Classes that shall not be reset
/// (the JDK's, a test framework's) are simply not added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    classes: HashMap<Box<[u8]>, Facts>,
}

/// How code makes sure that a class is initialised in this epoch.
#[derive(Debug, PartialEq)]
pub(crate) struct Guard<'w> {
    /// The class that is initialised.
    pub(crate) class: &'w [u8],
    /// The class through which the guard is called.
    pub(crate) through: Vec<u8>,
    pub(crate) name: Vec<u8>,
    pub(crate) interface: bool,
}

/// A static field that needs a guard.
pub(crate) struct GuardedField<'w> {
    pub(crate) guard: Guard<'w>,
    /// Position of its value among the cells of its interface.
    pub(crate) cell: Option<usize>,
}

impl World {
    /// A world without classes.
    pub fn new() -> World {
        World::default()
    }

    /// Adds a class, as it will be before instrumenting: woven if it is woven. One that was
    /// added before is replaced.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let class = ClassFile::parse(bytes)?;
        let facts = Facts::of(&class)?;
        self.classes.insert(class.name().as_bytes().into(), facts);
        Ok(())
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// True if no class was added.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// What a reset does with a class (`a/b/C`); `None` if it was not added.
    pub fn state(&self, class: &str) -> Option<State> {
        let facts = self.facts(class.as_bytes())?;
        Some(self.state_of(facts))
    }

    /// The classes that cannot be reset, with the reasons, sorted by name.
    pub fn not_resettable(&self) -> Vec<(String, &'static str)> {
        let mut list: Vec<_> = self
            .classes
            .iter()
            .filter_map(|(name, facts)| match self.state_of(facts) {
                State::Not(reason) => Some((JStr::new(name).to_string(), reason)),
                _ => None,
            })
            .collect();
        list.sort();
        list
    }

    /// The classes whose constructors are called by the initialisers of classes that are initialised once: what they do then
    /// is done for the first test that needs them, and not again for the next. Enums are among them.
    pub fn built_once(&self) -> HashSet<String> {
        let mut names: HashSet<&[u8]> = HashSet::new();
        for facts in self.classes.values() {
            let Some(built) = &facts.constant_if else {
                continue;
            };
            if self.state_of(facts) == State::Constant {
                for class in built {
                    names.extend(self.lineage(class));
                }
            }
        }
        let name = |name: &[u8]| JStr::new(name).to_string();
        names.into_iter().map(name).collect()
    }

    /// A class and its superclasses, as far as they are known.
    fn lineage<'w>(&'w self, class: &[u8]) -> impl Iterator<Item = &'w [u8]> {
        let first = self.classes.get_key_value(class);
        let known = std::iter::successors(first, |(_, facts)| {
            self.classes.get_key_value(facts.superclass.as_deref()?)
        });
        known.map(|(name, _)| &**name).take(0xff)
    }

    pub(crate) fn facts(&self, class: &[u8]) -> Option<&Facts> {
        self.classes.get(class)
    }

    pub(crate) fn state_of(&self, facts: &Facts) -> State {
        match &facts.constant_if {
            Some(classes) if classes.iter().all(|name| self.builds_simply(name)) => State::Constant,
            Some(_) if facts.state == State::Constant => facts.fallback.clone(),
            _ => facts.state.clone(),
        }
    }

    /// True if making an instance, with what its superclasses do, only fills fields that never change.
    fn builds_simply(&self, class: &[u8]) -> bool {
        let simple = |name| self.facts(name).is_some_and(|facts| facts.builds_simply);
        let mut lineage = self.lineage(class).peekable();
        lineage.peek().is_some() && lineage.all(simple)
    }

    fn is_resettable(&self, class: &[u8]) -> bool {
        self.facts(class)
            .is_some_and(|facts| self.state_of(facts) == State::Resettable)
    }

    /// The guard of a class for code of class `user`, which names the class as `through`.
    fn guard_through(&self, class: &[u8], through: &[u8], user: &[u8]) -> Option<Guard<'_>> {
        let (name, facts) = self.classes.get_key_value(class)?;
        if self.state_of(facts) != State::Resettable {
            return None;
        }
        let visible = facts.public || package(class) == package(user);
        Some(Guard {
            class: name,
            through: if visible { class } else { through }.to_vec(),
            name: names::guard(class, facts.public),
            interface: facts.interface && visible,
        })
    }

    /// The guard that a `new` of a class needs.
    pub(crate) fn guard_of_new(&self, class: &[u8], user: &[u8]) -> Option<Guard<'_>> {
        // A class without state of its own may have a superclass with state.
        let mut name = class;
        for _ in 0..0xff {
            if self.is_resettable(name) {
                return self.guard_through(name, class, user);
            }
            name = self.facts(name)?.superclass.as_deref()?;
        }
        None
    }

    /// The guard that an access to a static field needs, by the class that declares the field.
    pub(crate) fn guard_of_field(
        &self,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
        user: &[u8],
    ) -> Option<GuardedField<'_>> {
        let (class, field) = self.declaring(owner, name, descriptor, 0)?;
        if field.constant {
            return None;
        }
        let cell = field.cell;
        let guard = self.guard_through(class, owner, user)?;
        Some(GuardedField { guard, cell })
    }

    /// The class that declares a static field (JVMS 5.4.3.2).
    fn declaring<'w>(
        &'w self,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
        depth: usize,
    ) -> Option<(&'w [u8], &'w StaticField)> {
        let (class, facts) = self.classes.get_key_value(owner)?;
        let declared = facts
            .statics
            .iter()
            .find(|field| *field.name == *name && *field.descriptor == *descriptor);
        if let Some(field) = declared {
            return Some((class, field));
        }
        if depth > 0xff {
            return None;
        }
        facts
            .interfaces
            .iter()
            .chain(&facts.superclass)
            .find_map(|parent| self.declaring(parent, name, descriptor, depth + 1))
    }

    /// The guards that the initialisation of a class runs first: the superclass's, and those of
    /// superinterfaces with default methods (JVMS 5.5, step 7).
    pub(crate) fn guards_before(&self, class: &ClassFile<'_>) -> Vec<Guard<'_>> {
        let user = class.name().as_bytes();
        let mut guards = Vec::new();
        if class.access().is_interface() {
            return guards;
        }
        if let Some(parent) = class.super_name() {
            guards.extend(self.guard_of_new(parent.as_bytes(), user));
        }
        for interface in class.interfaces() {
            self.default_interfaces(interface.as_bytes(), user, &mut guards, 0);
        }
        guards
    }

    fn default_interfaces<'w>(
        &'w self,
        interface: &[u8],
        user: &[u8],
        guards: &mut Vec<Guard<'w>>,
        depth: usize,
    ) {
        let Some(facts) = self.facts(interface) else {
            return;
        };
        if depth > 0xff {
            return;
        }
        for parent in &facts.interfaces {
            self.default_interfaces(parent, user, guards, depth + 1);
        }
        if !facts.has_defaults {
            return;
        }
        let visible = facts.public || package(interface) == package(user);
        if let Some(guard) = self.guard_through(interface, interface, user)
            && visible
            && !guards.contains(&guard)
        {
            guards.push(guard);
        }
    }

    /// True if a class may be serialisable, as far as is known.
    pub(crate) fn may_be_serializable(&self, class: &ClassFile<'_>) -> bool {
        let parents = class.interfaces().chain(class.super_name());
        parents
            .into_iter()
            .any(|parent| self.serializable(parent.as_bytes(), 0))
    }

    fn serializable(&self, name: &[u8], depth: usize) -> bool {
        match self.facts(name) {
            None => name != b"java/lang/Object" && name != b"java/lang/Record",
            Some(_) if depth > 0xff => true,
            Some(facts) => facts
                .interfaces
                .iter()
                .chain(&facts.superclass)
                .any(|parent| self.serializable(parent, depth + 1)),
        }
    }
}

/// The package part of a class name.
fn package(class: &[u8]) -> &[u8] {
    let end = class.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    &class[..end]
}
