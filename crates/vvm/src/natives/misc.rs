//! Odds and ends that other areas of the JDK need.

use super::{Entry, nothing};
use crate::trap::Step;
use crate::value::{Kind, Slot, as_ref, int};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/util/zip/CRC32", "update", "(II)I", |_, args| {
        Ok(u64::from(crc32(args[0] as u32, &[args[1] as u8])))
    }),
    ("java/util/zip/CRC32", "updateBytes0", "*", crc32_bytes),
    (
        "jdk/internal/reflect/ConstantPool",
        "getUTF8At0",
        "*",
        pool_utf8,
    ),
    (
        "jdk/internal/reflect/ConstantPool",
        "getIntAt0",
        "*",
        pool_number,
    ),
    (
        "jdk/internal/reflect/ConstantPool",
        "getLongAt0",
        "*",
        pool_number,
    ),
    (
        "jdk/internal/reflect/ConstantPool",
        "getFloatAt0",
        "*",
        pool_number,
    ),
    (
        "jdk/internal/reflect/ConstantPool",
        "getDoubleAt0",
        "*",
        pool_number,
    ),
    ("jdk/internal/perf/PerfCounter", "<clinit>", "*", nothing),
    ("java/io/ObjectStreamClass", "initNative", "*", nothing),
    (
        "java/util/stream/AbstractPipeline",
        "isParallel",
        "*",
        nothing,
    ),
    (
        "java/security/Security",
        "initialize",
        "*",
        security_properties,
    ),
    (
        "java/lang/invoke/MethodHandles$Lookup",
        "ensureInitialized",
        "*",
        ensure_initialized,
    ),
];

fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut crc = !crc;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

fn crc32_bytes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let bytes = vm.plain_bytes(as_ref(args[1]))?;
    let (from, count) = (args[2] as u32 as usize, args[3] as u32 as usize);
    let part = bytes.get(from..from + count).unwrap_or(&[]);
    Ok(u64::from(crc32(args[0] as u32, part)))
}

/// `ConstantPool` of reflection: its `constantPoolOop` field holds the class.
fn pool_class(vm: &mut Vm, args: &[Slot]) -> Step<crate::class::ClassId> {
    vm.class_of_mirror(args[1])
}

fn pool_utf8(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = pool_class(vm, args)?;
    let file = vm.file(class)?;
    let text = file.view().pool().utf8(args[2] as u16)?.to_utf16();
    Ok(u64::from(vm.new_string_utf16(&text)?))
}

fn pool_number(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = pool_class(vm, args)?;
    let file = vm.file(class)?;
    match file.view().pool().get(args[2] as u16)? {
        braid_classfile::Constant::Integer(value) => Ok(int(value)),
        _ => vm.constant_value(class, args[2] as u16, Kind::Long),
    }
}

fn ensure_initialized(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    vm.ensure_init(class)?;
    Ok(args[1])
}

/// Security properties without the JDK's configuration file: the providers that are plain Java.
fn security_properties(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    let properties = vm.load("java/util/Properties")?;
    vm.ensure_init(properties)?;
    let object = u64::from(vm.construct(properties, "()V", &[])?);
    vm.held.push(object);
    for (key, value) in [
        ("security.provider.1", "SUN"),
        ("security.provider.2", "SunRsaSign"),
        ("security.provider.3", "SunJCE"),
        ("securerandom.source", "file:/dev/random"),
        ("keystore.type", "pkcs12"),
    ] {
        let (key, value) = (
            u64::from(vm.new_string(key)?),
            u64::from(vm.new_string(value)?),
        );
        let put = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        vm.call_virtual(object, "put", put, &[key, value])?;
    }
    vm.held.pop();
    let class = vm.load("java/security/Security")?;
    if let Some((class, index)) = vm.field_named(class, "props") {
        let at = vm.classes[class as usize].fields[index as usize].at;
        vm.put_static(at, object)?;
    }
    Ok(0)
}
