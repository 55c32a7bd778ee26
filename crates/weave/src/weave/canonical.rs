//! A method's code as bytes that do not depend on constant pool numbering, debug information or
//! the numbers of lambdas. Two methods with equal bytes do the same.

use std::collections::HashMap;

use braid_classfile::{
    Attribute, ClassFile, CodeAttribute, Constant, Instruction, JStr, Member, MemberRef, Op,
    Operand,
};

use crate::error::Result;

/// Writes methods of one class.
pub(crate) struct Canonical<'a> {
    class: &'a ClassFile<'a>,
    bootstraps: Vec<(u16, Vec<u16>)>,
    lambdas: HashMap<(&'a [u8], &'a [u8]), Member<'a>>,
    /// Lambda bodies being written, against endless recursion.
    open: Vec<(&'a [u8], &'a [u8])>,
}

/// True for a method that javac made of a lambda's body.
pub(crate) fn is_lambda(method: Member<'_>) -> bool {
    method.access().is_synthetic()
        && method.access().is_private()
        && method.name().as_bytes().starts_with(b"lambda$")
}

impl<'a> Canonical<'a> {
    pub(crate) fn new(class: &'a ClassFile<'a>) -> Result<Canonical<'a>> {
        let bootstraps = match class.attribute("BootstrapMethods")? {
            Some(Attribute::BootstrapMethods(list)) => list
                .iter()
                .map(|b| (b.handle, b.arguments.iter().collect()))
                .collect(),
            _ => Vec::new(),
        };
        let lambdas = class
            .methods()
            .filter(|method| is_lambda(*method))
            .map(|method| {
                let key = (method.name().as_bytes(), method.descriptor().as_bytes());
                (key, method)
            })
            .collect();
        Ok(Canonical {
            class,
            bootstraps,
            lambdas,
            open: Vec::new(),
        })
    }

    /// The code of a method; empty if it has none.
    pub(crate) fn method(&mut self, method: Member<'a>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.code(method, &mut out)?;
        Ok(out)
    }

    fn code(&mut self, method: Member<'a>, out: &mut Vec<u8>) -> Result<()> {
        let Some(code) = method.code()? else {
            return Ok(());
        };
        let ordinals = Ordinals::of(&code)?;
        for instruction in code.instructions() {
            self.instruction(instruction?, &ordinals, out)?;
        }
        let pool = self.class.pool();
        for range in code.exceptions.iter() {
            out.push(b'T');
            for pc in [range.start_pc, range.end_pc, range.handler_pc] {
                out.extend(ordinals.at(i64::from(pc)).to_be_bytes());
            }
            if range.catch_type != 0 {
                text(out, pool.class(range.catch_type)?);
            }
        }
        Ok(())
    }

    /// The operation, whatever its encoding: `ldc` and `ldc_w`, `goto` and `goto_w` are the same.
    pub(crate) fn op(op: Op) -> Op {
        match op.general() {
            Op::LdcW => Op::Ldc,
            Op::GotoW => Op::Goto,
            op => op,
        }
    }

    /// Writes one instruction.
    pub(crate) fn instruction(
        &mut self,
        instruction: Instruction<'a>,
        ordinals: &Ordinals,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let place = |out: &mut Vec<u8>, target: i64| out.extend(ordinals.at(target).to_be_bytes());
        let pool = self.class.pool();
        out.push(Self::op(instruction.op) as u8);
        match instruction.operand {
            Operand::None => {}
            Operand::Int(value) => out.extend(value.to_be_bytes()),
            Operand::Local(local) => out.extend(local.to_be_bytes()),
            Operand::Iinc { local, delta } => {
                out.extend(local.to_be_bytes());
                out.extend(delta.to_be_bytes());
            }
            Operand::Const(index) | Operand::Dynamic(index) => self.constant(index, out)?,
            Operand::Field(index)
            | Operand::Method(index)
            | Operand::InterfaceMethod(index, _)
            | Operand::Class(index) => self.constant(index, out)?,
            Operand::NewArray(ty) => out.push(ty as u8),
            Operand::MultiNewArray(index, dims) => {
                text(out, pool.class(index)?);
                out.push(dims);
            }
            Operand::Jump(target) => place(out, target),
            Operand::TableSwitch(switch) => {
                place(out, switch.default);
                out.extend(switch.low.to_be_bytes());
                for target in switch.targets() {
                    place(out, target);
                }
                out.push(b';');
            }
            Operand::LookupSwitch(switch) => {
                place(out, switch.default);
                for (key, target) in switch.pairs() {
                    out.extend(key.to_be_bytes());
                    place(out, target);
                }
                out.push(b';');
            }
        }
        Ok(())
    }

    fn constant(&mut self, index: u16, out: &mut Vec<u8>) -> Result<()> {
        let pool = self.class.pool();
        out.push(pool.tag(index));
        match pool.get(index)? {
            Constant::Integer(value) => out.extend(value.to_be_bytes()),
            Constant::Float(value) => out.extend(value.to_bits().to_be_bytes()),
            Constant::Long(value) => out.extend(value.to_be_bytes()),
            Constant::Double(value) => out.extend(value.to_bits().to_be_bytes()),
            Constant::Utf8(name)
            | Constant::Class(name)
            | Constant::String(name)
            | Constant::MethodType(name)
            | Constant::Module(name)
            | Constant::Package(name) => text(out, name),
            Constant::FieldRef(member)
            | Constant::MethodRef(member)
            | Constant::InterfaceMethodRef(member) => self.member(member, out),
            Constant::NameAndType(name) => {
                text(out, name.name);
                text(out, name.descriptor);
            }
            Constant::MethodHandle(handle) => {
                out.push(handle.kind as u8);
                self.handle(handle.member, out)?;
            }
            Constant::Dynamic(dynamic) | Constant::InvokeDynamic(dynamic) => {
                text(out, dynamic.name);
                text(out, dynamic.descriptor);
                self.bootstrap(dynamic.bootstrap, out)?;
            }
        }
        Ok(())
    }

    fn bootstrap(&mut self, number: u16, out: &mut Vec<u8>) -> Result<()> {
        let Some((handle, arguments)) = self.bootstraps.get(usize::from(number)).cloned() else {
            return Ok(());
        };
        self.constant(handle, out)?;
        out.extend((arguments.len() as u16).to_be_bytes());
        for argument in arguments {
            self.constant(argument, out)?;
        }
        Ok(())
    }

    fn member(&self, member: MemberRef<'_>, out: &mut Vec<u8>) {
        text(out, member.owner);
        text(out, member.name);
        text(out, member.descriptor);
    }

    /// A lambda's body stands for its name.
    fn handle(&mut self, member: MemberRef<'a>, out: &mut Vec<u8>) -> Result<()> {
        let key = (member.name.as_bytes(), member.descriptor.as_bytes());
        let own = member.owner == self.class.name();
        match self.lambdas.get(&key).copied() {
            Some(body) if own && !self.open.contains(&key) => {
                out.push(b'{');
                text(out, member.descriptor);
                self.open.push(key);
                let written = self.code(body, out);
                self.open.pop();
                written?;
                out.push(b'}');
            }
            _ => self.member(member, out),
        }
        Ok(())
    }
}

pub(crate) fn text(out: &mut Vec<u8>, text: JStr<'_>) {
    out.extend((text.as_bytes().len() as u16).to_be_bytes());
    out.extend(text.as_bytes());
}

/// The number of the instruction at each code offset.
pub(crate) struct Ordinals(Vec<u16>);

impl Ordinals {
    pub(crate) fn of(code: &CodeAttribute<'_>) -> Result<Ordinals> {
        let mut at = vec![0; code.bytes.len() + 1];
        let mut count = 0;
        for instruction in code.instructions() {
            at[instruction?.pc as usize] = count;
            count += 1;
        }
        at[code.bytes.len()] = count;
        Ok(Ordinals(at))
    }

    pub(crate) fn at(&self, pc: i64) -> u16 {
        usize::try_from(pc)
            .ok()
            .and_then(|pc| self.0.get(pc).copied())
            .unwrap_or(u16::MAX)
    }
}
