//! `java.lang.Class`: names, kinds, hierarchy, nesting.

use super::{Entry, nothing};
use crate::class::{ClassId, Shape};
use crate::heap::HEADER;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Slot, as_ref, boolean, int};
use crate::vm::Vm;
use braid_classfile::Attribute;

const CLASS: &str = "java/lang/Class";

pub(super) const NATIVES: &[Entry] = &[
    (CLASS, "getPrimitiveClass", "*", primitive_class),
    (CLASS, "isArray", "*", |vm, args| {
        shape_is(vm, args, |shape| matches!(shape, Shape::Array { .. }))
    }),
    (CLASS, "isPrimitive", "*", |vm, args| {
        shape_is(vm, args, |shape| matches!(shape, Shape::Primitive(_)))
    }),
    (CLASS, "isInterface", "*", is_interface),
    (CLASS, "isHidden", "*", nothing),
    (CLASS, "isInstance", "*", is_instance),
    (CLASS, "isAssignableFrom", "*", is_assignable),
    (CLASS, "getSuperclass", "*", superclass),
    (CLASS, "getInterfaces0", "*", interfaces),
    (CLASS, "getModifiers", "*", modifiers),
    (CLASS, "getClassAccessFlagsRaw0", "*", modifiers),
    (CLASS, "initClassName", "*", init_name),
    (CLASS, "forName0", "*", for_name),
    (CLASS, "isRecord0", "*", is_record),
    (CLASS, "getNestHost0", "*", nest_host),
    (
        "java/io/ObjectStreamClass",
        "hasStaticInitializer",
        "*",
        has_initializer,
    ),
    (CLASS, "getDeclaringClass0", "*", declaring_class),
    (CLASS, "getSimpleBinaryName0", "*", simple_binary_name),
    (CLASS, "getEnclosingMethod0", "*", enclosing_method),
    (CLASS, "getGenericSignature0", "*", generic_signature),
    (CLASS, "getProtectionDomain0", "*", nothing),
    (CLASS, "getProtectionDomain", "*", nothing),
    (CLASS, "getSigners", "*", nothing),
    (CLASS, "getDeclaredClasses0", "*", declared_classes),
    (CLASS, "getPermittedSubclasses0", "*", permitted_subclasses),
    (
        "jdk/internal/reflect/Reflection",
        "getClassAccessFlags",
        "*",
        modifiers,
    ),
    (
        "jdk/internal/reflect/Reflection",
        "areNestMates",
        "*",
        nest_mates,
    ),
    (
        "jdk/internal/reflect/Reflection",
        "getCallerClass",
        "*",
        caller_class,
    ),
    (
        "jdk/internal/reflect/Reflection",
        "verifyModuleAccess",
        "*",
        |_, _| Ok(1),
    ),
    (
        "java/lang/ClassLoader",
        "findLoadedClass0",
        "*",
        find_loaded,
    ),
    (
        "java/lang/ClassLoader",
        "findBootstrapClass",
        "*",
        find_bootstrap,
    ),
    (
        "java/lang/ClassLoader",
        "getSystemClassLoader",
        "*",
        |vm, _| Ok(u64::from(vm.kept.loader)),
    ),
    (
        "java/lang/ClassLoader",
        "getPlatformClassLoader",
        "*",
        |vm, _| Ok(u64::from(vm.kept.loader)),
    ),
    (
        "java/lang/ClassLoader",
        "loadClass",
        "(Ljava/lang/String;Z)Ljava/lang/Class;",
        load_class,
    ),
    (
        "java/lang/ClassLoader",
        "getBuiltinAppClassLoader",
        "*",
        |vm, _| Ok(u64::from(vm.kept.loader)),
    ),
    ("java/lang/ClassLoader", "defineClass1", "*", define_class1),
    ("java/lang/ClassLoader", "defineClass0", "*", define_class0),
    (
        "jdk/internal/misc/Unsafe",
        "defineClass0",
        "*",
        define_class_unsafe,
    ),
];

fn class(vm: &mut Vm, args: &[Slot]) -> Step<ClassId> {
    vm.class_of_mirror(args[0])
}

impl Vm {
    pub(super) fn mirror_slot(&mut self, class: Option<ClassId>) -> Step<Slot> {
        Ok(match class {
            Some(class) => u64::from(self.mirror(class)?),
            None => 0,
        })
    }

    /// An array of `java.lang.Class` objects.
    pub(crate) fn class_array(&mut self, classes: &[ClassId]) -> Step<Slot> {
        let class = self.array_of(self.known.class);
        let array = self.new_array(class, classes.len() as u32)?;
        for (index, &class) in classes.iter().enumerate() {
            let mirror = self.mirror(class)?;
            self.heap
                .set_word(array + HEADER + index as u32, u64::from(mirror));
        }
        Ok(u64::from(array))
    }
}

fn primitive_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let name = vm.string(args[0])?;
    let kinds = Kind::PRIMITIVES.into_iter().chain([Kind::Void]);
    match kinds
        .into_iter()
        .find(|kind| kind.primitive_name() == Some(&name))
    {
        Some(kind) => Ok(u64::from(vm.mirror(vm.primitive(kind))?)),
        None => Err(Trap::new("java/lang/ClassNotFoundException", name)),
    }
}

fn shape_is(vm: &mut Vm, args: &[Slot], test: fn(Shape) -> bool) -> Step<Slot> {
    let class = class(vm, args)?;
    Ok(boolean(test(vm.classes[class as usize].shape)))
}

fn is_interface(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    Ok(boolean(vm.classes[class as usize].is_interface()))
}

fn is_instance(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let object = as_ref(args[1]);
    Ok(boolean(
        object != 0 && vm.is_subclass(vm.class_of(object), class),
    ))
}

fn is_assignable(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let to = class(vm, args)?;
    let from = vm.class_of_mirror(args[1])?;
    Ok(boolean(vm.is_subclass(from, to)))
}

fn superclass(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let entry = &vm.classes[class as usize];
    let parent = if entry.is_interface() {
        None
    } else {
        entry.superclass
    };
    vm.mirror_slot(parent)
}

fn interfaces(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let interfaces = vm.classes[class as usize].interfaces.clone();
    vm.class_array(&interfaces)
}

/// Flags as reflection shows them: those of the `InnerClasses` entry for nested classes.
pub(super) fn modifiers(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let entry = &vm.classes[class as usize];
    let flags = match entry.shape {
        Shape::Primitive(_) => 0x0411,
        Shape::Array { component, .. } => {
            let mirror = vm.mirror(component)?;
            (modifiers(vm, &[u64::from(mirror)])? as u16 & 0x000F) | 0x0410
        }
        Shape::Instance => inner_flags(vm, class).unwrap_or(entry.access.0) & !0x0020,
    };
    Ok(int(i32::from(flags)))
}

fn inner_flags(vm: &Vm, class: ClassId) -> Option<u16> {
    inner_entry(vm, class).map(|entry| entry.2)
}

/// Declaring class, simple name and flags from the class's own `InnerClasses` entry.
fn inner_entry(vm: &Vm, class: ClassId) -> Option<(Option<String>, Option<String>, u16)> {
    let file = vm.classes[class as usize].file.clone()?;
    let view = file.view();
    let Ok(Some(Attribute::InnerClasses(table))) = view.attribute("InnerClasses") else {
        return None;
    };
    let pool = view.pool();
    for entry in table.iter() {
        if pool.class(entry.inner).ok()?.as_bytes() != view.name().as_bytes() {
            continue;
        }
        let outer = pool
            .optional_class(entry.outer)
            .ok()?
            .map(|name| name.to_str_lossy().into_owned());
        let name = pool
            .optional_utf8(entry.name)
            .ok()?
            .map(|name| name.to_str_lossy().into_owned());
        return Some((outer, name, entry.access.0));
    }
    None
}

fn init_name(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let name = vm.java_name(class);
    let units: Vec<u16> = name.encode_utf16().collect();
    let index = vm.literals.add(units);
    let string = u64::from(vm.literal(index)?);
    vm.everywhere(|vm| vm.set_named(as_ref(args[0]), "name", string))?;
    Ok(string)
}

impl Vm {
    /// Loads a class for the program: a missing class is a `ClassNotFoundException`.
    pub(crate) fn load_for_name(&mut self, name: &str) -> Step<ClassId> {
        let missing = |name: &str| Trap::new("java/lang/ClassNotFoundException", name);
        if name.contains('/') || name.is_empty() {
            return Err(missing(name));
        }
        let internal = name.replace('.', "/");
        if !internal.starts_with('[')
            && Kind::PRIMITIVES
                .iter()
                .any(|k| k.primitive_name() == Some(name))
        {
            return Err(missing(name));
        }
        match self.load(&internal) {
            Err(Trap::New("java/lang/NoClassDefFoundError", Some(what)))
                if what == internal || internal.starts_with('[') =>
            {
                Err(missing(name))
            }
            other => other,
        }
    }
}

fn for_name(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    if args[0] == 0 {
        return Err(Trap::null());
    }
    let name = vm.string(args[0])?;
    let class = vm.load_for_name(&name)?;
    if args[1] != 0 {
        vm.ensure_init(class)?;
    }
    Ok(u64::from(vm.mirror(class)?))
}

fn load_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    // A loader of the program's own that overrides findClass keeps its behaviour.
    if as_ref(args[0]) != vm.kept.loader {
        let method = vm.original_method(
            "java/lang/ClassLoader",
            "loadClass",
            "(Ljava/lang/String;Z)Ljava/lang/Class;",
        )?;
        return Err(Trap::Tail(method, args.to_vec()));
    }
    if args[1] == 0 {
        return Err(Trap::null());
    }
    let name = vm.string(args[1])?;
    let class = vm.load_for_name(&name)?;
    Ok(u64::from(vm.mirror(class)?))
}

fn find_loaded(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let name = vm.string(args[1])?.replace('.', "/");
    let found = vm
        .symbols
        .find(&name)
        .and_then(|sym| vm.class_by_name.get(&sym).copied());
    let own = found.filter(|&class| vm.classes[class as usize].loader == as_ref(args[0]));
    vm.mirror_slot(own)
}

fn find_bootstrap(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let name = vm.string(args[0])?;
    match vm.load_for_name(&name) {
        Ok(class) => vm.mirror_slot(Some(class)),
        Err(_) => Ok(0),
    }
}

fn define(
    vm: &mut Vm,
    loader: Slot,
    name: Slot,
    bytes: Slot,
    from: Slot,
    count: Slot,
) -> Step<Slot> {
    let all = vm.plain_bytes(as_ref(bytes))?;
    let (from, count) = (from as u32 as usize, count as u32 as usize);
    let Some(part) = all.get(from..from + count) else {
        return Err(Trap::New("java/lang/ArrayIndexOutOfBoundsException", None));
    };
    let name = if name == 0 {
        String::new()
    } else {
        vm.string(name)?.replace('.', "/")
    };
    let class = match vm.defined_elsewhere(&name, part)? {
        Some(class) => class,
        None => {
            let class = vm.define(&name, part.to_vec().into(), false, as_ref(loader))?;
            let when = vm.ctx;
            vm.defined.push((class, when));
            class
        }
    };
    Ok(u64::from(vm.mirror(class)?))
}

fn define_class1(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    define(vm, args[0], args[1], args[2], args[3], args[4])
}

fn define_class0(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    define(vm, args[0], args[2], args[3], args[4], args[5])
}

fn define_class_unsafe(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    define(vm, args[5], args[1], args[2], args[3], args[4])
}

pub(super) fn is_record(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(0);
    };
    Ok(boolean(
        file.view().attributes().find_raw("Record").is_some(),
    ))
}

/// Whether a class has a static initialiser of its own; not an instance method, the argument is the class.
fn has_initializer(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let clinit = (vm.known.clinit, vm.known.void_descriptor);
    let declared = vm.classes[class as usize].by_signature.get(&clinit);
    Ok(boolean(declared.is_some()))
}

fn nest_host_of(vm: &mut Vm, class: ClassId) -> Step<ClassId> {
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(class);
    };
    match file.view().attribute("NestHost")? {
        Some(Attribute::NestHost(name)) => vm.load(&name.to_str_lossy()),
        _ => Ok(class),
    }
}

fn nest_host(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let host = nest_host_of(vm, class)?;
    vm.mirror_slot(Some(host))
}

fn nest_mates(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (a, b) = (vm.class_of_mirror(args[0])?, vm.class_of_mirror(args[1])?);
    Ok(boolean(nest_host_of(vm, a)? == nest_host_of(vm, b)?))
}

fn declaring_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    match inner_entry(vm, class) {
        Some((Some(outer), _, _)) => {
            let outer = vm.load(&outer)?;
            vm.mirror_slot(Some(outer))
        }
        _ => Ok(0),
    }
}

impl Vm {
    /// What the source calls a class: of one inside another its own name, otherwise that without the package.
    pub(crate) fn simple_name(&self, class: ClassId) -> String {
        match inner_entry(self, class) {
            Some((_, name, _)) => name.unwrap_or_default(),
            None => {
                let name = self.java_name(class);
                name.rsplit('.').next().unwrap_or(&name).to_owned()
            }
        }
    }

    /// A class that other configurations have defined from the same bytes. Names that the JDK makes up for
    /// proxies and accessors may stand for several classes, each in configurations of its own.
    fn defined_elsewhere(&mut self, name: &str, bytes: &[u8]) -> Step<Option<ClassId>> {
        let sym = self.symbols.find(name);
        if sym.is_none_or(|sym| !self.class_by_name.contains_key(&sym)) {
            return Ok(None);
        }
        let mut same = None;
        let mut elsewhere = false;
        for index in 0..self.defined.len() {
            let (class, when) = self.defined[index];
            if Some(self.classes[class as usize].name) != sym {
                continue;
            }
            elsewhere = true;
            let both = self.conds.and(self.ctx, when)?;
            if both == self.ctx {
                elsewhere = false;
                break;
            }
            if !both.is_false() {
                return Err(Trap::SplitOn(both));
            }
            let file = self.classes[class as usize].file.as_ref();
            if file.is_some_and(|file| **file.bytes() == *bytes) {
                same = Some(index);
            }
        }
        if !elsewhere {
            let message = format!("duplicate class definition: {name}");
            return Err(Trap::new("java/lang/LinkageError", message));
        }
        if let Some(index) = same {
            let when = self.conds.or(self.defined[index].1, self.ctx)?;
            self.defined[index].1 = when;
            return Ok(Some(self.defined[index].0));
        }
        let simple = name.rsplit('/').next().unwrap_or(name);
        if simple.starts_with("$Proxy") || name.starts_with("jdk/internal/reflect/Generated") {
            return Ok(None);
        }
        Err(Trap::unknown(format!(
            "defining {name} differently in several configurations is not supported"
        )))
    }
}

fn simple_binary_name(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    match inner_entry(vm, class) {
        Some((_, Some(name), _)) => Ok(u64::from(vm.new_string(&name)?)),
        _ => Ok(0),
    }
}

fn enclosing_method(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(0);
    };
    let view = file.view();
    let Some(Attribute::EnclosingMethod(enclosing)) = view.attribute("EnclosingMethod")? else {
        return Ok(0);
    };
    let outer = vm.load(&enclosing.class.to_str_lossy())?;
    let mut values = [vm.mirror_slot(Some(outer))?, 0, 0];
    if let Some(method) = enclosing.method {
        values[1] = u64::from(vm.new_string(&method.name.to_str_lossy())?);
        values[2] = u64::from(vm.new_string(&method.descriptor.to_str_lossy())?);
    }
    let class = vm.array_of(vm.known.object);
    let array = vm.new_array(class, 3)?;
    for (index, value) in values.into_iter().enumerate() {
        vm.heap.set_word(array + HEADER + index as u32, value);
    }
    Ok(u64::from(array))
}

fn generic_signature(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(0);
    };
    match file.view().attribute("Signature")? {
        Some(Attribute::Signature(text)) => Ok(u64::from(vm.new_string(&text.to_str_lossy())?)),
        _ => Ok(0),
    }
}

fn declared_classes(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let mut found = Vec::new();
    if let Some(file) = vm.classes[class as usize].file.clone() {
        let view = file.view();
        if let Some(Attribute::InnerClasses(table)) = view.attribute("InnerClasses")? {
            for entry in table.iter() {
                let outer = view.pool().optional_class(entry.outer)?;
                if outer.is_some_and(|outer| outer.as_bytes() == view.name().as_bytes()) {
                    let name = view.pool().class(entry.inner)?.to_str_lossy().into_owned();
                    found.push(vm.load(&name)?);
                }
            }
        }
    }
    vm.class_array(&found)
}

fn permitted_subclasses(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let class = class(vm, args)?;
    let Some(file) = vm.classes[class as usize].file.clone() else {
        return Ok(0);
    };
    let view = file.view();
    let Some(Attribute::PermittedSubclasses(table)) = view.attribute("PermittedSubclasses")? else {
        return Ok(0);
    };
    let mut found = Vec::new();
    for index in table.iter() {
        let name = view.pool().class(index)?.to_str_lossy().into_owned();
        found.push(vm.load(&name)?);
    }
    vm.class_array(&found)
}

/// The class that called the method which asks: two frames up, without reflection's own.
fn caller_class(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    let callers = vm.calls.iter().rev().skip(1);
    let class = callers
        .map(|call| vm.methods[call.method as usize].class)
        .find(|&class| !vm.java_name(class).starts_with("java.lang.reflect."));
    vm.mirror_slot(class)
}
