//! Lambdas and method references: a class with the captured values as fields.

use super::stubs::SynthMethod;
use super::{Argument, Bootstrap};
use crate::class::synth::{Assembler, SynthConst, opcode};
use crate::class::{ClassId, MethodId};
use crate::descriptor;
use crate::trap::{Step, Trap};
use crate::value::Kind;
use crate::vm::Vm;
use std::rc::Rc;

const SERIALIZABLE: i32 = 1;
const BRIDGES: i32 = 4;
const MARKERS: i32 = 2;

impl Vm {
    pub(super) fn link_lambda(&mut self, caller: ClassId, bootstrap: &Bootstrap) -> Step<MethodId> {
        let bad = || Trap::unknown("a lambda with unusual bootstrap arguments");
        let [
            Argument::MethodType(erased),
            Argument::Handle(handle),
            Argument::MethodType(actual),
            rest @ ..,
        ] = &bootstrap.arguments[..]
        else {
            return Err(bad());
        };
        let parts = descriptor::split(&bootstrap.descriptor)?;
        let (interface, captures) = parts.split_last().ok_or_else(bad)?;
        let mut interfaces = vec![self.load_descriptor(interface)?];
        let mut descriptors = vec![erased.clone()];
        self.alternatives(rest, &mut interfaces, &mut descriptors)?;
        interfaces.dedup();

        let base = self.text(self.classes[caller as usize].name).to_string();
        let name = self.made_name(&base, "Lambda");
        let names: Vec<String> = (0..captures.len())
            .map(|index| format!("arg{index}"))
            .collect();
        let mut fields: Vec<(&str, &str, bool)> = names
            .iter()
            .zip(captures)
            .map(|(name, &descriptor)| (name.as_str(), descriptor, false))
            .collect();
        if captures.is_empty() {
            fields.push(("instance", "Ljava/lang/Object;", true));
        }
        let class = self.make_class(&name, self.known.object, &interfaces, &fields)?;
        let target = self.target(handle)?;
        let mut asm = Assembler::default();
        let mut methods = Vec::new();
        for erased in &descriptors {
            asm.bytes.clear();
            self.lambda_body(&mut asm, class, &target, captures, erased, actual)?;
            let locals = 1 + 2 * descriptor::split(erased)?.len() as u16;
            methods.push(SynthMethod {
                name: bootstrap.name.clone(),
                descriptor: erased.clone(),
                is_static: false,
                code: asm.code(locals, 8 + 2 * target.params.len() as u16),
            });
        }
        self.lambda_factory(
            &mut asm,
            class,
            captures,
            &bootstrap.descriptor,
            &mut methods,
        );
        let count = methods.len();
        let ids = self.finish_class(class, asm.pool, methods)?;
        Ok(if captures.is_empty() {
            ids[count - 2]
        } else {
            ids[count - 1]
        })
    }

    /// Marker interfaces and bridges of `altMetafactory`.
    fn alternatives(
        &mut self,
        rest: &[Argument],
        interfaces: &mut Vec<ClassId>,
        descriptors: &mut Vec<String>,
    ) -> Step<()> {
        let mut rest = rest.iter();
        let Some(Argument::Int(flags)) = rest.next() else {
            return Ok(());
        };
        if flags & SERIALIZABLE != 0 {
            interfaces.push(self.known.serializable);
        }
        if flags & MARKERS != 0
            && let Some(Argument::Int(count)) = rest.next()
        {
            for _ in 0..*count {
                if let Some(Argument::Class(name)) = rest.next() {
                    interfaces.push(self.load(name)?);
                }
            }
        }
        if flags & BRIDGES != 0
            && let Some(Argument::Int(count)) = rest.next()
        {
            for _ in 0..*count {
                if let Some(Argument::MethodType(descriptor)) = rest.next()
                    && !descriptors.contains(descriptor)
                {
                    descriptors.push(descriptor.clone());
                }
            }
        }
        Ok(())
    }

    fn lambda_body(
        &mut self,
        asm: &mut Assembler,
        class: ClassId,
        target: &super::adapt::Target,
        captures: &[&str],
        erased: &str,
        actual: &str,
    ) -> Step<()> {
        self.begin_target(asm, target)?;
        let mut wanted = target.params.iter();
        for (index, &capture) in captures.iter().enumerate() {
            asm.load(Kind::Ref, 0);
            let name: Rc<str> = format!("arg{index}").into();
            asm.with(
                opcode::GETFIELD,
                SynthConst::Field(class, name, capture.into()),
            );
            if let Some(to) = wanted.next()
                && Kind::of(capture) != Kind::Ref
            {
                self.convert(asm, capture, to)?;
            }
        }
        let (erased, actual) = (descriptor::split(erased)?, descriptor::split(actual)?);
        let mut local = 1;
        for (from, through) in erased.iter().zip(&actual).take(erased.len() - 1) {
            let kind = Kind::of(from);
            asm.load(kind, local);
            local += kind.words();
            if let Some(to) = wanted.next() {
                self.convert(asm, from, through)?;
                if Kind::of(through) != Kind::Ref || Kind::of(to) != Kind::Ref {
                    self.convert(asm, through, to)?;
                }
            }
        }
        self.end_target(asm, target)?;
        let result = erased[erased.len() - 1];
        let through = actual[actual.len() - 1];
        if Kind::of(&target.result) != Kind::Ref || Kind::of(result) != Kind::Ref {
            if Kind::of(through) != Kind::Ref && Kind::of(result) == Kind::Ref {
                self.convert(asm, &target.result, through)?;
                self.convert(asm, through, result)?;
            } else {
                self.convert(asm, &target.result, result)?;
            }
        }
        asm.ret(Kind::of(result));
        Ok(())
    }

    /// `make`: a new object with the captured values, or the one object of a lambda that captures nothing.
    fn lambda_factory(
        &mut self,
        asm: &mut Assembler,
        class: ClassId,
        captures: &[&str],
        descriptor: &str,
        methods: &mut Vec<SynthMethod>,
    ) {
        asm.bytes.clear();
        let instance = SynthConst::Field(class, "instance".into(), "Ljava/lang/Object;".into());
        if captures.is_empty() {
            asm.with(opcode::GETSTATIC, instance.clone());
        } else {
            asm.with(opcode::NEW, SynthConst::Class(class));
            let mut local = 0;
            for (index, &capture) in captures.iter().enumerate() {
                asm.op(opcode::DUP);
                asm.load(Kind::of(capture), local);
                local += Kind::of(capture).words();
                let name: Rc<str> = format!("arg{index}").into();
                asm.with(
                    opcode::PUTFIELD,
                    SynthConst::Field(class, name, capture.into()),
                );
            }
        }
        asm.op(opcode::ARETURN);
        let locals = captures
            .iter()
            .map(|capture| Kind::of(capture).words())
            .sum();
        methods.push(SynthMethod {
            name: "make".into(),
            descriptor: descriptor.into(),
            is_static: true,
            code: asm.code(locals, 4),
        });
        if captures.is_empty() {
            asm.bytes.clear();
            asm.with(opcode::NEW, SynthConst::Class(class));
            asm.with(opcode::PUTSTATIC, instance);
            asm.op(opcode::RETURN);
            methods.push(SynthMethod {
                name: "<clinit>".into(),
                descriptor: "()V".into(),
                is_static: true,
                code: asm.code(0, 1),
            });
        }
    }
}
