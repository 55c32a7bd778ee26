//! Strings: interning, and hot loops over characters done natively.

use super::Entry;
use crate::heap::Heap;
use crate::trap::{Step, Trap};
use crate::value::{Ref, Slot, as_int, as_ref, boolean, int, is_choice};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/lang/String", "intern", "*", intern),
    ("java/lang/StringUTF16", "isBigEndian", "*", |_, _| Ok(0)),
    (
        "java/lang/String",
        "equals",
        "(Ljava/lang/Object;)Z",
        equals,
    ),
    ("java/lang/StringLatin1", "equals", "([B[B)Z", bytes_equal),
    ("java/lang/StringLatin1", "hashCode", "([B)I", latin1_hash),
    ("java/lang/StringLatin1", "indexOf", "([BII)I", latin1_index),
    (
        "java/lang/StringLatin1",
        "inflate",
        "([BI[BII)V",
        inflate_bytes,
    ),
    (
        "java/lang/StringCoding",
        "hasNegatives",
        "([BII)Z",
        has_negatives,
    ),
    (
        "java/lang/StringCoding",
        "countPositives",
        "([BII)I",
        count_positives,
    ),
    (
        "jdk/internal/util/ArraysSupport",
        "vectorizedMismatch",
        "*",
        mismatch,
    ),
];

/// The first difference, or the complement of the number of elements that were not looked at.
fn mismatch(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    const WIDE: i32 = 3;
    let length = as_int(args[4]);
    if as_int(args[5]) != WIDE {
        // Nothing found among the first elements; the caller's loop does the rest.
        return Ok(int(!length));
    }
    // For `long` and `double` the caller expects that every element was looked at.
    let (a, b) = (as_ref(args[0]), as_ref(args[2]));
    let base = crate::natives::unsafe_access::BASE;
    let start = |offset: Slot| ((offset - base) / 8) as u32;
    let (a_start, b_start) = (start(args[1]), start(args[3]));
    for index in 0..length.max(0) as u32 {
        let left = vm
            .heap
            .element(crate::value::Kind::Long, a, a_start + index);
        let right = vm
            .heap
            .element(crate::value::Kind::Long, b, b_start + index);
        if left != right && vm.plain(left)? != vm.plain(right)? {
            return Ok(int(index as i32));
        }
    }
    Ok(int(!0))
}

fn intern(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(u64::from(vm.intern(as_ref(args[0]))?))
}

/// Value and coder if they are plain and the characters too.
fn parts(vm: &mut Vm, string: Ref) -> Step<(Ref, u64)> {
    let value = vm.heap.field(string, vm.known.string_value);
    let coder = vm.heap.field(string, vm.known.string_coder);
    Ok((
        vm.plain_ref(value)?,
        if is_choice(coder) {
            vm.plain(coder)?
        } else {
            coder
        },
    ))
}

fn equals(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (a, b) = (as_ref(args[0]), as_ref(args[1]));
    if a == b {
        return Ok(1);
    }
    if b == 0 || vm.class_of(b) != vm.known.string {
        return Ok(0);
    }
    let ((a, a_coder), (b, b_coder)) = (parts(vm, a)?, parts(vm, b)?);
    if a_coder != b_coder {
        return Ok(0);
    }
    same_bytes(vm, a, b)
}

fn same_bytes(vm: &mut Vm, a: Ref, b: Ref) -> Step<Slot> {
    if vm.heap.length(a) != vm.heap.length(b) {
        return Ok(0);
    }
    if vm.heap.is_conditional(a) || vm.heap.is_conditional(b) {
        return Ok(boolean(vm.plain_bytes(a)? == vm.plain_bytes(b)?));
    }
    Ok(boolean(
        vm.heap.byte_elements(a) == vm.heap.byte_elements(b),
    ))
}

fn bytes_equal(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (a, b) = (as_ref(args[0]), as_ref(args[1]));
    if a == 0 || b == 0 {
        return Err(Trap::null());
    }
    same_bytes(vm, a, b)
}

fn latin1_hash(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let array = as_ref(args[0]);
    if array == 0 {
        return Err(Trap::null());
    }
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(0i32, |hash, &byte| {
            hash.wrapping_mul(31).wrapping_add(i32::from(byte))
        })
    };
    if vm.heap.is_conditional(array) {
        return Ok(int(hash(&vm.plain_bytes(array)?)));
    }
    Ok(int(hash(vm.heap.byte_elements(array))))
}

fn latin1_index(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (array, wanted, from) = (
        as_ref(args[0]),
        as_int(args[1]),
        as_int(args[2]).max(0) as usize,
    );
    let Ok(wanted) = u8::try_from(wanted) else {
        return Ok(int(-1));
    };
    let find = |bytes: &[u8]| {
        let rest = bytes.get(from..).unwrap_or(&[]);
        rest.iter()
            .position(|&byte| byte == wanted)
            .map_or(-1, |at| (at + from) as i32)
    };
    if vm.heap.is_conditional(array) {
        return Ok(int(find(&vm.plain_bytes(array)?)));
    }
    Ok(int(find(vm.heap.byte_elements(array))))
}

fn range_of(vm: &mut Vm, args: &[Slot]) -> Step<Vec<u8>> {
    let bytes = vm.plain_bytes(as_ref(args[0]))?;
    let (from, count) = (as_int(args[1]) as usize, as_int(args[2]) as usize);
    match bytes.get(from..from.wrapping_add(count)) {
        Some(part) => Ok(part.to_vec()),
        None => Err(Trap::New("java/lang/ArrayIndexOutOfBoundsException", None)),
    }
}

fn has_negatives(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let part = range_of(vm, args)?;
    Ok(boolean(part.iter().any(|&byte| byte >= 128)))
}

fn count_positives(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let part = range_of(vm, args)?;
    Ok(int(
        part.iter().take_while(|&&byte| byte < 128).count() as i32
    ))
}

fn inflate_bytes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (source, target) = (as_ref(args[0]), as_ref(args[2]));
    let [from, to, count] = [args[1], args[3], args[4]].map(|arg| i64::from(as_int(arg)));
    let (source_length, target_length) = (
        i64::from(vm.heap.length(source)),
        i64::from(vm.heap.length(target)),
    );
    if count > 0
        && (from < 0 || to < 0 || from + count > source_length || (to + count) * 2 > target_length)
    {
        return Err(Trap::New("java/lang/ArrayIndexOutOfBoundsException", None));
    }
    let created = vm.heap.context(target);
    let packed = !vm.heap.is_conditional(source) && !vm.heap.is_conditional(target);
    if packed && vm.writes_directly(created) {
        let (source, target) = (
            Heap::data(source) + from as usize,
            Heap::data(target) + to as usize * 2,
        );
        let bytes = vm.heap.bytes_mut();
        for index in 0..count.max(0) as usize {
            bytes[target + index * 2] = bytes[source + index];
            bytes[target + index * 2 + 1] = 0;
        }
        return Ok(0);
    }
    use crate::value::Kind;
    for index in 0..count.max(0) {
        let element = vm.heap.element(Kind::Byte, source, (from + index) as u32);
        let at = ((to + index) * 2) as u32;
        vm.store_element(Kind::Byte, target, at, element)?;
        vm.store_element(Kind::Byte, target, at + 1, 0)?;
    }
    Ok(0)
}
