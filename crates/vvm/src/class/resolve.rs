//! Constants: from pool indices to classes, fields, methods and values; translation of methods.

use super::synth::SynthConst;
use super::{Body, ClassId, MethodId, Resolved};
use crate::code::op::{Code, Op, Reg};
use crate::code::translate::{self, Loadable, PoolInfo, RawHandler};
use crate::error::{Result, VmError};
use crate::symbol::Sym;
use crate::trap::{Step, Trap};
use crate::value::{Kind, Slot};
use crate::vm::Vm;
use braid_classfile::{Constant, ConstantPool, OwnedClass};
use std::rc::Rc;

/// Names of a field or method constant.
pub(crate) struct MemberNames {
    pub(crate) owner: ClassId,
    pub(crate) name: Sym,
    pub(crate) descriptor: Sym,
}

struct FilePool<'a>(ConstantPool<'a>);

impl PoolInfo for FilePool<'_> {
    fn loadable(&self, index: u16) -> Result<Loadable> {
        Ok(match self.0.get(index)? {
            Constant::Integer(value) => Loadable::Int(value),
            Constant::Float(value) => Loadable::Float(value.to_bits()),
            Constant::Long(value) => Loadable::Wide(value as u64),
            Constant::Double(value) => Loadable::Wide(crate::value::double(value)),
            Constant::Dynamic(dynamic) => match dynamic.descriptor.as_bytes() {
                b"J" | b"D" => Loadable::OtherWide,
                _ => Loadable::Other,
            },
            _ => Loadable::Other,
        })
    }

    fn descriptor(&self, index: u16) -> Result<String> {
        Ok(match self.0.get(index)? {
            Constant::InvokeDynamic(dynamic) | Constant::Dynamic(dynamic) => {
                dynamic.descriptor.to_str_lossy().into_owned()
            }
            _ => self.0.member(index)?.descriptor.to_str_lossy().into_owned(),
        })
    }
}

struct SynthPool<'a>(&'a [SynthConst]);

impl PoolInfo for SynthPool<'_> {
    fn loadable(&self, index: u16) -> Result<Loadable> {
        Ok(match self.0.get(usize::from(index) - 1) {
            Some(SynthConst::Int(value)) => Loadable::Int(*value),
            _ => Loadable::Other,
        })
    }

    fn descriptor(&self, index: u16) -> Result<String> {
        match self.0.get(usize::from(index) - 1) {
            Some(SynthConst::Field(_, _, descriptor) | SynthConst::Method(_, descriptor)) => {
                Ok(descriptor.to_string())
            }
            _ => Err(VmError::bad_class("internal: synthetic pool")),
        }
    }
}

impl Vm {
    pub(crate) fn file(&self, class: ClassId) -> Step<Rc<OwnedClass>> {
        match &self.classes[class as usize].file {
            Some(file) => Ok(Rc::clone(file)),
            None => Err(Trap::unknown("internal: class without a class file")),
        }
    }

    fn synth_const(&self, class: ClassId, index: u16) -> Option<&SynthConst> {
        self.classes[class as usize]
            .synth_pool
            .get(usize::from(index).checked_sub(1)?)
    }

    /// The class at a pool index.
    pub(crate) fn pool_class(&mut self, class: ClassId, index: u16) -> Step<ClassId> {
        if let Some(SynthConst::Class(found)) = self.synth_const(class, index) {
            return Ok(*found);
        }
        if let Some(Resolved::Class(found)) = self.classes[class as usize].resolved.get(&index) {
            return Ok(*found);
        }
        let file = self.file(class)?;
        let name = file.view().pool().class(index)?.to_str_lossy().into_owned();
        let found = self.load_from(class, &name)?;
        self.classes[class as usize]
            .resolved
            .insert(index, Resolved::Class(found));
        Ok(found)
    }

    /// The class that another means by a name; its own name means itself, though others may have that name too.
    fn load_from(&mut self, class: ClassId, name: &str) -> Step<ClassId> {
        if **self.symbols.text(self.classes[class as usize].name) == *name {
            return Ok(class);
        }
        self.load(name)
    }

    pub(crate) fn member_names(&mut self, class: ClassId, index: u16) -> Step<MemberNames> {
        let file = self.file(class)?;
        let view = file.view();
        let member = view.pool().member(index)?;
        let owner = self.load_from(class, &member.owner.to_str_lossy())?;
        let name = self.symbols.intern(&member.name.to_str_lossy());
        let descriptor = self.symbols.intern(&member.descriptor.to_str_lossy());
        Ok(MemberNames {
            owner,
            name,
            descriptor,
        })
    }

    /// The descriptor of the member at a pool index.
    pub(crate) fn pool_descriptor(&mut self, class: ClassId, index: u16) -> Step<Sym> {
        if let Some(SynthConst::Method(_, descriptor)) = self.synth_const(class, index) {
            let descriptor = Rc::clone(descriptor);
            return Ok(self.symbols.intern(&descriptor));
        }
        Ok(self.member_names(class, index)?.descriptor)
    }

    /// The field at a pool index.
    pub(crate) fn pool_field(&mut self, class: ClassId, index: u16) -> Step<(ClassId, u32)> {
        if let Some(&Resolved::Field(owner, position)) =
            self.classes[class as usize].resolved.get(&index)
        {
            return Ok((owner, position));
        }
        let names = match self.synth_const(class, index).cloned() {
            Some(SynthConst::Field(owner, name, descriptor)) => MemberNames {
                owner,
                name: self.symbols.intern(&name),
                descriptor: self.symbols.intern(&descriptor),
            },
            _ => self.member_names(class, index)?,
        };
        let Some((owner, position)) = self.find_field(names.owner, names.name, names.descriptor)
        else {
            return Err(Trap::new(
                "java/lang/NoSuchFieldError",
                self.text(names.name).to_string(),
            ));
        };
        self.classes[class as usize]
            .resolved
            .insert(index, Resolved::Field(owner, position));
        Ok((owner, position))
    }

    /// The method at a pool index.
    pub(crate) fn pool_method(&mut self, class: ClassId, index: u16) -> Step<MethodId> {
        if let Some(SynthConst::Method(method, _)) = self.synth_const(class, index) {
            return Ok(*method);
        }
        if let Some(&Resolved::Method(method)) = self.classes[class as usize].resolved.get(&index) {
            return Ok(method);
        }
        let names = self.member_names(class, index)?;
        let method = self.resolve_method(&names)?;
        self.classes[class as usize]
            .resolved
            .insert(index, Resolved::Method(method));
        Ok(method)
    }

    pub(crate) fn resolve_method(&mut self, names: &MemberNames) -> Step<MethodId> {
        if let Some(method) = self.find_method(names.owner, names.name, names.descriptor) {
            return Ok(method);
        }
        if let Some(method) = self.polymorphic(names.owner, names.name) {
            return Ok(method);
        }
        let message = format!(
            "'{}.{}{}'",
            self.java_name(names.owner),
            self.text(names.name),
            self.text(names.descriptor)
        );
        Err(Trap::new("java/lang/NoSuchMethodError", message))
    }

    /// A signature-polymorphic method of `MethodHandle` or `VarHandle`.
    fn polymorphic(&self, owner: ClassId, name: Sym) -> Option<MethodId> {
        if owner != self.known.method_handle && owner != self.known.var_handle {
            return None;
        }
        let methods = &self.classes[owner as usize].methods;
        methods
            .iter()
            .copied()
            .find(|&id| self.methods[id as usize].name == name && self.is_polymorphic(id))
    }

    pub(crate) fn is_polymorphic(&self, method: MethodId) -> bool {
        let entry = &self.methods[method as usize];
        (entry.class == self.known.method_handle || entry.class == self.known.var_handle)
            && entry.access.is_native()
            && entry.access.is_varargs()
    }

    /// The value of an `ldc`; rewrites the instruction where the value is fixed.
    pub(crate) fn load_constant(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        index: u32,
    ) -> Step<Slot> {
        let pool = index as u16;
        if let Some(constant) = self.synth_const(code.class, pool).cloned() {
            return self.load_synth(code, pc, d, constant);
        }
        match self.classes[code.class as usize].resolved.get(&pool) {
            Some(Resolved::Value(slot)) => return Ok(*slot),
            Some(Resolved::Literal(literal)) => {
                let i = *literal;
                code.ops[pc].set(Op::LdcString { d, i });
                return Ok(u64::from(self.literal(i)?));
            }
            _ => {}
        }
        let file = self.file(code.class)?;
        let view = file.view();
        match view.pool().get(pool)? {
            Constant::String(text) => {
                let i = self.literals.add(text.to_utf16());
                self.classes[code.class as usize]
                    .resolved
                    .insert(pool, Resolved::Literal(i));
                code.ops[pc].set(Op::LdcString { d, i });
                Ok(u64::from(self.literal(i)?))
            }
            Constant::Class(_) => {
                let class = self.pool_class(code.class, pool)?;
                Ok(u64::from(self.mirror(class)?))
            }
            Constant::MethodType(descriptor) => {
                let descriptor = descriptor.to_str_lossy().into_owned();
                self.method_type(&descriptor)
            }
            Constant::MethodHandle(_) => self.handle_constant(code.class, pool),
            Constant::Dynamic(_) => self.dynamic_constant(code.class, pool),
            other => Err(Trap::unknown(format!("ldc of {other:?} is not supported"))),
        }
    }

    fn load_synth(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        constant: SynthConst,
    ) -> Step<Slot> {
        match constant {
            SynthConst::String(text) => {
                let i = self.literals.add(text);
                code.ops[pc].set(Op::LdcString { d, i });
                Ok(u64::from(self.literal(i)?))
            }
            SynthConst::Class(class) => Ok(u64::from(self.mirror(class)?)),
            other => Err(Trap::unknown(format!("internal: ldc of {other:?}"))),
        }
    }

    /// The constant that a static field starts with.
    pub(crate) fn constant_value(&mut self, class: ClassId, index: u16, kind: Kind) -> Step<Slot> {
        let file = self.file(class)?;
        let view = file.view();
        match view.pool().get(index)? {
            Constant::Integer(value) => Ok(crate::value::int(value)),
            Constant::Float(value) => Ok(crate::value::float(value)),
            Constant::Long(value) => self.wide(value as u64),
            Constant::Double(value) => Ok(crate::value::double(value)),
            Constant::String(text) => {
                let i = self.literals.add(text.to_utf16());
                Ok(u64::from(self.literal(i)?))
            }
            _ => Err(Trap::unknown(format!("constant value of kind {kind:?}"))),
        }
    }

    /// Brings a method into register form.
    pub(crate) fn translate(&mut self, method: MethodId) -> Step<()> {
        let entry = &self.methods[method as usize];
        let (class, params) = (entry.class, Rc::clone(&entry.params));
        let code = match entry.body.clone() {
            Body::Synthetic(code) => translate::translate(&translate::Input {
                class,
                method,
                bytes: &code.bytes,
                max_locals: code.max_locals,
                max_stack: code.max_stack,
                handlers: &code.handlers,
                params: &params,
                pool: &SynthPool(&self.classes[class as usize].synth_pool),
                traced: &[],
            })?,
            _ => self.translate_file(class, method, &params)?,
        };
        self.methods[method as usize].body = Body::Code(Rc::new(code));
        Ok(())
    }

    fn translate_file(&mut self, class: ClassId, method: MethodId, params: &[Kind]) -> Step<Code> {
        let file = self.file(class)?;
        let view = file.view();
        let member = view.method_at(usize::from(self.methods[method as usize].index));
        let code = match member {
            Some(member) => member.code()?,
            None => None,
        };
        let Some(code) = code else {
            return Err(Trap::new(
                "java/lang/ClassFormatError",
                "Absent Code attribute",
            ));
        };
        let handlers: Vec<RawHandler> = code
            .exceptions
            .iter()
            .map(|row| RawHandler {
                start: row.start_pc,
                end: row.end_pc,
                handler: row.handler_pc,
                class: row.catch_type,
            })
            .collect();
        let input = translate::Input {
            class,
            method,
            bytes: code.bytes,
            max_locals: code.max_locals,
            max_stack: code.max_stack,
            handlers: &handlers,
            params,
            pool: &FilePool(view.pool()),
            traced: &self.traced_stores(method, code, view.pool())?,
        };
        match translate::translate(&input) {
            Ok(code) => Ok(code),
            Err(error) => Err(Trap::new(
                "java/lang/VerifyError",
                format!("{}: {error}", self.method_text(method)),
            )),
        }
    }
}
