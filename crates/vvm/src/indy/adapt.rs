//! Conversions between types, as `asType` and lambda linkage do them.

use super::HandleRef;
use crate::class::resolve::MemberNames;
use crate::class::synth::{Assembler, SynthConst, opcode};
use crate::class::{ClassId, MethodId};
use crate::descriptor;
use crate::trap::{Step, Trap};
use crate::value::Kind;
use crate::vm::Vm;
use braid_classfile::HandleKind;
use std::rc::Rc;

/// What a method handle constant or object runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) kind: HandleKind,
    /// The method (for the method kinds).
    pub(crate) method: MethodId,
    /// The field: class, name, descriptor (for the field kinds).
    pub(crate) field: Option<(ClassId, Rc<str>, Rc<str>)>,
    /// Parameter descriptors, receiver first.
    pub(crate) params: Vec<String>,
    /// Result descriptor.
    pub(crate) result: String,
}

impl Target {
    /// A field of a class, which is given with its descriptor.
    pub(crate) fn of_field(
        kind: HandleKind,
        (class, owner): (ClassId, &str),
        name: &str,
        descriptor: &str,
    ) -> Target {
        let is_static = matches!(kind, HandleKind::GetStatic | HandleKind::PutStatic);
        let mut params = Vec::new();
        if !is_static {
            params.push(owner.to_owned());
        }
        let mut result = descriptor.to_owned();
        if matches!(kind, HandleKind::PutField | HandleKind::PutStatic) {
            params.push(std::mem::replace(&mut result, "V".into()));
        }
        Target {
            kind,
            method: 0,
            field: Some((class, name.into(), descriptor.into())),
            params,
            result,
        }
    }
}

impl Vm {
    /// Resolves a method handle constant.
    pub(crate) fn target(&mut self, handle: &HandleRef) -> Step<Target> {
        let owner = self.load(&handle.owner)?;
        let owner_descriptor = descriptor::of_class(&handle.owner);
        match handle.kind {
            HandleKind::GetField
            | HandleKind::PutField
            | HandleKind::GetStatic
            | HandleKind::PutStatic => Ok(Target::of_field(
                handle.kind,
                (owner, &owner_descriptor),
                &handle.name,
                &handle.descriptor,
            )),
            _ => {
                let names = MemberNames {
                    owner,
                    name: self.symbols.intern(&handle.name),
                    descriptor: self.symbols.intern(&handle.descriptor),
                };
                let method = self.resolve_method(&names)?;
                self.method_target(handle.kind, method, &owner_descriptor, &handle.descriptor)
            }
        }
    }

    pub(crate) fn method_target(
        &mut self,
        kind: HandleKind,
        method: MethodId,
        owner: &str,
        text: &str,
    ) -> Step<Target> {
        let parts = descriptor::split(text)?;
        let (result, params) = parts.split_last().expect("a descriptor has a result");
        let mut params: Vec<String> = params.iter().map(|&part| part.to_owned()).collect();
        let mut result = (*result).to_owned();
        match kind {
            HandleKind::NewInvokeSpecial => result = owner.to_owned(),
            HandleKind::InvokeStatic => {}
            _ => params.insert(0, owner.to_owned()),
        }
        Ok(Target {
            kind,
            method,
            field: None,
            params,
            result,
        })
    }

    /// Emits what must stand before the arguments.
    pub(crate) fn begin_target(&mut self, asm: &mut Assembler, target: &Target) -> Step<()> {
        if target.kind == HandleKind::NewInvokeSpecial {
            let class = self.methods[target.method as usize].class;
            asm.with(opcode::NEW, SynthConst::Class(class));
            asm.op(opcode::DUP);
        }
        Ok(())
    }

    /// Emits the access or call once the arguments are on the stack.
    pub(crate) fn end_target(&mut self, asm: &mut Assembler, target: &Target) -> Step<()> {
        if let Some((class, name, descriptor)) = target.field.clone() {
            let opcode = match target.kind {
                HandleKind::GetField => opcode::GETFIELD,
                HandleKind::PutField => opcode::PUTFIELD,
                HandleKind::GetStatic => opcode::GETSTATIC,
                _ => opcode::PUTSTATIC,
            };
            asm.with(opcode, SynthConst::Field(class, name, descriptor));
            return Ok(());
        }
        let text = self.text(self.methods[target.method as usize].descriptor);
        let opcode = match target.kind {
            HandleKind::InvokeStatic => opcode::INVOKESTATIC,
            HandleKind::InvokeSpecial | HandleKind::NewInvokeSpecial => opcode::INVOKESPECIAL,
            HandleKind::InvokeInterface => opcode::INVOKEINTERFACE,
            _ => opcode::INVOKEVIRTUAL,
        };
        asm.with(opcode, SynthConst::Method(target.method, text));
        Ok(())
    }

    /// Emits the conversion of the value on the stack.
    pub(crate) fn convert(&mut self, asm: &mut Assembler, from: &str, to: &str) -> Step<()> {
        if from == to {
            return Ok(());
        }
        match (Kind::of(from), Kind::of(to)) {
            (Kind::Void, Kind::Void) => {}
            (Kind::Void, Kind::Ref) => asm.op(opcode::ACONST_NULL),
            (Kind::Void, kind) => self.zero(asm, kind),
            (kind, Kind::Void) => asm.op(if kind.words() == 2 { 0x58 } else { opcode::POP }),
            (Kind::Ref, Kind::Ref) => {
                if to != "Ljava/lang/Object;" {
                    let class = self.load_descriptor(to)?;
                    // A cast to an interface that javac did not need is not needed here either.
                    asm.with(opcode::CHECKCAST, SynthConst::Class(class));
                }
            }
            (Kind::Ref, _) => self.unbox_into(asm, to)?,
            (_, Kind::Ref) => self.box_result(asm, from)?,
            (from, to) => widen(asm, from, to)?,
        }
        Ok(())
    }

    fn zero(&mut self, asm: &mut Assembler, kind: Kind) {
        asm.op(match kind {
            Kind::Long => 0x09,
            Kind::Float => 0x0B,
            Kind::Double => 0x0E,
            _ => opcode::ICONST_0,
        });
    }
}

fn widen(asm: &mut Assembler, from: Kind, to: Kind) -> Step<()> {
    let small = !matches!(from, Kind::Long | Kind::Float | Kind::Double);
    let opcode = match (from, to) {
        (_, Kind::Int | Kind::Short | Kind::Char | Kind::Byte | Kind::Boolean) if small => {
            return Ok(());
        }
        (_, Kind::Long) if small => 0x85,
        (_, Kind::Float) if small => 0x86,
        (_, Kind::Double) if small => 0x87,
        (Kind::Long, Kind::Float) => 0x89,
        (Kind::Long, Kind::Double) => 0x8A,
        (Kind::Float, Kind::Double) => 0x8D,
        _ => {
            return Err(Trap::new(
                "java/lang/invoke/WrongMethodTypeException",
                "cannot convert",
            ));
        }
    };
    asm.op(opcode);
    Ok(())
}
