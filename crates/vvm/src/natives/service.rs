//! `ServiceLoader`: providers that the JDK's modules declare, and those that jars of the class path name.

use super::Entry;
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_ref};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[(
    "java/util/ServiceLoader",
    "newLookupIterator",
    "()Ljava/util/Iterator;",
    lookup,
)];

const PROVIDER: &str = "java/util/ServiceLoader$ProviderImpl";

/// An iterator over the providers of a service; the loader itself makes and caches the objects.
fn lookup(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let loader = as_ref(args[0]);
    if vm.get_named(loader, "layer").unwrap_or(0) != 0 {
        return Err(Trap::unknown(
            "services of a module layer are not supported",
        ));
    }
    let name = vm.get_named(loader, "serviceName").unwrap_or(0);
    let service = vm.string(name)?.replace('.', "/");
    let mut names = vm.source.jdk_providers(&service);
    if vm.get_named(loader, "loader").unwrap_or(0) != 0 {
        names.extend(path_providers(vm, &service));
    }
    let class = vm.load("java/util/ArrayList")?;
    vm.ensure_init(class)?;
    let list = u64::from(vm.construct(class, "()V", &[])?);
    vm.held.push(list);
    let filled = fill(vm, args[0], &names, list);
    vm.held.pop();
    filled?;
    vm.call_virtual(list, "iterator", "()Ljava/util/Iterator;", &[])
}

/// What `META-INF/services` on the class path says.
fn path_providers(vm: &Vm, service: &str) -> Vec<String> {
    let path = format!("META-INF/services/{}", service.replace('/', "."));
    let mut names: Vec<String> = Vec::new();
    for bytes in vm.source.resources(&path) {
        for line in String::from_utf8_lossy(&bytes).lines() {
            let name = line
                .split('#')
                .next()
                .unwrap_or("")
                .trim()
                .replace('.', "/");
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn fill(vm: &mut Vm, loader: Slot, names: &[String], list: Slot) -> Step<()> {
    let service = vm.get_named(as_ref(loader), "service").unwrap_or(0);
    // Before JDK 24 providers are made with the rights of whoever asked.
    let acc = vm.get_named(as_ref(loader), "acc");
    let context = acc.map(|_| "Ljava/security/AccessControlContext;");
    let acc = acc.unwrap_or(0);
    let provider = vm.load(PROVIDER)?;
    vm.ensure_init(provider)?;
    for name in names {
        let class = vm.load(name)?;
        let mirror = u64::from(vm.mirror(class)?);
        let find = "(Ljava/lang/Class;)Ljava/lang/reflect/Method;";
        let factory = vm.call_virtual(loader, "findStaticProviderMethod", find, &[mirror])?;
        let (how, kind) = if factory != 0 && vm.classes[class as usize].boot {
            (factory, "Method")
        } else {
            let get = "(Ljava/lang/Class;)Ljava/lang/reflect/Constructor;";
            let constructor = vm.call_virtual(loader, "getConstructor", get, &[mirror])?;
            (constructor, "Constructor")
        };
        let descriptor = format!(
            "(Ljava/lang/Class;Ljava/lang/Class;Ljava/lang/reflect/{kind};{})V",
            context.unwrap_or_default()
        );
        let args = [service, mirror, how, acc];
        let args = &args[..3 + usize::from(context.is_some())];
        let made = vm.construct(provider, &descriptor, args)?;
        vm.call_virtual(list, "add", "(Ljava/lang/Object;)Z", &[u64::from(made)])?;
    }
    Ok(())
}
