//! Threads: one at a time, each run to its end when it is started.

use super::{Entry, nothing};
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_ref};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/lang/ref/Reference$1", "startThreads", "*", nothing),
    ("java/lang/Thread", "currentThread", "*", |vm, _| {
        Ok(u64::from(vm.kept.thread))
    }),
    ("java/lang/Thread", "currentCarrierThread", "*", |vm, _| {
        Ok(u64::from(vm.kept.thread))
    }),
    ("java/lang/Thread", "findScopedValueBindings", "*", nothing),
    ("java/lang/Thread", "getNextThreadIdOffset", "*", nothing),
    ("java/lang/Thread", "scopedValueCache", "*", nothing),
    ("java/lang/Thread", "setScopedValueCache", "*", nothing),
    (
        "java/lang/Thread$ThreadIdentifiers",
        "next",
        "*",
        next_number,
    ),
    ("java/lang/Thread", "isAlive", "*", is_alive),
    ("java/lang/Thread", "holdsLock", "*", |_, _| {
        Err(Trap::unknown("Thread.holdsLock is not supported"))
    }),
    ("java/lang/Thread", "setPriority0", "*", nothing),
    ("java/lang/Thread", "setNativeName", "*", nothing),
    ("java/lang/Thread", "interrupt0", "*", nothing),
    ("java/lang/Thread", "clearInterruptEvent", "*", nothing),
    ("java/lang/Thread", "yield", "*", nothing),
    ("java/lang/Thread", "yield0", "*", nothing),
    ("java/lang/Thread", "sleep", "(J)V", sleep),
    ("java/lang/Thread", "sleep0", "*", sleep_nanos),
    ("java/lang/Thread", "sleepNanos0", "*", sleep_nanos),
    ("java/lang/Thread", "start0", "*", start),
    ("java/lang/Thread", "join", "(J)V", nothing),
];

fn is_alive(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(u64::from(as_ref(args[0]) == vm.kept.thread))
}

fn sleep(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    if (args[0] as i64) < 0 {
        let why = "timeout value is negative";
        return Err(Trap::new("java/lang/IllegalArgumentException", why));
    }
    sleep_nanos(vm, &[args[0].saturating_mul(1_000_000)])
}

fn sleep_nanos(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.clock = vm.clock.saturating_add(args[0]);
    Ok(0)
}

/// The number of a new thread: the VM's own has 1, the next ones are service threads of HotSpot.
fn next_number(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    const SERVICE_THREADS: u64 = 20;
    vm.kept.threads += 1;
    Ok(SERVICE_THREADS + vm.kept.threads)
}

/// Runs the thread to its end. The JDK's own service threads are not run.
fn start(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let thread = as_ref(args[0]);
    let class = vm.class_of(thread);
    let name = vm.java_name(class);
    if name.starts_with("java.lang.ref.") || name.starts_with("jdk.internal.") {
        return Ok(0);
    }
    Err(Trap::unknown("threads are not supported (Thread.start)"))
}
