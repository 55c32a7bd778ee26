//! `invokedynamic`, method handles and the stubs that reflection needs, by making plain bytecode.

mod adapt;
mod concat;
pub(crate) mod handle;
mod lambda;
mod record;
mod stubs;
mod switch;

use crate::class::{ClassId, MethodId, Resolved};
use crate::code::op::{Code, Op, Reg};
use crate::trap::{Step, Trap};
use crate::value::Slot;
use crate::vm::Vm;
use braid_classfile::{Attribute, Constant, HandleKind};
use std::rc::Rc;

/// A bootstrap method with its static arguments.
pub(crate) struct Bootstrap {
    pub(crate) owner: String,
    pub(crate) method: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// A static argument of a bootstrap method.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Int(i32),
    /// A `long`, `float` or `double`.
    Number,
    String(Vec<u16>),
    Class(String),
    MethodType(String),
    Handle(HandleRef),
    /// A dynamic constant.
    Dynamic,
}

/// A method handle constant by names.
#[derive(Debug, Clone)]
pub(crate) struct HandleRef {
    pub(crate) kind: HandleKind,
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

impl Vm {
    /// Links a call site and makes the instruction a static call.
    pub(crate) fn quicken_dynamic(
        &mut self,
        code: &Rc<Code>,
        pc: usize,
        d: Reg,
        i: u32,
    ) -> Step<bool> {
        let site = &code.sites[i as usize];
        let linked = match self.classes[code.class as usize].resolved.get(&site.pool) {
            Some(Resolved::CallSite(method)) => *method,
            _ => {
                let method = self.everywhere(|vm| vm.link(code.class, site.pool))?;
                let resolved = Resolved::CallSite(method);
                self.classes[code.class as usize]
                    .resolved
                    .insert(site.pool, resolved);
                method
            }
        };
        site.method.set(linked);
        let class = self.methods[linked as usize].class;
        self.ensure_init(class)?;
        if self.is_initialised(class) {
            self.note_quickened(code, pc, class);
            code.ops[pc].set(Op::InvokeStaticQ { d, i });
            return Ok(true);
        }
        Ok(false)
    }

    pub(crate) fn bootstrap(&mut self, class: ClassId, pool: u16) -> Step<Bootstrap> {
        let file = self.file(class)?;
        let view = file.view();
        let constants = view.pool();
        let dynamic = constants.dynamic(pool)?;
        let Some(Attribute::BootstrapMethods(methods)) = view.attribute("BootstrapMethods")? else {
            return Err(Trap::new(
                "java/lang/ClassFormatError",
                "no bootstrap methods",
            ));
        };
        let Some(method) = methods.get(usize::from(dynamic.bootstrap)) else {
            return Err(Trap::new(
                "java/lang/ClassFormatError",
                "bootstrap method index",
            ));
        };
        let handle = constants.method_handle(method.handle)?;
        let mut arguments = Vec::new();
        for index in method.arguments.iter() {
            arguments.push(match constants.get(index)? {
                Constant::Integer(value) => Argument::Int(value),
                Constant::Long(_) | Constant::Float(_) | Constant::Double(_) => Argument::Number,
                Constant::String(text) => Argument::String(text.to_utf16()),
                Constant::Class(name) => Argument::Class(name.to_str_lossy().into_owned()),
                Constant::MethodType(text) => {
                    Argument::MethodType(text.to_str_lossy().into_owned())
                }
                Constant::MethodHandle(handle) => Argument::Handle(HandleRef {
                    kind: handle.kind,
                    owner: handle.member.owner.to_str_lossy().into_owned(),
                    name: handle.member.name.to_str_lossy().into_owned(),
                    descriptor: handle.member.descriptor.to_str_lossy().into_owned(),
                }),
                Constant::Dynamic(_) => Argument::Dynamic,
                other => {
                    return Err(Trap::unknown(format!(
                        "bootstrap argument {other:?} is not supported"
                    )));
                }
            });
        }
        Ok(Bootstrap {
            owner: handle.member.owner.to_str_lossy().into_owned(),
            method: handle.member.name.to_str_lossy().into_owned(),
            arguments,
            name: dynamic.name.to_str_lossy().into_owned(),
            descriptor: dynamic.descriptor.to_str_lossy().into_owned(),
        })
    }

    fn link(&mut self, class: ClassId, pool: u16) -> Step<MethodId> {
        let bootstrap = self.bootstrap(class, pool)?;
        match (bootstrap.owner.as_str(), bootstrap.method.as_str()) {
            ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
                self.link_lambda(class, &bootstrap)
            }
            ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants" | "makeConcat") => {
                self.link_concat(class, &bootstrap)
            }
            ("java/lang/runtime/ObjectMethods", "bootstrap") => self.link_record(&bootstrap),
            ("java/lang/runtime/SwitchBootstraps", "typeSwitch" | "enumSwitch") => {
                self.link_switch(class, &bootstrap)
            }
            (owner, method) => Err(Trap::unknown(format!(
                "invokedynamic with {owner}.{method} is not supported"
            ))),
        }
    }

    /// The value of a dynamic constant.
    pub(crate) fn dynamic_constant(&mut self, class: ClassId, pool: u16) -> Step<Slot> {
        let bootstrap = self.bootstrap(class, pool)?;
        Err(Trap::unknown(format!(
            "a dynamic constant made by {}.{} is not supported",
            bootstrap.owner, bootstrap.method
        )))
    }
}
