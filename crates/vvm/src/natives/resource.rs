//! Resources: read from the class path or the JDK, as streams. A resource in a folder has a URL, too; one in a jar is
//! refused, since the JDK would open the jar for it.

use super::Entry;
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    // There is one module: what the program has, then what the JDK has.
    (
        "java/lang/Module",
        "getResourceAsStream",
        "(Ljava/lang/String;)Ljava/io/InputStream;",
        |vm, args| of_module(vm, args[1]),
    ),
    (
        "jdk/internal/loader/BootLoader",
        "findResourceAsStream",
        "(Ljava/lang/String;Ljava/lang/String;)Ljava/io/InputStream;",
        |vm, args| of_module(vm, args[1]),
    ),
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

/// The path that a name relative to a class's package means.
fn path_from_class(vm: &mut Vm, args: &[Slot]) -> Step<(bool, String)> {
    let name = name_of(vm, args[1])?;
    let class = vm.class_of_mirror(args[0])?;
    let owner = vm.java_name(class).replace('.', "/");
    let path = match name.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => match owner.trim_start_matches('[').rsplit_once('/') {
            Some((package, _)) => format!("{package}/{name}"),
            None => name,
        },
    };
    Ok((vm.classes[class as usize].boot, path))
}

/// The bytes that a class finds under a name relative to its package.
fn bytes_of_class(vm: &mut Vm, args: &[Slot]) -> Step<Option<Vec<u8>>> {
    let (boot, path) = path_from_class(vm, args)?;
    if boot {
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

fn of_module(vm: &mut Vm, name: Slot) -> Step<Slot> {
    let name = name_of(vm, name)?;
    let name = name.trim_start_matches('/');
    let bytes = find(vm, name);
    let bytes = bytes.or_else(|| vm.source.jdk_resource(name).map(|bytes| bytes.to_vec()));
    stream(vm, bytes)
}

fn refuse_url(name: &str) -> Trap {
    Trap::unknown(format!("resources as URLs are not supported ({name})"))
}

fn url_of_class(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (boot, path) = path_from_class(vm, args)?;
    if boot {
        return match vm.source.jdk_resource(&path) {
            None => Ok(0),
            Some(_) => Err(refuse_url(&path)),
        };
    }
    url(vm, &path)
}

fn url_of_loader(vm: &mut Vm, name: Slot) -> Step<Slot> {
    let name = name_of(vm, name)?;
    url(vm, &name)
}

fn url(vm: &mut Vm, name: &str) -> Step<Slot> {
    let Some(file) = vm.source.resource_file(name) else {
        return match find(vm, name) {
            None => Ok(0),
            Some(_) => Err(refuse_url(name)),
        };
    };
    let file = vm.files.absolute(&file.to_string_lossy());
    let mut text = String::from("file:");
    for byte in file.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b'$' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    let text = u64::from(vm.new_string(&text)?);
    let class = vm.load("java/net/URL")?;
    vm.ensure_init(class)?;
    Ok(u64::from(vm.construct(
        class,
        "(Ljava/lang/String;)V",
        &[text],
    )?))
}

fn all_of_loader(vm: &mut Vm, name: Slot) -> Step<Slot> {
    let name = name_of(vm, name)?;
    if find(vm, &name).is_some() {
        return Err(refuse_url(&name));
    }
    let descriptor = "()Ljava/util/Enumeration;";
    vm.call_static_named("java/util/Collections", "emptyEnumeration", descriptor, &[])
}
