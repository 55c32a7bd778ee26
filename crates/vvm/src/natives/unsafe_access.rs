//! `jdk.internal.misc.Unsafe`: fields and elements by offset.
//!
//! The offset of a field is eight times its word offset; array elements start at byte 16. Static fields are
//! addressed with a null-like base: their offset has bit 40 set and the rest is the index in the table.

use super::{Entry, nothing};
use crate::class::Shape;
use crate::heap::Heap;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_ref, boolean, is_choice};
use crate::vm::Vm;
use braid_cond::Cond;

const UNSAFE: &str = "jdk/internal/misc/Unsafe";
const STATIC: u64 = 1 << 40;
pub(super) const BASE: u64 = 16;

macro_rules! access {
    ($kind:ident, $get:literal, $put:literal, $get_volatile:literal, $put_volatile:literal) => {
        [
            (UNSAFE, $get, "*", |vm, args| get(vm, args, Kind::$kind)),
            (UNSAFE, $put, "*", |vm, args| put(vm, args, Kind::$kind)),
            (UNSAFE, $get_volatile, "*", |vm, args| {
                get(vm, args, Kind::$kind)
            }),
            (UNSAFE, $put_volatile, "*", |vm, args| {
                put(vm, args, Kind::$kind)
            }),
        ]
    };
}

const fn accessors() -> [Entry; 44] {
    let groups: [[Entry; 4]; 9] = [
        access!(Int, "getInt", "putInt", "getIntVolatile", "putIntVolatile"),
        access!(
            Long,
            "getLong",
            "putLong",
            "getLongVolatile",
            "putLongVolatile"
        ),
        access!(
            Boolean,
            "getBoolean",
            "putBoolean",
            "getBooleanVolatile",
            "putBooleanVolatile"
        ),
        access!(
            Byte,
            "getByte",
            "putByte",
            "getByteVolatile",
            "putByteVolatile"
        ),
        access!(
            Char,
            "getChar",
            "putChar",
            "getCharVolatile",
            "putCharVolatile"
        ),
        access!(
            Short,
            "getShort",
            "putShort",
            "getShortVolatile",
            "putShortVolatile"
        ),
        access!(
            Float,
            "getFloat",
            "putFloat",
            "getFloatVolatile",
            "putFloatVolatile"
        ),
        access!(
            Double,
            "getDouble",
            "putDouble",
            "getDoubleVolatile",
            "putDoubleVolatile"
        ),
        access!(
            Ref,
            "getReference",
            "putReference",
            "getReferenceVolatile",
            "putReferenceVolatile"
        ),
    ];
    let mut all: [Entry; 44] = [("", "", "", nothing); 44];
    let mut index = 0;
    while index < 36 {
        all[index] = groups[index / 4][index % 4];
        index += 1;
    }
    all[36] = (UNSAFE, "compareAndSetInt", "*", |vm, args| {
        swap(vm, args, Kind::Int, false)
    });
    all[37] = (UNSAFE, "compareAndSetLong", "*", |vm, args| {
        swap(vm, args, Kind::Long, false)
    });
    all[38] = (UNSAFE, "compareAndSetReference", "*", |vm, args| {
        swap(vm, args, Kind::Ref, false)
    });
    all[39] = (UNSAFE, "compareAndExchangeInt", "*", |vm, args| {
        swap(vm, args, Kind::Int, true)
    });
    all[40] = (UNSAFE, "compareAndExchangeLong", "*", |vm, args| {
        swap(vm, args, Kind::Long, true)
    });
    all[41] = (UNSAFE, "compareAndExchangeReference", "*", |vm, args| {
        swap(vm, args, Kind::Ref, true)
    });
    all[42] = (UNSAFE, "getObjectVolatile", "*", |vm, args| {
        get(vm, args, Kind::Ref)
    });
    all[43] = (UNSAFE, "putObjectVolatile", "*", |vm, args| {
        put(vm, args, Kind::Ref)
    });
    all
}

pub(super) const LIFTED: &[Entry] = &accessors();

pub(super) const NATIVES: &[Entry] = &[
    (UNSAFE, "arrayBaseOffset0", "*", |_, _| Ok(BASE)),
    (UNSAFE, "arrayIndexScale0", "*", array_scale),
    (UNSAFE, "pageSize", "*", |_, _| Ok(4096)),
    (UNSAFE, "objectFieldOffset0", "*", field_offset),
    (UNSAFE, "objectFieldOffset1", "*", field_offset_by_name),
    (UNSAFE, "staticFieldOffset0", "*", field_offset),
    (UNSAFE, "staticFieldBase0", "*", field_base),
    (UNSAFE, "ensureClassInitialized0", "*", ensure_initialized),
    (UNSAFE, "shouldBeInitialized0", "*", nothing),
    (UNSAFE, "allocateInstance", "*", allocate_instance),
    (UNSAFE, "fullFence", "*", nothing),
    (UNSAFE, "loadFence", "*", nothing),
    (UNSAFE, "storeFence", "*", nothing),
    (UNSAFE, "park", "*", park),
    (UNSAFE, "unpark", "*", nothing),
    (UNSAFE, "throwException", "*", |_, args| {
        Err(Trap::Throw(args[1]))
    }),
    (UNSAFE, "allocateMemory0", "*", |vm, args| {
        allocate_memory(vm, args[1])
    }),
    (UNSAFE, "freeMemory0", "*", free_memory),
    (UNSAFE, "reallocateMemory0", "*", reallocate_memory),
    (UNSAFE, "copyMemory0", "*", copy_memory),
    (UNSAFE, "copySwapMemory0", "*", copy_swapped),
    (UNSAFE, "setMemory0", "*", set_memory),
    (
        UNSAFE,
        "getLongUnaligned",
        "(Ljava/lang/Object;J)J",
        get_unaligned,
    ),
    (
        UNSAFE,
        "getIntUnaligned",
        "(Ljava/lang/Object;J)I",
        get_unaligned_int,
    ),
];

fn park(_: &mut Vm, _: &[Slot]) -> Step<Slot> {
    Err(Trap::unknown(
        "a thread blocks (Unsafe.park): threads run one after the other",
    ))
}

fn array_scale(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    match vm.classes[class as usize].shape {
        Shape::Array { kind, .. } => Ok(1 << kind.shift()),
        _ => Err(Trap::New("java/lang/InvalidClassException", None)),
    }
}

fn field_offset(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let field = as_ref(args[1]);
    let clazz = vm.get_named(field, "clazz").unwrap_or(0);
    let class = vm.class_of_mirror(clazz)?;
    let slot = vm.get_named(field, "slot").unwrap_or(0);
    let slot = vm.plain(slot)? as usize;
    let entry = vm.classes[class as usize]
        .fields
        .get(slot)
        .ok_or_else(Trap::null)?;
    Ok(if entry.access.is_static() {
        STATIC | u64::from(entry.at)
    } else {
        u64::from(entry.at) * 8
    })
}

fn field_offset_by_name(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    let name = vm.string(args[2])?;
    match vm.field_named(class, &name) {
        Some((class, index)) => {
            Ok(u64::from(vm.classes[class as usize].fields[index as usize].at) * 8)
        }
        None => Err(Trap::new("java/lang/InternalError", name)),
    }
}

fn field_base(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(vm.get_named(as_ref(args[1]), "clazz").unwrap_or(0))
}

fn ensure_initialized(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    vm.ensure_init(class)?;
    Ok(0)
}

fn allocate_instance(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    if vm.classes[class as usize].access.is_abstract() {
        return Err(Trap::new(
            "java/lang/InstantiationException",
            vm.java_name(class),
        ));
    }
    vm.ensure_init(class)?;
    Ok(u64::from(vm.new_object(class)?))
}

/// What an object and an offset mean.
enum Place {
    Static(u32),
    Field(Ref, u32),
    Element(Kind, Ref, u32),
    /// Bytes inside an array of another kind.
    Bytes(Ref, usize),
}

fn place(vm: &mut Vm, object: Slot, offset: Slot, kind: Kind) -> Step<Place> {
    let object = vm.plain_ref(object)?;
    let offset = vm.plain(offset)?;
    if offset & STATIC != 0 {
        return Ok(Place::Static(offset as u32));
    }
    if object == 0 {
        let (block, inside) = outside(vm, offset)?;
        return place(vm, u64::from(block), BASE + inside, kind);
    }
    match vm.classes[vm.class_of(object) as usize].shape {
        Shape::Array { kind: element, .. } => {
            let inside = offset.wrapping_sub(BASE);
            if element == kind
                || element.shift() == kind.shift() && inside % (1 << kind.shift()) == 0
            {
                let index = (inside >> element.shift()) as u32;
                if index >= vm.heap.length(object) {
                    return Err(Trap::unknown("Unsafe access outside an array"));
                }
                return Ok(Place::Element(element, object, index));
            }
            let end = inside + (1 << kind.shift());
            if end > u64::from(vm.heap.length(object)) << element.shift()
                || vm.heap.is_conditional(object)
            {
                return Err(Trap::unknown(
                    "Unsafe access to bytes of an array that is conditional",
                ));
            }
            Ok(Place::Bytes(object, inside as usize))
        }
        _ => Ok(Place::Field(object, (offset / 8) as u32)),
    }
}

fn get(vm: &mut Vm, args: &[Slot], kind: Kind) -> Step<Slot> {
    // `getInt(address)` is `getInt(null, address)`.
    if let [unsafe_object, address] = *args {
        return get(vm, &[unsafe_object, 0, address], kind);
    }
    Ok(match place(vm, args[1], args[2], kind)? {
        Place::Static(at) => vm.statics[at as usize],
        Place::Field(object, offset) => vm.heap.field(object, offset),
        Place::Element(kind, array, index) => vm.heap.element(kind, array, index),
        Place::Bytes(array, inside) => {
            let at = Heap::data(array) + inside;
            let size = 1 << kind.shift();
            let mut raw = [0; 8];
            raw[..size].copy_from_slice(&vm.heap.bytes()[at..at + size]);
            let raw = u64::from_le_bytes(raw);
            vm.wide(raw)?
        }
    })
}

fn store(vm: &mut Vm, place: Place, kind: Kind, value: Slot) -> Step<()> {
    match place {
        Place::Static(at) => vm.put_static(at, value),
        Place::Field(object, offset) => vm.store_field(object, offset, value),
        Place::Element(kind, array, index) => vm.store_element(kind, array, index, value),
        Place::Bytes(array, inside) => {
            let size = 1 << kind.shift();
            let raw = vm.plain(value)?.to_le_bytes();
            if vm.writes_directly(vm.heap.context(array)) {
                let at = Heap::data(array) + inside;
                vm.heap.bytes_mut()[at..at + size].copy_from_slice(&raw[..size]);
                return Ok(());
            }
            store_bytes(vm, array, inside, &raw[..size])
        }
    }
}

fn put(vm: &mut Vm, args: &[Slot], kind: Kind) -> Step<Slot> {
    if let [unsafe_object, address, value] = *args {
        return put(vm, &[unsafe_object, 0, address, value], kind);
    }
    let place = place(vm, args[1], args[2], kind)?;
    store(vm, place, kind, args[3])?;
    Ok(0)
}

/// Compare and set (the result is whether it was set) or exchange (the result is the old value).
fn swap(vm: &mut Vm, args: &[Slot], kind: Kind, exchange: bool) -> Step<Slot> {
    let old = get(vm, args, kind)?;
    let (expected, new) = (args[3], args[4]);
    let here = place(vm, args[1], args[2], kind)?;
    if !is_choice(old) && !is_choice(expected) {
        let same = old == expected;
        if same {
            store(vm, here, kind, new)?;
        }
        return Ok(if exchange { old } else { boolean(same) });
    }
    let (a, b) = (vm.diagram(old)?, vm.diagram(expected)?);
    let equal = vm.conds.equal(a, b)?;
    let ctx = vm.ctx;
    let same: Cond = vm.conds.and(equal, ctx)?;
    if !same.is_false() && same != ctx {
        return Err(Trap::SplitOn(same));
    }
    if same == ctx {
        store(vm, here, kind, new)?;
    }
    Ok(if exchange { old } else { boolean(same == ctx) })
}

/// Stores bytes one by one, in the current context only.
fn store_bytes(vm: &mut Vm, array: Ref, from: usize, bytes: &[u8]) -> Step<()> {
    let shape = vm.classes[vm.class_of(array) as usize].shape;
    if !matches!(shape, Shape::Array { kind, .. } if kind.shift() == 0) {
        let reason = "Unsafe access to parts of elements that are conditional";
        return Err(Trap::unknown(reason));
    }
    for (index, &byte) in bytes.iter().enumerate() {
        let value = crate::value::int(i32::from(byte as i8));
        vm.store_element(Kind::Byte, array, (from + index) as u32, value)?;
    }
    Ok(())
}

/// An address outside the heap has this bit; above [`BLOCK`] it says which block, below where in it.
const OUTSIDE: u64 = 1 << 61;
const BLOCK: u32 = 41;

/// The array that stands for a block of memory outside the heap, and the place in it.
fn outside(vm: &Vm, address: u64) -> Step<(Ref, u64)> {
    let index = ((address & !OUTSIDE) >> BLOCK) as usize;
    match vm.kept.blocks.get(index) {
        Some(&block) if address & OUTSIDE != 0 && block != 0 => {
            Ok((block, address & ((1 << BLOCK) - 1)))
        }
        _ => Err(Trap::unknown(
            "memory outside the heap that was not allocated (Unsafe) is not supported",
        )),
    }
}

fn allocate_memory(vm: &mut Vm, size: Slot) -> Step<Slot> {
    let Ok(size) = u32::try_from(size).map(|size| size.min(i32::MAX as u32)) else {
        return Err(Trap::New("java/lang/OutOfMemoryError", None));
    };
    let block = vm.new_array(vm.known.byte_array, size)?;
    vm.kept.blocks.push(block);
    Ok(OUTSIDE | ((vm.kept.blocks.len() as u64 - 1) << BLOCK))
}

fn free_memory(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    // Where only some configurations free it, the others still need it.
    if args[1] != 0 && vm.ctx == vm.universe {
        outside(vm, args[1])?;
        vm.kept.blocks[((args[1] & !OUTSIDE) >> BLOCK) as usize] = 0;
    }
    Ok(0)
}

fn reallocate_memory(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let new = allocate_memory(vm, args[2])?;
    if args[1] != 0 {
        let (old, _) = outside(vm, args[1])?;
        let size = u64::from(vm.heap.length(old)).min(args[2]);
        copy_memory(vm, &[0, 0, args[1], 0, new, size])?;
        free_memory(vm, args)?;
    }
    Ok(new)
}

/// The array of packed elements that an object and an offset mean, and the byte in it, with `count` bytes to go.
fn bytes_of(vm: &mut Vm, object: Slot, offset: Slot, count: u64) -> Step<(Ref, usize)> {
    let (array, inside) = match as_ref(object) {
        0 => outside(vm, offset)?,
        array => (array, offset.wrapping_sub(BASE)),
    };
    let size = match vm.classes[vm.class_of(array) as usize].shape {
        Shape::Array { kind, .. } if kind != Kind::Ref => {
            u64::from(vm.heap.length(array)) << kind.shift()
        }
        _ => 0,
    };
    if inside.checked_add(count).is_none_or(|end| end > size) {
        return Err(Trap::unknown("Unsafe access outside an array"));
    }
    Ok((array, inside as usize))
}

/// Bytes at an address outside the heap.
pub(super) fn bytes_at(vm: &mut Vm, address: Slot, count: usize) -> Step<Vec<u8>> {
    let (block, inside) = bytes_of(vm, 0, address, count as u64)?;
    let bytes = vm.plain_bytes(block)?;
    Ok(bytes[inside..inside + count].to_vec())
}

/// Stores bytes at an address outside the heap.
pub(super) fn store_at(vm: &mut Vm, address: Slot, bytes: &[u8]) -> Step<()> {
    let (block, inside) = bytes_of(vm, 0, address, bytes.len() as u64)?;
    store_bytes(vm, block, inside, bytes)
}

fn set_memory(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let count = args[3] as usize;
    let (array, inside) = bytes_of(vm, args[1], args[2], args[3])?;
    if vm.heap.is_conditional(array) || !vm.writes_directly(vm.heap.context(array)) {
        store_bytes(vm, array, inside, &vec![args[4] as u8; count])?;
        return Ok(0);
    }
    let from = Heap::data(array) + inside;
    vm.heap.bytes_mut()[from..from + count].fill(args[4] as u8);
    Ok(0)
}

fn copy_memory(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    copy(vm, args, 1)
}

/// The same with the bytes of each element in the other order.
fn copy_swapped(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    copy(vm, args, args[6] as usize)
}

/// Copies bytes; those of each `swapped` change places.
fn copy(vm: &mut Vm, args: &[Slot], swapped: usize) -> Step<Slot> {
    let count = args[5] as usize;
    let (source, from) = bytes_of(vm, args[1], args[2], args[5])?;
    let (target, to) = bytes_of(vm, args[3], args[4], args[5])?;
    if vm.heap.is_conditional(source) || vm.heap.is_conditional(target) {
        return Err(Trap::unknown(
            "copying conditional arrays by Unsafe is not supported",
        ));
    }
    let start = Heap::data(source) + from;
    let end = Heap::data(target) + to;
    let directly = vm.writes_directly(vm.heap.context(target));
    if directly && swapped == 1 {
        vm.heap.bytes_mut().copy_within(start..start + count, end);
        return Ok(0);
    }
    let mut part = vm.heap.bytes()[start..start + count].to_vec();
    part.chunks_mut(swapped.max(1)).for_each(<[u8]>::reverse);
    if directly {
        vm.heap.bytes_mut()[end..end + count].copy_from_slice(&part);
    } else {
        store_bytes(vm, target, to, &part)?;
    }
    Ok(0)
}

fn get_unaligned(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    match place(vm, args[1], args[2], Kind::Long)? {
        Place::Bytes(array, inside) => {
            let at = Heap::data(array) + inside;
            let mut raw = [0; 8];
            raw.copy_from_slice(&vm.heap.bytes()[at..at + 8]);
            vm.wide(u64::from_le_bytes(raw))
        }
        _ => get(vm, args, Kind::Long),
    }
}

fn get_unaligned_int(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    get(vm, args, Kind::Int)
}
