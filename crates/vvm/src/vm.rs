//! The virtual machine's state.

use crate::class::{Class, ClassId, Method, MethodId};
use crate::code::arith::Compare;
use crate::heap::Heap;
use crate::interp::states::Multi;
use crate::natives::Natives;
use crate::output::Output;
use crate::source::ClassSource;
use crate::symbol::{Sym, Symbols};
use crate::value::{Kind, Ref, Slot};
use braid_cond::{Cond, Manager};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// Parameter kinds and the result's kind.
pub(crate) type Signature = (Rc<[Kind]>, Kind);

/// Registers that every frame can address without a bounds check.
pub(crate) const WINDOW: usize = 1 << 16;

/// Classes and names that the VM itself refers to.
#[derive(Debug, Default)]
#[allow(missing_docs)] // named after what they are
pub(crate) struct Known {
    pub init: Sym,
    pub clinit: Sym,
    pub object: ClassId,
    pub cloneable: ClassId,
    pub serializable: ClassId,
    pub class: ClassId,
    pub string: ClassId,
    pub throwable: ClassId,
    pub abort: ClassId,
    pub method_handle: ClassId,
    pub var_handle: ClassId,
    pub void_descriptor: Sym,
    pub boolean_array: ClassId,
    pub byte_array: ClassId,
    pub char_array: ClassId,
    pub string_value: u32,
    pub string_coder: u32,
    pub string_hash: u32,
    pub mirror_class: u32,
    pub mirror_module: u32,
    pub mirror_component: u32,
    pub mirror_loader: u32,
}

impl Default for Sym {
    fn default() -> Sym {
        Sym(u32::MAX)
    }
}

/// A call in progress: the caller's method and instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    /// The calling method.
    pub method: MethodId,
    /// Its instruction.
    pub pc: u32,
}

/// A static field's value, and what it is within a context.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    pub ctx: u32,
    pub value: Slot,
    pub within: Slot,
}

/// A comparison of which at least one side is a choice, and the parts of the context in which it holds and does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared {
    pub how: Compare,
    pub ctx: Cond,
    pub a: Slot,
    pub b: Slot,
    pub holds: Cond,
    pub rest: Cond,
}

impl Compared {
    /// Nothing yet: no two plain values are ever looked up.
    pub(crate) const NONE: Compared = Compared {
        how: Compare::Eq,
        ctx: Cond::FALSE,
        a: 0,
        b: 0,
        holds: Cond::FALSE,
        rest: Cond::FALSE,
    };
}

/// How many comparisons are remembered.
pub(crate) const COMPARED: usize = 512;

/// Bounds on what a program may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of heap.
    pub heap: usize,
    /// Nested calls before `StackOverflowError`.
    pub depth: u32,
    /// Backward jumps and calls of one context before it counts as endless.
    pub fuel: u64,
    /// Nodes of the diagrams.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            heap: 1 << 30,
            depth: 2800,
            fuel: 1 << 31,
            nodes: 1 << 25,
        }
    }
}

/// Counts of what happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counters {
    /// Contexts split in two.
    pub splits: u64,
    /// States merged.
    pub merges: u64,
    /// Collections of the heap.
    pub collections: u64,
    /// The most waiting states of one frame.
    pub peak_states: usize,
    /// Backward jumps and calls.
    pub steps: u64,
    /// The same of the longest way through each run, which no configuration exceeds.
    pub longest: u64,
    /// The most alternatives of one value (only counted when asked).
    pub peak_choices: usize,
    /// Most bytes of the heap in use.
    pub peak_heap: u64,
}

/// The virtual machine.
pub struct Vm {
    pub(crate) conds: Manager,
    /// All configurations that are looked at.
    pub(crate) universe: Cond,
    /// The context of the running state.
    pub(crate) ctx: Cond,
    pub(crate) heap: Heap,
    pub(crate) statics: Vec<Slot>,
    pub(crate) symbols: Symbols,
    pub(crate) source: Rc<dyn ClassSource>,
    pub(crate) classes: Vec<Class>,
    pub(crate) class_by_name: FxHashMap<Sym, ClassId>,
    pub(crate) methods: Vec<Method>,
    pub(crate) signatures: FxHashMap<(Sym, bool), Signature>,
    pub(crate) primitives: [ClassId; 10],
    pub(crate) known: Known,
    pub(crate) natives: Natives,
    /// String literals: their text and, once made, the interned object.
    pub(crate) literals: crate::strings::Literals,
    pub(crate) stack: Rc<[Cell<Slot>]>,
    /// First register above the running frame.
    pub(crate) top: usize,
    pub(crate) calls: Vec<Call>,
    /// Frames that hold several states, innermost last.
    pub(crate) multis: Vec<Multi>,
    /// Remaining backward jumps and calls of the running state.
    pub(crate) fuel: u64,
    pub(crate) limits: Limits,
    pub(crate) output: Output,
    pub(crate) counters: Counters,
    /// References that native code holds across calls into Java.
    pub(crate) held: Vec<Slot>,
    /// What a test engine told, in order.
    pub(crate) events: Vec<crate::junit::jupiter::Event>,
    /// Objects that the VM keeps by name: main thread, module, system loader, ….
    pub(crate) kept: Kept,
    /// Reasons of aborts, indexed by the detail field of an abort object.
    pub(crate) reasons: Vec<String>,
    /// Instructions that skip an initialisation check, to be undone by a reset.
    pub(crate) quickened: Vec<(Rc<crate::code::op::Code>, usize, crate::code::op::Op)>,
    /// Linked method and variable handles.
    pub(crate) handles: crate::indy::handle::Handles,
    pub(crate) properties: Vec<(String, String)>,
    /// Classes made by the VM so far, for their names.
    pub(crate) made: u32,
    /// Start of the run, for clocks.
    pub(crate) clock: u64,
    pub(crate) options: crate::options::Options,
    pub(crate) trace: crate::trace::Trace,
    /// Fuel when the running state was last taken up, to count steps.
    pub(crate) fuel_mark: u64,
    /// The longest way to the running state as it was when its fuel was set, in steps.
    pub(crate) path: u64,
    /// How fuel is granted while a test runs, if it is.
    pub(crate) grant: Option<crate::fuel::Grant>,
    /// Whether the alternatives of values are counted.
    pub(crate) measure: bool,
    /// Fast mode: an exception in part of the configurations ends them.
    pub(crate) fast: bool,
    /// What each static field that is a condition came to when last read, by its index.
    pub(crate) seen: Vec<Seen>,
    /// Comparisons of choices, by a hash of what is compared.
    pub(crate) compared: Box<[Compared; COMPARED]>,
    /// How a call that the quick loop began ended, if not with a value.
    pub(crate) outcome: Option<crate::trap::Step<crate::interp::Done>>,
    /// Answers to "is this class a kind of that one", by a hash of the two.
    pub(crate) kinds: Box<[Cell<u64>; crate::class::lookup::KINDS]>,
    /// Methods selected for interface calls, by a hash of receiver class and called method: class, method, target.
    pub(crate) selections: Box<[Cell<(ClassId, MethodId, MethodId)>; crate::class::lookup::KINDS]>,
    /// The exception that leaves a frame with one state.
    pub(crate) escaped: Slot,
    /// An abort object made in advance.
    pub(crate) last_resort: Ref,
    /// Allocated words that make a collection due.
    pub(crate) collect_at: u64,
    /// Descriptor at the call site of a signature-polymorphic method.
    pub(crate) site_descriptor: Sym,
    pub(crate) assertions: bool,
    pub(crate) java_version: u32,
    pub(crate) java_home: String,
    pub(crate) files: crate::files::Files,
    /// Classes that the program itself defined, and where.
    pub(crate) defined: Vec<(ClassId, Cond)>,
    /// Methods that native functions replace, by the replaced method.
    pub(crate) originals: FxHashMap<MethodId, MethodId>,
}

/// Objects that the VM keeps.
#[derive(Debug, Default, Clone)]
#[allow(missing_docs)] // named after what they are
pub(crate) struct Kept {
    /// How many threads the program has made.
    pub(crate) threads: u64,
    pub thread: Ref,
    pub thread_group: Ref,
    pub module: Ref,
    pub proxy_module: Ref,
    pub loader: Ref,
    pub out: Ref,
    pub err: Ref,
    /// Memory outside the heap, which is inside after all: a `byte[]` each, or 0 once freed.
    pub blocks: Vec<Ref>,
    /// Weak-free extra roots.
    pub extra: Vec<Ref>,
}

impl Vm {
    /// The manager of conditions, for callers that print or combine results.
    pub fn conds(&mut self) -> &mut Manager {
        &mut self.conds
    }

    /// The text of a symbol.
    pub(crate) fn text(&self, sym: Sym) -> Rc<str> {
        Rc::clone(self.symbols.text(sym))
    }

    /// `a/b/C.name(…)…`, for messages.
    pub fn method_text(&self, method: MethodId) -> String {
        let method = &self.methods[method as usize];
        let class = self.symbols.text(self.classes[method.class as usize].name);
        format!(
            "{class}.{}{}",
            self.symbols.text(method.name),
            self.symbols.text(method.descriptor)
        )
    }

    /// `C.name`, for messages.
    pub(crate) fn short_name(&self, method: MethodId) -> String {
        let method = &self.methods[method as usize];
        let class = self.symbols.text(self.classes[method.class as usize].name);
        let simple = class.rsplit('/').next().unwrap_or(class);
        format!("{simple}.{}", self.symbols.text(method.name))
    }

    /// The class of an object.
    #[inline(always)]
    pub(crate) fn class_of(&self, object: Ref) -> ClassId {
        self.heap.class(object)
    }
}
