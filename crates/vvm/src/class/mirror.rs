//! `java.lang.Class` objects.

use super::{ClassId, Shape};
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot};
use crate::vm::Vm;

/// The field that the VM adds to `java.lang.Class`: the class id.
pub(crate) const INJECTED: &str = "$class";

impl Vm {
    /// Runs something that concerns every configuration, whatever the current context.
    pub(crate) fn everywhere<T>(&mut self, run: impl FnOnce(&mut Vm) -> Step<T>) -> Step<T> {
        let ctx = std::mem::replace(&mut self.ctx, self.universe);
        let result = run(self);
        self.ctx = ctx;
        result
    }

    /// The `java.lang.Class` object of a class, made on first use.
    pub(crate) fn mirror(&mut self, class: ClassId) -> Step<Ref> {
        let made = self.classes[class as usize].mirror;
        if made != 0 {
            return Ok(made);
        }
        self.everywhere(|vm| vm.make_mirror(class))
    }

    fn make_mirror(&mut self, class: ClassId) -> Step<Ref> {
        let mirror = self.new_object(self.known.class)?;
        self.classes[class as usize].mirror = mirror;
        self.heap
            .set_field(mirror, self.known.mirror_class, u64::from(class));
        self.heap.set_field(
            mirror,
            self.known.mirror_module,
            u64::from(self.kept.module),
        );
        if let Shape::Array { component, .. } = self.classes[class as usize].shape {
            let component = self.mirror(component)?;
            self.heap
                .set_field(mirror, self.known.mirror_component, u64::from(component));
        }
        let entry = &self.classes[class as usize];
        let loader = match entry.loader {
            0 if entry.boot => 0,
            0 => self.kept.loader,
            own => own,
        };
        self.heap
            .set_field(mirror, self.known.mirror_loader, u64::from(loader));
        Ok(mirror)
    }

    /// The class of a `java.lang.Class` object.
    pub(crate) fn class_of_mirror(&mut self, mirror: Slot) -> Step<ClassId> {
        let mirror = self.plain_ref(mirror)?;
        if mirror == 0 {
            return Err(Trap::null());
        }
        Ok(self.heap.field(mirror, self.known.mirror_class) as ClassId)
    }
}
