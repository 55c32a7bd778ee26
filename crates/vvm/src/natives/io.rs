//! Standard streams.

use super::file::{range, write_stream};
use super::{Entry, nothing};
use crate::output::Stream;
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot, as_ref};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/io/FileDescriptor", "getHandle", "*", |_, _| {
        Ok(u64::MAX)
    }),
    ("java/io/FileDescriptor", "getAppend", "*", nothing),
    ("java/io/FileOutputStream", "writeBytes", "*", write_bytes),
    ("java/io/FileOutputStream", "write", "(IZ)V", write_byte),
];

pub(super) const LIFTED: &[Entry] = &[
    (
        "java/io/PrintStream",
        "write",
        "(Ljava/lang/String;)V",
        print_string,
    ),
    (
        "java/io/PrintStream",
        "writeln",
        "(Ljava/lang/String;)V",
        print_line,
    ),
    (
        "java/io/PrintStream",
        "implWrite",
        "(Ljava/lang/String;)V",
        print_string,
    ),
    (
        "java/io/PrintStream",
        "implWriteln",
        "(Ljava/lang/String;)V",
        print_line,
    ),
    ("java/io/PrintStream", "newLine", "()V", new_line),
    ("java/io/PrintStream", "implNewLine", "()V", new_line),
];

/// The standard stream behind a `FileOutputStream`.
fn stream_of(vm: &mut Vm, stream: Slot) -> Step<Option<Stream>> {
    Ok(match vm.stream_number(stream)? {
        1 => Some(Stream::Out),
        2 => Some(Stream::Err),
        _ => None,
    })
}

fn write_bytes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let part = range(vm, as_ref(args[1]), args[2], args[3])?;
    write(vm, args[0], &part)
}

fn write_byte(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    write(vm, args[0], &[args[1] as u8])
}

fn write(vm: &mut Vm, stream: Slot, bytes: &[u8]) -> Step<Slot> {
    let Some(standard) = stream_of(vm, stream)? else {
        return write_stream(vm, stream, bytes);
    };
    let ctx = vm.ctx;
    vm.output.write(ctx, standard, bytes);
    Ok(0)
}

/// The VM's own standard stream behind a `PrintStream`, or `None` for one of the program's.
fn standard(vm: &mut Vm, stream: Slot) -> Step<Option<Stream>> {
    let stream = vm.plain_ref(stream)?;
    Ok(if stream == vm.kept.out {
        Some(Stream::Out)
    } else if stream == vm.kept.err {
        Some(Stream::Err)
    } else {
        None
    })
}

/// Runs the bytecode that a replacement stands for.
fn original(vm: &mut Vm, name: &str, descriptor: &str, args: &[Slot]) -> Step<Slot> {
    let method = vm.original_method("java/io/PrintStream", name, descriptor)?;
    Err(Trap::Tail(method, args.to_vec()))
}

fn print(vm: &mut Vm, name: &str, args: &[Slot], end: &[u8]) -> Step<Slot> {
    let Some(stream) = standard(vm, args[0])? else {
        let name = if vm.java_version >= 19 {
            format!("impl{}{}", name[..1].to_uppercase(), &name[1..])
        } else {
            name.to_owned()
        };
        return original(vm, &name, "(Ljava/lang/String;)V", args);
    };
    // Each leaf is written in its own part of the context; the leaves are disjoint, so order does not matter.
    let mut pieces = Vec::new();
    for (cond, string) in vm.leaves(args[1])? {
        let ctx = std::mem::replace(&mut vm.ctx, cond);
        let text = encoded(vm, as_ref(string));
        vm.ctx = ctx;
        pieces.push((cond, text?));
    }
    for (cond, mut bytes) in pieces {
        bytes.extend_from_slice(end);
        vm.output.write(cond, stream, &bytes);
    }
    Ok(0)
}

fn encoded(vm: &mut Vm, string: Ref) -> Step<Vec<u8>> {
    let units = vm.utf16(string)?;
    let mut text = String::with_capacity(units.len());
    for unit in char::decode_utf16(units) {
        text.push(unit.unwrap_or('?'));
    }
    Ok(text.into_bytes())
}

fn print_string(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    print(vm, "write", args, b"")
}

fn print_line(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    print(vm, "writeln", args, b"\n")
}

fn new_line(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let Some(stream) = standard(vm, args[0])? else {
        let name = if vm.java_version >= 19 {
            "implNewLine"
        } else {
            "newLine"
        };
        return original(vm, name, "()V", args);
    };
    let ctx = vm.ctx;
    vm.output.write(ctx, stream, b"\n");
    Ok(0)
}
