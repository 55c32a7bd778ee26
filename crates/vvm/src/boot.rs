//! Starting the VM: the classes it needs, the first thread, `System.initPhase1`.

use crate::class::{Body, ClassId, Method, MethodId, Shape};
use crate::error::{Result, VmError};
use crate::files::Files;
use crate::heap::Heap;
use crate::natives::Natives;
use crate::source::ClassSource;
use crate::symbol::{Sym, Symbols};
use crate::trap::{Step, Trap};
use crate::value::{Kind, int};
use crate::vm::{COMPARED, Compared, Counters, Known, Limits, Vm, WINDOW};
use braid_classfile::AccessFlags;
use braid_cond::{Cond, Manager};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

/// Registers of all frames together.
const STACK: usize = 1 << 19;

/// What a VM is started with.
pub struct Config {
    /// Classes of the JDK and of the program.
    pub source: Rc<dyn ClassSource>,
    /// Where the JDK's own files can be read.
    pub jdk_home: Option<PathBuf>,
    /// The JDK's major version.
    pub java_version: u32,
    /// Bounds.
    pub limits: Limits,
    /// System properties of the program.
    pub properties: Vec<(String, String)>,
    /// Whether `assert` is on in the program's classes.
    pub assertions: bool,
}

/// What the program sees as the JDK's folder.
const JAVA_HOME: &str = "/java";

/// Where relative paths start: the property `user.dir`, or where this process runs.
fn user_folder(properties: &[(String, String)]) -> PathBuf {
    let named = properties.iter().find(|(name, _)| name == "user.dir");
    let folder = named.map(|(_, folder)| PathBuf::from(folder));
    folder
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_else(|| "/".into())
}

impl Vm {
    /// A VM that is ready to run the program's classes.
    pub fn start(config: Config) -> Result<Vm> {
        let mut vm = Vm::blank(config);
        match vm.boot() {
            Ok(()) => Ok(vm),
            Err(trap) => Err(VmError::Library(vm.explain(trap))),
        }
    }

    fn blank(config: Config) -> Vm {
        let mut symbols = Symbols::default();
        let natives = Natives::register(&mut symbols);
        let heap = Heap::new(config.limits.heap);
        let collect_at = u64::from(heap.capacity()) * 3 / 4;
        let mut conds = Manager::new();
        conds.set_node_limit(config.limits.nodes);
        let files = Files::new(
            user_folder(&config.properties),
            config.jdk_home.map(|home| (JAVA_HOME.into(), home)),
        );
        Vm {
            conds,
            universe: Cond::TRUE,
            ctx: Cond::TRUE,
            heap,
            statics: Vec::new(),
            symbols,
            source: config.source,
            classes: Vec::new(),
            class_by_name: FxHashMap::default(),
            methods: Vec::new(),
            signatures: FxHashMap::default(),
            primitives: [0; 10],
            known: Known::default(),
            natives,
            literals: Default::default(),
            stack: vec![Cell::new(0); STACK + WINDOW].into(),
            top: 0,
            calls: Vec::new(),
            multis: Vec::new(),
            fuel: u64::MAX,
            limits: config.limits,
            output: Default::default(),
            counters: Counters::default(),
            held: Vec::new(),
            events: Vec::new(),
            kept: Default::default(),
            reasons: Vec::new(),
            quickened: Vec::new(),
            handles: Default::default(),
            properties: config.properties,
            made: 0,
            clock: 1_600_000_000_000_000_000,
            options: Default::default(),
            trace: Default::default(),
            fuel_mark: u64::MAX,
            path: 0,
            grant: None,
            measure: false,
            fast: false,
            seen: Vec::new(),
            compared: Box::new([Compared::NONE; COMPARED]),
            outcome: None,
            kinds: Box::new([const { Cell::new(0) }; crate::class::lookup::KINDS]),
            selections: Box::new([const { Cell::new((0, 0, 0)) }; crate::class::lookup::KINDS]),
            escaped: 0,
            last_resort: 0,
            collect_at,
            site_descriptor: Sym::default(),
            assertions: config.assertions,
            java_version: config.java_version,
            java_home: JAVA_HOME.into(),
            files,
            defined: Vec::new(),
            originals: FxHashMap::default(),
        }
    }

    fn boot(&mut self) -> Step<()> {
        self.known.init = self.symbols.intern("<init>");
        self.known.clinit = self.symbols.intern("<clinit>");
        self.known.void_descriptor = self.symbols.intern("()V");
        // Class 0 never has objects: a word of zeroes is not a header.
        let nothing = self.blank_class("braid/Nothing", AccessFlags(0x0011), Shape::Instance);
        self.add_class(nothing, Vec::new());
        let kinds = Kind::PRIMITIVES.into_iter().chain([Kind::Void]);
        for kind in kinds {
            let name = kind.primitive_name().unwrap_or("");
            let mut class = self.blank_class(name, AccessFlags(0x0411), Shape::Primitive(kind));
            class.init.begun = Cond::TRUE;
            self.primitives[kind as usize] = self.add_class(class, Vec::new());
        }
        self.load_known()?;
        self.last_resort = self.abort(crate::interp::raise::AbortKind::Unknown, 0)?;
        self.reasons
            .push("the VM ran out of memory while reporting a problem".into());
        self.make_module()?;
        self.make_thread()?;
        self.init_system()
    }

    fn load_known(&mut self) -> Step<()> {
        self.known.object = self.load("java/lang/Object")?;
        self.known.serializable = self.load("java/io/Serializable")?;
        self.known.cloneable = self.load("java/lang/Cloneable")?;
        self.known.class = self.load("java/lang/Class")?;
        self.known.string = self.load("java/lang/String")?;
        self.known.throwable = self.load("java/lang/Throwable")?;
        self.known.method_handle = self.load("java/lang/invoke/MethodHandle")?;
        self.known.var_handle = self.load("java/lang/invoke/VarHandle")?;
        for (kind, known) in [(Kind::Boolean, 0), (Kind::Byte, 1), (Kind::Char, 2)] {
            let array = self.array_of(self.primitive(kind));
            match known {
                0 => self.known.boolean_array = array,
                1 => self.known.byte_array = array,
                _ => self.known.char_array = array,
            }
        }
        self.known.abort = self.make_class("braid/Abort", self.known.object, &[], &[])?;
        let string = self.known.string;
        self.known.string_value = self.offset_of(string, "value")?;
        self.known.string_coder = self.offset_of(string, "coder")?;
        self.known.string_hash = self.offset_of(string, "hash")?;
        let class = self.known.class;
        self.known.mirror_class = self.offset_of(class, crate::class::mirror::INJECTED)?;
        self.known.mirror_module = self.offset_of(class, "module")?;
        self.known.mirror_component = self.offset_of(class, "componentType")?;
        self.known.mirror_loader = self.offset_of(class, "classLoader")?;
        Ok(())
    }

    pub(crate) fn offset_of(&mut self, class: ClassId, name: &str) -> Step<u32> {
        match self.field_named(class, name) {
            Some((class, index)) => Ok(self.classes[class as usize].fields[index as usize].at),
            None => Err(Trap::unknown(format!("class library: no field {name}"))),
        }
    }

    /// Every class is in one unnamed module, so that nothing needs the module system.
    fn make_module(&mut self) -> Step<()> {
        let class = self.load("java/lang/Module")?;
        self.kept.module = self.new_object(class)?;
        for id in 0..self.classes.len() {
            let mirror = self.classes[id].mirror;
            if mirror != 0 {
                self.heap.set_field(
                    mirror,
                    self.known.mirror_module,
                    u64::from(self.kept.module),
                );
            }
        }
        Ok(())
    }

    fn make_thread(&mut self) -> Step<()> {
        let group_class = self.load("java/lang/ThreadGroup")?;
        let thread_class = self.load("java/lang/Thread")?;
        self.ensure_init(self.known.string)?;
        let thread = self.new_object(thread_class)?;
        self.kept.thread = thread;
        self.ensure_init(group_class)?;
        let system = self.construct(group_class, "()V", &[])?;
        self.kept.thread_group = system;
        if self.field_named(thread_class, "holder").is_some() {
            self.make_thread_holder(thread, system)?;
        } else {
            self.set_named(thread, "group", u64::from(system))?;
            self.set_named(thread, "priority", int(5))?;
            self.set_named(thread, "threadStatus", int(5))?;
        }
        if self.field_named(thread_class, "eetop").is_some() {
            self.set_named(thread, "eetop", 1)?;
        }
        for lock in ["blockerLock", "interruptLock"] {
            if self.field_named(thread_class, lock).is_some() {
                let object = self.new_object(self.known.object)?;
                self.set_named(thread, lock, u64::from(object))?;
            }
        }
        let name = self.new_string("main")?;
        self.set_named(thread, "name", u64::from(name))?;
        self.ensure_init(thread_class)
    }

    /// From JDK 19 on, a thread's particulars are in an object of their own.
    fn make_thread_holder(&mut self, thread: u32, group: u32) -> Step<()> {
        let class = self.load("java/lang/Thread$FieldHolder")?;
        let holder = self.new_object(class)?;
        self.set_named(holder, "group", u64::from(group))?;
        self.set_named(holder, "priority", int(5))?;
        self.set_named(holder, "threadStatus", int(5))?;
        self.set_named(thread, "holder", u64::from(holder))?;
        self.set_named(thread, "tid", 1)
    }

    /// What the JDK asks of the machine.
    fn set_unsafe_constants(&mut self) -> Step<()> {
        let class = self.load("jdk/internal/misc/UnsafeConstants")?;
        self.ensure_init(class)?;
        for (name, value) in [("ADDRESS_SIZE0", 8), ("PAGE_SIZE", 4096)] {
            if let Some((class, index)) = self.field_named(class, name) {
                let at = self.classes[class as usize].fields[index as usize].at;
                self.statics[at as usize] = value;
            }
        }
        Ok(())
    }

    fn init_system(&mut self) -> Step<()> {
        self.set_unsafe_constants()?;
        // Where phase 1 starts the threads that clear references, they must be known before.
        if self.java_version > 21 {
            let class = self.load("java/lang/ref/Reference")?;
            self.ensure_init(class)?;
        }
        for name in [
            "java/lang/Class",
            "java/lang/reflect/Method",
            "java/lang/System",
        ] {
            let class = self.load(name)?;
            self.ensure_init(class)?;
        }
        let system = self.load("java/lang/System")?;
        let phase1 = self.method_of(system, "initPhase1", "()V")?;
        self.call_value(phase1, &[])?;
        let misc = self.load("jdk/internal/misc/VM")?;
        if let Some((class, index)) = self.field_named(misc, "initLevel") {
            let at = self.classes[class as usize].fields[index as usize].at;
            self.statics[at as usize] = int(4);
        }
        self.make_loader()?;
        for class in &mut self.classes {
            class.permanent = class.init.begun.is_true();
        }
        Ok(())
    }

    /// The application class loader: an object of `ClassLoader` itself, whose methods the VM replaces.
    fn make_loader(&mut self) -> Step<()> {
        let class = self.load("jdk/internal/loader/ClassLoaders$AppClassLoader")?;
        self.kept.loader = self.new_object(class)?;
        let (thread, loader) = (self.kept.thread, u64::from(self.kept.loader));
        self.set_named(thread, "contextClassLoader", loader)?;
        let (loader, module) = (self.kept.loader, u64::from(self.kept.module));
        self.set_named(loader, "unnamedModule", module)?;
        Ok(())
    }

    /// The bytecode of a method that a native function replaces.
    pub(crate) fn original_method(
        &mut self,
        class: &str,
        name: &str,
        descriptor: &str,
    ) -> Step<MethodId> {
        let class = self.load(class)?;
        let replaced = self.method_of(class, name, descriptor)?;
        if let Some(&original) = self.originals.get(&replaced) {
            return Ok(original);
        }
        let original = self.methods.len() as MethodId;
        let method = Method {
            body: Body::Untranslated,
            ..self.methods[replaced as usize].clone()
        };
        self.methods.push(method);
        self.originals.insert(replaced, original);
        Ok(original)
    }

    /// A trap in words.
    pub(crate) fn explain(&mut self, trap: Trap) -> String {
        match trap {
            Trap::Throw(slot) => {
                let Ok(Some(object)) = self.payload(slot) else {
                    return "several exceptions".into();
                };
                if let Some((kind, detail)) = self.abort_of(object as u32) {
                    let reason = self
                        .reasons
                        .get(detail as usize)
                        .cloned()
                        .unwrap_or_default();
                    return format!("{kind:?}: {reason}");
                }
                let mut trace = self.trace_of(object as u32);
                let target = self
                    .get_named(object as u32, "target")
                    .filter(|&target| target != 0);
                let cause = target
                    .or_else(|| self.get_named(object as u32, "cause"))
                    .unwrap_or(0);
                if let Ok(Some(cause)) = self.payload(cause)
                    && cause != 0
                    && cause != object
                {
                    trace = format!("{trace}Caused by: {}", self.explain(Trap::Throw(cause)));
                }
                match self.describe(object as u32) {
                    Ok((class, message)) => {
                        format!("{class}: {}\n{trace}", message.unwrap_or_default())
                    }
                    Err(_) => format!("{}\n{trace}", self.java_name(self.class_of(object as u32))),
                }
            }
            Trap::Unknown(reason) => reason,
            other => format!("{other:?}"),
        }
    }
}
