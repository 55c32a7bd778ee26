//! Finds initialisers that need not run again: they depend on nothing, change nothing else, and
//! what they make never changes. Most enums are like that, and classes that only ask whether
//! assertions are on.

use braid_classfile::{ClassFile, ConstantPool, Instruction, JStr, Member, Op, Operand};

use crate::error::Result;
use crate::names::{BRAID, is_ours};
use crate::world::facts::is_constant;

/// JDK calls without effect, whose results never change.
const PURE_CALLS: &[(&str, &str)] = &[
    ("java/lang/Class", "desiredAssertionStatus"),
    ("java/lang/Integer", "valueOf"),
    ("java/lang/Long", "valueOf"),
    ("java/lang/Short", "valueOf"),
    ("java/lang/Byte", "valueOf"),
    ("java/lang/Character", "valueOf"),
    ("java/lang/Boolean", "valueOf"),
    ("java/lang/Double", "valueOf"),
    ("java/lang/Float", "valueOf"),
    ("java/util/regex/Pattern", "compile"),
    ("java/math/BigInteger", "valueOf"),
    ("java/math/BigDecimal", "valueOf"),
];

/// JDK classes whose instances never change and have constructors without effect.
const VALUES: &[&str] = &["java/math/BigInteger", "java/math/BigDecimal"];

/// If the initialiser needs no second run: the classes whose constructors it calls.
pub(crate) fn constant_initialiser(class: &ClassFile<'_>) -> Result<Option<Vec<Box<[u8]>>>> {
    let changeable = |field: Member<'_>| {
        field.access().is_static() && !is_constant(field) && !keeps_its_value(class, field)
    };
    if class.fields().any(changeable) {
        return Ok(None);
    }
    let Some(code) = class.method("<clinit>", "()V") else {
        // Final fields that nobody sets.
        return Ok(Some(Vec::new()));
    };
    if is_switch_map(class) {
        return Ok((!mentions_braid(class)).then(Vec::new));
    }
    let mut scan = Scan {
        class,
        built: Vec::new(),
        length_zero: false,
    };
    Ok(scan.method(code)?.then_some(scan.built))
}

/// True if a static field that is no constant of the class file still cannot change. What it
/// holds is judged by how the initialiser fills it; arrays with elements only enums may fill, and
/// keep to themselves.
fn keeps_its_value(class: &ClassFile<'_>, field: Member<'_>) -> bool {
    let shared_array = class.access().is_enum()
        && field.descriptor().as_bytes().starts_with(b"[")
        && !field.access().is_synthetic();
    field.access().is_final() && !is_ours(field.name().as_bytes()) && !shared_array
}

/// The class in which javac keeps the numbers of enum constants for `switch`.
fn is_switch_map(class: &ClassFile<'_>) -> bool {
    let synthetic = class.access().is_synthetic();
    synthetic
        && class
            .fields()
            .all(|field| field.name().as_bytes().starts_with(b"$SwitchMap$"))
}

fn mentions_braid(class: &ClassFile<'_>) -> bool {
    let pool = class.pool();
    pool.indices()
        .any(|index| pool.class(index).is_ok_and(|name| name == BRAID))
}

/// True if making an instance only fills final fields with values that never change.
pub(crate) fn builds_simply(class: &ClassFile<'_>) -> Result<bool> {
    let changeable = |field: Member<'_>| {
        let kept = field.access().is_final() && is_value(field.descriptor());
        !(field.access().is_static() || kept)
    };
    if class.access().is_interface() || class.fields().any(changeable) {
        return Ok(false);
    }
    for method in class.methods().filter(|method| method.name() == "<init>") {
        let mut scan = Scan {
            class,
            built: Vec::new(),
            length_zero: false,
        };
        if !scan.method(method)? {
            return Ok(false);
        }
        // The superclass must build simply too; it is this family's or the root of it.
        let family = |name: &[u8]| {
            name == class.name().as_bytes()
                || class
                    .super_name()
                    .is_some_and(|parent| parent.as_bytes() == name && in_nest(class, parent))
        };
        if !scan.built.iter().all(|name| family(name)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True for a superclass that stands around the class: an enum around its constants' bodies.
fn in_nest(class: &ClassFile<'_>, parent: JStr<'_>) -> bool {
    let (name, parent) = (class.name().as_bytes(), parent.as_bytes());
    name.len() > parent.len() && name.starts_with(parent) && name[parent.len()] == b'$'
}

/// Types whose values never change.
fn is_value(descriptor: JStr<'_>) -> bool {
    match descriptor.as_bytes() {
        [_] => true,
        name => matches!(
            name,
            b"Ljava/lang/String;"
                | b"Ljava/lang/Integer;"
                | b"Ljava/lang/Long;"
                | b"Ljava/lang/Short;"
                | b"Ljava/lang/Byte;"
                | b"Ljava/lang/Character;"
                | b"Ljava/lang/Boolean;"
                | b"Ljava/lang/Double;"
                | b"Ljava/lang/Float;"
        ),
    }
}

struct Scan<'a> {
    class: &'a ClassFile<'a>,
    /// Classes whose constructors are called.
    built: Vec<Box<[u8]>>,
    /// The instruction before was `iconst_0`.
    length_zero: bool,
}

impl Scan<'_> {
    /// True if every instruction is harmless.
    fn method(&mut self, method: Member<'_>) -> Result<bool> {
        let Some(code) = method.code()? else {
            return Ok(false);
        };
        let pool = self.class.pool();
        for instruction in code.instructions() {
            let instruction = instruction?;
            if !self.harmless(pool, instruction)? {
                return Ok(false);
            }
            self.length_zero = instruction.op == Op::Iconst0;
        }
        Ok(true)
    }

    fn harmless(&mut self, pool: ConstantPool<'_>, instruction: Instruction<'_>) -> Result<bool> {
        let this = self.class.name();
        Ok(match (instruction.op, instruction.operand) {
            (
                Op::Getstatic | Op::Putstatic | Op::Getfield | Op::Putfield,
                Operand::Field(index),
            ) => pool.field(index)?.owner == this,
            (Op::New, Operand::Class(index)) => {
                let name = pool.class(index)?;
                VALUES.iter().any(|value| name == *value) || self.is_family(name)
            }
            (Op::Anewarray, _) => self.length_zero || self.class.access().is_enum(),
            (Op::Newarray, _) => self.length_zero,
            // Only `$VALUES` of enums is filled: other arrays have no elements.
            (Op::Aastore, _) => self.class.access().is_enum(),
            (op, Operand::Method(index)) if op.is_invoke() => self.call(pool, index)?,
            (op, _) if op.is_invoke() => false,
            (Op::Multianewarray | Op::Monitorenter | Op::Monitorexit | Op::Athrow, _) => false,
            (op, _) => !is_array_store(op),
        })
    }

    fn is_family(&self, name: JStr<'_>) -> bool {
        let (name, this) = (name.as_bytes(), self.class.name().as_bytes());
        name == this || (name.starts_with(this) && name.get(this.len()) == Some(&b'$'))
    }

    fn call(&mut self, pool: ConstantPool<'_>, index: u16) -> Result<bool> {
        let member = pool.method(index)?;
        if PURE_CALLS
            .iter()
            .any(|(owner, name)| member.owner == *owner && member.name == *name)
        {
            return Ok(true);
        }
        if member.name == "<init>" {
            let known = VALUES.iter().any(|value| member.owner == *value)
                || member.owner == "java/lang/Enum"
                || member.owner == "java/lang/Object";
            if !known {
                self.built.push(member.owner.as_bytes().into());
            }
            return Ok(true);
        }
        // javac's `$values()` of enums.
        if member.owner == self.class.name()
            && member.name == "$values"
            && self.class.access().is_enum()
        {
            let Some(method) = self
                .class
                .methods()
                .find(|method| method.name() == "$values")
            else {
                return Ok(false);
            };
            let code = method.code()?;
            let calls = code.is_some_and(|code| {
                code.instructions()
                    .any(|i| i.is_ok_and(|i| i.op.is_invoke()))
            });
            return Ok(!calls);
        }
        Ok(false)
    }
}

fn is_array_store(op: Op) -> bool {
    matches!(
        op,
        Op::Iastore
            | Op::Lastore
            | Op::Fastore
            | Op::Dastore
            | Op::Bastore
            | Op::Castore
            | Op::Sastore
    )
}
