//! Resources: read from the class path or the JDK, as streams. A resource as a URL is refused, since what
//! could be done with one (open a connection, find a file) is.

use super::Entry;
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    (
        "java/lang/Class",
        "getResourceAsStream",
        "(Ljava/lang/String;)Ljava/io/InputStream;",
        of_class,
    ),
    (
        "java/lang/Class",
        "getResource",
        "(Ljava/lang/String;)Ljava/net/URL;",
        url_of_class,
    ),
    (
        "java/lang/ClassLoader",
        "getResourceAsStream",
        "(Ljava/lang/String;)Ljava/io/InputStream;",
        |vm, args| of_loader(vm, args[1]),
    ),
    (
        "java/lang/ClassLoader",
        "getSystemResourceAsStream",
        "(Ljava/lang/String;)Ljava/io/InputStream;",
        |vm, args| of_loader(vm, args[0]),
    ),
    (
        "java/lang/ClassLoader",
        "getResource",
        "(Ljava/lang/String;)Ljava/net/URL;",
        |vm, args| url_of_loader(vm, args[1]),
    ),
    (
        "java/lang/ClassLoader",
        "getSystemResource",
        "(Ljava/lang/String;)Ljava/net/URL;",
        |vm, args| url_of_loader(vm, args[0]),
    ),
    (
        "java/lang/ClassLoader",
        "getResources",
        "(Ljava/lang/String;)Ljava/util/Enumeration;",
        |vm, args| all_of_loader(vm, args[1]),
    ),
    (
        "java/lang/ClassLoader",
        "getSystemResources",
        "(Ljava/lang/String;)Ljava/util/Enumeration;",
        |vm, args| all_of_loader(vm, args[0]),
    ),
];

/// The bytes that a class finds under a name relative to its package.
fn bytes_of_class(vm: &mut Vm, args: &[Slot]) -> Step<Option<Vec<u8>>> {
    if args[1] == 0 {
        return Err(Trap::null());
    }
    let class = vm.class_of_mirror(args[0])?;
    let name = vm.string(args[1])?;
    let owner = vm.java_name(class).replace('.', "/");
    let path = match name.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => match owner.trim_start_matches('[').rsplit_once('/') {
            Some((package, _)) => format!("{package}/{name}"),
            None => name,
        },
    };
    if vm.classes[class as usize].boot {
        return Ok(vm.source.jdk_resource(&path).map(|bytes| bytes.to_vec()));
    }
    Ok(find(vm, &path))
}

/// What the program's class loader finds.
fn find(vm: &Vm, path: &str) -> Option<Vec<u8>> {
    if let Some(bytes) = vm.source.resource(path) {
        return Some(bytes.to_vec());
    }
    // Class files of the JDK are the only resources of it that everyone may see.
    let class = path.strip_suffix(".class")?;
    vm.source.class(class).map(|(bytes, _)| bytes.to_vec())
}

fn stream(vm: &mut Vm, bytes: Option<Vec<u8>>) -> Step<Slot> {
    let Some(bytes) = bytes else {
        return Ok(0);
    };
    let array = vm.new_array(vm.known.byte_array, bytes.len() as u32)?;
    vm.heap.byte_elements_mut(array).copy_from_slice(&bytes);
    vm.held.push(u64::from(array));
    let made = vm
        .load("java/io/ByteArrayInputStream")
        .and_then(|class| vm.ensure_init(class).map(|()| class))
        .and_then(|class| vm.construct(class, "([B)V", &[u64::from(array)]));
    vm.held.pop();
    Ok(u64::from(made?))
}

fn of_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let bytes = bytes_of_class(vm, args)?;
    stream(vm, bytes)
}

fn name_of(vm: &mut Vm, name: Slot) -> Step<String> {
    if name == 0 {
        return Err(Trap::null());
    }
    vm.string(name)
}

fn of_loader(vm: &mut Vm, name: Slot) -> Step<Slot> {
    let name = name_of(vm, name)?;
    let bytes = find(vm, &name);
    stream(vm, bytes)
}

fn refuse_url(name: &str) -> Trap {
    Trap::unknown(format!("resources as URLs are not supported ({name})"))
}

fn url_of_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    match bytes_of_class(vm, args)? {
        None => Ok(0),
        Some(_) => Err(refuse_url(&name_of(vm, args[1])?)),
    }
}

fn url_of_loader(vm: &mut Vm, name: Slot) -> Step<Slot> {
    let name = name_of(vm, name)?;
    match find(vm, &name) {
        None => Ok(0),
        Some(_) => Err(refuse_url(&name)),
    }
}

fn all_of_loader(vm: &mut Vm, name: Slot) -> Step<Slot> {
    let name = name_of(vm, name)?;
    if find(vm, &name).is_some() {
        return Err(refuse_url(&name));
    }
    let descriptor = "()Ljava/util/Enumeration;";
    vm.call_static_named("java/util/Collections", "emptyEnumeration", descriptor, &[])
}
