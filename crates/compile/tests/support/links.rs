//! Whether the code of a copy finds all that it refers to in the unpatched program.

use std::fs;

use braid_classfile::{
    Attribute, ClassFile, Constant, ConstantPool, Member, MemberRef, Operand, OwnedClass,
};
use braid_compile::{Classes, MethodCopy, Module};

/// Panics if a copy refers to a class or member that is neither its own nor in the unpatched classes.
pub(crate) fn check(name: &str, module: &Module, copy: &MethodCopy) {
    let links = Links { name, module, copy };
    let file = ClassFile::parse(&copy.bulk[&copy.class]).unwrap();
    links.method(file.method(&copy.copy, &copy.descriptor).unwrap());
    for (lambda, descriptor) in &copy.lambdas {
        assert!(
            lambda.contains(&copy.copy) || copy.copy == "<init>",
            "{name}: {lambda} is not its own"
        );
        links.method(file.method(lambda, descriptor).unwrap());
    }
    for class in &copy.classes {
        let own = ClassFile::parse(&copy.bulk[class]).unwrap();
        own.methods().for_each(|method| links.method(method));
    }
}

struct Links<'a> {
    name: &'a str,
    module: &'a Module,
    copy: &'a MethodCopy,
}

impl Links<'_> {
    fn method(&self, method: Member<'_>) {
        let Some(code) = method.code().unwrap() else {
            return;
        };
        for instruction in code.instructions() {
            match instruction.unwrap().operand {
                Operand::Const(index)
                | Operand::Class(index)
                | Operand::MultiNewArray(index, _)
                | Operand::Field(index)
                | Operand::Method(index)
                | Operand::InterfaceMethod(index, _) => self.constant(code.pool(), index),
                Operand::Dynamic(index) => self.dynamic(method.class(), index),
                _ => {}
            }
        }
        for entry in code.exceptions.iter().filter(|entry| entry.catch_type != 0) {
            self.constant(code.pool(), entry.catch_type);
        }
    }

    fn dynamic(&self, class: &ClassFile<'_>, index: u16) {
        let dynamic = class.pool().dynamic(index).unwrap();
        let Some(Attribute::BootstrapMethods(methods)) =
            class.attribute("BootstrapMethods").unwrap()
        else {
            panic!("no bootstrap methods")
        };
        self.types(&dynamic.descriptor.to_str_lossy());
        for argument in methods[usize::from(dynamic.bootstrap)].arguments.iter() {
            self.constant(class.pool(), argument);
        }
    }

    fn constant(&self, pool: ConstantPool<'_>, index: u16) {
        match pool.get(index).unwrap() {
            Constant::Class(class) => self.class(&class.to_str_lossy()),
            Constant::FieldRef(member)
            | Constant::MethodRef(member)
            | Constant::InterfaceMethodRef(member) => self.member(member),
            Constant::MethodHandle(handle) => self.member(handle.member),
            Constant::MethodType(descriptor) => self.types(&descriptor.to_str_lossy()),
            _ => {}
        }
    }

    fn class(&self, class: &str) {
        if class.starts_with('[') {
            return self.types(class);
        }
        let bulk: &Classes = &self.copy.bulk;
        let known = !bulk.contains_key(class)
            || self.copy.classes.iter().any(|own| own == class)
            || self.original(class).is_some();
        assert!(known, "{}: refers to {class}", self.name);
    }

    /// The classes in a descriptor.
    fn types(&self, descriptor: &str) {
        let parts = descriptor.split(['(', ')', ';', '[']);
        let classes = parts.filter_map(|part| {
            let class = part.trim_start_matches(|c: char| "BCDFIJSZV".contains(c));
            class.strip_prefix('L')
        });
        classes.for_each(|class| self.class(class));
    }

    fn member(&self, member: MemberRef<'_>) {
        let owner = member.owner.to_str_lossy();
        let (name, descriptor) = (member.name.to_str_lossy(), member.descriptor.to_str_lossy());
        self.class(&owner);
        self.types(&descriptor);
        let own = self.copy.classes.iter().any(|own| *own == owner);
        let lambda = |(lambda, of): &(String, String)| *lambda == name && *of == descriptor;
        if own || owner == self.copy.class && self.copy.lambdas.iter().any(lambda) {
            return;
        }
        let found = self.resolves(&owner, &name, &descriptor);
        assert!(found, "{}: refers to {owner}.{name}{descriptor}", self.name);
    }

    /// Looks for a member in an unpatched class and those above it. What is above the module is not looked at.
    fn resolves(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let Some(file) = self.original(class) else {
            return true;
        };
        let file = file.view();
        let above = file
            .interfaces()
            .map(|name| name.to_str_lossy().into_owned());
        let above = above.chain(
            file.super_name()
                .map(|name| name.to_str_lossy().into_owned()),
        );
        file.field(name, descriptor).is_some()
            || file.method(name, descriptor).is_some()
            || name != "<init>"
                && above
                    .into_iter()
                    .any(|class| self.resolves(&class, name, descriptor))
    }

    fn original(&self, class: &str) -> Option<OwnedClass> {
        let file = self.module.classes.join(format!("{class}.class"));
        let bytes = fs::read(file).ok()?;
        Some(OwnedClass::parse(bytes).unwrap())
    }
}
