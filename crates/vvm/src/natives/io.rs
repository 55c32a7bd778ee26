//! Standard streams; files and sockets are refused.

use super::{Entry, nothing};
use crate::output::Stream;
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot, as_int, as_ref, int};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/io/FileDescriptor", "getHandle", "*", |_, _| {
        Ok(u64::MAX)
    }),
    ("java/io/FileDescriptor", "getAppend", "*", nothing),
    ("java/io/FileDescriptor", "close0", "*", nothing),
    ("java/io/FileOutputStream", "writeBytes", "*", write_bytes),
    ("java/io/FileOutputStream", "write", "(IZ)V", write_byte),
    ("java/io/FileInputStream", "readBytes", "*", read_bytes),
    ("java/io/FileInputStream", "read0", "*", read_byte),
    ("java/io/FileInputStream", "available0", "*", |vm, args| {
        Ok(remaining(vm, args[0])?.min(i32::MAX as u64))
    }),
    ("java/io/FileInputStream", "length0", "*", |vm, args| {
        Ok(open_file(vm, args[0])?.map_or(0, |file| vm.files[file].0.len() as u64))
    }),
    ("java/io/FileInputStream", "position0", "*", |vm, args| {
        Ok(open_file(vm, args[0])?.map_or(0, |file| vm.files[file].1 as u64))
    }),
    ("java/io/FileInputStream", "isRegularFile0", "*", super::yes),
    ("java/io/FileInputStream", "open0", "*", open_jdk_file),
    ("java/io/FileOutputStream", "open0", "*", refuse_file),
    ("java/io/RandomAccessFile", "open0", "*", refuse_file),
    (
        "java/io/UnixFileSystem",
        "getBooleanAttributes0",
        "*",
        attributes,
    ),
    ("java/io/UnixFileSystem", "checkAccess", "*", check_access),
    ("java/io/UnixFileSystem", "checkAccess0", "*", check_access),
    ("java/io/UnixFileSystem", "canonicalize0", "*", |_, args| {
        Ok(args[1])
    }),
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

/// The system's sources of random bytes, which stand for any bytes: here always the same ones.
const ENTROPY: [&str; 2] = ["/dev/random", "/dev/urandom"];

/// Enough for every seed of a run.
fn entropy() -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..1 << 16).map(|_| next()).collect()
}

/// Whether the program may read or write a file: the JDK's own and entropy may be read.
fn check_access(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const READ: i32 = 4;
    let exists = attributes(vm, args)? != 0;
    Ok(u64::from(exists && as_int(args[2]) == READ))
}

/// Whether a file of the JDK exists and is a folder; for all others the answer would be made up.
fn attributes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const EXISTS_REGULAR_FOLDER: [u64; 3] = [1, 2, 4];
    let file = as_ref(args[1]);
    let path = if file == 0 {
        0
    } else {
        vm.get_named(file, "path").unwrap_or(0)
    };
    let path = if path == 0 {
        String::new()
    } else {
        vm.string(path)?
    };
    let inside = path.strip_prefix(vm.java_home.as_str());
    let inside = inside.map(|rest| rest.trim_start_matches('/').to_owned());
    match (inside, &vm.jdk_home) {
        _ if ENTROPY.contains(&path.as_str()) => Ok(1),
        (Some(inside), Some(home)) if !inside.contains("..") => {
            let [exists, regular, folder] = EXISTS_REGULAR_FOLDER;
            Ok(match std::fs::metadata(home.join(inside)) {
                Ok(found) if found.is_dir() => exists | folder,
                Ok(_) => exists | regular,
                Err(_) => 0,
            })
        }
        _ => Err(Trap::unknown(format!("files are not supported ({path})"))),
    }
}

/// File descriptors of the VM's own read-only files start here.
const FIRST_FILE: i32 = 100;

/// Files of the JDK (time zones, …) can be read; all others are refused.
fn open_jdk_file(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = if args[1] == 0 {
        String::new()
    } else {
        vm.string(args[1])?
    };
    let inside = path
        .strip_prefix(vm.java_home.as_str())
        .map(|rest| rest.trim_start_matches('/').to_owned());
    let bytes = match (inside, &vm.jdk_home) {
        _ if ENTROPY.contains(&path.as_str()) => Some(entropy()),
        (Some(inside), Some(home)) if !inside.contains("..") => {
            std::fs::read(home.join(inside)).ok()
        }
        _ => None,
    };
    let Some(bytes) = bytes else {
        return refuse_file(vm, args);
    };
    let number = FIRST_FILE + vm.files.len() as i32;
    let ctx = vm.ctx;
    vm.files.push((bytes, 0, ctx));
    let descriptor = vm.get_named(as_ref(args[0]), "fd").unwrap_or(0);
    let descriptor = vm.plain_ref(descriptor)?;
    vm.set_named(descriptor, "fd", int(number))?;
    Ok(0)
}

/// The VM's file behind a stream; `None` for standard input, which is empty.
fn open_file(vm: &mut Vm, stream: Slot) -> Step<Option<usize>> {
    let descriptor = vm.get_named(as_ref(stream), "fd").unwrap_or(0);
    let descriptor = vm.plain_ref(descriptor)?;
    if descriptor == 0 {
        return Ok(None);
    }
    let number = vm.get_named(descriptor, "fd").unwrap_or(0);
    let number = as_int(vm.plain(number)?);
    let file = usize::try_from(number - FIRST_FILE)
        .ok()
        .filter(|&file| file < vm.files.len());
    if let Some(file) = file
        && vm.files[file].2 != vm.ctx
    {
        return Err(Trap::unknown(
            "a file is read in another context than it was opened in",
        ));
    }
    Ok(file)
}

fn remaining(vm: &mut Vm, stream: Slot) -> Step<u64> {
    Ok(open_file(vm, stream)?.map_or(0, |file| (vm.files[file].0.len() - vm.files[file].1) as u64))
}

fn read_bytes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let left = remaining(vm, args[0])? as usize;
    let (array, from, count) = (
        as_ref(args[1]),
        as_int(args[2]) as usize,
        as_int(args[3]) as usize,
    );
    let Some(file) = open_file(vm, args[0])?.filter(|_| left > 0) else {
        return Ok(int(-1));
    };
    let count = count.min(left);
    let at = vm.files[file].1;
    let part = vm.files[file].0[at..at + count].to_vec();
    if from + count > vm.heap.length(array) as usize {
        return Err(Trap::New("java/lang/IndexOutOfBoundsException", None));
    }
    for (index, &byte) in part.iter().enumerate() {
        let value = int(i32::from(byte as i8));
        vm.store_element(
            crate::value::Kind::Byte,
            array,
            (from + index) as u32,
            value,
        )?;
    }
    vm.files[file].1 += count;
    Ok(int(count as i32))
}

fn read_byte(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let left = remaining(vm, args[0])?;
    let Some(file) = open_file(vm, args[0])?.filter(|_| left > 0) else {
        return Ok(int(-1));
    };
    let byte = vm.files[file].0[vm.files[file].1];
    vm.files[file].1 += 1;
    Ok(u64::from(byte))
}

fn refuse_file(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = if args[1] == 0 {
        String::new()
    } else {
        vm.string(args[1])?
    };
    Err(Trap::unknown(format!(
        "files are not supported (opening {path})"
    )))
}

fn stream_of(vm: &mut Vm, stream: Slot) -> Step<Option<Stream>> {
    let descriptor = vm.get_named(as_ref(stream), "fd").unwrap_or(0);
    let descriptor = vm.plain_ref(descriptor)?;
    if descriptor == 0 {
        return Ok(None);
    }
    let number = vm.get_named(descriptor, "fd").unwrap_or(0);
    Ok(match as_int(vm.plain(number)?) {
        1 => Some(Stream::Out),
        2 => Some(Stream::Err),
        _ => None,
    })
}

fn write_bytes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let Some(stream) = stream_of(vm, args[0])? else {
        return Err(Trap::unknown("files are not supported (writing)"));
    };
    let bytes = vm.plain_bytes(as_ref(args[1]))?;
    let (from, count) = (as_int(args[2]) as usize, as_int(args[3]) as usize);
    let Some(part) = bytes.get(from..from + count) else {
        return Err(Trap::New("java/lang/IndexOutOfBoundsException", None));
    };
    let ctx = vm.ctx;
    vm.output.write(ctx, stream, part);
    Ok(0)
}

fn write_byte(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let Some(stream) = stream_of(vm, args[0])? else {
        return Err(Trap::unknown("files are not supported (writing)"));
    };
    let ctx = vm.ctx;
    vm.output.write(ctx, stream, &[args[1] as u8]);
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
