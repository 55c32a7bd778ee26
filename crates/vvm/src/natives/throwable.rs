//! Stack traces.
//!
//! A trace is a `long[]` in the exception's `backtrace` field: method id in the upper half, instruction in
//! the lower.

use super::Entry;
use crate::class::Body;
use crate::class::MethodId;
use crate::code::op::Op;
use crate::heap::HEADER;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Ref, Slot, as_ref, int};
use crate::vm::Vm;

pub(super) const NATIVES: &[Entry] = &[
    (
        "java/lang/Throwable",
        "fillInStackTrace",
        "(I)Ljava/lang/Throwable;",
        fill_in,
    ),
    (
        "java/lang/NullPointerException",
        "getExtendedNPEMessage",
        "*",
        |vm, args| {
            if !is_constructed(vm, as_ref(args[0]))? {
                let reason = "the message of a NullPointerException that the VM threw";
                return Err(Trap::unknown(format!("{reason} is not supported")));
            }
            Ok(0)
        },
    ),
    (
        "java/lang/StackTraceElement",
        "initStackTraceElements",
        "*",
        init_elements,
    ),
    (
        "java/lang/StackTraceElement",
        "computeFormat",
        "*",
        super::nothing,
    ),
];

/// Whether the program itself made this exception: its trace starts at the call of a constructor. HotSpot has
/// a message for the others that describes the expression.
fn is_constructed(vm: &mut Vm, exception: Ref) -> Step<bool> {
    let trace = vm.get_named(exception, "backtrace").unwrap_or(0);
    let trace = vm.plain_ref(trace)?;
    if trace == 0 || vm.heap.length(trace) == 0 {
        return Ok(false);
    }
    let entry = vm.heap.word(trace + HEADER);
    let (method, pc) = ((entry >> 32) as usize, entry as u32 as usize);
    let Some(Body::Code(code)) = vm.methods.get(method).map(|method| &method.body) else {
        return Ok(false);
    };
    let called = match code.ops.get(pc).map(std::cell::Cell::get) {
        Some(Op::InvokeSpecialQ { i, .. } | Op::Invoke { i, .. }) => {
            code.sites[i as usize].method.get()
        }
        _ => return Ok(false),
    };
    let called = vm.methods.get(called as usize);
    Ok(called.is_some_and(|called| called.name == vm.known.init))
}

/// Frames that a trace keeps, as HotSpot's `MaxJavaStackTraceDepth`.
const MAX_DEPTH: usize = 1024;

fn fill_in(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let exception = as_ref(args[0]);
    let frames = visible_frames(vm, exception);
    let longs = vm.primitive(Kind::Long);
    let class = vm.array_of(longs);
    let trace = vm.new_array(class, frames.len() as u32)?;
    for (index, (method, pc)) in frames.iter().enumerate() {
        let entry = (u64::from(*method) << 32) | u64::from(*pc);
        vm.heap.set_word(trace + HEADER + index as u32, entry);
    }
    vm.set_named(exception, "backtrace", u64::from(trace))?;
    vm.set_named(exception, "depth", int(frames.len() as i32))?;
    if let Some(unassigned) = vm.statics_named(vm.known.throwable, "UNASSIGNED_STACK") {
        vm.set_named(exception, "stackTrace", unassigned)?;
    }
    Ok(args[0])
}

/// The calls in progress, innermost first, without the exception's own construction.
fn visible_frames(vm: &Vm, exception: Ref) -> Vec<(MethodId, u32)> {
    let class = vm.class_of(exception);
    let constructing = |method: MethodId| {
        let method = &vm.methods[method as usize];
        let name = vm.symbols.text(method.name);
        (&**name == "fillInStackTrace" || method.name == vm.known.init)
            && vm.is_subclass(class, method.class)
    };
    vm.calls
        .iter()
        .rev()
        .skip_while(|call| constructing(call.method))
        .take(MAX_DEPTH)
        .map(|call| (call.method, call.pc))
        .collect()
}

fn init_elements(vm: &mut Vm, args: &[Slot]) -> Step<Slot> {
    let (elements, trace) = (as_ref(args[0]), args[1]);
    // `initStackTraceElements(StackTraceElement[], Object backtrace, int)` or `(…, Throwable)` before 17
    let mut trace = vm.plain_ref(trace)?;
    if trace != 0
        && vm.classes[vm.class_of(trace) as usize]
            .element_kind()
            .is_none()
    {
        trace = vm.plain_ref(vm.get_named(trace, "backtrace").unwrap_or(0))?;
    }
    if trace == 0 {
        return Ok(0);
    }
    let count = vm.heap.length(elements).min(vm.heap.length(trace));
    for index in 0..count {
        let entry = vm.heap.word(trace + HEADER + index);
        let element = vm.plain_ref(vm.heap.word(elements + HEADER + index))?;
        fill_element(vm, element, (entry >> 32) as MethodId, entry as u32)?;
    }
    Ok(0)
}

fn fill_element(vm: &mut Vm, element: Ref, method: MethodId, pc: u32) -> Step<()> {
    let (class, name) = (
        vm.methods[method as usize].class,
        vm.methods[method as usize].name,
    );
    let mirror = vm.mirror(class)?;
    let class_name = vm.java_name(class);
    let class_name = vm.new_string(&class_name)?;
    let name = vm.text(name);
    let name = vm.new_string(&name)?;
    let line = line_of(vm, method, pc);
    vm.set_named(element, "declaringClassObject", u64::from(mirror))?;
    vm.set_named(element, "declaringClass", u64::from(class_name))?;
    vm.set_named(element, "methodName", u64::from(name))?;
    vm.set_named(element, "lineNumber", int(line))?;
    if let Some(file) = source_file(vm, class) {
        let file = vm.new_string(&file)?;
        vm.set_named(element, "fileName", u64::from(file))?;
    }
    Ok(())
}

fn source_file(vm: &Vm, class: crate::class::ClassId) -> Option<String> {
    let file = vm.file(class).ok()?;
    match file.view().attribute("SourceFile") {
        Ok(Some(braid_classfile::Attribute::SourceFile(name))) => {
            Some(name.to_str_lossy().into_owned())
        }
        _ => None,
    }
}

impl Vm {
    /// The stack trace of an exception as text, for messages.
    pub(crate) fn trace_of(&mut self, exception: Ref) -> String {
        let trace = self.get_named(exception, "backtrace").unwrap_or(0);
        let Ok(Some(trace)) = self.payload(trace) else {
            return String::new();
        };
        if trace == 0 {
            return String::new();
        }
        let mut text = String::new();
        for index in 0..self.heap.length(trace as Ref).min(40) {
            let entry = self.heap.word(trace as Ref + HEADER + index);
            let (method, pc) = ((entry >> 32) as MethodId, entry as u32);
            let line = line_of(self, method, pc);
            text.push_str(&format!("\tat {}:{line}\n", self.method_text(method)));
        }
        text
    }
}

/// The source line of an instruction, -1 if it is not known.
pub(crate) fn line_of(vm: &Vm, method: MethodId, pc: u32) -> i32 {
    let entry = &vm.methods[method as usize];
    let Body::Code(code) = &entry.body else {
        return -1;
    };
    let Some(&position) = code.positions.get(pc as usize) else {
        return -1;
    };
    let lines = || {
        let file = vm.file(entry.class).ok()?;
        let view = file.view();
        let code = view.method_at(usize::from(entry.index))?.code().ok()??;
        let mut best = None;
        for line in code.line_numbers().ok()? {
            if line.start_pc <= position && best.is_none_or(|(start, _)| line.start_pc >= start) {
                best = Some((line.start_pc, line.line));
            }
        }
        best.map(|(_, line)| i32::from(line))
    };
    lines().unwrap_or(-1)
}
