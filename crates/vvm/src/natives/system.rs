//! `System`, system properties, `VM`, class data sharing, security stubs.

use super::{Entry, nothing};
use crate::trap::{Step, Trap};
use crate::value::{Slot, as_ref};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    ("java/lang/System", "currentTimeMillis", "*", |vm, _| {
        Ok(vm.now_nanos() / 1_000_000)
    }),
    ("java/lang/System", "nanoTime", "*", |vm, _| {
        Ok(vm.now_nanos())
    }),
    ("java/lang/System", "mapLibraryName", "*", |_, args| {
        Ok(args[0])
    }),
    ("java/lang/System", "loadLibrary", "*", nothing),
    ("java/lang/System", "setIn0", "*", |vm, args| {
        set_stream(vm, "in", args)
    }),
    ("java/lang/System", "setOut0", "*", |vm, args| {
        set_stream(vm, "out", args)
    }),
    ("java/lang/System", "setErr0", "*", |vm, args| {
        set_stream(vm, "err", args)
    }),
    (
        "jdk/internal/util/SystemProps$Raw",
        "platformProperties",
        "*",
        platform_properties,
    ),
    (
        "jdk/internal/util/SystemProps$Raw",
        "vmProperties",
        "*",
        vm_properties,
    ),
    ("jdk/internal/misc/VM", "initialize", "*", nothing),
    (
        "jdk/internal/misc/VM",
        "getNanoTimeAdjustment",
        "*",
        nanos_from,
    ),
    (
        "jdk/internal/misc/VM",
        "latestUserDefinedLoader0",
        "*",
        nothing,
    ),
    (
        "jdk/internal/misc/VM",
        "latestUserDefinedLoader",
        "*",
        |vm, _| Ok(u64::from(vm.kept.loader)),
    ),
    ("jdk/internal/misc/CDS", "isDumpingClassList0", "*", nothing),
    ("jdk/internal/misc/CDS", "isDumpingArchive0", "*", nothing),
    ("jdk/internal/misc/CDS", "isSharingEnabled0", "*", nothing),
    (
        "jdk/internal/misc/CDS",
        "getRandomSeedForDumping",
        "*",
        nothing,
    ),
    (
        "jdk/internal/misc/CDS",
        "initializeFromArchive",
        "*",
        nothing,
    ),
    (
        "jdk/internal/misc/CDS",
        "defineArchivedModules",
        "*",
        nothing,
    ),
    ("jdk/internal/misc/CDS", "getCDSConfigStatus", "*", nothing),
    ("jdk/internal/misc/Signal", "findSignal0", "*", |_, _| {
        Ok(u64::from(-1i32 as u32))
    }),
    ("jdk/internal/misc/Signal", "handle0", "*", nothing),
    ("java/lang/Terminator", "setup", "*", nothing),
    (
        "java/security/AccessController",
        "getStackAccessControlContext",
        "*",
        nothing,
    ),
    (
        "java/security/AccessController",
        "getInheritedAccessControlContext",
        "*",
        nothing,
    ),
    (
        "java/security/AccessController",
        "ensureMaterializedForStackWalk",
        "*",
        nothing,
    ),
    (
        "java/security/AccessController",
        "getProtectionDomain",
        "*",
        nothing,
    ),
    (
        "java/security/AccessController",
        "checkPermission",
        "*",
        nothing,
    ),
    (
        "java/lang/ProcessEnvironment",
        "environ",
        "*",
        empty_environment,
    ),
    ("java/util/TimeZone", "getSystemTimeZoneID", "*", |vm, _| {
        string(vm, "UTC")
    }),
    (
        "java/util/TimeZone",
        "getSystemGMTOffsetID",
        "*",
        |vm, _| string(vm, "GMT"),
    ),
    (
        "jdk/internal/loader/BootLoader",
        "loadLibrary",
        "*",
        nothing,
    ),
    (
        "jdk/internal/loader/BootLoader",
        "setBootLoaderUnnamedModule0",
        "*",
        nothing,
    ),
    (
        "jdk/internal/loader/NativeLibraries",
        "findBuiltinLib",
        "*",
        nothing,
    ),
    (
        "jdk/internal/loader/BootLoader",
        "getSystemPackageLocation",
        "*",
        nothing,
    ),
    (
        "jdk/internal/misc/PreviewFeatures",
        "isPreviewEnabled",
        "*",
        nothing,
    ),
    (
        "jdk/internal/vm/ContinuationSupport",
        "isSupported0",
        "*",
        nothing,
    ),
];

fn string(vm: &mut Vm, text: &str) -> Step<Slot> {
    Ok(u64::from(vm.new_string(text)?))
}

fn set_stream(vm: &mut Vm, name: &str, args: &[Slot]) -> Step<Slot> {
    let class = vm.load("java/lang/System")?;
    let (class, index) = vm
        .field_named(class, name)
        .ok_or_else(|| Trap::unknown("class library: System's streams"))?;
    let at = vm.classes[class as usize].fields[index as usize].at;
    match name {
        "out" if vm.kept.out == 0 => vm.kept.out = as_ref(args[0]),
        "err" if vm.kept.err == 0 => vm.kept.err = as_ref(args[0]),
        _ => {}
    }
    vm.put_static(at, args[0])?;
    Ok(0)
}

impl Vm {
    /// Nanoseconds since the epoch: a clock that only moves when it is looked at, so that runs repeat.
    pub(crate) fn now_nanos(&mut self) -> u64 {
        self.clock += 1_000_000;
        self.clock
    }

    pub(crate) fn string_array(&mut self, strings: &[Option<&str>]) -> Step<Slot> {
        let class = self.array_of(self.known.string);
        let array = self.new_array(class, strings.len() as u32)?;
        for (index, text) in strings.iter().enumerate() {
            if let Some(text) = text {
                let string = self.new_string(text)?;
                self.heap
                    .set_word(array + 2 + index as u32, u64::from(string));
            }
        }
        Ok(u64::from(array))
    }
}

/// The index of each platform property is a constant of `SystemProps.Raw`.
fn platform_properties(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    let class = vm.load("jdk/internal/util/SystemProps$Raw")?;
    let mut values: Vec<Option<&str>> = Vec::new();
    for index in 0..vm.classes[class as usize].fields.len() {
        let field = &vm.classes[class as usize].fields[index];
        let (name, constant, kind) = (vm.text(field.name), field.constant, field.kind);
        let Some(value) = property(&name) else {
            continue;
        };
        if constant != 0 {
            let at = vm.constant_value(class, constant, kind)? as usize;
            if values.len() <= at {
                values.resize(at + 1, None);
            }
            values[at] = Some(value);
        }
    }
    let length = vm.statics_named(class, "FIXED_LENGTH").unwrap_or(64) as usize;
    values.resize(length.max(values.len()), None);
    vm.string_array(&values)
}

fn property(name: &str) -> Option<&'static str> {
    Some(match name {
        "_display_language_NDX" => "en",
        "_file_encoding_NDX" | "_sun_jnu_encoding_NDX" | "_native_encoding_NDX" => "UTF-8",
        "_stdout_encoding_NDX" | "_stderr_encoding_NDX" | "_sun_stdout_encoding_NDX" => "UTF-8",
        "_sun_stderr_encoding_NDX" => "UTF-8",
        "_file_separator_NDX" => "/",
        "_path_separator_NDX" => ":",
        "_line_separator_NDX" => "\n",
        "_java_io_tmpdir_NDX" => "/tmp",
        "_os_arch_NDX" => "amd64",
        "_os_name_NDX" => "Linux",
        "_os_version_NDX" => "5.0",
        "_sun_arch_data_model_NDX" => "64",
        "_sun_cpu_endian_NDX" => "little",
        "_sun_io_unicode_encoding_NDX" => "UnicodeLittle",
        "_user_home_NDX" => "/",
        "_user_name_NDX" => "user",
        _ => return None,
    })
}

fn vm_properties(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    let version = vm.java_version.to_string();
    let home = vm.java_home.clone();
    let specification = vm.java_version.to_string();
    let folder = vm.files.folder.to_string_lossy().into_owned();
    let mut all: Vec<(String, String)> = [
        ("java.home", home.as_str()),
        ("user.dir", folder.as_str()),
        (
            "java.vm.specification.name",
            "Java Virtual Machine Specification",
        ),
        ("java.vm.specification.vendor", "Oracle Corporation"),
        ("java.vm.specification.version", specification.as_str()),
        ("java.vm.name", "Braid variational VM"),
        ("java.vm.version", version.as_str()),
        ("java.vm.vendor", "Braid"),
        ("java.vm.info", "interpreted mode"),
        ("java.class.path", "."),
        ("java.library.path", ""),
        ("java.class.version", "61.0"),
        ("user.timezone", "UTC"),
        ("jdk.debug", "release"),
        ("sun.nio.MaxDirectMemorySize", "67108864"),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .collect();
    all.extend(vm.properties.iter().cloned());
    let flat: Vec<Option<&str>> = all
        .iter()
        .flat_map(|(key, value)| [Some(key.as_str()), Some(value.as_str())])
        .chain([None, None])
        .collect();
    vm.string_array(&flat)
}

fn nanos_from(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let offset_seconds = args[0] as i64;
    let now = vm.now_nanos() as i64;
    Ok((now - offset_seconds.wrapping_mul(1_000_000_000)) as u64)
}

fn empty_environment(vm: &mut Vm, _: &[Slot]) -> Step<Slot> {
    let bytes = vm.known.byte_array;
    let class = vm.array_of(bytes);
    Ok(u64::from(vm.new_array(class, 0)?))
}

impl Vm {
    /// A static field by name, as it is now.
    pub(crate) fn statics_named(&self, class: crate::class::ClassId, name: &str) -> Option<Slot> {
        let (class, index) = self.field_named(class, name)?;
        Some(self.statics[self.classes[class as usize].fields[index as usize].at as usize])
    }
}
