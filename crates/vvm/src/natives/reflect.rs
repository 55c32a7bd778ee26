//! Reflection: members as objects, calls and construction through them.

use super::{Entry, nothing};
use crate::class::{ClassId, MethodId};
use crate::heap::HEADER;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_ref, int};
use crate::vm::Vm;
use braid_classfile::{Attribute, Member};

const CLASS: &str = "java/lang/Class";
/// Module and package of proxies for public interfaces.
const PROXIES: &str = "jdk.proxy1";

pub(super) const NATIVES: &[Entry] = &[
    (CLASS, "getDeclaredFields0", "*", declared_fields),
    (CLASS, "getDeclaredMethods0", "*", declared_methods),
    (
        CLASS,
        "getDeclaredConstructors0",
        "*",
        declared_constructors,
    ),
    (CLASS, "getConstantPool", "*", constant_pool),
    (
        "jdk/internal/reflect/NativeMethodAccessorImpl",
        "invoke0",
        "*",
        invoke,
    ),
    (
        "jdk/internal/reflect/DirectMethodHandleAccessor$NativeAccessor",
        "invoke0",
        "*",
        invoke,
    ),
    (
        "jdk/internal/reflect/NativeConstructorAccessorImpl",
        "newInstance0",
        "*",
        new_instance,
    ),
    (
        "jdk/internal/reflect/DirectConstructorHandleAccessor$NativeAccessor",
        "newInstance0",
        "*",
        new_instance,
    ),
    (
        "jdk/internal/reflect/ReflectionFactory",
        "inflationThreshold",
        "*",
        |_, _| Ok(int(i32::MAX)),
    ),
    (
        "jdk/internal/reflect/MethodHandleAccessorFactory",
        "useNativeAccessor",
        "*",
        |_, _| Ok(1),
    ),
    (
        "jdk/internal/misc/VM",
        "isJavaLangInvokeInited",
        "*",
        super::yes,
    ),
    // Access between modules is not checked.
    ("java/lang/Module", "addReads0", "*", nothing),
    ("java/lang/Module", "addExports0", "*", nothing),
    ("java/lang/Module", "addExportsToAll0", "*", nothing),
    ("java/lang/Module", "addExportsToAllUnnamed0", "*", nothing),
    (
        "java/lang/reflect/Proxy$ProxyBuilder",
        "mapToModule",
        "*",
        proxy_module,
    ),
    (
        "java/lang/reflect/Proxy$ProxyBuilder",
        "proxyClassContext",
        "*",
        proxy_context,
    ),
    (
        "jdk/internal/reflect/Reflection",
        "isCallerSensitive",
        "*",
        nothing,
    ),
    (
        "java/lang/reflect/AccessibleObject",
        "checkCanSetAccessible",
        "(Ljava/lang/Class;Ljava/lang/Class;Z)Z",
        |_, _| Ok(1),
    ),
];

impl Vm {
    pub(super) fn object_array(&mut self, component: &str, objects: &[Ref]) -> Step<Slot> {
        let component = self.load(component)?;
        let class = self.array_of(component);
        let array = self.new_array(class, objects.len() as u32)?;
        for (index, &object) in objects.iter().enumerate() {
            self.heap
                .set_word(array + HEADER + index as u32, u64::from(object));
        }
        Ok(u64::from(array))
    }

    fn byte_array(&mut self, bytes: &[u8]) -> Step<Slot> {
        let array = self.new_array(self.known.byte_array, bytes.len() as u32)?;
        self.heap.byte_elements_mut(array).copy_from_slice(bytes);
        Ok(u64::from(array))
    }

    /// The content of a member's or class's attribute as a `byte[]`, or null.
    pub(super) fn attribute_bytes(&mut self, info: Option<Vec<u8>>) -> Step<Slot> {
        match info {
            Some(bytes) => self.byte_array(&bytes),
            None => Ok(0),
        }
    }

    pub(super) fn interned(&mut self, text: &str) -> Step<Slot> {
        let index = self.literals.add(text.encode_utf16().collect());
        Ok(u64::from(self.literal(index)?))
    }

    /// The method behind a `Method` or `Constructor` object.
    pub(crate) fn reflected(&mut self, member: Slot) -> Step<MethodId> {
        let member = as_ref(member);
        let class = self.get_named(member, "clazz").unwrap_or(0);
        let class = self.class_of_mirror(class)?;
        let slot = self.get_named(member, "slot").unwrap_or(0);
        let slot = self.plain(slot)? as usize;
        self.classes[class as usize]
            .methods
            .get(slot)
            .copied()
            .ok_or_else(Trap::null)
    }
}

/// Proxies of public interfaces insist on a named module with a descriptor; others live with their interface.
fn proxy_module(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    if private_interface(vm, args[1])?.is_some() {
        return Ok(u64::from(vm.kept.module));
    }
    public_proxy_module(vm)
}

/// The same from JDK 19 on, with the package and the access flags of the proxy.
fn proxy_context(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (module, package, access) = match private_interface(vm, args[1])? {
        Some(class) => {
            let name = vm.java_name(class);
            let package = name.rsplit_once('.').map_or("", |(package, _)| package);
            (u64::from(vm.kept.module), package.to_owned(), 0)
        }
        None => (public_proxy_module(vm)?, PROXIES.to_owned(), 1),
    };
    let class = vm.load("java/lang/reflect/Proxy$ProxyBuilder$ProxyClassContext")?;
    let context = vm.new_object(class)?;
    vm.held.push(u64::from(context));
    let package = vm.new_string(&package)?;
    vm.held.pop();
    vm.set_named(context, "module", module)?;
    vm.set_named(context, "packageName", u64::from(package))?;
    vm.set_named(context, "accessFlags", int(access))?;
    Ok(u64::from(context))
}

fn public_proxy_module(vm: &mut Vm) -> Step<Slot> {
    if vm.kept.proxy_module == 0 {
        vm.kept.proxy_module = vm.everywhere(make_proxy_module)?;
    }
    Ok(u64::from(vm.kept.proxy_module))
}

fn private_interface(vm: &mut Vm, list: Slot) -> Step<Option<ClassId>> {
    let array = vm.call_virtual(list, "toArray", "()[Ljava/lang/Object;", &[])?;
    let array = vm.plain_ref(array)?;
    for index in 0..vm.heap.length(array) {
        let mirror = vm.heap.word(array + HEADER + index);
        let class = vm.class_of_mirror(mirror)?;
        if super::class::modifiers(vm, &[mirror])? & 1 == 0
            && vm.classes[class as usize].is_interface()
        {
            return Ok(Some(class));
        }
    }
    Ok(None)
}

fn make_proxy_module(vm: &mut Vm) -> Step<Ref> {
    let class = vm.load("java/lang/Module")?;
    let module = vm.new_object(class)?;
    vm.held.push(u64::from(module));
    let name = u64::from(vm.new_string(PROXIES)?);
    vm.set_named(module, "name", name)?;
    let builder = "Ljava/lang/module/ModuleDescriptor$Builder;";
    let descriptor = "java/lang/module/ModuleDescriptor";
    let made = vm.call_static_named(
        descriptor,
        "newModule",
        &format!("(Ljava/lang/String;){builder}"),
        &[name],
    )?;
    let other = u64::from(vm.new_string("com.sun.proxy.jdk.proxy1")?);
    let set_type = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/util/Set;";
    let set = vm.call_static_named("java/util/Set", "of", set_type, &[name, other])?;
    vm.call_virtual(
        made,
        "packages",
        &format!("(Ljava/util/Set;){builder}"),
        &[set],
    )?;
    let built = vm.call_virtual(made, "build", &format!("()L{descriptor};"), &[])?;
    vm.set_named(module, "descriptor", built)?;
    vm.held.pop();
    Ok(module)
}

pub(super) fn raw(member: Member<'_>, name: &str) -> Option<Vec<u8>> {
    member
        .attributes()
        .find_raw(name)
        .map(|attribute| attribute.info.to_vec())
}

fn signature(member: Member<'_>) -> Option<String> {
    match member.attribute("Signature") {
        Ok(Some(Attribute::Signature(text))) => Some(text.to_str_lossy().into_owned()),
        _ => None,
    }
}

pub(super) fn set_optional_string(
    vm: &mut Vm,
    object: Ref,
    field: &str,
    text: Option<String>,
) -> Step<()> {
    if let Some(text) = text {
        let string = vm.new_string(&text)?;
        vm.set_named(object, field, u64::from(string))?;
    }
    Ok(())
}

fn declared_fields(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.class_of_mirror(args[0])?;
    let public_only = args[1] != 0;
    let field_class = vm.load("java/lang/reflect/Field")?;
    // What is final in a record stays so even where access was opened.
    let is_record = super::class::is_record(vm, &args[..1])? != 0;
    let mut objects = Vec::new();
    for index in 0..vm.classes[class as usize].fields.len() {
        let field = vm.classes[class as usize].fields[index].clone();
        let name = vm.text(field.name);
        if (public_only && !field.access.is_public()) || &*name == crate::class::mirror::INJECTED {
            continue;
        }
        let descriptor = vm.text(field.descriptor);
        let kind = vm.load_descriptor(&descriptor)?;
        let object = vm.new_object(field_class)?;
        let mirror = vm.mirror(kind)?;
        let name = vm.interned(&name)?;
        vm.set_named(object, "clazz", args[0])?;
        vm.set_named(object, "slot", int(index as i32))?;
        vm.set_named(object, "name", name)?;
        vm.set_named(object, "type", u64::from(mirror))?;
        vm.set_named(object, "modifiers", int(i32::from(field.access.0)))?;
        let trusted = field.access.is_final() && (field.access.is_static() || is_record);
        vm.set_named(object, "trustedFinal", u64::from(trusted))?;
        if let Some(file) = vm.classes[class as usize].file.clone() {
            let view = file.view();
            if let Some(member) = view.fields().nth(index) {
                set_optional_string(vm, object, "signature", signature(member))?;
                let bytes = vm.attribute_bytes(raw(member, "RuntimeVisibleAnnotations"))?;
                vm.set_named(object, "annotations", bytes)?;
            }
        }
        objects.push(object);
    }
    vm.object_array("java/lang/reflect/Field", &objects)
}

fn declared_methods(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    executables(vm, args, "java/lang/reflect/Method", false)
}

fn declared_constructors(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    executables(vm, args, "java/lang/reflect/Constructor", true)
}

fn executables(vm: &mut Vm, args: &[Slot], kind: &str, constructors: bool) -> Step<Slot> {
    let class = vm.class_of_mirror(args[0])?;
    let public_only = args[1] != 0;
    let object_class = vm.load(kind)?;
    let mut objects = Vec::new();
    for slot in 0..vm.classes[class as usize].methods.len() {
        let method = vm.classes[class as usize].methods[slot];
        let entry = &vm.methods[method as usize];
        let is_constructor = entry.name == vm.known.init;
        if is_constructor != constructors
            || entry.name == vm.known.clinit
            || (public_only && !entry.access.is_public())
        {
            continue;
        }
        objects.push(executable(vm, class, method, slot, object_class, args[0])?);
    }
    vm.object_array(kind, &objects)
}

pub(super) fn executable(
    vm: &mut Vm,
    class: ClassId,
    method: MethodId,
    slot: usize,
    object_class: ClassId,
    mirror: Slot,
) -> Step<Ref> {
    let entry = vm.methods[method as usize].clone();
    let descriptor = vm.text(entry.descriptor);
    let parts = crate::descriptor::split(&descriptor)?;
    let mut types = Vec::new();
    for part in &parts {
        types.push(vm.load_descriptor(part)?);
    }
    let result = types.pop().unwrap_or(0);
    let object = vm.new_object(object_class)?;
    let parameters = vm.class_array(&types)?;
    vm.set_named(object, "clazz", mirror)?;
    vm.set_named(object, "slot", int(slot as i32))?;
    vm.set_named(object, "parameterTypes", parameters)?;
    vm.set_named(object, "modifiers", int(i32::from(entry.access.0)))?;
    if entry.name != vm.known.init {
        let name = vm.text(entry.name);
        let name = vm.interned(&name)?;
        let result = vm.mirror(result)?;
        vm.set_named(object, "name", name)?;
        vm.set_named(object, "returnType", u64::from(result))?;
    }
    let mut exceptions = Vec::new();
    if let Some(file) = vm.classes[class as usize].file.clone() {
        let view = file.view();
        if let Some(member) = view.method_at(usize::from(entry.index)) {
            if let Some(Attribute::Exceptions(table)) = member.attribute("Exceptions")? {
                for index in table.iter() {
                    exceptions.push(vm.pool_class(class, index)?);
                }
            }
            set_optional_string(vm, object, "signature", signature(member))?;
            for (attribute, field) in [
                ("RuntimeVisibleAnnotations", "annotations"),
                ("RuntimeVisibleParameterAnnotations", "parameterAnnotations"),
                ("AnnotationDefault", "annotationDefault"),
            ] {
                if field == "annotationDefault" && entry.name == vm.known.init {
                    continue;
                }
                let bytes = vm.attribute_bytes(raw(member, attribute))?;
                vm.set_named(object, field, bytes)?;
            }
        }
    }
    let exceptions = vm.class_array(&exceptions)?;
    vm.set_named(object, "exceptionTypes", exceptions)?;
    Ok(object)
}

fn constant_pool(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = vm.load("jdk/internal/reflect/ConstantPool")?;
    let object = vm.new_object(class)?;
    vm.set_named(object, "constantPoolOop", args[0])?;
    Ok(u64::from(object))
}

/// `invoke0(Method, Object receiver, Object[] args)`.
fn invoke(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let mut method = vm.reflected(args[0])?;
    if !vm.methods[method as usize].access.is_static() {
        let receiver = as_ref(args[1]);
        if receiver == 0 {
            return Err(Trap::null());
        }
        method = vm.select(vm.class_of(receiver), method).unwrap_or(method);
    } else {
        let class = vm.methods[method as usize].class;
        vm.ensure_init(class)?;
    }
    check_arguments(vm, method, args[2])?;
    let stub = vm.invoker(method)?;
    Err(Trap::Tail(stub, vec![args[1], args[2]]))
}

/// `newInstance0(Constructor, Object[] args)`.
fn new_instance(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let method = vm.reflected(args[0])?;
    let class = vm.methods[method as usize].class;
    if vm.classes[class as usize].access.is_abstract() {
        return Err(Trap::New("java/lang/InstantiationException", None));
    }
    vm.ensure_init(class)?;
    check_arguments(vm, method, args[1])?;
    let stub = vm.invoker(method)?;
    Err(Trap::Tail(stub, vec![0, args[1]]))
}

/// Argument types are checked before the call: mismatches are `IllegalArgumentException`s.
fn check_arguments(vm: &mut Vm, method: MethodId, array: Slot) -> Step<()> {
    let entry = &vm.methods[method as usize];
    let descriptor = vm.text(entry.descriptor);
    let parts = crate::descriptor::split(&descriptor)?;
    let wanted = parts.len() - 1;
    let array = as_ref(array);
    let given = if array == 0 {
        0
    } else {
        vm.heap.length(array) as usize
    };
    if wanted != given {
        return Err(Trap::new(
            "java/lang/IllegalArgumentException",
            "wrong number of arguments",
        ));
    }
    let mismatch = || {
        Trap::new(
            "java/lang/IllegalArgumentException",
            "argument type mismatch",
        )
    };
    for (index, part) in parts[..wanted].iter().enumerate() {
        let value = vm.heap.word(array + HEADER + index as u32);
        let value = vm.plain_ref(value)?;
        match Kind::of(part) {
            Kind::Ref => {
                let class = vm.load_descriptor(part)?;
                if value != 0 && !vm.is_subclass(vm.class_of(value), class) {
                    return Err(mismatch());
                }
            }
            kind => {
                if value == 0 || vm.widened(kind, value)?.is_none() {
                    return Err(mismatch());
                }
            }
        }
    }
    Ok(())
}
