//! Copies of constructors in a bulk class file, and class files with one of them.
//!
//! All copies of a constructor have its name and its signature, so that their code is that of the patched
//! constructor to the last slot and frame. The compiler's JVM marks them by a flag that no constructor may have.

use braid_classfile::{AccessFlags, ClassFile, Member};

/// The place among the methods of a class of the copy with a number, from 1.
pub(crate) fn nth_copy(class: &ClassFile<'_>, number: usize) -> Option<usize> {
    let methods = class.methods().enumerate();
    let mut copies = methods.filter(|(_, method)| is_copy(*method));
    copies.nth(number.checked_sub(1)?).map(|(place, _)| place)
}

fn is_copy(method: Member<'_>) -> bool {
    method.name() == "<init>" && method.access().is_synchronized()
}

/// The class file with no other methods than the copy at a place and those that go with it.
pub(crate) fn alone(
    class: &ClassFile<'_>,
    place: Option<usize>,
    goes_with: impl Fn(Member<'_>) -> bool,
) -> Vec<u8> {
    let bytes = class.bytes();
    let starts: Vec<usize> = class.methods().map(Member::offset).collect();
    let (Some(first), Some(last)) = (starts.first(), starts.last()) else {
        return bytes.to_vec();
    };
    let behind = method_end(bytes, *last);
    let mut out = bytes[..first - 2].to_vec();
    let mut methods = Vec::new();
    let mut count: u16 = 0;
    for (at, method) in class.methods().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(behind);
        let whole = &bytes[starts[at]..end];
        if Some(at) == place {
            let access = method.access().without(AccessFlags::SYNCHRONIZED);
            methods.extend(access.0.to_be_bytes());
            methods.extend(&whole[2..]);
            count += 1;
        } else if goes_with(method) {
            methods.extend(whole);
            count += 1;
        }
    }
    out.extend(count.to_be_bytes());
    out.extend(methods);
    out.extend(&bytes[behind..]);
    out
}

/// Where the method that begins at an offset ends: flags, name, descriptor, and attributes with their lengths.
fn method_end(bytes: &[u8], start: usize) -> usize {
    let number = |at: usize, size: usize| {
        let digits = bytes[at..at + size].iter();
        digits.fold(0, |value, byte| value << 8 | usize::from(*byte))
    };
    let mut at = start + 8;
    for _ in 0..number(start + 6, 2) {
        at += 6 + number(at + 2, 4);
    }
    at
}
