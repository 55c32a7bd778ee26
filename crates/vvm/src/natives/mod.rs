//! Native methods of the class library, and replacements for methods better done by the VM.
//!
//! One file for each area of the JDK. A function sees plain arguments unless it is registered as *lifted*; a
//! conditional argument makes the interpreter run the call once for each leaf. What a function reads from the
//! heap may still be conditional: [`Vm::plain`] asks for a split then.

mod array;
mod attribute;
mod class;
mod file;
mod io;
mod lang;
mod math;
mod method;
mod misc;
mod nio;
mod reflect;
mod resource;
mod service;
mod string;
mod system;
mod thread;
mod throwable;
mod unsafe_access;

use crate::symbol::{Sym, Symbols};
use crate::trap::Step;
use crate::value::Slot;
use crate::vm::Vm;
use rustc_hash::FxHashMap;

/// The signature of a native function.
pub(crate) type Function = fn(&mut Vm, &[Slot]) -> Step<Slot>;

/// A native function.
#[derive(Clone, Copy)]
pub struct Native {
    /// What to call.
    pub function: Function,
    /// Whether it takes choices as arguments.
    pub lifted: bool,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Native(lifted: {})", self.lifted)
    }
}

/// Class, method name, descriptor (`*` for any), function.
pub(crate) type Entry = (&'static str, &'static str, &'static str, Function);

/// All native functions by class, name and descriptor.
#[derive(Debug, Default)]
pub(crate) struct Natives {
    exact: FxHashMap<(Sym, Sym, Sym), Native>,
    any: FxHashMap<(Sym, Sym), Native>,
    /// Methods that do nothing in any class.
    ignored: Vec<Sym>,
}

impl Natives {
    /// Registers everything.
    pub(crate) fn register(symbols: &mut Symbols) -> Natives {
        let mut natives = Natives::default();
        let plain: [&[Entry]; 17] = [
            array::NATIVES,
            attribute::NATIVES,
            class::NATIVES,
            file::NATIVES,
            io::NATIVES,
            lang::NATIVES,
            math::NATIVES,
            misc::NATIVES,
            nio::NATIVES,
            reflect::NATIVES,
            resource::NATIVES,
            service::NATIVES,
            string::NATIVES,
            system::NATIVES,
            thread::NATIVES,
            throwable::NATIVES,
            unsafe_access::NATIVES,
        ];
        let lifted: [&[Entry]; 5] = [
            array::LIFTED,
            io::LIFTED,
            lang::LIFTED,
            method::LIFTED,
            unsafe_access::LIFTED,
        ];
        for (entries, lifted) in plain
            .map(|e| (e, false))
            .into_iter()
            .chain(lifted.map(|e| (e, true)))
        {
            for &(class, name, descriptor, function) in entries {
                let native = Native { function, lifted };
                let (class, name) = (symbols.intern(class), symbols.intern(name));
                if descriptor == "*" {
                    natives.any.insert((class, name), native);
                } else {
                    natives
                        .exact
                        .insert((class, name, symbols.intern(descriptor)), native);
                }
            }
        }
        natives.ignored = ["registerNatives", "initIDs"]
            .map(|name| symbols.intern(name))
            .to_vec();
        natives
    }

    /// The function for a method, if there is one.
    pub(crate) fn find(&self, class: Sym, name: Sym, descriptor: Sym) -> Option<Native> {
        let exact = self
            .exact
            .get(&(class, name, descriptor))
            .or_else(|| self.any.get(&(class, name)));
        exact.copied().or_else(|| {
            self.ignored.contains(&name).then_some(Native {
                function: nothing,
                lifted: true,
            })
        })
    }
}

/// Does nothing and returns zero, `false` or `null`.
pub(crate) fn nothing(_: &mut Vm, _: &[Slot]) -> Step<Slot> {
    Ok(0)
}

/// Returns `true`.
pub(crate) fn yes(_: &mut Vm, _: &[Slot]) -> Step<Slot> {
    Ok(1)
}
