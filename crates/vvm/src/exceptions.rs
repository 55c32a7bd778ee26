//! Making exceptions from the VM and reading them.

use crate::class::{ClassId, MethodId};
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot};
use crate::vm::Vm;

/// Calls that making an exception may nest beyond the limit.
const SPARE_DEPTH: u32 = 200;

impl Vm {
    /// A new exception, made by its constructor.
    pub(crate) fn make_exception(&mut self, class: &str, message: Option<&str>) -> Step<Ref> {
        // Making the error for a full stack needs some stack itself.
        let depth = self.limits.depth;
        self.limits.depth = depth + SPARE_DEPTH;
        let made = self.make_exception_within(class, message);
        self.limits.depth = depth;
        made
    }

    fn make_exception_within(&mut self, class: &str, message: Option<&str>) -> Step<Ref> {
        if self.calls.len() > self.limits.depth as usize {
            return Err(Trap::unknown(
                "the stack overflowed while an exception was being made",
            ));
        }
        let class = self.load(class)?;
        self.ensure_init(class)?;
        match message {
            None => self.construct(class, "()V", &[]),
            Some(message) => {
                let message = self.new_string(message)?;
                if self
                    .method_named(class, "<init>", "(Ljava/lang/String;)V")
                    .is_some()
                {
                    self.construct(class, "(Ljava/lang/String;)V", &[u64::from(message)])
                } else {
                    self.construct(class, "(Ljava/lang/Object;)V", &[u64::from(message)])
                }
            }
        }
    }

    /// An exception around another.
    pub(crate) fn wrap_exception(&mut self, class: &str, cause: Ref) -> Step<Ref> {
        let class = self.load(class)?;
        self.ensure_init(class)?;
        self.construct(class, "(Ljava/lang/Throwable;)V", &[u64::from(cause)])
    }

    /// A new object made by a constructor.
    pub(crate) fn construct(
        &mut self,
        class: ClassId,
        descriptor: &str,
        args: &[Slot],
    ) -> Step<Ref> {
        let Some(method) = self.own_method(class, "<init>", descriptor) else {
            let name = self.java_name(class);
            return Err(Trap::unknown(format!(
                "class {name} has no constructor {descriptor}"
            )));
        };
        let object = self.new_object(class)?;
        let mut all = vec![u64::from(object)];
        all.extend_from_slice(args);
        self.held.push(u64::from(object));
        let result = self.call_value(method, &all);
        self.held.pop();
        result.map(|_| object)
    }

    fn own_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        let key = (self.symbols.find(name)?, self.symbols.find(descriptor)?);
        self.classes[class as usize].by_signature.get(&key).copied()
    }

    /// The field of an object by name, as a slot.
    pub(crate) fn get_named(&self, object: Ref, name: &str) -> Option<Slot> {
        let (class, index) = self.field_named(self.class_of(object), name)?;
        Some(self.heap.field(
            object,
            self.classes[class as usize].fields[index as usize].at,
        ))
    }

    /// Sets a field of an object by name, in the current context.
    pub(crate) fn set_named(&mut self, object: Ref, name: &str, value: Slot) -> Step<()> {
        let Some((class, index)) = self.field_named(self.class_of(object), name) else {
            return Err(Trap::unknown(format!("class library: no field {name}")));
        };
        let at = self.classes[class as usize].fields[index as usize].at;
        self.store_field(object, at, value)
    }

    /// Class and message of an exception, by `getMessage` as the program would see it.
    pub(crate) fn describe(&mut self, exception: Ref) -> Step<(String, Option<String>)> {
        let class = self.class_of(exception);
        let name = self.java_name(class);
        let getter = self.method_named(class, "getMessage", "()Ljava/lang/String;");
        let Some(getter) = getter.and_then(|method| self.select(class, method)) else {
            return Ok((name, None));
        };
        let message = self.call_value(getter, &[u64::from(exception)])?;
        let message = self.plain(message)?;
        if message == 0 {
            return Ok((name, None));
        }
        Ok((name, Some(self.string(message)?)))
    }
}
