//! `Object`, boxing conversions, `Runtime`, references.

use super::{Entry, nothing};
use crate::class::Shape;
use crate::heap::HEADER;
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_double, as_ref, double, int};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/lang/Object", "hashCode", "*", identity_hash),
    ("java/lang/System", "identityHashCode", "*", identity_hash),
    ("java/lang/Object", "clone", "*", clone),
    ("java/lang/Object", "notify", "*", nothing),
    ("java/lang/Object", "notifyAll", "*", nothing),
    ("java/lang/Object", "wait", "(J)V", wait),
    ("java/lang/Double", "longBitsToDouble", "*", bits_to_double),
    ("java/lang/Runtime", "availableProcessors", "*", |_, _| {
        Ok(1)
    }),
    ("java/lang/Runtime", "freeMemory", "*", |vm, _| {
        Ok((vm.limits.heap / 2) as u64)
    }),
    ("java/lang/Runtime", "totalMemory", "*", |vm, _| {
        Ok(vm.limits.heap as u64)
    }),
    ("java/lang/Runtime", "maxMemory", "*", |vm, _| {
        Ok(vm.limits.heap as u64)
    }),
    ("java/lang/Runtime", "gc", "*", nothing),
    ("java/lang/Runtime", "addShutdownHook", "*", nothing),
    ("java/lang/Shutdown", "exit", "*", exit),
    ("java/lang/Shutdown", "halt", "*", exit),
    ("java/lang/Runtime", "exit", "*", |vm, args| {
        exit(vm, &args[1..])
    }),
    ("java/lang/Runtime", "halt", "*", |vm, args| {
        exit(vm, &args[1..])
    }),
    ("java/lang/Runtime", "loadLibrary0", "*", nothing),
    ("java/lang/ref/Reference", "refersTo0", "*", refers_to),
    (
        "java/lang/ref/PhantomReference",
        "refersTo0",
        "*",
        refers_to,
    ),
    ("java/lang/ref/Reference", "clear0", "*", clear_reference),
    (
        "java/lang/ref/PhantomReference",
        "clear0",
        "*",
        clear_reference,
    ),
    (
        "java/lang/ref/Reference",
        "hasReferencePendingList",
        "*",
        nothing,
    ),
    ("java/lang/ref/Finalizer", "register", "*", nothing),
    (
        "java/lang/ref/Finalizer",
        "isFinalizationEnabled",
        "*",
        nothing,
    ),
    ("java/lang/Class", "desiredAssertionStatus0", "*", nothing),
    (
        "java/util/concurrent/atomic/AtomicLong",
        "VMSupportsCS8",
        "*",
        super::yes,
    ),
    ("java/lang/Class", "desiredAssertionStatus", "*", assertions),
];

pub(super) const LIFTED: &[Entry] = &[
    ("java/lang/Object", "getClass", "*", get_class),
    ("java/lang/Object", "<init>", "()V", nothing),
    ("java/lang/Float", "floatToRawIntBits", "*", |_, args| {
        Ok(args[0])
    }),
    ("java/lang/Float", "intBitsToFloat", "*", |_, args| {
        Ok(args[0])
    }),
    ("java/lang/Double", "doubleToRawLongBits", "*", |_, args| {
        Ok(args[0])
    }),
    ("java/lang/ref/Reference", "reachabilityFence", "*", nothing),
];

/// Assertions are on for the program's classes, as test runners have it.
fn assertions(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[0])?;
    Ok(u64::from(!vm.classes[class as usize].boot && vm.assertions))
}

fn get_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.not_null(args[0])?;
    let mut result = None;
    for (cond, object) in vm.leaves(args[0])? {
        let mirror = u64::from(vm.mirror(vm.class_of(as_ref(object)))?);
        result = Some(match result {
            None => mirror,
            Some(before) => vm.select_slot(cond, mirror, before)?,
        });
    }
    Ok(result.unwrap_or(0))
}

fn identity_hash(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    match as_ref(args[0]) {
        0 => Ok(0),
        object => Ok(int(vm.heap.identity_hash(object))),
    }
}

fn bits_to_double(_: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(double(as_double(args[0])))
}

fn wait(_: &mut Vm, _: &[Slot]) -> Step<Slot> {
    Err(Trap::unknown(
        "Object.wait: threads run to their end one after the other, so waiting would be endless",
    ))
}

fn clone(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let object = as_ref(args[0]);
    let class = vm.class_of(object);
    if let Shape::Array { kind, .. } = vm.classes[class as usize].shape {
        let length = vm.heap.length(object);
        let copy = vm.new_array(class, length)?;
        if vm.heap.is_conditional(object) {
            for index in 0..length {
                let element = vm.heap.element(kind, object, index);
                vm.heap.set_element(kind, copy, index, element);
            }
        } else {
            vm.heap.copy_elements(kind, (object, 0), (copy, 0), length);
        }
        return Ok(u64::from(copy));
    }
    if !vm.is_subclass(class, vm.known.cloneable) {
        return Err(Trap::new(
            "java/lang/CloneNotSupportedException",
            vm.java_name(class),
        ));
    }
    let copy = vm.new_object(class)?;
    for offset in HEADER..vm.classes[class as usize].instance_words {
        let value = vm.heap.field(object, offset);
        vm.heap.set_field(copy, offset, value);
    }
    Ok(u64::from(copy))
}

fn exit(_: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Err(Trap::Exit(args[0] as i32))
}

fn referent(vm: &Vm, reference: Slot) -> Slot {
    vm.get_named(as_ref(reference), "referent").unwrap_or(0)
}

fn refers_to(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let referent = vm.plain(referent(vm, args[0]))?;
    Ok(u64::from(referent == args[1]))
}

fn clear_reference(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.set_named(as_ref(args[0]), "referent", 0)?;
    Ok(0)
}
