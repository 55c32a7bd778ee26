//! Class initialisation, by context.
//!
//! A class of the program is initialised in each context that first uses it, once for every configuration.
//! Classes of the JDK are initialised for all configurations at once: what they do does not depend on the
//! program's options.

use super::Done;
use crate::class::{ClassId, Init};
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::Vm;
use braid_cond::Cond;

impl Vm {
    /// Whether the class is initialised in every configuration, without failure.
    #[inline]
    pub(crate) fn is_initialised(&self, class: ClassId) -> bool {
        let init = &self.classes[class as usize].init;
        (init.begun.is_true() || init.begun == self.universe) && init.failed.is_false()
    }

    /// Makes sure that the class is initialised in the current context.
    pub(crate) fn ensure_init(&mut self, class: ClassId) -> Step<()> {
        if self.is_initialised(class) {
            return Ok(());
        }
        self.check_failed(class)?;
        let wanted = if self.classes[class as usize].boot {
            self.universe
        } else {
            self.ctx
        };
        let need = self
            .conds
            .minus(wanted, self.classes[class as usize].init.begun)?;
        if need.is_false() {
            return Ok(());
        }
        let ctx = self.ctx;
        self.ctx = need;
        let supers = self.init_supertypes(class);
        self.ctx = ctx;
        supers?;
        // An initialiser of a supertype may have come back to this class.
        let need = self
            .conds
            .minus(need, self.classes[class as usize].init.begun)?;
        if need.is_false() {
            return Ok(());
        }
        let begun = self.classes[class as usize].init.begun;
        self.classes[class as usize].init.begun = self.conds.or(begun, need)?;
        self.ctx = need;
        let done = self.run_initialiser(class);
        self.ctx = ctx;
        self.note_failure(class, need, done?)?;
        self.check_failed(class)
    }

    fn init_supertypes(&mut self, class: ClassId) -> Step<()> {
        if self.classes[class as usize].is_interface() {
            return Ok(());
        }
        if let Some(parent) = self.classes[class as usize].superclass {
            self.ensure_init(parent)?;
        }
        for interface in self.classes[class as usize].interfaces.clone() {
            self.init_interface(interface)?;
        }
        Ok(())
    }

    /// Superinterfaces are initialised only if they declare default methods.
    fn init_interface(&mut self, interface: ClassId) -> Step<()> {
        for parent in self.classes[interface as usize].interfaces.clone() {
            self.init_interface(parent)?;
        }
        let declares_default = self.classes[interface as usize]
            .methods
            .iter()
            .any(|&method| {
                let access = self.methods[method as usize].access;
                !access.is_abstract() && !access.is_static()
            });
        if declares_default {
            self.ensure_init(interface)
        } else {
            Ok(())
        }
    }

    fn run_initialiser(&mut self, class: ClassId) -> Step<Done> {
        self.init_constants(class)?;
        self.set_options(class)?;
        let key = (self.known.clinit, self.known.void_descriptor);
        let Some(&method) = self.classes[class as usize].by_signature.get(&key) else {
            return Ok(Done::Value(0));
        };
        let done = self.call(method, &[]);
        self.set_options(class)?;
        Ok(done)
    }

    /// Static fields with a constant value get it before anything runs.
    fn init_constants(&mut self, class: ClassId) -> Step<()> {
        for index in 0..self.classes[class as usize].fields.len() {
            let field = &self.classes[class as usize].fields[index];
            let (at, constant, kind) = (field.at, field.constant, field.kind);
            if constant != 0 {
                let value = self.constant_value(class, constant, kind)?;
                self.statics[at as usize] = value;
            }
        }
        Ok(())
    }

    fn note_failure(&mut self, class: ClassId, need: Cond, done: Done) -> Step<()> {
        let (_, thrown) = done.parts(need);
        if thrown.is_empty() {
            return Ok(());
        }
        let failed = self.thrown_where(&thrown)?;
        let exception = self.as_value(&thrown)?;
        let ctx = self.ctx;
        self.ctx = failed;
        let wrapped = self.wrap_init_errors(exception);
        self.ctx = ctx;
        let old: Init = self.classes[class as usize].init;
        let error = self.select_slot(failed, wrapped?, old.error)?;
        let failed = self.conds.or(old.failed, failed)?;
        let init = &mut self.classes[class as usize].init;
        init.failed = failed;
        init.error = error;
        Ok(())
    }

    /// Exceptions that are not errors are wrapped in `ExceptionInInitializerError`.
    fn wrap_init_errors(&mut self, exception: Slot) -> Step<Slot> {
        let mut result = exception;
        let error = self.load("java/lang/Error")?;
        for (cond, payload) in self.leaves(exception)? {
            let class = self.class_of(payload as u32);
            if class == self.known.abort || self.is_subclass(class, error) {
                continue;
            }
            let ctx = std::mem::replace(&mut self.ctx, cond);
            let wrapped =
                self.wrap_exception("java/lang/ExceptionInInitializerError", payload as u32);
            self.ctx = ctx;
            let wrapped = u64::from(wrapped?);
            result = self.select_slot(cond, wrapped, result)?;
        }
        Ok(result)
    }

    /// Throws if initialisation failed in the current context: the error itself the first time, then
    /// `NoClassDefFoundError`.
    fn check_failed(&mut self, class: ClassId) -> Step<()> {
        let init = self.classes[class as usize].init;
        if init.failed.is_false() {
            return Ok(());
        }
        let here = self.conds.and(init.failed, self.ctx)?;
        if here.is_false() {
            return Ok(());
        }
        if here != self.ctx {
            return Err(Trap::SplitOn(here));
        }
        let error = self.plain(init.error)?;
        if error == 0 {
            let message = format!("Could not initialize class {}", self.java_name(class));
            return Err(Trap::new("java/lang/NoClassDefFoundError", message));
        }
        if self.abort_of(error as u32).is_none() {
            let rest = self.select_slot(here, 0, init.error)?;
            self.classes[class as usize].init.error = rest;
        }
        Err(Trap::Throw(error))
    }
}
