//! `java.nio`: paths and channels, on the VM's [files](crate::files), and memory outside the heap.
//!
//! Strings come as addresses of bytes that end with a zero. Errors are a `UnixException` with the system's number.

use super::file::{io_error, message};
use super::unsafe_access::{bytes_at, store_at};
use super::{Entry, nothing};
use crate::files::{Errno, Look, Mode, NOT_FOUND};
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_int, as_ref, boolean, int};
use crate::vm::Vm;
use std::path::PathBuf;

const PATHS: &str = "sun/nio/fs/UnixNativeDispatcher";
const CHANNELS: [&str; 2] = [
    "sun/nio/ch/FileDispatcherImpl",
    "sun/nio/ch/UnixFileDispatcherImpl",
];

/// `IOStatus.UNSUPPORTED`, as a `long`.
const UNSUPPORTED: u64 = -4_i64 as u64;

/// When every file was last changed.
pub(super) const MODIFIED_SECONDS: u64 = 1_600_000_000;

pub(super) const NATIVES: &[Entry] = &[
    (PATHS, "init", "*", nothing),
    ("sun/nio/fs/LinuxNativeDispatcher", "init", "*", nothing),
    (PATHS, "getcwd", "*", current_folder),
    (PATHS, "open0", "*", open),
    (PATHS, "close0", "*", |vm, args| {
        close_number(vm, as_int(args[0]))
    }),
    (PATHS, "close", "(I)V", |vm, args| {
        close_number(vm, as_int(args[0]))
    }),
    (PATHS, "unlink0", "*", delete),
    (PATHS, "rmdir0", "*", delete),
    (PATHS, "mkdir0", "*", make_folder),
    (PATHS, "rename0", "*", rename),
    (PATHS, "realpath0", "*", real_path),
    (PATHS, "stat0", "*", stat),
    (PATHS, "lstat0", "*", stat_or_throw),
    (PATHS, "stat1", "*", mode_of),
    (PATHS, "fstat", "*", stat_open),
    (PATHS, "fstat0", "*", stat_open),
    (PATHS, "access0", "*", access),
    (PATHS, "exists0", "*", |vm, args| {
        Ok(boolean(look(vm, args[0])?.is_some()))
    }),
    (PATHS, "opendir0", "*", open_listing),
    (PATHS, "readdir", "*", next_name),
    (PATHS, "readdir0", "*", next_name),
    (PATHS, "closedir", "*", nothing),
    (PATHS, "strerror", "*", |vm, args| {
        bytes(vm, message(as_int(args[0])))
    }),
    ("sun/nio/fs/UnixCopyFile", "transfer", "*", transfer),
    ("sun/nio/fs/UnixFileSystem", "bufferedCopy0", "*", transfer),
    (
        "sun/nio/fs/UnixFileSystem",
        "temporaryBufferSize",
        "*",
        |_, _| Ok(16384),
    ),
    // "Not supported here": the JDK then copies by way of a buffer.
    (
        "sun/nio/fs/LinuxNativeDispatcher",
        "posix_fadvise",
        "*",
        nothing,
    ),
    (
        "sun/nio/fs/LinuxNativeDispatcher",
        "directCopy0",
        "*",
        |_, _| Ok(int(-4)),
    ),
    ("sun/nio/ch/IOUtil", "initIDs", "*", nothing),
    ("sun/nio/ch/IOUtil", "iovMax", "*", |_, _| Ok(16)),
    ("sun/nio/ch/IOUtil", "writevMax", "*", |_, _| {
        Ok(i32::MAX as u64)
    }),
    ("sun/nio/ch/IOUtil", "fdLimit", "*", |_, _| Ok(1024)),
    ("sun/nio/ch/IOUtil", "fdVal", "*", |vm, args| {
        Ok(int(vm.descriptor_number(args[0])?))
    }),
    ("sun/nio/ch/IOUtil", "setfdVal", "*", |vm, args| {
        vm.set_named(as_ref(args[0]), "fd", args[1])?;
        Ok(0)
    }),
    ("sun/nio/ch/NativeThread", "init", "*", nothing),
    ("sun/nio/ch/NativeThread", "current", "*", super::yes),
    ("sun/nio/ch/NativeThread", "current0", "*", super::yes),
    ("sun/nio/ch/FileChannelImpl", "initIDs", "*", |_, _| {
        Ok(4096)
    }),
    (
        "sun/nio/ch/FileChannelImpl",
        "maxDirectTransferSize0",
        "*",
        |_, _| Ok(i32::MAX as u64),
    ),
    // "Not supported on this file": the JDK then copies by itself.
    (
        "sun/nio/ch/FileChannelImpl",
        "transferToTrustedChannel",
        "*",
        |_, _| Ok(UNSUPPORTED),
    ),
    (
        "sun/nio/ch/FileChannelImpl",
        "transferFromFileChannel",
        "*",
        transfer_from,
    ),
    ("sun/nio/ch/FileChannelImpl", "transferTo0", "*", |_, _| {
        Ok(UNSUPPORTED)
    }),
    (
        "sun/nio/ch/FileDispatcherImpl",
        "transferTo0",
        "*",
        |_, _| Ok(UNSUPPORTED),
    ),
    (
        "sun/nio/ch/FileDispatcherImpl",
        "transferFrom0",
        "*",
        |_, _| Ok(UNSUPPORTED),
    ),
    (CHANNELS[0], "init", "*", nothing),
    (CHANNELS[0], "init0", "*", nothing),
    (CHANNELS[0], "read0", "*", read),
    (CHANNELS[0], "pread0", "*", read),
    (CHANNELS[0], "write0", "*", write),
    (CHANNELS[0], "pwrite0", "*", write),
    (CHANNELS[0], "seek0", "*", seek),
    (CHANNELS[0], "size0", "*", size),
    (CHANNELS[0], "truncate0", "*", truncate),
    (CHANNELS[0], "force0", "*", nothing),
    (CHANNELS[0], "close0", "*", close),
    (CHANNELS[0], "preClose0", "*", nothing),
    (CHANNELS[0], "closeIntFD", "*", |vm, args| {
        close_number(vm, as_int(args[0]))
    }),
    (CHANNELS[1], "init", "*", nothing),
    (CHANNELS[1], "init0", "*", nothing),
    (CHANNELS[1], "allocationGranularity0", "*", |_, _| Ok(4096)),
    (CHANNELS[1], "read0", "*", read),
    (CHANNELS[1], "pread0", "*", read),
    (CHANNELS[1], "write0", "*", write),
    (CHANNELS[1], "pwrite0", "*", write),
    (CHANNELS[1], "seek0", "*", seek),
    (CHANNELS[1], "size0", "*", size),
    (CHANNELS[1], "available0", "*", available),
    (CHANNELS[1], "isOther0", "*", nothing),
    (CHANNELS[1], "truncate0", "*", truncate),
    (CHANNELS[1], "force0", "*", nothing),
    (CHANNELS[1], "closeIntFD", "*", |vm, args| {
        close_number(vm, as_int(args[0]))
    }),
];

fn unix_error(vm: &mut Vm, errno: Errno) -> Trap {
    let made = vm.load("sun/nio/fs/UnixException").and_then(|class| {
        vm.ensure_init(class)?;
        vm.construct(class, "(I)V", &[int(errno)])
    });
    made.map_or_else(|trap| trap, |object| Trap::Throw(u64::from(object)))
}

fn bytes(vm: &mut Vm, text: &str) -> Step<Slot> {
    let array = vm.new_array(vm.known.byte_array, text.len() as u32)?;
    vm.heap
        .byte_elements_mut(array)
        .copy_from_slice(text.as_bytes());
    Ok(u64::from(array))
}

fn path_at(vm: &mut Vm, address: Slot) -> Step<PathBuf> {
    let mut text = Vec::new();
    loop {
        let byte = bytes_at(vm, address + text.len() as u64, 1)?[0];
        if byte == 0 {
            break;
        }
        text.push(byte);
    }
    Ok(vm.files.absolute(&String::from_utf8_lossy(&text)))
}

fn look(vm: &mut Vm, address: Slot) -> Step<Option<Look>> {
    let path = path_at(vm, address)?;
    Ok(vm.files.look(&path))
}

fn current_folder(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    let text = vm.files.folder.to_string_lossy().into_owned();
    bytes(vm, &text)
}

fn open(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const WRITE: i32 = 0o3;
    const CREATE: i32 = 0o100;
    const EXCLUSIVE: i32 = 0o200;
    const TRUNCATE: i32 = 0o1000;
    const APPEND: i32 = 0o2000;
    let flags = as_int(args[1]);
    let has = |flag: i32| flags & flag != 0;
    let mode = Mode {
        write: has(WRITE),
        create: has(CREATE),
        exclusive: has(EXCLUSIVE),
        truncate: has(TRUNCATE),
        append: has(APPEND),
    };
    if mode.write {
        vm.may_change_files()?;
    }
    let path = path_at(vm, args[0])?;
    let ctx = vm.ctx;
    match vm.files.open(&path, mode, ctx) {
        Ok(number) => Ok(int(number)),
        Err(errno) => Err(unix_error(vm, errno)),
    }
}

fn close_number(vm: &mut Vm, number: i32) -> Step<Slot> {
    vm.may_use_file(number)?;
    vm.files.close(number);
    Ok(0)
}

fn close(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    close_number(vm, number)
}

/// Copies what is left of one open file to another.
fn transfer(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (to, from) = (as_int(args[0]), as_int(args[1]));
    vm.may_change_files()?;
    vm.may_use_file(to)?;
    vm.may_use_file(from)?;
    let bytes = vm
        .files
        .read(from, None, usize::MAX / 2)
        .map_err(io_error)?;
    vm.files.write(to, None, &bytes).map_err(io_error)?;
    Ok(0)
}

fn changed(vm: &mut Vm, result: Result<(), Errno>) -> Step<Slot> {
    match result {
        Ok(()) => Ok(0),
        Err(errno) => Err(unix_error(vm, errno)),
    }
}

fn delete(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.may_change_files()?;
    let path = path_at(vm, args[0])?;
    let result = vm.files.delete(&path);
    changed(vm, result)
}

fn make_folder(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.may_change_files()?;
    let path = path_at(vm, args[0])?;
    let result = vm.files.make_folder(&path);
    changed(vm, result)
}

fn rename(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.may_change_files()?;
    let (from, to) = (path_at(vm, args[0])?, path_at(vm, args[1])?);
    if vm.files.look(&from) == Some(Look::Folder) {
        return Err(Trap::unknown("files are not supported (moving a folder)"));
    }
    let result = vm.files.rename(&from, &to);
    changed(vm, result)
}

fn real_path(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = path_at(vm, args[0])?;
    if vm.files.look(&path).is_none() {
        return Err(unix_error(vm, NOT_FOUND));
    }
    bytes(vm, &path.to_string_lossy())
}

/// The mode bits of what was found.
fn mode(found: Look) -> i32 {
    match found {
        Look::File(_) => 0o100_644,
        Look::Folder => 0o040_755,
    }
}

fn fill(vm: &mut Vm, attributes: Slot, path: &std::path::Path, found: Look) -> Step<Slot> {
    use std::hash::{BuildHasher, BuildHasherDefault};
    let hasher = BuildHasherDefault::<rustc_hash::FxHasher>::default();
    let number = hasher.hash_one(path) >> 16;
    let size = match found {
        Look::File(size) => size,
        Look::Folder => 4096,
    };
    let object = as_ref(attributes);
    for (name, value) in [
        ("st_mode", int(mode(found))),
        ("st_ino", number),
        ("st_dev", 1),
        ("st_nlink", 1),
        ("st_size", size),
        ("st_atime_sec", MODIFIED_SECONDS),
        ("st_mtime_sec", MODIFIED_SECONDS),
        ("st_ctime_sec", MODIFIED_SECONDS),
    ] {
        vm.set_named(object, name, value)?;
    }
    Ok(0)
}

/// Where there is no such file: before JDK 21 an exception, since then the number of the error.
fn stat(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    if vm.java_version >= 21 && look(vm, args[0])?.is_none() {
        return Ok(int(NOT_FOUND));
    }
    stat_or_throw(vm, args)
}

fn stat_or_throw(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = path_at(vm, args[0])?;
    match vm.files.look(&path) {
        Some(found) => fill(vm, args[1], &path, found),
        None => Err(unix_error(vm, NOT_FOUND)),
    }
}

fn mode_of(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(int(look(vm, args[0])?.map_or(0, mode)))
}

fn stat_open(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = as_int(args[0]);
    let path = vm.files.path(number).map_err(io_error)?;
    let size = vm.files.size(number).map_err(io_error)?;
    fill(vm, args[1], &path, Look::File(size))
}

fn access(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let errno = match look(vm, args[0])? {
        Some(_) => return Ok(0),
        None => NOT_FOUND,
    };
    if vm.java_version >= 21 {
        return Ok(int(errno));
    }
    Err(unix_error(vm, errno))
}

fn open_listing(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = path_at(vm, args[0])?;
    match vm.files.list(&path) {
        Ok(listing) => Ok(listing as u64),
        Err(errno) => Err(unix_error(vm, errno)),
    }
}

fn next_name(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    match vm.files.next_name(args[0] as usize) {
        Some(name) => bytes(vm, &name),
        None => Ok(0),
    }
}

/// `read0(descriptor, address, count)` or `pread0`, with the place at the end.
fn read(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const END: i32 = -1;
    let number = vm.descriptor_number(args[0])?;
    let count = as_int(args[2]) as usize;
    vm.may_use_file(number)?;
    let place = args.get(3).copied();
    let part = vm.files.read(number, place, count).map_err(io_error)?;
    if part.is_empty() && count > 0 {
        return Ok(int(END));
    }
    store_at(vm, args[1], &part)?;
    Ok(int(part.len() as i32))
}

/// `write0(descriptor, address, count)` or `pwrite0`, with the place at the end.
fn write(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    let part = bytes_at(vm, args[1], as_int(args[2]) as usize)?;
    if number == 1 || number == 2 {
        let stream = match number {
            1 => crate::output::Stream::Out,
            _ => crate::output::Stream::Err,
        };
        let ctx = vm.ctx;
        vm.output.write(ctx, stream, &part);
        return Ok(int(part.len() as i32));
    }
    vm.may_change_files()?;
    vm.may_use_file(number)?;
    let place = args.get(3).copied();
    vm.files.write(number, place, &part).map_err(io_error)?;
    Ok(int(part.len() as i32))
}

/// Moves the position, or tells it when the new one is negative.
fn seek(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    vm.may_use_file(number)?;
    let to = u64::try_from(args[1] as i64).ok();
    vm.files.position(number, to).map_err(io_error)
}

fn size(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    vm.files.size(number).map_err(io_error)
}

/// Reads and writes instead of mapping the source.
fn transfer_from(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.load("sun/nio/ch/FileChannelImpl")?;
    let descriptor = "(Ljava/nio/channels/ReadableByteChannel;JJ)J";
    let method = vm.method_of(class, "transferFromArbitraryChannel", descriptor)?;
    vm.call_value(method, args)
}

fn available(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    vm.may_use_file(number)?;
    let at = vm.files.position(number, None).map_err(io_error)?;
    let size = vm.files.size(number).map_err(io_error)?;
    Ok(size.saturating_sub(at).min(i32::MAX as u64))
}

fn truncate(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    vm.may_change_files()?;
    vm.may_use_file(number)?;
    vm.files.resize(number, args[1]).map_err(io_error)?;
    Ok(0)
}
