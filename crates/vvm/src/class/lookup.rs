//! Finding methods and fields: resolution and selection.

use super::{ClassId, MethodId, Shape};
use crate::symbol::Sym;
use crate::vm::Vm;

/// Remembered answers of [`Vm::is_kind_of`].
pub(crate) const KINDS: usize = 1024;

impl Vm {
    /// [`is_subclass`](Vm::is_subclass), remembering answers.
    #[inline(always)]
    pub(crate) fn is_kind_of(&self, from: ClassId, to: ClassId) -> bool {
        let key = (u64::from(from) << 32) | (u64::from(to) << 1);
        let hash = from.wrapping_mul(0x9E37_79B1) ^ to.wrapping_mul(0x85EB_CA6B);
        let known = &self.kinds[(hash >> 16) as usize % KINDS];
        if known.get() & !1 == key {
            return known.get() & 1 != 0;
        }
        let yes = self.is_subclass(from, to);
        known.set(key | u64::from(yes));
        yes
    }

    /// Whether a value of class `from` can be assigned to `to`.
    #[inline]
    pub fn is_subclass(&self, from: ClassId, to: ClassId) -> bool {
        from == to
            || self.classes[from as usize]
                .supertypes
                .binary_search(&to)
                .is_ok()
    }

    /// The method with this signature in the class or its supertypes (JVMS 5.4.3.3, 5.4.3.4).
    pub fn find_method(&self, class: ClassId, name: Sym, descriptor: Sym) -> Option<MethodId> {
        let mut current = Some(class);
        while let Some(id) = current {
            let entry = &self.classes[id as usize];
            if let Some(&method) = entry.by_signature.get(&(name, descriptor)) {
                return Some(method);
            }
            current = entry.superclass;
        }
        self.find_in_interfaces(class, name, descriptor)
            .or_else(|| {
                self.classes[self.known.object as usize]
                    .by_signature
                    .get(&(name, descriptor))
                    .copied()
            })
    }

    /// The maximally specific interface method, preferring one with a body.
    fn find_in_interfaces(&self, class: ClassId, name: Sym, descriptor: Sym) -> Option<MethodId> {
        let mut candidates: Vec<MethodId> = Vec::new();
        for &supertype in self.classes[class as usize].supertypes.iter() {
            let entry = &self.classes[supertype as usize];
            if !entry.is_interface() {
                continue;
            }
            if let Some(&method) = entry.by_signature.get(&(name, descriptor)) {
                let access = self.methods[method as usize].access;
                if !access.is_static() && !access.is_private() {
                    candidates.push(method);
                }
            }
        }
        let most_specific = |&method: &MethodId| {
            let owner = self.methods[method as usize].class;
            !candidates.iter().any(|&other| {
                let other = self.methods[other as usize].class;
                other != owner && self.is_subclass(other, owner)
            })
        };
        let specific: Vec<MethodId> = candidates.iter().copied().filter(most_specific).collect();
        let concrete = specific
            .iter()
            .find(|&&method| !self.methods[method as usize].access.is_abstract());
        concrete
            .or(specific.first())
            .or(candidates.first())
            .copied()
    }

    /// The method that a call of `method` runs for a receiver of class `receiver`.
    pub fn select(&mut self, receiver: ClassId, method: MethodId) -> Option<MethodId> {
        let entry = &self.methods[method as usize];
        if entry.access.is_private() {
            return Some(method);
        }
        let declared_in_class = !self.classes[entry.class as usize].is_interface();
        if declared_in_class && let Some(slot) = entry.vtable {
            return self.classes[receiver as usize]
                .vtable
                .get(slot as usize)
                .copied();
        }
        let key = (entry.name, entry.descriptor);
        if let Some(&found) = self.classes[receiver as usize].selected.get(&key) {
            return found;
        }
        let found = self.select_by_signature(receiver, key.0, key.1);
        self.classes[receiver as usize].selected.insert(key, found);
        found
    }

    fn select_by_signature(
        &self,
        receiver: ClassId,
        name: Sym,
        descriptor: Sym,
    ) -> Option<MethodId> {
        let mut current = Some(receiver);
        while let Some(id) = current {
            let entry = &self.classes[id as usize];
            if let Some(&method) = entry.by_signature.get(&(name, descriptor)) {
                let access = self.methods[method as usize].access;
                if !access.is_static() && !access.is_private() {
                    return Some(method);
                }
            }
            current = entry.superclass;
        }
        self.find_in_interfaces(receiver, name, descriptor)
    }

    /// The field with this name and descriptor: declaring class and position (JVMS 5.4.3.2).
    pub fn find_field(&self, class: ClassId, name: Sym, descriptor: Sym) -> Option<(ClassId, u32)> {
        let entry = &self.classes[class as usize];
        let own = entry
            .fields
            .iter()
            .position(|f| f.name == name && f.descriptor == descriptor);
        if let Some(index) = own {
            return Some((class, index as u32));
        }
        entry
            .interfaces
            .iter()
            .chain(&entry.superclass)
            .find_map(|&parent| self.find_field(parent, name, descriptor))
    }

    /// A field by name alone, for the VM's own use.
    pub fn field_named(&self, class: ClassId, name: &str) -> Option<(ClassId, u32)> {
        let sym = self.symbols.find(name)?;
        let mut current = Some(class);
        while let Some(id) = current {
            let entry = &self.classes[id as usize];
            if let Some(index) = entry.fields.iter().position(|field| field.name == sym) {
                return Some((id, index as u32));
            }
            current = entry.superclass;
        }
        None
    }

    /// A declared or inherited method by name and descriptor text.
    pub fn method_named(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        self.find_method(
            class,
            self.symbols.find(name)?,
            self.symbols.find(descriptor)?,
        )
    }

    /// The name of a class as Java shows it (`java.lang.String`, `[I`).
    pub fn java_name(&self, class: ClassId) -> String {
        self.symbols
            .text(self.classes[class as usize].name)
            .replace('/', ".")
    }

    /// The field descriptor of a class.
    pub fn descriptor_of(&self, class: ClassId) -> String {
        let entry = &self.classes[class as usize];
        match entry.shape {
            Shape::Primitive(kind) => kind.descriptor().to_owned(),
            _ => crate::descriptor::of_class(self.symbols.text(entry.name)),
        }
    }
}
