//! `java.io`: paths, streams and random access files, on the VM's [files](crate::files).

use super::Entry;
use crate::files::{EXISTS, Errno, IS_FOLDER, Look, Mode, NO_FOLDER, NOT_EMPTY, NOT_FOUND};
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_int, as_ref, boolean, int};
use crate::vm::Vm;
use std::path::PathBuf;

const SYSTEM: &str = "java/io/UnixFileSystem";
const INPUT: &str = "java/io/FileInputStream";
const OUTPUT: &str = "java/io/FileOutputStream";
const RANDOM: &str = "java/io/RandomAccessFile";

pub(super) const NATIVES: &[Entry] = &[
    (SYSTEM, "getBooleanAttributes0", "*", attributes),
    (SYSTEM, "checkAccess", "*", check_access),
    (SYSTEM, "checkAccess0", "*", check_access),
    (SYSTEM, "canonicalize0", "*", canonical),
    (SYSTEM, "getLength", "*", length),
    (SYSTEM, "getLength0", "*", length),
    (SYSTEM, "getLastModifiedTime", "*", last_modified),
    (SYSTEM, "getLastModifiedTime0", "*", last_modified),
    (SYSTEM, "createFileExclusively", "*", create_file),
    (SYSTEM, "createFileExclusively0", "*", create_file),
    (SYSTEM, "delete0", "*", |vm, args| {
        change_path(vm, args[1], |vm, path| vm.files.delete(&path))
    }),
    (SYSTEM, "createDirectory", "*", make_folder),
    (SYSTEM, "createDirectory0", "*", make_folder),
    (SYSTEM, "rename0", "*", rename),
    (SYSTEM, "setPermission", "*", set_permission),
    (SYSTEM, "setPermission0", "*", set_permission),
    (SYSTEM, "list", "*", list),
    (SYSTEM, "list0", "*", list),
    (INPUT, "open0", "*", |vm, args| {
        open_stream(vm, args, Mode::default())
    }),
    (INPUT, "readBytes", "*", read_bytes),
    (INPUT, "read0", "*", read_byte),
    (INPUT, "available0", "*", available),
    (INPUT, "skip0", "*", skip),
    (INPUT, "length0", "*", stream_length),
    (INPUT, "position0", "*", position),
    (INPUT, "isRegularFile0", "*", super::yes),
    (OUTPUT, "open0", "*", open_output),
    (RANDOM, "open0", "*", open_random),
    (RANDOM, "read0", "*", read_byte),
    (RANDOM, "readBytes", "*", read_bytes),
    (RANDOM, "readBytes0", "*", read_bytes),
    (RANDOM, "write0", "*", |vm, args| {
        write_stream(vm, args[0], &[args[1] as u8])
    }),
    (RANDOM, "writeBytes", "*", write_range),
    (RANDOM, "writeBytes0", "*", write_range),
    (RANDOM, "getFilePointer", "*", position),
    (RANDOM, "seek0", "*", seek),
    (RANDOM, "length", "*", stream_length),
    (RANDOM, "length0", "*", stream_length),
    (RANDOM, "setLength", "*", set_length),
    (RANDOM, "setLength0", "*", set_length),
    ("java/io/FileDescriptor", "close0", "*", close),
    ("java/io/FileDescriptor", "sync", "*", super::nothing),
    ("java/io/FileDescriptor", "sync0", "*", super::nothing),
    ("java/io/FileCleanable", "cleanupClose0", "*", |vm, args| {
        vm.files.close(as_int(args[0]));
        Ok(0)
    }),
];

/// What the operating system would say.
pub(super) fn message(errno: Errno) -> &'static str {
    match errno {
        NOT_FOUND => "No such file or directory",
        EXISTS => "File exists",
        NO_FOLDER => "Not a directory",
        IS_FOLDER => "Is a directory",
        NOT_EMPTY => "Directory not empty",
        _ => "Bad file descriptor",
    }
}

pub(super) fn io_error(errno: Errno) -> Trap {
    Trap::new("java/io/IOException", message(errno))
}

impl Vm {
    /// The absolute path of a string object.
    pub(super) fn path_of(&mut self, string: Slot) -> Step<PathBuf> {
        let text = self.string(string)?;
        Ok(self.files.absolute(&text))
    }

    /// There is one state of the files: only all configurations together may change it.
    pub(super) fn may_change_files(&self) -> Step<()> {
        if self.ctx == self.universe {
            return Ok(());
        }
        Err(Trap::unknown(
            "files are not supported where only some configurations write them",
        ))
    }

    /// An open file may be used where it was opened.
    pub(super) fn may_use_file(&mut self, number: i32) -> Step<()> {
        match self.files.context(number) {
            Ok(ctx) if ctx != self.ctx => Err(Trap::unknown(
                "a file is used in another context than it was opened in",
            )),
            _ => Ok(()),
        }
    }

    /// The number in a `FileDescriptor`.
    pub(super) fn descriptor_number(&mut self, descriptor: Slot) -> Step<i32> {
        let descriptor = self.plain_ref(descriptor)?;
        if descriptor == 0 {
            return Err(Trap::null());
        }
        let number = self.get_named(descriptor, "fd").unwrap_or(0);
        Ok(as_int(self.plain(number)?))
    }

    /// The number of the file behind a stream.
    pub(super) fn stream_number(&mut self, stream: Slot) -> Step<i32> {
        let descriptor = self.get_named(as_ref(stream), "fd").unwrap_or(0);
        self.descriptor_number(descriptor)
    }
}

fn path_of_file(vm: &mut Vm, file: Slot) -> Step<PathBuf> {
    if file == 0 {
        return Err(Trap::null());
    }
    let path = vm.get_named(as_ref(file), "path").unwrap_or(0);
    vm.path_of(path)
}

fn look(vm: &mut Vm, file: Slot) -> Step<Option<Look>> {
    let path = path_of_file(vm, file)?;
    Ok(vm.files.look(&path))
}

fn attributes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const EXISTS_REGULAR_FOLDER: [u64; 3] = [1, 2, 4];
    let [exists, regular, folder] = EXISTS_REGULAR_FOLDER;
    Ok(match look(vm, args[1])? {
        Some(Look::Folder) => exists | folder,
        Some(Look::File(_)) => exists | regular,
        None => 0,
    })
}

/// Whatever exists may be read and written (to memory); only folders may be entered.
fn check_access(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const EXECUTE: i32 = 1;
    let found = look(vm, args[1])?;
    Ok(boolean(match found {
        None => false,
        Some(Look::Folder) => true,
        Some(Look::File(_)) => as_int(args[2]) & EXECUTE == 0,
    }))
}

fn canonical(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = vm.path_of(args[1])?;
    Ok(u64::from(vm.new_string(&path.to_string_lossy())?))
}

fn length(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(match look(vm, args[1])? {
        Some(Look::File(size)) => size,
        Some(Look::Folder) => 4096,
        None => 0,
    })
}

/// All files are as old as the run.
fn last_modified(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let found = look(vm, args[1])?;
    Ok(found.map_or(0, |_| super::nio::MODIFIED_SECONDS * 1000))
}

fn create_file(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    vm.may_change_files()?;
    let path = vm.path_of(args[1])?;
    let mode = Mode {
        write: true,
        create: true,
        exclusive: true,
        ..Mode::default()
    };
    let ctx = vm.ctx;
    match vm.files.open(&path, mode, ctx) {
        Ok(number) => {
            vm.files.close(number);
            Ok(1)
        }
        Err(EXISTS | IS_FOLDER) => Ok(0),
        Err(errno) => Err(io_error(errno)),
    }
}

fn change_path(
    vm: &mut Vm,
    file: Slot,
    change: impl FnOnce(&mut Vm, PathBuf) -> Result<(), Errno>,
) -> Step<Slot> {
    let path = path_of_file(vm, file)?;
    vm.may_change_files()?;
    Ok(boolean(change(vm, path).is_ok()))
}

fn make_folder(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    change_path(vm, args[1], |vm, path| vm.files.make_folder(&path))
}

fn set_permission(_: &mut Vm, args: &[Slot]) -> Step<Slot> {
    if args[3] == 0 {
        return Err(Trap::unknown(
            "files are not supported (taking a permission away)",
        ));
    }
    Ok(1)
}

fn rename(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let target = path_of_file(vm, args[2])?;
    if look(vm, args[1])? == Some(Look::Folder) {
        return Err(Trap::unknown("files are not supported (moving a folder)"));
    }
    change_path(vm, args[1], |vm, path| vm.files.rename(&path, &target))
}

fn list(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let path = path_of_file(vm, args[1])?;
    let Ok(names) = vm.files.names(&path) else {
        return Ok(0);
    };
    let names: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
    vm.string_array(&names)
}

fn open_stream(vm: &mut Vm, args: &[Slot], mode: Mode) -> Step<Slot> {
    if mode.write {
        vm.may_change_files()?;
    }
    let path = vm.path_of(args[1])?;
    let ctx = vm.ctx;
    match vm.files.open(&path, mode, ctx) {
        Ok(number) => {
            let descriptor = vm.get_named(as_ref(args[0]), "fd").unwrap_or(0);
            let descriptor = vm.plain_ref(descriptor)?;
            vm.set_named(descriptor, "fd", int(number))?;
            Ok(0)
        }
        Err(errno) => {
            let text = vm.string(args[1])?;
            let text = format!("{text} ({})", message(errno));
            Err(Trap::new("java/io/FileNotFoundException", text))
        }
    }
}

fn open_output(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let append = args[2] != 0;
    let mode = Mode {
        write: true,
        create: true,
        truncate: !append,
        append,
        ..Mode::default()
    };
    open_stream(vm, args, mode)
}

fn open_random(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const READ_WRITE: i32 = 2;
    let write = as_int(args[2]) & READ_WRITE != 0;
    let mode = Mode {
        write,
        create: write,
        ..Mode::default()
    };
    open_stream(vm, args, mode)
}

/// Bytes from a stream's position; standard input is empty.
fn read(vm: &mut Vm, stream: Slot, count: usize) -> Step<Vec<u8>> {
    let number = vm.stream_number(stream)?;
    if number == 0 {
        return Ok(Vec::new());
    }
    vm.may_use_file(number)?;
    vm.files.read(number, None, count).map_err(io_error)
}

fn read_bytes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (array, from, count) = (as_ref(args[1]), as_int(args[2]), as_int(args[3]));
    if array == 0 {
        return Err(Trap::null());
    }
    if from < 0 || count < 0 || from as u64 + count as u64 > u64::from(vm.heap.length(array)) {
        return Err(Trap::New("java/lang/IndexOutOfBoundsException", None));
    }
    if count == 0 {
        return Ok(0);
    }
    let part = read(vm, args[0], count as usize)?;
    if part.is_empty() {
        return Ok(int(-1));
    }
    for (index, &byte) in part.iter().enumerate() {
        let value = int(i32::from(byte as i8));
        vm.store_element(Kind::Byte, array, from as u32 + index as u32, value)?;
    }
    Ok(int(part.len() as i32))
}

fn read_byte(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let part = read(vm, args[0], 1)?;
    Ok(part.first().map_or(int(-1), |&byte| u64::from(byte)))
}

/// Position and size of the file behind a stream.
fn place(vm: &mut Vm, stream: Slot) -> Step<(u64, u64)> {
    let number = vm.stream_number(stream)?;
    if number == 0 {
        return Ok((0, 0));
    }
    vm.may_use_file(number)?;
    let at = vm.files.position(number, None).map_err(io_error)?;
    Ok((at, vm.files.size(number).map_err(io_error)?))
}

fn available(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (at, size) = place(vm, args[0])?;
    Ok(size.saturating_sub(at).min(i32::MAX as u64))
}

fn stream_length(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(place(vm, args[0])?.1)
}

fn position(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(place(vm, args[0])?.0)
}

fn move_to(vm: &mut Vm, stream: Slot, to: u64) -> Step<()> {
    let number = vm.stream_number(stream)?;
    vm.may_use_file(number)?;
    vm.files.position(number, Some(to)).map_err(io_error)?;
    Ok(())
}

fn seek(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    if (args[1] as i64) < 0 {
        return Err(Trap::new("java/io/IOException", "Negative seek offset"));
    }
    move_to(vm, args[0], args[1])?;
    Ok(0)
}

fn skip(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (at, _) = place(vm, args[0])?;
    let to = at.checked_add_signed(args[1] as i64);
    let Some(to) = to else {
        return Err(Trap::new("java/io/IOException", "Invalid argument"));
    };
    if vm.stream_number(args[0])? != 0 {
        move_to(vm, args[0], to)?;
    }
    Ok(args[1])
}

fn set_length(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.stream_number(args[0])?;
    vm.may_change_files()?;
    vm.may_use_file(number)?;
    vm.files.resize(number, args[1]).map_err(io_error)?;
    Ok(0)
}

/// Writes at a stream's position.
pub(super) fn write_stream(vm: &mut Vm, stream: Slot, bytes: &[u8]) -> Step<Slot> {
    let number = vm.stream_number(stream)?;
    vm.may_change_files()?;
    vm.may_use_file(number)?;
    vm.files.write(number, None, bytes).map_err(io_error)?;
    Ok(0)
}

/// The part of a `byte[]` that a write means.
pub(super) fn range(vm: &mut Vm, array: Ref, from: Slot, count: Slot) -> Step<Vec<u8>> {
    let bytes = vm.plain_bytes(array)?;
    let (from, count) = (as_int(from) as usize, as_int(count) as usize);
    match bytes.get(from..from.wrapping_add(count)) {
        Some(part) => Ok(part.to_vec()),
        None => Err(Trap::New("java/lang/IndexOutOfBoundsException", None)),
    }
}

fn write_range(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let part = range(vm, as_ref(args[1]), args[2], args[3])?;
    write_stream(vm, args[0], &part)
}

fn close(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let number = vm.descriptor_number(args[0])?;
    if number > 2 {
        vm.may_use_file(number)?;
        vm.files.close(number);
    }
    vm.set_named(as_ref(args[0]), "fd", int(-1))?;
    Ok(0)
}
