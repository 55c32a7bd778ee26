//! Where fields live and which method each slot of the virtual table holds.

use super::{ClassId, MethodId};
use crate::heap::HEADER;
use crate::symbol::Sym;
use crate::value::Kind;
use crate::vm::Vm;
use rustc_hash::FxHashMap;

impl Vm {
    pub(crate) fn lay_out_fields(&mut self, id: ClassId) {
        let superclass = self.classes[id as usize].superclass;
        let (mut words, mut refs) = match superclass {
            Some(parent) => {
                let parent = &self.classes[parent as usize];
                (parent.instance_words, parent.ref_offsets.to_vec())
            }
            None => (HEADER, Vec::new()),
        };
        let first_static = self.statics.len() as u32;
        let class = &mut self.classes[id as usize];
        let mut statics = 0;
        for field in &mut class.fields {
            if field.access.is_static() {
                field.at = first_static + statics;
                statics += 1;
            } else {
                field.at = words;
                if field.kind == Kind::Ref {
                    refs.push(words);
                }
                words += 1;
            }
        }
        class.instance_words = words;
        class.ref_offsets = refs.into();
        class.statics = (first_static, statics);
        self.statics.resize((first_static + statics) as usize, 0);
    }

    /// Builds the virtual table: overridden slots first, then new ones.
    pub(crate) fn link_methods(&mut self, id: ClassId) {
        let class = &self.classes[id as usize];
        if class.is_interface() {
            return;
        }
        let mut vtable = class.superclass.map_or_else(Vec::new, |parent| {
            self.classes[parent as usize].vtable.clone()
        });
        let mut slots: FxHashMap<(Sym, Sym), Vec<u32>> = FxHashMap::default();
        for (slot, &method) in vtable.iter().enumerate() {
            let method = &self.methods[method as usize];
            slots
                .entry((method.name, method.descriptor))
                .or_default()
                .push(slot as u32);
        }
        for method in class.methods.clone() {
            let entry = &self.methods[method as usize];
            if entry.access.is_static()
                || entry.access.is_private()
                || self.is_special_name(entry.name)
            {
                continue;
            }
            let known = slots
                .get(&(entry.name, entry.descriptor))
                .cloned()
                .unwrap_or_default();
            let mut own = None;
            for slot in known {
                if self.overrides(method, vtable[slot as usize]) {
                    vtable[slot as usize] = method;
                    own = own.or(Some(slot));
                }
            }
            let slot = own.unwrap_or_else(|| {
                vtable.push(method);
                vtable.len() as u32 - 1
            });
            self.methods[method as usize].vtable = Some(slot);
        }
        self.classes[id as usize].vtable = vtable;
    }

    fn is_special_name(&self, name: Sym) -> bool {
        name == self.known.init || name == self.known.clinit
    }

    /// Package-private methods are overridden only within their package.
    fn overrides(&self, method: MethodId, base: MethodId) -> bool {
        let base = &self.methods[base as usize];
        if base.access.is_public() || base.access.is_protected() {
            return true;
        }
        let derived = &self.methods[method as usize];
        self.package(base.class) == self.package(derived.class)
    }

    /// The package of a class, with slashes.
    pub(crate) fn package(&self, class: ClassId) -> &str {
        let name = self.symbols.text(self.classes[class as usize].name);
        name.rfind('/').map_or("", |at| &name[..at])
    }
}
