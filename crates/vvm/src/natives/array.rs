//! `System.arraycopy` and `java.lang.reflect.Array`.

use super::Entry;
use crate::class::Shape;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_int, as_ref, is_choice};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/lang/reflect/Array", "newArray", "*", new_array),
    (
        "java/lang/reflect/Array",
        "multiNewArray",
        "*",
        multi_new_array,
    ),
    ("java/lang/reflect/Array", "getLength", "*", get_length),
    ("java/lang/reflect/Array", "get", "*", get),
    ("java/lang/reflect/Array", "set", "*", set),
    ("java/lang/reflect/Array", "setInt", "*", set_primitive),
    ("java/lang/reflect/Array", "setLong", "*", set_primitive),
    ("java/lang/reflect/Array", "setByte", "*", set_primitive),
    ("java/lang/reflect/Array", "setChar", "*", set_primitive),
    ("java/lang/reflect/Array", "setShort", "*", set_primitive),
    ("java/lang/reflect/Array", "setFloat", "*", set_primitive),
    ("java/lang/reflect/Array", "setDouble", "*", set_primitive),
    ("java/lang/reflect/Array", "setBoolean", "*", set_primitive),
    ("java/lang/reflect/Array", "getInt", "*", get_primitive),
    ("java/lang/reflect/Array", "getLong", "*", get_primitive),
    ("java/lang/reflect/Array", "getByte", "*", get_primitive),
    ("java/lang/reflect/Array", "getChar", "*", get_primitive),
    ("java/lang/reflect/Array", "getShort", "*", get_primitive),
    ("java/lang/reflect/Array", "getFloat", "*", get_primitive),
    ("java/lang/reflect/Array", "getDouble", "*", get_primitive),
    ("java/lang/reflect/Array", "getBoolean", "*", get_primitive),
];

pub(super) const LIFTED: &[Entry] = &[("java/lang/System", "arraycopy", "*", arraycopy)];

fn arraycopy(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let mut plain = [0; 5];
    for (to, &arg) in plain.iter_mut().zip(args) {
        *to = if is_choice(arg) { vm.plain(arg)? } else { arg };
    }
    let [source, from, target, to, count] = plain;
    let (source, target) = (as_ref(source), as_ref(target));
    if source == 0 || target == 0 {
        return Err(Trap::null());
    }
    let (source_kind, target_kind) = match (element_kind(vm, source), element_kind(vm, target)) {
        (Some(source), Some(target)) if source == target => (source, target),
        _ => {
            return Err(Trap::new(
                "java/lang/ArrayStoreException",
                "arraycopy: type mismatch",
            ));
        }
    };
    let (from, to, count) = (as_int(from), as_int(to), as_int(count));
    let (source_length, target_length) = (vm.heap.length(source), vm.heap.length(target));
    for (start, length, what) in [
        (from, source_length, "source"),
        (to, target_length, "destination"),
    ] {
        if count < 0 || start < 0 || i64::from(start) + i64::from(count) > i64::from(length) {
            return Err(bounds_error(vm, source, target, start, count, length, what));
        }
    }
    let (from, to, count) = (from as u32, to as u32, count as u32);
    let narrow = target_kind == Kind::Ref && !same_component(vm, source, target);
    let created = vm.heap.context(target);
    let direct = vm.writes_directly(created);
    let packed = !vm.heap.is_conditional(source) && !vm.heap.is_conditional(target);
    if direct && !narrow && (packed || source_kind.shift() == 3) {
        vm.heap
            .copy_elements(source_kind, (source, from), (target, to), count);
        return Ok(0);
    }
    let elements: Vec<Slot> = (from..from + count)
        .map(|index| vm.heap.element(source_kind, source, index))
        .collect();
    for (index, element) in (to..).zip(elements) {
        if narrow {
            let value = vm.plain_ref(element)?;
            if !vm.can_store(target, value) {
                return Err(vm.store_error(value));
            }
        }
        vm.store_element(target_kind, target, index, element)?;
    }
    Ok(0)
}

fn element_kind(vm: &Vm, array: Ref) -> Option<Kind> {
    vm.classes[vm.class_of(array) as usize].element_kind()
}

fn same_component(vm: &Vm, source: Ref, target: Ref) -> bool {
    let (from, to) = (vm.class_of(source), vm.class_of(target));
    vm.is_subclass(from, to)
}

fn bounds_error(
    vm: &Vm,
    source: Ref,
    target: Ref,
    start: i32,
    count: i32,
    length: u32,
    what: &str,
) -> Trap {
    let array = if what == "source" { source } else { target };
    let class = vm.class_of(array);
    let text = match vm.classes[class as usize].shape {
        Shape::Array { component, kind } if kind != Kind::Ref => {
            format!("{}[{length}]", vm.java_name(component))
        }
        _ => format!("object array[{length}]"),
    };
    let message = if count < 0 {
        format!("arraycopy: length {count} is negative")
    } else if start < 0 {
        format!("arraycopy: {what} index {start} out of bounds for {text}")
    } else {
        let last = i64::from(start) + i64::from(count);
        format!("arraycopy: last {what} index {last} out of bounds for {text}")
    };
    Trap::new("java/lang/ArrayIndexOutOfBoundsException", message)
}

fn new_array(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let component = vm.class_of_mirror(args[0])?;
    if component == vm.primitive(Kind::Void) {
        return Err(Trap::New("java/lang/IllegalArgumentException", None));
    }
    let class = vm.array_of(component);
    Ok(u64::from(vm.new_array_checked(class, args[1])?))
}

fn multi_new_array(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let mut class = vm.class_of_mirror(args[0])?;
    let dims = as_ref(args[1]);
    let lengths: Vec<i32> = vm
        .heap
        .int_elements(dims)
        .iter()
        .map(|&length| length as i32)
        .collect();
    for &length in &lengths {
        if length < 0 {
            return Err(Trap::new(
                "java/lang/NegativeArraySizeException",
                length.to_string(),
            ));
        }
        class = vm.array_of(class);
    }
    Ok(u64::from(vm.fill_dimensions(class, &lengths)?))
}

fn checked(vm: &mut Vm, array: Slot) -> Step<(Ref, Kind)> {
    let array = as_ref(array);
    if array == 0 {
        return Err(Trap::null());
    }
    match element_kind(vm, array) {
        Some(kind) => Ok((array, kind)),
        None => Err(Trap::new(
            "java/lang/IllegalArgumentException",
            "Argument is not an array",
        )),
    }
}

fn get_length(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (array, _) = checked(vm, args[0])?;
    Ok(u64::from(vm.heap.length(array)))
}

fn element(vm: &mut Vm, args: &[Slot]) -> Step<(Kind, Slot)> {
    let (array, kind) = checked(vm, args[0])?;
    let index = as_int(args[1]);
    if index as u32 >= vm.heap.length(array) {
        return Err(Trap::index(index, vm.heap.length(array)));
    }
    Ok((kind, vm.heap.element(kind, array, index as u32)))
}

fn get(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (kind, value) = element(vm, args)?;
    if kind == Kind::Ref {
        return Ok(value);
    }
    let value = vm.plain(value)?;
    vm.boxed(kind, value)
}

fn get_primitive(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    Ok(element(vm, args)?.1)
}

fn set(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (array, kind) = checked(vm, args[0])?;
    if kind == Kind::Ref {
        if !vm.can_store(array, as_ref(args[2])) {
            return Err(Trap::new(
                "java/lang/IllegalArgumentException",
                "array element type mismatch",
            ));
        }
        vm.array_store(kind, args[0], args[1], args[2])?;
        return Ok(0);
    }
    let value = vm.unboxed(kind, args[2])?;
    vm.array_store(kind, args[0], args[1], value)?;
    Ok(0)
}

fn set_primitive(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (_, kind) = checked(vm, args[0])?;
    if kind == Kind::Ref {
        return Err(Trap::new(
            "java/lang/IllegalArgumentException",
            "argument type mismatch",
        ));
    }
    vm.array_store(kind, args[0], args[1], args[2])?;
    Ok(0)
}
