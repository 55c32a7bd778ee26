//! The words of weaving: sites, alternatives, variants, and what comes out.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A method of a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodKey {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A part of a method that a variant changes, in terms of the original's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// All of it.
    Whole,
    /// The instructions with `from` to less than `to` others before them; if there are none between, something is
    /// put in there.
    Part {
        /// The first.
        from: u32,
        /// The first behind it.
        to: u32,
    },
}

/// What one variant does to one class.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The variant's number, from 1.
    pub variant: u32,
    /// What it changes.
    pub change: Change,
}

/// A change of one class.
#[derive(Clone, Debug)]
pub enum Change {
    /// One method's body differs; the new one is an extra method of another class file.
    Copy {
        /// The class file with the extra method.
        class: Arc<[u8]>,
        /// The method that changes.
        method: MethodKey,
        /// The name of the extra method; its descriptor is that of the method. Lambda bodies
        /// that it uses are found in the same class.
        copy: String,
    },
    /// The class as the variant has it. What differs from the original is found.
    Class(Arc<[u8]>),
}

/// A variant of a program.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// Its number, from 1. Variants that change the same method should have numbers that lie
    /// together.
    pub number: u32,
    /// What it changes in each class, by name (`a/b/C`).
    pub classes: Vec<(String, ClassChange)>,
}

/// What a variant does to a class.
#[derive(Clone, Debug)]
pub enum ClassChange {
    /// It changes the class, or adds it if the program has none of that name.
    Change(Change),
    /// It removes the class.
    Remove,
}

/// A class with all its variants.
#[derive(Clone, Debug, Default)]
pub struct Woven {
    /// The class file; `None` if no variant changes anything.
    pub bytes: Option<Vec<u8>>,
    /// What can differ, and where each variant's code is.
    pub sites: Vec<SiteMap>,
    /// Variants that cannot be woven, and why.
    pub unsupported: Vec<(u32, String)>,
    /// Variants whose class initialiser differs: the class must be reset for each run.
    pub needs_reset: Vec<u32>,
    /// Classes that must be told of each other.
    pub nest: Vec<Nest>,
}

/// A class that belongs to the nest of a host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nest {
    /// The host.
    pub host: String,
    /// The new member.
    pub member: String,
}

/// A method that variants change, and its alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteMap {
    /// The method.
    pub method: MethodKey,
    /// The variants that have code of their own there, each with the number of that code:
    /// variants with the same number have the same code.
    pub alternatives: Vec<(u32, u32)>,
    /// What each code changes, by its number.
    pub regions: Vec<Region>,
}

/// A class that variants add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// The variants that use it.
    pub variants: Vec<u32>,
}

/// A program with all its variants.
#[derive(Clone, Debug, Default)]
pub struct WovenProgram {
    /// The classes that variants change.
    pub classes: BTreeMap<String, Woven>,
    /// The classes that variants add.
    pub added: BTreeMap<String, Added>,
    /// Variants that cannot be woven, and why.
    pub unsupported: BTreeMap<u32, String>,
}
