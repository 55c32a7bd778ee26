//! Classes made by the VM, and stubs for reflective calls.

use crate::class::synth::{Assembler, SynthConst, opcode};
use crate::class::{Body, ClassId, Field, MethodId, Shape};
use crate::code::translate::RawHandler;
use crate::descriptor;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Slot};
use crate::vm::Vm;
use braid_classfile::AccessFlags;
use braid_cond::Cond;
use std::rc::Rc;

/// A method of a class to be made.
pub(crate) struct SynthMethod {
    pub(crate) name: String,
    pub(crate) descriptor: String,
    pub(crate) is_static: bool,
    pub(crate) code: crate::class::synth::SynthCode,
}

impl Vm {
    /// A new class without members; its supertypes are given.
    pub(crate) fn make_class(
        &mut self,
        name: &str,
        superclass: ClassId,
        interfaces: &[ClassId],
        fields: &[(&str, &str, bool)],
    ) -> Step<ClassId> {
        let mut class = self.blank_class(name, AccessFlags(0x1031), Shape::Instance);
        class.superclass = Some(superclass);
        class.interfaces = interfaces.to_vec();
        for &(name, descriptor, is_static) in fields {
            class.fields.push(Field {
                name: self.symbols.intern(name),
                descriptor: self.symbols.intern(descriptor),
                access: AccessFlags(if is_static { 0x0009 } else { 0x0001 }),
                kind: Kind::of(descriptor),
                at: 0,
                constant: 0,
            });
        }
        let mut supers = Vec::new();
        for &parent in [superclass].iter().chain(interfaces) {
            supers.extend_from_slice(&self.classes[parent as usize].supertypes);
        }
        let id = self.add_class(class, supers);
        self.lay_out_fields(id);
        Ok(id)
    }

    /// Gives a made class its methods and pool.
    pub(crate) fn finish_class(
        &mut self,
        class: ClassId,
        pool: Vec<SynthConst>,
        methods: Vec<SynthMethod>,
    ) -> Step<Vec<MethodId>> {
        self.classes[class as usize].synth_pool = pool;
        let has_initialiser = methods.iter().any(|method| method.name == "<clinit>");
        let mut ids = Vec::new();
        for method in methods {
            let name = self.symbols.intern(&method.name);
            let descriptor = self.symbols.intern(&method.descriptor);
            let access = AccessFlags(if method.is_static { 0x0009 } else { 0x0001 });
            let body = Body::Synthetic(Rc::new(method.code));
            ids.push(self.add_method(class, name, descriptor, access, body, 0)?);
        }
        self.link_methods(class);
        if !has_initialiser {
            self.classes[class as usize].init.begun = Cond::TRUE;
        }
        Ok(ids)
    }

    /// A name for a class made for another.
    pub(crate) fn made_name(&mut self, base: &str, what: &str) -> String {
        self.made += 1;
        format!("{base}$${what}/{:#x}", self.made)
    }

    /// The stub `(Object receiver, Object[] args) -> Object` that calls a method reflectively.
    pub(crate) fn invoker(&mut self, method: MethodId) -> Step<MethodId> {
        if let Some(&stub) = self.handles.invokers.get(&method) {
            return Ok(stub);
        }
        let stub = self.everywhere(|vm| vm.make_invoker(method))?;
        self.handles.invokers.insert(method, stub);
        Ok(stub)
    }

    fn make_invoker(&mut self, method: MethodId) -> Step<MethodId> {
        let entry = self.methods[method as usize].clone();
        let text = self.text(entry.descriptor);
        let parts = descriptor::split(&text)?;
        let mut asm = Assembler::default();
        let constructor = entry.name == self.known.init;
        if constructor {
            asm.with(opcode::NEW, SynthConst::Class(entry.class));
            asm.op(opcode::DUP);
        } else if !entry.access.is_static() {
            asm.load(Kind::Ref, 0);
        }
        let mut depth = 2;
        for (index, part) in parts[..parts.len() - 1].iter().enumerate() {
            asm.load(Kind::Ref, 1);
            asm.int(index as i32);
            asm.op(opcode::AALOAD);
            self.unbox_into(&mut asm, part)?;
            depth += 2;
        }
        let call = if entry.access.is_static() {
            opcode::INVOKESTATIC
        } else {
            opcode::INVOKESPECIAL
        };
        let start = asm.bytes.len() as u16;
        asm.with(call, SynthConst::Method(method, Rc::clone(&text)));
        let end = asm.bytes.len() as u16;
        if !constructor {
            self.box_result(&mut asm, parts[parts.len() - 1])?;
        }
        asm.op(opcode::ARETURN);
        let handler = asm.bytes.len() as u16;
        let wrapper = self.load("java/lang/reflect/InvocationTargetException")?;
        let init = self.method_of(wrapper, "<init>", "(Ljava/lang/Throwable;)V")?;
        asm.bytes.push(0x4D); // astore_2
        asm.with(opcode::NEW, SynthConst::Class(wrapper));
        asm.op(opcode::DUP);
        asm.load(Kind::Ref, 2);
        asm.with(
            opcode::INVOKESPECIAL,
            SynthConst::Method(init, "(Ljava/lang/Throwable;)V".into()),
        );
        asm.op(opcode::ATHROW);
        let mut code = asm.code(3, depth + 4);
        let class = asm.constant(SynthConst::Class(self.known.throwable));
        code.handlers.push(RawHandler {
            start,
            end,
            handler,
            class,
        });
        let descriptor = "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;";
        self.stub("Invoker", descriptor, code, asm.pool)
    }

    /// A class with one static method.
    pub(crate) fn stub(
        &mut self,
        what: &str,
        descriptor: &str,
        code: crate::class::synth::SynthCode,
        pool: Vec<SynthConst>,
    ) -> Step<MethodId> {
        let name = self.made_name("braid", what);
        let class = self.make_class(&name, self.known.object, &[], &[])?;
        let method = SynthMethod {
            name: "call".into(),
            descriptor: descriptor.into(),
            is_static: true,
            code,
        };
        Ok(self.finish_class(class, pool, vec![method])?[0])
    }

    /// A method that the class library must have.
    pub(crate) fn method_of(
        &mut self,
        class: ClassId,
        name: &str,
        descriptor: &str,
    ) -> Step<MethodId> {
        self.method_named(class, name, descriptor).ok_or_else(|| {
            Trap::unknown(format!(
                "class library: no {}.{name}{descriptor}",
                self.java_name(class)
            ))
        })
    }

    /// Turns the `Object` on the stack into a value of the given type, widening primitives.
    pub(crate) fn unbox_into(&mut self, asm: &mut Assembler, descriptor: &str) -> Step<()> {
        match Kind::of(descriptor) {
            Kind::Ref => {
                let class = self.load_descriptor(descriptor)?;
                if class != self.known.object {
                    asm.with(opcode::CHECKCAST, SynthConst::Class(class));
                }
            }
            kind => {
                let method = self.unboxer(kind)?;
                let text = format!("(Ljava/lang/Object;){}", kind.descriptor());
                asm.with(
                    opcode::INVOKESTATIC,
                    SynthConst::Method(method, text.into()),
                );
            }
        }
        Ok(())
    }

    /// Turns the value on the stack (or nothing) into an `Object`.
    pub(crate) fn box_result(&mut self, asm: &mut Assembler, descriptor: &str) -> Step<()> {
        match Kind::of(descriptor) {
            Kind::Ref => {}
            Kind::Void => asm.op(opcode::ACONST_NULL),
            kind => {
                let wrapper = kind.wrapper().unwrap_or("");
                let class = self.load(wrapper)?;
                let text = format!("({})L{wrapper};", kind.descriptor());
                let method = self.method_of(class, "valueOf", &text)?;
                asm.with(
                    opcode::INVOKESTATIC,
                    SynthConst::Method(method, text.into()),
                );
            }
        }
        Ok(())
    }

    /// The VM's method that unboxes with widening: `(Object) -> primitive`.
    fn unboxer(&mut self, kind: Kind) -> Step<MethodId> {
        if let Some(&method) = self.handles.unboxers.get(&kind) {
            return Ok(method);
        }
        let name = self.made_name("braid", "Unbox");
        let class = self.make_class(&name, self.known.object, &[], &[])?;
        let name = self.symbols.intern("unbox");
        let descriptor = self
            .symbols
            .intern(&format!("(Ljava/lang/Object;){}", kind.descriptor()));
        let body = Body::Native(crate::natives::Native {
            function: unbox_function(kind),
            lifted: false,
        });
        let method = self.add_method(class, name, descriptor, AccessFlags(0x0009), body, 0)?;
        self.classes[class as usize].init.begun = Cond::TRUE;
        self.handles.unboxers.insert(kind, method);
        Ok(method)
    }
}

fn unbox_function(kind: Kind) -> crate::natives::Function {
    fn unbox(vm: &mut Vm, args: &[Slot], kind: Kind) -> Step<Slot> {
        let object = crate::value::as_ref(args[0]);
        if object == 0 {
            return Err(Trap::null());
        }
        match vm.widened(kind, object)? {
            Some(value) => Ok(value),
            None => {
                let wrapper = vm.load(kind.wrapper().unwrap_or(""))?;
                Err(vm.cast_error(object, wrapper))
            }
        }
    }
    match kind {
        Kind::Boolean => |vm, args| unbox(vm, args, Kind::Boolean),
        Kind::Byte => |vm, args| unbox(vm, args, Kind::Byte),
        Kind::Char => |vm, args| unbox(vm, args, Kind::Char),
        Kind::Short => |vm, args| unbox(vm, args, Kind::Short),
        Kind::Int => |vm, args| unbox(vm, args, Kind::Int),
        Kind::Long => |vm, args| unbox(vm, args, Kind::Long),
        Kind::Float => |vm, args| unbox(vm, args, Kind::Float),
        _ => |vm, args| unbox(vm, args, Kind::Double),
    }
}
