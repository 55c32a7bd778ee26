//! Reflection: what the attributes of a class file say of classes and members.

use super::Entry;
use super::reflect::{executable, raw, set_optional_string};
use crate::class::ClassId;
use crate::trap::Step;
use crate::value::{Ref, Slot, as_ref, int};
use crate::vm::Vm;
use braid_classfile::attribute::RecordComponent;
use braid_classfile::{Attribute, ConstantPool, OwnedClass};
use std::rc::Rc;

const CLASS: &str = "java/lang/Class";
const TYPE_ANNOTATIONS: &str = "RuntimeVisibleTypeAnnotations";

pub(super) const NATIVES: &[Entry] = &[
    (CLASS, "getRecordComponents0", "*", record_components),
    (CLASS, "getRawAnnotations", "*", raw_annotations),
    (CLASS, "getRawTypeAnnotations", "*", raw_type_annotations),
    (
        "java/lang/reflect/Executable",
        "getTypeAnnotationBytes0",
        "*",
        method_type_annotations,
    ),
    (
        "java/lang/reflect/Executable",
        "getParameters0",
        "*",
        parameters,
    ),
    (
        "java/lang/reflect/Field",
        "getTypeAnnotationBytes0",
        "*",
        field_type_annotations,
    ),
];

fn raw_annotations(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    class_attribute(vm, args[0], "RuntimeVisibleAnnotations")
}

fn raw_type_annotations(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    class_attribute(vm, args[0], TYPE_ANNOTATIONS)
}

fn class_attribute(vm: &mut Vm, mirror: Slot, name: &str) -> Step<Slot> {
    let class = vm.class_of_mirror(mirror)?;
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(0);
    };
    let view = file.view();
    let raw = view.attributes().find_raw(name);
    vm.attribute_bytes(raw.map(|raw| raw.info.to_vec()))
}

/// The class file of a reflected method or constructor, and which of its methods that is; none if it has no file.
fn method_file(vm: &mut Vm, executable: Slot) -> Step<Option<(Rc<OwnedClass>, usize)>> {
    let method = vm.reflected(executable)?;
    let entry = &vm.methods[method as usize];
    let file = vm.classes[entry.class as usize].file.clone();
    Ok(file.map(|file| (file, usize::from(entry.index))))
}

fn method_type_annotations(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let Some((file, index)) = method_file(vm, args[0])? else {
        return Ok(0);
    };
    let view = file.view();
    let member = view.method_at(index);
    vm.attribute_bytes(member.and_then(|member| raw(member, TYPE_ANNOTATIONS)))
}

fn field_type_annotations(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.get_named(as_ref(args[0]), "clazz").unwrap_or(0);
    let class = vm.class_of_mirror(class)?;
    let slot = vm.get_named(as_ref(args[0]), "slot").unwrap_or(0);
    let slot = vm.plain(slot)? as usize;
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(0);
    };
    let view = file.view();
    let member = view.fields().nth(slot);
    vm.attribute_bytes(member.and_then(|member| raw(member, TYPE_ANNOTATIONS)))
}

/// `Parameter[]` as the class file has names and modifiers for them, null where it has none.
fn parameters(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let Some((file, index)) = method_file(vm, args[0])? else {
        return Ok(0);
    };
    let view = file.view();
    let member = view.method_at(index);
    let Some(Attribute::MethodParameters(table)) = member
        .map(|member| member.attribute("MethodParameters"))
        .transpose()?
        .flatten()
    else {
        return Ok(0);
    };
    let class = vm.load("java/lang/reflect/Parameter")?;
    let mut objects = Vec::new();
    for (at, parameter) in table.iter().enumerate() {
        let object = vm.new_object(class)?;
        if parameter.name != 0 {
            let name = view
                .pool()
                .utf8(parameter.name)?
                .to_str_lossy()
                .into_owned();
            let name = vm.interned(&name)?;
            vm.set_named(object, "name", name)?;
        }
        vm.set_named(object, "modifiers", int(i32::from(parameter.access.0)))?;
        vm.set_named(object, "executable", args[0])?;
        vm.set_named(object, "index", int(at as i32))?;
        objects.push(object);
    }
    vm.object_array("java/lang/reflect/Parameter", &objects)
}

fn record_components(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[0])?;
    let mut objects = Vec::new();
    if let Some(file) = vm.classes[class as usize].file.clone() {
        let view = file.view();
        if let Some(Attribute::Record(components)) = view.attribute("Record")? {
            for component in components {
                objects.push(record_component(
                    vm,
                    (class, args[0]),
                    view.pool(),
                    &component,
                )?);
            }
        }
    }
    vm.object_array("java/lang/reflect/RecordComponent", &objects)
}

fn record_component(
    vm: &mut Vm,
    (class, mirror): (ClassId, Slot),
    pool: ConstantPool<'_>,
    component: &RecordComponent<'_>,
) -> Step<Ref> {
    let name = component.name.to_str_lossy().into_owned();
    let descriptor = component.descriptor.to_str_lossy().into_owned();
    let kind = vm.load_descriptor(&descriptor)?;
    let component_class = vm.load("java/lang/reflect/RecordComponent")?;
    let object = vm.new_object(component_class)?;
    let kind = vm.mirror(kind)?;
    let text = vm.interned(&name)?;
    vm.set_named(object, "clazz", mirror)?;
    vm.set_named(object, "name", text)?;
    vm.set_named(object, "type", u64::from(kind))?;
    let accessor = accessor(vm, (class, mirror), &name, &descriptor)?;
    vm.set_named(object, "accessor", accessor)?;
    let find = |name| component.attributes.find_raw(name);
    let signature = match find("Signature").map(|raw| raw.info) {
        Some(&[high, low]) => Some(pool.utf8(u16::from_be_bytes([high, low]))?),
        _ => None,
    };
    let signature = signature.map(|text| text.to_str_lossy().into_owned());
    set_optional_string(vm, object, "signature", signature)?;
    for (attribute, field) in [
        ("RuntimeVisibleAnnotations", "annotations"),
        (TYPE_ANNOTATIONS, "typeAnnotations"),
    ] {
        let bytes = vm.attribute_bytes(find(attribute).map(|raw| raw.info.to_vec()))?;
        vm.set_named(object, field, bytes)?;
    }
    Ok(object)
}

/// The method of a record that gives a component, or null.
fn accessor(
    vm: &mut Vm,
    (class, mirror): (ClassId, Slot),
    name: &str,
    descriptor: &str,
) -> Step<Slot> {
    let descriptor = vm.symbols.intern(&format!("(){descriptor}"));
    let name = vm.symbols.intern(name);
    let entry = &vm.classes[class as usize];
    let Some(&method) = entry.by_signature.get(&(name, descriptor)) else {
        return Ok(0);
    };
    let slot = entry.methods.iter().position(|&id| id == method);
    let method_class = vm.load("java/lang/reflect/Method")?;
    let object = executable(vm, class, method, slot.unwrap_or(0), method_class, mirror)?;
    Ok(u64::from(object))
}
