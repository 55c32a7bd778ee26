//! Calls: finding the method, passing the arguments, running native functions.

use super::states::Regs;
use super::{Done, Mixed};
use crate::class::{Body, ClassId, MethodId};
use crate::code::op::{Code, InvokeKind, Op, Reg, Site, UNRESOLVED};
use crate::natives::Native;
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_ref, is_choice};
use crate::vm::Vm;
use braid_cond::Cond;
use std::cell::Cell;
use std::rc::Rc;

impl Vm {
    #[inline(always)]
    pub(crate) fn target_static(&mut self, site: &Site, _regs: &Regs) -> Step<MethodId> {
        Ok(site.method.get())
    }

    #[inline(always)]
    pub(crate) fn target_special(&mut self, site: &Site, regs: &Regs) -> Step<MethodId> {
        let receiver = regs[usize::from(site.args[0])].get();
        if is_choice(receiver) || receiver == 0 {
            self.not_null(receiver)?;
        }
        Ok(site.method.get())
    }

    #[inline(always)]
    pub(crate) fn target_virtual(&mut self, site: &Site, regs: &Regs) -> Step<MethodId> {
        let receiver = regs[usize::from(site.args[0])].get();
        if is_choice(receiver) || receiver == 0 {
            return self.target_of_choice(site, receiver);
        }
        let class = self.class_of(as_ref(receiver));
        match self.classes[class as usize]
            .vtable
            .get(site.vtable.get() as usize)
        {
            Some(&method) => Ok(method),
            None => Err(self.no_virtual(class, site.method.get())),
        }
    }

    #[cold]
    fn no_virtual(&self, class: ClassId, method: MethodId) -> Trap {
        let (class, method) = (self.java_name(class), self.method_text(method));
        Trap::unknown(format!(
            "internal: an object of {class} is called as {method}"
        ))
    }

    #[inline(always)]
    pub(crate) fn target_interface(&mut self, site: &Site, regs: &Regs) -> Step<MethodId> {
        let receiver = regs[usize::from(site.args[0])].get();
        if is_choice(receiver) || receiver == 0 {
            return self.target_of_choice(site, receiver);
        }
        let class = self.class_of(as_ref(receiver));
        if site.cached_class.get() == class {
            return Ok(site.cached_method.get());
        }
        let method = self.target_for(site.method.get(), class)?;
        site.cached_class.set(class);
        site.cached_method.set(method);
        Ok(method)
    }

    pub(crate) fn target_for(&mut self, method: MethodId, class: ClassId) -> Step<MethodId> {
        let owner = self.methods[method as usize].class;
        if !self.is_subclass(class, owner) && self.classes[owner as usize].is_interface() {
            let message = format!(
                "Class {} does not implement the requested interface {}",
                self.java_name(class),
                self.java_name(owner)
            );
            return Err(Trap::new("java/lang/IncompatibleClassChangeError", message));
        }
        self.select(class, method)
            .ok_or_else(|| self.abstract_error(method))
    }

    pub(crate) fn abstract_error(&self, method: MethodId) -> Trap {
        Trap::new("java/lang/AbstractMethodError", self.method_text(method))
    }

    /// The method for a receiver that is a choice: one call if all its leaves agree on it.
    #[cold]
    fn target_of_choice(&mut self, site: &Site, receiver: Slot) -> Step<MethodId> {
        self.not_null(receiver)?;
        let mut groups: Vec<(MethodId, Cond)> = Vec::new();
        for (cond, payload) in self.leaves(receiver)? {
            let class = self.class_of(as_ref(payload));
            let target = self.target_for(site.method.get(), class)?;
            match groups.iter_mut().find(|(other, _)| *other == target) {
                Some((_, group)) => *group = self.conds.or(*group, cond)?,
                None => groups.push((target, cond)),
            }
        }
        match groups[..] {
            [(method, _)] => Ok(method),
            _ => Err(Trap::Parts(
                groups.into_iter().map(|(_, cond)| cond).collect(),
            )),
        }
    }

    /// Calls from an instruction: arguments are in the caller's registers.
    #[inline]
    pub(crate) fn call_from(
        &mut self,
        method: MethodId,
        site: &Site,
        regs: &Regs,
        top: usize,
        stack: &[Cell<Slot>],
    ) -> Step<Done> {
        if let Body::Code(callee) = &self.methods[method as usize].body {
            let callee = Rc::clone(callee);
            let frame = &stack[top..];
            for (&param, &arg) in callee.params.iter().zip(site.args.iter()) {
                frame[usize::from(param)].set(regs[usize::from(arg)].get());
            }
            self.tick()?;
            if self.calls.len() > self.limits.depth as usize {
                return Err(Trap::New("java/lang/StackOverflowError", None));
            }
            return Ok(self.run(&callee, top, stack));
        }
        self.call_other(method, site, regs, top)
    }

    /// Calls what is not in register form.
    pub(crate) fn call_other(
        &mut self,
        method: MethodId,
        site: &Site,
        regs: &Regs,
        top: usize,
    ) -> Step<Done> {
        let mut buffer = [0; 12];
        let args = site.args.iter().map(|&arg| regs[usize::from(arg)].get());
        if site.args.len() <= buffer.len() {
            buffer.iter_mut().zip(args).for_each(|(to, arg)| *to = arg);
            self.top = top;
            self.invoke(method, &buffer[..site.args.len()])
        } else {
            let args: Vec<Slot> = args.collect();
            self.top = top;
            self.invoke(method, &args)
        }
    }

    /// Calls a method of any sort; a trap other than the callee's own outcome is left to the caller.
    pub(crate) fn invoke(&mut self, method: MethodId, args: &[Slot]) -> Step<Done> {
        match &self.methods[method as usize].body {
            Body::Native(native) => {
                let native = *native;
                match self.call_native(native, args) {
                    Ok(value) => Ok(Done::Value(value)),
                    Err(Trap::Tail(method, args)) => self.invoke(method, &args),
                    Err(trap) => Err(trap),
                }
            }
            Body::Code(callee) => {
                let callee = Rc::clone(callee);
                let stack = Rc::clone(&self.stack);
                let base = self.top;
                let Some(frame) = stack.get(base..base + usize::from(callee.regs)) else {
                    return Err(Trap::New("java/lang/StackOverflowError", None));
                };
                for (&param, &arg) in callee.params.iter().zip(args) {
                    frame[usize::from(param)].set(arg);
                }
                if self.calls.len() > self.limits.depth as usize {
                    return Err(Trap::New("java/lang/StackOverflowError", None));
                }
                let done = self.run(&callee, base, &stack);
                self.top = base;
                Ok(done)
            }
            Body::Untranslated | Body::Synthetic(_) => {
                self.translate(method)?;
                self.invoke(method, args)
            }
            Body::Abstract => Err(self.abstract_error(method)),
            Body::Missing => Err(Trap::unknown(format!(
                "native method {} is not supported",
                self.method_text(method)
            ))),
        }
    }

    fn call_native(&mut self, native: Native, args: &[Slot]) -> Step<Slot> {
        if native.lifted || !args.iter().any(|&arg| is_choice(arg)) {
            return (native.function)(self, args);
        }
        let mut plain = args.to_vec();
        for arg in &mut plain {
            *arg = self.plain(*arg)?;
        }
        (native.function)(self, &plain)
    }

    /// Calls a method from the VM: every trap becomes part of the outcome.
    pub(crate) fn call(&mut self, method: MethodId, args: &[Slot]) -> Done {
        let ctx = self.ctx;
        let (top, calls, multis) = (self.top, self.calls.len(), self.multis.len());
        let done = self.call_settled(method, args);
        debug_assert_eq!((calls, multis), (self.calls.len(), self.multis.len()));
        self.ctx = ctx;
        self.top = top;
        done
    }

    fn call_settled(&mut self, method: MethodId, args: &[Slot]) -> Done {
        let ctx = self.ctx;
        let parts = match self.invoke(method, args) {
            Ok(done) => return done,
            Err(Trap::Split(slot)) => self
                .leaves(slot)
                .map(|leaves| leaves.into_iter().map(|(cond, _)| cond).collect()),
            Err(Trap::SplitOn(cond)) => self.two_parts(cond),
            Err(Trap::Parts(parts)) => Ok(parts),
            Err(trap) => return self.give_up(ctx, None, trap),
        };
        match parts.and_then(|parts| self.call_in_parts(method, args, parts)) {
            Ok(done) => done,
            Err(trap) => self.give_up(ctx, None, trap),
        }
    }

    fn two_parts(&mut self, cond: Cond) -> Step<Vec<Cond>> {
        let ctx = self.ctx;
        Ok(vec![
            self.conds.and(ctx, cond)?,
            self.conds.minus(ctx, cond)?,
        ])
    }

    fn call_in_parts(&mut self, method: MethodId, args: &[Slot], parts: Vec<Cond>) -> Step<Done> {
        let ctx = self.ctx;
        let mut mixed = Mixed {
            returned: (Cond::FALSE, 0),
            thrown: Vec::new(),
        };
        for part in parts.into_iter().filter(|part| !part.is_false()) {
            if part == ctx {
                return Err(Trap::unknown(
                    "internal: a split of the context has only one part",
                ));
            }
            self.ctx = part;
            let done = self.call(method, args);
            self.ctx = ctx;
            let value = match &done {
                Done::Value(value) => *value,
                Done::Threw(_) => 0,
                Done::Mixed(inner) => inner.returned.1,
            };
            let (returned, thrown) = done.parts(part);
            mixed.returned = self.join_outcome(mixed.returned, (returned, value))?;
            for (cond, exception) in thrown {
                self.add_thrown(&mut mixed.thrown, cond, exception)?;
            }
        }
        Ok(if mixed.thrown.is_empty() {
            Done::Value(mixed.returned.1)
        } else {
            Done::Mixed(Box::new(mixed))
        })
    }

    fn join_outcome(&mut self, old: (Cond, Slot), new: (Cond, Slot)) -> Step<(Cond, Slot)> {
        if old.0.is_false() {
            return Ok(new);
        }
        if new.0.is_false() {
            return Ok(old);
        }
        Ok((
            self.conds.or(old.0, new.0)?,
            self.select_slot(new.0, new.1, old.1)?,
        ))
    }

    /// Calls a method whose outcome must be a value: an exception in all of the context becomes a trap, one in
    /// a part of it splits the context (the call is then made again: only for calls without side effects).
    pub(crate) fn call_value(&mut self, method: MethodId, args: &[Slot]) -> Step<Slot> {
        match self.call(method, args) {
            Done::Value(value) => Ok(value),
            Done::Threw(exception) => Err(Trap::Throw(exception)),
            Done::Mixed(mixed) if mixed.returned.0.is_false() => {
                Err(Trap::Throw(self.as_value(&mixed.thrown)?))
            }
            Done::Mixed(mixed) => Err(Trap::SplitOn(self.thrown_where(&mixed.thrown)?)),
        }
    }

    /// Calls a virtual method by name, from native code.
    pub(crate) fn call_virtual(
        &mut self,
        receiver: Slot,
        name: &str,
        descriptor: &str,
        args: &[Slot],
    ) -> Step<Slot> {
        let object = self.plain_ref(receiver)?;
        if object == 0 {
            return Err(Trap::null());
        }
        let class = self.class_of(object);
        let method = self.method_of(class, name, descriptor)?;
        let method = self.select(class, method).unwrap_or(method);
        let all: Vec<Slot> = [receiver].iter().chain(args).copied().collect();
        self.call_value(method, &all)
    }

    /// Calls a static method by name, from native code.
    pub(crate) fn call_static_named(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
        args: &[Slot],
    ) -> Step<Slot> {
        let class = self.load(class)?;
        self.ensure_init(class)?;
        let method = self.method_of(class, name, descriptor)?;
        self.call_value(method, args)
    }

    /// Resolves a call site; true if the instruction was rewritten and must run again, false if it is to be
    /// run now as it is (its class is not initialised everywhere yet).
    pub(crate) fn quicken_call(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        i: u32,
    ) -> Step<bool> {
        let site = &code.sites[i as usize];
        if site.kind == InvokeKind::Dynamic {
            return self.quicken_dynamic(code, pc, d, i);
        }
        if site.method.get() == UNRESOLVED {
            let method = self.pool_method(code.class, site.pool)?;
            site.method.set(method);
        }
        let method = site.method.get();
        if self.is_polymorphic(method) {
            self.site_descriptor = self.pool_descriptor(code.class, site.pool)?;
            return Ok(false);
        }
        let entry = &self.methods[method as usize];
        let (class, access, vtable) = (entry.class, entry.access, entry.vtable);
        let op = match site.kind {
            InvokeKind::Static => {
                if !self.is_initialised(class) {
                    self.ensure_init(class)?;
                    self.ensure_ready(method)?;
                    if !self.is_initialised(class) {
                        return Ok(false);
                    }
                }
                self.note_quickened(code, pc, class);
                Op::InvokeStaticQ { d, i }
            }
            InvokeKind::Special => {
                let method = self.special_target(code.class, method);
                site.method.set(method);
                self.ensure_ready(method)?;
                Op::InvokeSpecialQ { d, i }
            }
            _ if access.is_private() => Op::InvokeSpecialQ { d, i },
            _ => match vtable {
                Some(slot) => {
                    site.vtable.set(slot);
                    Op::InvokeVirtualQ { d, i }
                }
                None => Op::InvokeInterfaceQ { d, i },
            },
        };
        code.ops[pc].set(op);
        Ok(true)
    }

    /// `invokespecial` of a superclass method starts the search at the direct superclass.
    fn special_target(&self, caller: ClassId, method: MethodId) -> MethodId {
        let entry = &self.methods[method as usize];
        if entry.name == self.known.init || self.classes[entry.class as usize].is_interface() {
            return method;
        }
        if entry.class != caller && self.is_subclass(caller, entry.class) {
            let parent = self.classes[caller as usize]
                .superclass
                .unwrap_or(entry.class);
            return self
                .find_method(parent, entry.name, entry.descriptor)
                .unwrap_or(method);
        }
        method
    }

    fn ensure_ready(&mut self, method: MethodId) -> Step<()> {
        match self.methods[method as usize].body {
            Body::Untranslated | Body::Synthetic(_) => self.translate(method),
            _ => Ok(()),
        }
    }

    /// Remembers an instruction that will skip the initialisation check of a class.
    pub(crate) fn note_quickened(&mut self, code: &Rc<Code>, pc: usize, class: ClassId) {
        if !self.classes[class as usize].permanent {
            self.quickened
                .push((Rc::clone(code), pc, code.ops[pc].get()));
        }
    }

    pub(crate) fn quicken_new(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        i: u16,
    ) -> Step<ClassId> {
        let class = self.pool_class(code.class, i)?;
        let entry = &self.classes[class as usize];
        if entry.access.is_abstract() || entry.is_interface() {
            return Err(Trap::new(
                "java/lang/InstantiationError",
                self.java_name(class),
            ));
        }
        self.ensure_init(class)?;
        if self.is_initialised(class) {
            self.note_quickened(code, pc, class);
            code.ops[pc].set(Op::NewQ { d, class });
        }
        Ok(class)
    }

    pub(crate) fn quicken_field(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        i: u16,
        make: impl FnOnce(u16) -> Op,
    ) -> Step<()> {
        let (class, index) = self.pool_field(code.class, i)?;
        let field = &self.classes[class as usize].fields[index as usize];
        if field.access.is_static() {
            return Err(Trap::new(
                "java/lang/IncompatibleClassChangeError",
                "Expected non-static field",
            ));
        }
        code.ops[pc].set(make(field.at as u16));
        Ok(())
    }

    pub(crate) fn static_field(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        i: u16,
        make: impl FnOnce(u32) -> Op,
    ) -> Step<u32> {
        let (class, index) = self.pool_field(code.class, i)?;
        let field = &self.classes[class as usize].fields[index as usize];
        if !field.access.is_static() {
            return Err(Trap::new(
                "java/lang/IncompatibleClassChangeError",
                "Expected static field",
            ));
        }
        let at = field.at;
        self.ensure_init(class)?;
        // While the initialiser runs, the field is used in its slow form: other contexts may come here.
        if self.is_initialised(class) {
            self.note_quickened(code, pc, class);
            code.ops[pc].set(make(at));
        }
        Ok(at)
    }
}
