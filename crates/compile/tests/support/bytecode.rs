//! A method's code as text in which names that the compiler made up do not show.

use std::collections::HashMap;

use braid_classfile::{
    Attribute, ClassFile, Constant, ConstantPool, JStr, Member, MemberRef, Operand,
};
use braid_compile::Classes;

/// Prints the code of a method, its lambdas and its local classes. `own` is how the method calls itself.
pub(crate) fn print(classes: &Classes, class: &str, method: &str, descriptor: &str) -> String {
    let mut printer = Printer {
        classes,
        names: HashMap::new(),
        out: String::new(),
    };
    printer.class_method(class, method, descriptor);
    printer.out
}

/// Whether two methods have the same code, as far as that can be told quickly: where numbers that the compiler made up
/// could matter, and for what is rare, the answer is no.
pub(crate) fn surely_same(one: Member<'_>, other: Member<'_>) -> bool {
    let (Some(one), Some(other)) = (one.code().unwrap(), other.code().unwrap()) else {
        return false;
    };
    let same = one.max_stack == other.max_stack && one.max_locals == other.max_locals;
    let simple = one.exceptions.is_empty() && other.exceptions.is_empty();
    same && simple
        && one.instructions().count() == other.instructions().count()
        && one
            .instructions()
            .zip(other.instructions())
            .all(|(left, right)| {
                let (left, right) = (left.unwrap(), right.unwrap());
                left.pc == right.pc
                    && left.op == right.op
                    && same_operand(left.operand, one.pool(), right.operand, other.pool())
            })
}

fn same_operand(
    one: Operand<'_>,
    one_pool: ConstantPool<'_>,
    other: Operand<'_>,
    other_pool: ConstantPool<'_>,
) -> bool {
    use Operand::{Class, Const, Dynamic, Field, InterfaceMethod, Method, MultiNewArray};
    match (one, other) {
        (Dynamic(_), _) => false,
        (Class(i), Class(k))
        | (Const(i), Const(k))
        | (Field(i), Field(k))
        | (Method(i), Method(k))
        | (InterfaceMethod(i, _), InterfaceMethod(k, _))
        | (MultiNewArray(i, _), MultiNewArray(k, _)) => {
            let (one, other) = (one_pool.get(i).unwrap(), other_pool.get(k).unwrap());
            one == other && !names_a_number(&one)
        }
        (one, other) => one == other,
    }
}

fn names_a_number(constant: &Constant<'_>) -> bool {
    let numbered = |text: JStr<'_>| {
        let mut pairs = text.as_bytes().windows(2);
        pairs.any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit())
    };
    match constant {
        Constant::Class(name) => numbered(*name),
        Constant::FieldRef(member)
        | Constant::MethodRef(member)
        | Constant::InterfaceMethodRef(member) => {
            numbered(member.owner) || numbered(member.descriptor)
        }
        Constant::String(_) => false,
        Constant::Integer(_) | Constant::Float(_) | Constant::Long(_) | Constant::Double(_) => {
            false
        }
        _ => true,
    }
}

/// Whether the compiler made up a part of a class's name.
pub(crate) fn is_numbered(name: &str) -> bool {
    let mut parts = name.split('$').skip(1);
    parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

/// A descriptor whose last parameter does not show.
fn without_tag(descriptor: &str) -> String {
    let (parameters, _) = descriptor.rsplit_once(";)").unwrap();
    let start = parameters.rfind([';', '(']).unwrap() + 1;
    let primitives = parameters[start..].find('L').unwrap();
    format!("{}tag)V", &parameters[..start + primitives])
}

struct Printer<'a> {
    classes: &'a Classes,
    /// Local classes by the order in which they appear.
    names: HashMap<String, usize>,
    out: String,
}

impl Printer<'_> {
    fn class_method(&mut self, class: &str, method: &str, descriptor: &str) {
        let file = ClassFile::parse(&self.classes[class]).unwrap();
        let found = file.method(method, descriptor);
        self.method(
            &file,
            found.unwrap_or_else(|| panic!("{class} has no {method}{descriptor}")),
        );
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn method(&mut self, file: &ClassFile<'_>, method: Member<'_>) {
        let Some(code) = method.code().unwrap() else {
            return;
        };
        self.line(&format!("code {} {}", code.max_stack, code.max_locals));
        let lines: HashMap<u16, u16> = code
            .line_numbers()
            .unwrap()
            .iter()
            .map(|line| (line.start_pc, line.line))
            .collect();
        // Offsets depend on where constants stand in the pool; the order of instructions does not.
        let pcs = code
            .instructions()
            .map(|instruction| i64::from(instruction.unwrap().pc));
        let places: HashMap<i64, usize> = pcs.enumerate().map(|(at, pc)| (pc, at)).collect();
        for instruction in code.instructions() {
            let instruction = instruction.unwrap();
            let line = lines
                .get(&(instruction.pc as u16))
                .map_or(String::new(), u16::to_string);
            let operand = match instruction.operand {
                Operand::Const(i) | Operand::Class(i) | Operand::MultiNewArray(i, _) => {
                    self.constant(file, i)
                }
                Operand::Field(i) | Operand::Method(i) | Operand::InterfaceMethod(i, _) => {
                    self.constant(file, i)
                }
                Operand::Dynamic(i) => self.dynamic(file, i),
                Operand::TableSwitch(_) | Operand::LookupSwitch(_) | Operand::Jump(_) => {
                    let targets = instruction.operand.targets();
                    let targets = targets.iter().map(|target| places.get(target));
                    format!("{:?}", targets.collect::<Vec<_>>())
                }
                other => format!("{other:?}"),
            };
            // `ldc` and `ldc_w` differ by where a constant stands in the pool.
            let op = format!("{:?}", instruction.op).replace("LdcW", "Ldc");
            self.line(&format!("{line}\t{op} {operand}"));
        }
        for entry in code.exceptions.iter() {
            let caught = match entry.catch_type {
                0 => "any".to_owned(),
                index => self.constant(file, index),
            };
            self.line(&format!("{caught} {}", entry.handler_pc > entry.start_pc));
        }
    }

    fn constant(&mut self, file: &ClassFile<'_>, index: u16) -> String {
        match file.pool().get(index).unwrap() {
            Constant::Class(name) => self.class(&name.to_str_lossy()),
            Constant::FieldRef(member)
            | Constant::MethodRef(member)
            | Constant::InterfaceMethodRef(member) => {
                let descriptor = if self.is_tagged(member) {
                    without_tag(&member.descriptor.to_str_lossy())
                } else {
                    self.class(&member.descriptor.to_str_lossy())
                };
                let owner = self.class(&member.owner.to_str_lossy());
                format!("{owner}.{}{descriptor}", member.name)
            }
            other => format!("{other:?}"),
        }
    }

    /// Whether a member is a constructor that the compiler made up to reach a private one. Its last parameter is
    /// some numbered class of the file, whichever, and always given null.
    fn is_tagged(&self, member: MemberRef<'_>) -> bool {
        let owner = self.classes.get(member.owner.to_str_lossy().as_ref());
        member.name == "<init>"
            && owner.is_some_and(|owner| {
                let file = ClassFile::parse(owner).unwrap();
                let descriptor = member.descriptor.to_str_lossy();
                let found = file.method("<init>", &descriptor);
                found.is_some_and(|found| found.access().is_synthetic())
            })
    }

    /// Numbered classes are named by their order; their code is printed once.
    fn class(&mut self, text: &str) -> String {
        let stands_in = |name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let rest = &text[at + name.len()..];
                rest.is_empty() || rest.starts_with([';', '.', '"'])
            })
        };
        let mut names = self.classes.keys();
        let Some(name) = names.find(|name| is_numbered(name) && stands_in(name)) else {
            return text.to_owned();
        };
        let next = self.names.len();
        let number = *self.names.entry(name.clone()).or_insert(next);
        if number == next {
            let file = ClassFile::parse(&self.classes[name]).unwrap();
            self.line(&format!("class {number}"));
            for method in file.methods() {
                self.line(&format!("{}", method.name()));
                self.method(&file, method);
            }
        }
        text.replace(name.as_str(), &format!("local{number}"))
    }

    fn dynamic(&mut self, file: &ClassFile<'_>, index: u16) -> String {
        let dynamic = file.pool().dynamic(index).unwrap();
        let Some(Attribute::BootstrapMethods(methods)) =
            file.attribute("BootstrapMethods").unwrap()
        else {
            panic!("no bootstrap methods")
        };
        let mut text = format!(
            "{}{}",
            dynamic.name,
            self.class(&dynamic.descriptor.to_str_lossy())
        );
        for argument in methods[usize::from(dynamic.bootstrap)].arguments.iter() {
            match file.pool().get(argument).unwrap() {
                Constant::MethodHandle(handle)
                    if handle.member.name.to_str_lossy().starts_with("lambda$") =>
                {
                    let (name, descriptor) = (handle.member.name, handle.member.descriptor);
                    let method = file
                        .method(&name.to_str_lossy(), &descriptor.to_str_lossy())
                        .expect("a lambda's body");
                    text.push_str(" lambda");
                    self.method(file, method);
                }
                other => {
                    let printed = self.class(&format!(" {other:?}"));
                    text.push_str(&printed);
                }
            }
        }
        text
    }
}
