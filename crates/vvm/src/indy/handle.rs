//! Method handles and variable handles: objects that name a target, called through made adapters.

use super::adapt::Target;
use crate::class::synth::Assembler;
use crate::class::{ClassId, MethodId};
use crate::descriptor;
use crate::symbol::Sym;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Slot, as_ref};
use crate::vm::Vm;
use braid_classfile::HandleKind;
use rustc_hash::FxHashMap;

/// What a `VarHandle` names.
#[derive(Debug, Clone)]
pub(crate) enum Variable {
    /// An instance field: word offset and kind.
    Field(u32, Kind),
    /// A static field: index and kind.
    Static(u32, Kind),
    /// Elements of an array.
    Element(Kind),
    /// Bytes of a `byte[]` seen as a wider type; true for big endian.
    View(Kind, bool),
}

/// Everything known about handles.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    pub(crate) invokers: FxHashMap<MethodId, MethodId>,
    pub(crate) unboxers: FxHashMap<Kind, MethodId>,
    pub(crate) targets: Vec<Target>,
    /// Which target each is.
    known: FxHashMap<Target, u32>,
    pub(crate) adapters: FxHashMap<(u32, Sym), MethodId>,
    pub(crate) variables: Vec<Variable>,
    handle_class: Option<ClassId>,
    variable_class: Option<ClassId>,
}

/// The field of a handle object that says which target it is.
const INDEX: &str = "$index";
/// Bound leading arguments of a method handle.
const BOUND: &str = "$bound";

impl Vm {
    fn handle_classes(&mut self) -> Step<(ClassId, ClassId)> {
        if let (Some(handle), Some(variable)) =
            (self.handles.handle_class, self.handles.variable_class)
        {
            return Ok((handle, variable));
        }
        let (method_handle, var_handle) = (self.known.method_handle, self.known.var_handle);
        let fields = [(INDEX, "I", false), (BOUND, "[Ljava/lang/Object;", false)];
        let handle = self.make_class("braid/MethodHandle", method_handle, &[], &fields)?;
        self.finish_class(handle, Vec::new(), Vec::new())?;
        let variable = self.make_class("braid/VarHandle", var_handle, &[], &fields[..1])?;
        self.finish_class(variable, Vec::new(), Vec::new())?;
        self.handles.handle_class = Some(handle);
        self.handles.variable_class = Some(variable);
        Ok((handle, variable))
    }

    /// A `MethodType` object.
    pub(crate) fn method_type(&mut self, descriptor: &str) -> Step<Slot> {
        let parts = descriptor::split(descriptor)?;
        let mut classes = Vec::new();
        for part in parts {
            classes.push(self.load_descriptor(part)?);
        }
        let result = classes.pop().unwrap_or(0);
        let result = self.mirror(result)?;
        let params = self.class_array(&classes)?;
        let class = self.load("java/lang/invoke/MethodType")?;
        self.ensure_init(class)?;
        let descriptor = "(Ljava/lang/Class;[Ljava/lang/Class;)Ljava/lang/invoke/MethodType;";
        let method = self.method_of(class, "methodType", descriptor)?;
        self.call_value(method, &[u64::from(result), params])
    }

    /// The descriptor that a `MethodType` object stands for.
    pub(crate) fn descriptor_of_type(&mut self, object: Slot) -> Step<String> {
        let object = self.plain_ref(object)?;
        if object == 0 {
            return Err(Trap::null());
        }
        let params = self.get_named(object, "ptypes").unwrap_or(0);
        let params = self.plain_ref(params)?;
        let mut text = String::from("(");
        for index in 0..self.heap.length(params) {
            let mirror = self.heap.word(params + crate::heap::HEADER + index);
            let class = self.class_of_mirror(mirror)?;
            text.push_str(&self.descriptor_of(class));
        }
        let result = self.get_named(object, "rtype").unwrap_or(0);
        let result = self.class_of_mirror(result)?;
        text.push(')');
        text.push_str(&self.descriptor_of(result));
        Ok(text)
    }

    /// A `MethodHandle` object for a target.
    pub(crate) fn new_handle(&mut self, target: Target) -> Step<Slot> {
        let (class, _) = self.handle_classes()?;
        let text = format!("({}){}", target.params.concat(), target.result);
        let index = match self.handles.known.get(&target) {
            Some(&index) => index,
            None => {
                let index = self.handles.targets.len() as u32;
                self.handles.targets.push(target.clone());
                self.handles.known.insert(target, index);
                index
            }
        };
        let method_type = self.method_type(&text)?;
        let object = self.new_object(class)?;
        self.set_named(object, "type", method_type)?;
        self.set_named(object, INDEX, u64::from(index))?;
        Ok(u64::from(object))
    }

    pub(crate) fn handle_constant(&mut self, class: ClassId, pool: u16) -> Step<Slot> {
        let file = self.file(class)?;
        let view = file.view();
        let handle = view.pool().method_handle(pool)?;
        let handle = super::HandleRef {
            kind: handle.kind,
            owner: handle.member.owner.to_str_lossy().into_owned(),
            name: handle.member.name.to_str_lossy().into_owned(),
            descriptor: handle.member.descriptor.to_str_lossy().into_owned(),
        };
        let target = self.target(&handle)?;
        self.new_handle(target)
    }

    /// The index of a handle object, if it is one of the VM's.
    pub(crate) fn handle_index(&mut self, object: Slot) -> Step<u32> {
        let object = self.plain_ref(object)?;
        if object == 0 {
            return Err(Trap::null());
        }
        match self.get_named(object, INDEX) {
            Some(index) => Ok(self.plain(index)? as u32),
            None => {
                let name = self.java_name(self.class_of(object));
                Err(Trap::unknown(format!(
                    "method handles made by {name} are not supported"
                )))
            }
        }
    }

    /// A copy of a handle with one leading argument bound.
    pub(crate) fn bind_handle(&mut self, handle: Slot, value: Slot) -> Step<Slot> {
        let old = self.plain_ref(handle)?;
        let index = self.handle_index(handle)?;
        let mut target = self.handles.targets[index as usize].clone();
        if target.params.is_empty() {
            return Err(Trap::New("java/lang/IllegalArgumentException", None));
        }
        target.params.remove(0);
        let (class, _) = self.handle_classes()?;
        let text = format!("({}){}", target.params.concat(), target.result);
        let method_type = self.method_type(&text)?;
        let mut bound = self.bound_arguments(old)?;
        bound.push(value);
        let array_class = self.array_of(self.known.object);
        let array = self.new_array(array_class, bound.len() as u32)?;
        for (at, value) in bound.into_iter().enumerate() {
            self.heap
                .set_word(array + crate::heap::HEADER + at as u32, value);
        }
        let object = self.new_object(class)?;
        self.set_named(object, "type", method_type)?;
        self.set_named(object, INDEX, u64::from(index))?;
        self.set_named(object, BOUND, u64::from(array))?;
        Ok(u64::from(object))
    }

    fn bound_arguments(&mut self, handle: u32) -> Step<Vec<Slot>> {
        let bound = self.get_named(handle, BOUND).unwrap_or(0);
        let bound = self.plain_ref(bound)?;
        if bound == 0 {
            return Ok(Vec::new());
        }
        Ok((0..self.heap.length(bound))
            .map(|at| self.heap.word(bound + crate::heap::HEADER + at))
            .collect())
    }

    /// Calls a handle with arguments as its call site has them.
    pub(crate) fn invoke_handle(&mut self, handle: Slot, args: &[Slot], site: Sym) -> Step<Slot> {
        let index = self.handle_index(handle)?;
        let object = self.plain_ref(handle)?;
        let mut all = self.bound_arguments(object)?;
        let bound = all.len();
        all.extend_from_slice(args);
        let text = self.text(site);
        let text = format!("({}{}", "Ljava/lang/Object;".repeat(bound), &text[1..]);
        let site = self.symbols.intern(&text);
        let adapter = match self.handles.adapters.get(&(index, site)) {
            Some(&adapter) => adapter,
            None => {
                let target = self.handles.targets[index as usize].clone();
                let adapter = self.everywhere(|vm| vm.adapter(&target, &text))?;
                self.handles.adapters.insert((index, site), adapter);
                adapter
            }
        };
        Err(Trap::Tail(adapter, all))
    }

    /// A static method with a call site's descriptor that calls the target with converted arguments.
    fn adapter(&mut self, target: &Target, site: &str) -> Step<MethodId> {
        let parts = descriptor::split(site)?;
        if parts.len() - 1 != target.params.len() {
            let message = format!(
                "cannot call a handle of {} arguments as {site}",
                target.params.len()
            );
            return Err(Trap::new(
                "java/lang/invoke/WrongMethodTypeException",
                message,
            ));
        }
        let mut asm = Assembler::default();
        self.begin_target(&mut asm, target)?;
        let mut local = 0;
        for (from, to) in parts.iter().zip(&target.params) {
            let kind = Kind::of(from);
            asm.load(kind, local);
            local += kind.words();
            self.convert(&mut asm, from, to)?;
        }
        self.end_target(&mut asm, target)?;
        let result = parts[parts.len() - 1];
        self.convert(&mut asm, &target.result, result)?;
        asm.ret(Kind::of(result));
        let code = asm.code(local, local + 6);
        self.stub("Adapter", site, code, asm.pool)
    }

    /// A handle for a method found by reflection or a lookup.
    pub(crate) fn handle_for(&mut self, method: MethodId, special: bool) -> Step<Slot> {
        let entry = &self.methods[method as usize];
        let (class, access, descriptor, name) =
            (entry.class, entry.access, entry.descriptor, entry.name);
        let kind = if name == self.known.init {
            HandleKind::NewInvokeSpecial
        } else if access.is_static() {
            HandleKind::InvokeStatic
        } else if special || access.is_private() {
            HandleKind::InvokeSpecial
        } else if self.classes[class as usize].is_interface() {
            HandleKind::InvokeInterface
        } else {
            HandleKind::InvokeVirtual
        };
        let owner = self.descriptor_of(class);
        let text = self.text(descriptor);
        let target = self.method_target(kind, method, &owner, &text)?;
        self.new_handle(target)
    }

    /// A handle that reads or writes a field.
    pub(crate) fn field_handle(
        &mut self,
        kind: HandleKind,
        class: ClassId,
        index: u32,
    ) -> Step<Slot> {
        let field = self.classes[class as usize].fields[index as usize].clone();
        let owner = self.descriptor_of(class);
        let (name, descriptor) = (self.text(field.name), self.text(field.descriptor));
        let target = Target::of_field(kind, (class, &owner), &name, &descriptor);
        self.new_handle(target)
    }

    /// A `VarHandle` object.
    pub(crate) fn new_variable(&mut self, variable: Variable) -> Step<Slot> {
        let (_, class) = self.handle_classes()?;
        let index = self.handles.variables.len() as u32;
        self.handles.variables.push(variable);
        let object = self.everywhere(|vm| vm.new_object(class))?;
        self.set_named(object, INDEX, u64::from(index))?;
        Ok(u64::from(object))
    }

    /// The variable that a `VarHandle` names.
    pub(crate) fn variable(&mut self, handle: Slot) -> Step<Variable> {
        let index = self.handle_index(u64::from(as_ref(handle)))?;
        Ok(self.handles.variables[index as usize].clone())
    }
}
