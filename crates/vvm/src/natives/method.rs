//! `MethodHandle`, `MethodHandles.Lookup` and `VarHandle`.

use super::{Entry, nothing};
use crate::class::ClassId;
use crate::code::arith::Binary;
use crate::heap::HEADER;
use crate::indy::handle::Variable;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, boolean, is_choice};
use crate::vm::Vm;
use braid_classfile::HandleKind;

const HANDLE: &str = "java/lang/invoke/MethodHandle";
const LOOKUP: &str = "java/lang/invoke/MethodHandles$Lookup";
const HANDLES: &str = "java/lang/invoke/MethodHandles";
const VAR: &str = "java/lang/invoke/VarHandle";

pub(super) const LIFTED: &[Entry] = &[
    (HANDLE, "invokeExact", "*", invoke),
    (HANDLE, "invoke", "*", invoke),
    (
        HANDLE,
        "invokeWithArguments",
        "([Ljava/lang/Object;)Ljava/lang/Object;",
        invoke_with_arguments,
    ),
    (HANDLE, "bindTo", "*", |vm, args| {
        vm.bind_handle(args[0], args[1])
    }),
    (HANDLE, "asType", "*", |_, args| Ok(args[0])),
    (HANDLES, "lookup", "*", |vm, _| {
        let caller = vm.calls.last();
        let class = caller.map(|call| vm.methods[call.method as usize].class);
        let class = vm.mirror_slot(class)?;
        lookup(vm, class)
    }),
    (HANDLES, "publicLookup", "*", |vm, _| {
        let object = u64::from(vm.mirror(vm.known.object)?);
        lookup(vm, object)
    }),
    (HANDLES, "privateLookupIn", "*", |vm, args| {
        lookup(vm, args[0])
    }),
    (LOOKUP, "findVirtual", "*", |vm, args| {
        find_method(vm, args, false)
    }),
    (LOOKUP, "findStatic", "*", |vm, args| {
        find_method(vm, args, false)
    }),
    (LOOKUP, "findSpecial", "*", |vm, args| {
        find_method(vm, args, true)
    }),
    (LOOKUP, "findConstructor", "*", find_constructor),
    (LOOKUP, "unreflect", "*", unreflect),
    (LOOKUP, "unreflectConstructor", "*", unreflect),
    (LOOKUP, "findGetter", "*", |vm, args| {
        find_accessor(vm, args, HandleKind::GetField)
    }),
    (LOOKUP, "findSetter", "*", |vm, args| {
        find_accessor(vm, args, HandleKind::PutField)
    }),
    (LOOKUP, "findStaticGetter", "*", |vm, args| {
        find_accessor(vm, args, HandleKind::GetStatic)
    }),
    (LOOKUP, "findStaticSetter", "*", |vm, args| {
        find_accessor(vm, args, HandleKind::PutStatic)
    }),
    (LOOKUP, "unreflectGetter", "*", |vm, args| {
        unreflect_field(vm, args[1], HandleKind::GetField, HandleKind::GetStatic)
    }),
    (LOOKUP, "unreflectSetter", "*", |vm, args| {
        unreflect_field(vm, args[1], HandleKind::PutField, HandleKind::PutStatic)
    }),
    (LOOKUP, "findVarHandle", "*", |vm, args| {
        find_variable(vm, args)
    }),
    (LOOKUP, "findStaticVarHandle", "*", |vm, args| {
        find_variable(vm, args)
    }),
    (HANDLES, "arrayElementVarHandle", "*", array_variable),
    (HANDLES, "byteArrayViewVarHandle", "*", view_variable),
    (VAR, "get", "*", get),
    (VAR, "getVolatile", "*", get),
    (VAR, "getAcquire", "*", get),
    (VAR, "getOpaque", "*", get),
    (VAR, "set", "*", set),
    (VAR, "setVolatile", "*", set),
    (VAR, "setRelease", "*", set),
    (VAR, "setOpaque", "*", set),
    (VAR, "compareAndSet", "*", |vm, args| {
        exchange(vm, args, false)
    }),
    (VAR, "weakCompareAndSet", "*", |vm, args| {
        exchange(vm, args, false)
    }),
    (VAR, "weakCompareAndSetPlain", "*", |vm, args| {
        exchange(vm, args, false)
    }),
    (VAR, "weakCompareAndSetAcquire", "*", |vm, args| {
        exchange(vm, args, false)
    }),
    (VAR, "weakCompareAndSetRelease", "*", |vm, args| {
        exchange(vm, args, false)
    }),
    (VAR, "compareAndExchange", "*", |vm, args| {
        exchange(vm, args, true)
    }),
    (VAR, "compareAndExchangeAcquire", "*", |vm, args| {
        exchange(vm, args, true)
    }),
    (VAR, "compareAndExchangeRelease", "*", |vm, args| {
        exchange(vm, args, true)
    }),
    (VAR, "getAndSet", "*", get_and_set),
    (VAR, "getAndSetAcquire", "*", get_and_set),
    (VAR, "getAndSetRelease", "*", get_and_set),
    (VAR, "getAndAdd", "*", get_and_add),
    (VAR, "getAndAddAcquire", "*", get_and_add),
    (VAR, "getAndAddRelease", "*", get_and_add),
    (VAR, "fullFence", "*", nothing),
    (VAR, "acquireFence", "*", nothing),
    (VAR, "releaseFence", "*", nothing),
    (VAR, "loadLoadFence", "*", nothing),
    (VAR, "storeStoreFence", "*", nothing),
    (VAR, "withInvokeExactBehavior", "*", |_, args| Ok(args[0])),
    (VAR, "withInvokeBehavior", "*", |_, args| Ok(args[0])),
];

fn invoke(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let site = vm.site_descriptor;
    vm.invoke_handle(args[0], &args[1..], site)
}

fn invoke_with_arguments(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let array = vm.plain_ref(args[1])?;
    let count = if array == 0 { 0 } else { vm.heap.length(array) };
    let values: Vec<Slot> = (0..count)
        .map(|index| vm.heap.word(array + HEADER + index))
        .collect();
    let text = format!(
        "({})Ljava/lang/Object;",
        "Ljava/lang/Object;".repeat(values.len())
    );
    let site = vm.symbols.intern(&text);
    vm.invoke_handle(args[0], &values, site)
}

/// A `Lookup` object; access is not checked, so what it may see does not matter.
fn lookup(vm: &mut Vm, seen_from: Slot) -> Step<Slot> {
    let class = vm.load(LOOKUP)?;
    let object = vm.new_object(class)?;
    vm.set_named(object, "lookupClass", seen_from)?;
    Ok(u64::from(object))
}

fn find_method(vm: &mut Vm, args: &[Slot], special: bool) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    let name = vm.string(args[2])?;
    let text = vm.descriptor_of_type(args[3])?;
    match vm.method_named(class, &name, &text) {
        Some(method) => vm.handle_for(method, special),
        None => {
            let message = format!("no such method: {}.{name}{text}", vm.java_name(class));
            Err(Trap::new("java/lang/NoSuchMethodException", message))
        }
    }
}

fn find_constructor(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[1])?;
    let text = vm.descriptor_of_type(args[2])?;
    match vm.method_named(class, "<init>", &text) {
        Some(method) => vm.handle_for(method, false),
        None => {
            let message = format!("no such constructor: {}.<init>{text}", vm.java_name(class));
            Err(Trap::new("java/lang/NoSuchMethodException", message))
        }
    }
}

fn unreflect(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let member = vm.plain(args[1])?;
    let method = vm.reflected(member)?;
    vm.handle_for(method, false)
}

/// `find(Static)Getter` and `find(Static)Setter`: the field must be as static as the name says, and a setter's not final.
fn find_accessor(vm: &mut Vm, args: &[Slot], kind: HandleKind) -> Step<Slot> {
    let class: ClassId = vm.class_of_mirror(args[1])?;
    let name = vm.string(args[2])?;
    let wanted = vm.class_of_mirror(args[3])?;
    let descriptor = vm.descriptor_of(wanted);
    let found = vm.field_named(class, &name).filter(|&(class, index)| {
        let field = &vm.classes[class as usize].fields[index as usize];
        *vm.text(field.descriptor) == *descriptor
    });
    let action = match kind {
        HandleKind::GetField => "getField",
        HandleKind::PutField => "putField",
        HandleKind::GetStatic => "getStatic",
        _ => "putStatic",
    };
    let (owner, wanted) = (vm.java_name(class), vm.java_name(wanted));
    let place = format!("{owner}.{name}/{wanted}/{action}");
    let Some((class, index)) = found else {
        let why = format!("no such field: {place}");
        return Err(Trap::new("java/lang/NoSuchFieldException", why));
    };
    let access = vm.classes[class as usize].fields[index as usize].access;
    let is_static = matches!(kind, HandleKind::GetStatic | HandleKind::PutStatic);
    let puts = matches!(kind, HandleKind::PutField | HandleKind::PutStatic);
    if access.is_static() != is_static || (puts && access.is_final()) {
        let why = format!("no such field: {place}");
        return Err(Trap::new("java/lang/IllegalAccessException", why));
    }
    vm.field_handle(kind, class, index)
}

/// A getter or setter for a `Field` object.
fn unreflect_field(vm: &mut Vm, field: Slot, own: HandleKind, shared: HandleKind) -> Step<Slot> {
    let object = vm.plain_ref(field)?;
    if object == 0 {
        return Err(Trap::null());
    }
    let class = vm.get_named(object, "clazz").unwrap_or(0);
    let class = vm.class_of_mirror(class)?;
    let slot = vm.get_named(object, "slot").unwrap_or(0);
    let index = vm.plain(slot)? as u32;
    let access = vm.classes[class as usize].fields[index as usize].access;
    vm.field_handle(if access.is_static() { shared } else { own }, class, index)
}

fn find_variable(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class: ClassId = vm.class_of_mirror(args[1])?;
    let name = vm.string(args[2])?;
    let Some((class, index)) = vm.field_named(class, &name) else {
        return Err(Trap::new("java/lang/NoSuchFieldException", name));
    };
    let field = vm.classes[class as usize].fields[index as usize].clone();
    vm.new_variable(if field.access.is_static() {
        Variable::Static(field.at, field.kind)
    } else {
        Variable::Field(field.at, field.kind)
    })
}

fn array_variable(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[0])?;
    let kind = vm.classes[class as usize].element_kind();
    match kind {
        Some(kind) => vm.new_variable(Variable::Element(kind)),
        None => Err(Trap::new(
            "java/lang/IllegalArgumentException",
            "not an array type",
        )),
    }
}

fn view_variable(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[0])?;
    let kind = vm.classes[class as usize]
        .element_kind()
        .unwrap_or(Kind::Int);
    let order = vm.plain_ref(args[1])?;
    let name = vm.get_named(order, "name").unwrap_or(0);
    let big = vm.string(name)? == "BIG_ENDIAN";
    vm.new_variable(Variable::View(kind, big))
}

/// A value as the call site wants it: boxed if the site was compiled without a cast.
fn as_result(vm: &mut Vm, kind: Kind, value: Slot) -> Step<Slot> {
    let wants_object = {
        let site = vm.text(vm.site_descriptor);
        site.rsplit(')')
            .next()
            .is_some_and(|result| Kind::of(result) == Kind::Ref)
    };
    if kind == Kind::Ref || !wants_object {
        return Ok(value);
    }
    let value = vm.plain(value)?;
    vm.boxed(kind, value)
}

/// Where a variable handle's coordinates lead.
enum Place {
    View(Kind, bool, Ref, u32),
    Field(Ref, u32),
    Static(u32),
    Element(Kind, Ref, u32),
}

/// The place, its kind, and how many arguments (handle included) the coordinates take.
fn place(vm: &mut Vm, args: &[Slot]) -> Step<(Place, Kind, usize)> {
    let handle = vm.plain(args[0])?;
    match vm.variable(handle)? {
        Variable::Static(at, kind) => Ok((Place::Static(at), kind, 1)),
        Variable::Field(offset, kind) => {
            vm.not_null(args[1])?;
            Ok((Place::Field(vm.plain_ref(args[1])?, offset), kind, 2))
        }
        Variable::View(kind, big) => {
            vm.not_null(args[1])?;
            let array = vm.plain_ref(args[1])?;
            let index = vm.plain(args[2])? as u32;
            let length = vm.heap.length(array);
            if u64::from(index) + (1 << kind.shift()) > u64::from(length) {
                return Err(Trap::index(index as i32, length));
            }
            Ok((Place::View(kind, big, array, index), kind, 3))
        }
        Variable::Element(kind) => {
            vm.not_null(args[1])?;
            let array = vm.plain_ref(args[1])?;
            let index = vm.plain(args[2])? as u32;
            if index >= vm.heap.length(array) {
                return Err(Trap::index(index as i32, vm.heap.length(array)));
            }
            Ok((Place::Element(kind, array, index), kind, 3))
        }
    }
}

fn read(vm: &mut Vm, place: &Place) -> Step<Slot> {
    Ok(match *place {
        Place::View(kind, big, array, index) => {
            let mut raw = 0u64;
            for at in 0..1u32 << kind.shift() {
                let byte = vm.heap.element(Kind::Byte, array, index + at);
                let byte = vm.plain(byte)? & 0xFF;
                raw = if big {
                    raw << 8 | byte
                } else {
                    raw | byte << (8 * at)
                };
            }
            if kind == Kind::Short {
                u64::from(raw as i16 as i32 as u32)
            } else {
                vm.wide(raw)?
            }
        }
        Place::Field(object, offset) => vm.heap.field(object, offset),
        Place::Static(at) => vm.statics[at as usize],
        Place::Element(kind, array, index) => vm.heap.element(kind, array, index),
    })
}

fn write(vm: &mut Vm, place: &Place, value: Slot) -> Step<()> {
    match *place {
        Place::View(kind, big, array, index) => {
            let raw = vm.plain(value)?;
            let size = 1u32 << kind.shift();
            for at in 0..size {
                let shift = 8 * if big { size - 1 - at } else { at };
                vm.store_element(Kind::Byte, array, index + at, raw >> shift & 0xFF)?;
            }
            Ok(())
        }
        Place::Field(object, offset) => vm.store_field(object, offset, value),
        Place::Static(at) => vm.put_static(at, value),
        Place::Element(kind, array, index) => vm.store_element(kind, array, index, value),
    }
}

fn get(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (place, kind, _) = place(vm, args)?;
    let value = read(vm, &place)?;
    as_result(vm, kind, value)
}

fn set(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (place, _, at) = place(vm, args)?;
    write(vm, &place, args[at])?;
    Ok(0)
}

fn exchange(vm: &mut Vm, args: &[Slot], old_value: bool) -> Step<Slot> {
    let (place, kind, at) = place(vm, args)?;
    let (old, expected, new) = (read(vm, &place)?, args[at], args[at + 1]);
    let same = if !is_choice(old) && !is_choice(expected) {
        old == expected
    } else {
        let (a, b) = (vm.diagram(old)?, vm.diagram(expected)?);
        let equal = vm.conds.equal(a, b)?;
        let same = vm.conds.and(equal, vm.ctx)?;
        if !same.is_false() && same != vm.ctx {
            return Err(Trap::SplitOn(same));
        }
        same == vm.ctx
    };
    if same {
        write(vm, &place, new)?;
    }
    if old_value {
        as_result(vm, kind, old)
    } else {
        as_result(vm, Kind::Boolean, boolean(same))
    }
}

fn get_and_set(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (place, kind, at) = place(vm, args)?;
    let old = read(vm, &place)?;
    write(vm, &place, args[at])?;
    as_result(vm, kind, old)
}

fn get_and_add(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (place, kind, at) = place(vm, args)?;
    let old = read(vm, &place)?;
    let op = match kind {
        Kind::Long => Binary::LAdd,
        Kind::Float => Binary::FAdd,
        Kind::Double => Binary::DAdd,
        _ => Binary::IAdd,
    };
    let new = vm.lift2(op, old, args[at])?;
    write(vm, &place, new)?;
    as_result(vm, kind, old)
}
