//! The least upper bound of two verification types.

use crate::error::ErrorKind;
use crate::frames::types::{Types, VType};
use crate::frames::{Hierarchy, Superclass};
use crate::jstr::JStr;

/// What merging asks about classes: the caller's hierarchy, and the class being written, which
/// the hierarchy need not know.
pub(crate) struct Lattice<'h> {
    /// `None`: two different classes have no known bound.
    pub(crate) hierarchy: Option<&'h dyn Hierarchy>,
    pub(crate) this_name: JStr<'h>,
    pub(crate) super_name: Option<JStr<'h>>,
    pub(crate) interface: bool,
}

impl Hierarchy for Lattice<'_> {
    fn superclass<'h>(&'h self, name: JStr<'_>) -> Superclass<'h> {
        if name == self.this_name {
            return match self.super_name {
                _ if self.interface => Superclass::Interface,
                Some(name) => Superclass::Class(name),
                None => Superclass::Root,
            };
        }
        match self.hierarchy {
            Some(hierarchy) => hierarchy.superclass(name),
            None => Superclass::Unknown,
        }
    }
}

impl Lattice<'_> {
    /// The merge of two different types. `TOP` if they have nothing in common.
    pub(crate) fn merge(&self, types: &mut Types, a: VType, b: VType) -> Result<VType, ErrorKind> {
        if a.is_object() && b.is_object() {
            return self.classes(types, a.payload(), b.payload());
        }
        Ok(match (a, b) {
            _ if a == b => a,
            (VType::NULL, other) | (other, VType::NULL) if other.is_object() => other,
            _ => VType::TOP,
        })
    }

    fn classes(&self, types: &mut Types, a: u32, b: u32) -> Result<VType, ErrorKind> {
        if a == b {
            return Ok(VType::object(a));
        }
        if a == 0 || b == 0 {
            return Ok(VType::JAVA_OBJECT);
        }
        if self.hierarchy.is_none() {
            return Ok(VType::TOP);
        }
        let key = (a.min(b), a.max(b));
        let slot = (key.0.wrapping_mul(31).wrapping_add(key.1) & 63) as usize;
        if types.merges.is_empty() {
            types.merges.resize(64, (0, 0, 0));
        }
        let cached = types.merges[slot];
        if (cached.0, cached.1) == key {
            return Ok(VType::object(cached.2));
        }
        let merged = self.bound(types, a, b)?;
        types.merges[slot] = (key.0, key.1, merged.payload());
        Ok(merged)
    }

    /// Arrays of references merge element by element; anything else with an array is an object.
    fn bound(&self, types: &mut Types, a: u32, b: u32) -> Result<VType, ErrorKind> {
        let is_array = |id| types.name(id).as_bytes().first() == Some(&b'[');
        match (is_array(a), is_array(b)) {
            (true, true) => {
                let references = |id| matches!(types.name(id).as_bytes(), [_, b'L' | b'[', ..]);
                if !references(a) || !references(b) {
                    return Ok(VType::JAVA_OBJECT);
                }
                let a = types.element(VType::object(a)).payload();
                let b = types.element(VType::object(b)).payload();
                let element = self.classes(types, a, b)?;
                Ok(types.array_of(element.payload()))
            }
            (false, false) => {
                let bound = self.common_superclass(types.name(a), types.name(b));
                let name = match bound {
                    Ok(name) => name.as_bytes().to_vec(),
                    Err(name) => return Err(ErrorKind::UnknownClass(name.to_string())),
                };
                Ok(VType::object(types.intern(&name)))
            }
            _ => Ok(VType::JAVA_OBJECT),
        }
    }
}
