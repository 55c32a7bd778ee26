//! Whether a loop goes round for ever that has come round with all objects that it can get at.
//!
//! The runtime has compared numbers in the frame, and what its references and the static fields of the objects' classes lead to: the
//! same but for the identity of objects that nobody else knows, and no other thread or finalizer of the program was there.
//! Local variables that changed are not read again.
//! The next round is like this one if it depends on nothing else. So of the code that could have run
//!
//! - it reads no static field but numbers, which nothing writes, and those that the snapshots went out from;
//! - it reads and writes fields of the program's classes only, which the snapshots show;
//! - of the JDK it calls what depends on its arguments' contents, shows the snapshots' own objects, and changes nothing
//!   else;
//! - it catches no exception. So none was thrown, and none will be: code that ends with one has not run, and is not looked
//!   at. That goes for methods that are called, too: they came back;
//! - a call that is bound late goes to a method of a class of which there is an object in the snapshots, or of which the
//!   code makes some. Nothing else can be a receiver;
//! - what it makes has no finalizer. Memory does not run out either: what is left of a round is as much as before.
//!
//! Monitors need not be looked at for methods that are synchronized: the thread is alone, and what they take they give back.

use std::collections::{BTreeSet, HashSet};

use braid_classfile::{ClassFile, Instruction, MemberRef, Op, Operand};

use super::Round;
use super::body::Body;
use super::hierarchy::{Chain, Hierarchy, belongs_to_jdk, text};
use super::jdk::{computes, works_on_arguments};
use crate::names::{BRAID, GUARD, is_ours};

/// More passes are not made over the code to find out which classes it makes objects of.
const MOST_PASSES: usize = 20;

/// `Some` if it does. `reach` names the classes of the objects with dots.
pub(super) fn repeats(
    round: &Round<'_>,
    reach: &[String],
    variant: u32,
    classes: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Option<()> {
    let hierarchy = Hierarchy::new(classes);
    let types: BTreeSet<String> = reach.iter().map(|name| name.replace('.', "/")).collect();
    let mut rooted = HashSet::new();
    for name in types.iter().map(String::as_str).chain([round.class]) {
        for class in hierarchy
            .chain(name)
            .into_iter()
            .flat_map(|chain| chain.classes)
        {
            let class = ClassFile::parse(&class).ok()?;
            rooted.insert(text(class.name().as_bytes())?.to_owned());
        }
    }
    let mut code = Code {
        hierarchy,
        variant,
        rooted,
        types,
        seen: HashSet::new(),
    };
    for _ in 0..MOST_PASSES {
        let known = code.types.len();
        code.seen.clear();
        code.round(round)?;
        if code.types.len() == known {
            return Some(());
        }
    }
    None
}

/// Looks at code. `None` everywhere means that it may depend on something else than what is known to have come round.
struct Code<'t> {
    hierarchy: Hierarchy<'t>,
    variant: u32,
    /// The classes whose static fields the snapshots went out from.
    rooted: HashSet<String>,
    /// The classes of which there may be objects, those of the JDK left out that are no sequences of characters.
    types: BTreeSet<String>,
    /// Methods that were looked at, or are being.
    seen: HashSet<String>,
}

/// A member that code names.
struct Named<'n> {
    owner: &'n str,
    name: &'n str,
    descriptor: &'n str,
}

impl<'n> Named<'n> {
    fn of(member: &MemberRef<'n>) -> Option<Self> {
        Some(Self {
            owner: std::str::from_utf8(member.owner.as_bytes()).ok()?,
            name: std::str::from_utf8(member.name.as_bytes()).ok()?,
            descriptor: std::str::from_utf8(member.descriptor.as_bytes()).ok()?,
        })
    }
}

impl Code<'_> {
    fn round(&mut self, round: &Round<'_>) -> Option<()> {
        let bytes = self.hierarchy.class(round.class)?;
        let class = ClassFile::parse(&bytes).ok()?;
        let method = class.method(round.method, round.descriptor)?;
        let body = Body::of(method.code().ok()??, self.variant)?;
        let (head, around) = body.came_round(round.places)?;
        let is_dead = |slot: &u32| body.is_dead(*slot, head, &around);
        if !round.changing.iter().all(is_dead) {
            return None;
        }
        self.instructions(&class, &body, &around)
    }

    /// A method that came back.
    fn method(&mut self, class: &ClassFile<'_>, name: &str, descriptor: &str) -> Option<()> {
        let owner = text(class.name().as_bytes())?.to_owned();
        if !self.seen.insert(format!("{owner}.{name}{descriptor}")) {
            return Some(());
        }
        let method = class.method(name, descriptor)?;
        let body = Body::of(method.code().ok()??, self.variant)?;
        let returning = body.returning();
        self.instructions(class, &body, &returning)
    }

    fn instructions(&mut self, class: &ClassFile<'_>, body: &Body<'_>, run: &[bool]) -> Option<()> {
        if body.catches(run) {
            return None;
        }
        for (insn, _) in body.insns.iter().zip(run).filter(|(_, run)| **run) {
            self.instruction(class, body, insn)?;
        }
        Some(())
    }

    fn instruction(
        &mut self,
        class: &ClassFile<'_>,
        body: &Body<'_>,
        insn: &Instruction<'_>,
    ) -> Option<()> {
        let pool = body.code.pool();
        match (insn.op, insn.operand) {
            (Op::Putstatic | Op::Invokedynamic | Op::Jsr | Op::JsrW | Op::Ret, _) => None,
            (Op::Monitorenter | Op::Monitorexit | Op::Athrow, _) => None,
            (Op::New, Operand::Class(index)) => {
                self.makes(text(pool.class(index).ok()?.as_bytes())?)
            }
            (Op::New, _) => None,
            (op, Operand::Field(index)) => {
                let member = pool.field(index).ok()?;
                self.field(op, &Named::of(&member)?)
            }
            (op, Operand::Method(index) | Operand::InterfaceMethod(index, _)) => {
                let member = pool.method(index).ok()?;
                self.call(class, op, &Named::of(&member)?)
            }
            (_, Operand::Const(index)) => LOADED.contains(&pool.tag(index)).then_some(()),
            (_, Operand::Dynamic(_)) => None,
            _ => Some(()),
        }
    }

    /// An object of the program needs a class without finalizer.
    fn makes(&mut self, name: &str) -> Option<()> {
        let known = [
            "java/lang/Object",
            "java/lang/String",
            "java/lang/StringBuilder",
            "java/lang/StringBuffer",
            "java/text/ParsePosition",
        ];
        if known.contains(&name) {
            return Some(());
        }
        let chain = self.hierarchy.chain(name)?;
        let finalized = |bytes: &std::rc::Rc<[u8]>| {
            let class = ClassFile::parse(bytes);
            class.map_or(true, |class| class.method("finalize", "()V").is_some())
        };
        if chain.top != "java/lang/Object" || chain.classes.iter().any(finalized) {
            return None;
        }
        self.types.insert(name.to_owned());
        Some(())
    }

    fn field(&mut self, op: Op, field: &Named<'_>) -> Option<()> {
        let refers = field.descriptor.starts_with(['L', '[']);
        if op == Op::Getstatic && !refers {
            let moving = field.owner == BRAID && !["active", "epoch"].contains(&field.name);
            return (!moving).then_some(());
        }
        // the snapshots leave out what Braid has added
        if is_ours(field.name.as_bytes()) {
            return None;
        }
        let chain = self.hierarchy.chain(field.owner)?;
        for bytes in &chain.classes {
            let class = ClassFile::parse(bytes).ok()?;
            if let Some(found) = class.field(field.name, field.descriptor) {
                let rooted = self.rooted.contains(text(class.name().as_bytes())?);
                let seen = match op {
                    Op::Getstatic => rooted && found.access().is_static(),
                    _ => true,
                };
                return seen.then_some(());
            }
        }
        None
    }

    fn call(&mut self, class: &ClassFile<'_>, op: Op, method: &Named<'_>) -> Option<()> {
        let Named { owner, name, .. } = *method;
        if owner == BRAID {
            return ["tick", "hardTick", "hit"].contains(&name).then_some(());
        }
        // the runtime has seen that no initialiser ran
        if name.starts_with(GUARD) || computes(owner, name) {
            return Some(());
        }
        if owner.starts_with('[') {
            return (name == "clone").then_some(());
        }
        if works_on_arguments(owner, name, method.descriptor) {
            return self.is_never_extended(owner);
        }
        match op {
            Op::Invokestatic => self.bound(method),
            Op::Invokespecial => self.special(class, method),
            Op::Invokevirtual | Op::Invokeinterface => self.late(method),
            _ => None,
        }
    }

    /// Whether all objects of a class of the JDK are of just that class, if it could be extended.
    fn is_never_extended(&self, name: &str) -> Option<()> {
        if name != "java/text/ParsePosition" {
            return Some(());
        }
        for of in self.types.iter().filter(|of| !belongs_to_jdk(of)) {
            if self.hierarchy.chain(of)?.top == name {
                return None;
            }
        }
        Some(())
    }

    /// A call of the method that is found in the class or the next one up.
    fn bound(&mut self, method: &Named<'_>) -> Option<()> {
        for bytes in self.hierarchy.chain(method.owner)?.classes {
            let class = ClassFile::parse(&bytes).ok()?;
            if class.method(method.name, method.descriptor).is_some() {
                return self.method(&class, method.name, method.descriptor);
            }
        }
        None
    }

    /// A constructor, a private method, or one of the class or interface above.
    fn special(&mut self, class: &ClassFile<'_>, method: &Named<'_>) -> Option<()> {
        let above = class.super_name().is_some_and(|name| name == method.owner);
        if above && method.name != "<init>" {
            return self.bound(method);
        }
        let direct = class.name() == method.owner
            || class.interfaces().any(|name| name == method.owner)
            || method.name == "<init>";
        let bytes = self.hierarchy.class(method.owner).filter(|_| direct)?;
        let owner = ClassFile::parse(&bytes).ok()?;
        self.method(&owner, method.name, method.descriptor)
    }

    /// A call of whatever method the receiver has.
    fn late(&mut self, method: &Named<'_>) -> Option<()> {
        let Named {
            owner,
            name,
            descriptor,
        } = *method;
        if name == "getClass" && descriptor == "()Ljava/lang/Class;" {
            return Some(());
        }
        if !belongs_to_jdk(owner) {
            if let Some(is_known) = self.exact(method)? {
                return is_known;
            }
        } else if owner != CHARACTERS || !OF_CHARACTERS.contains(&(name, descriptor)) {
            return None;
        }
        for of in self.types.clone() {
            if belongs_to_jdk(&of) {
                let known = ["String", "StringBuilder", "StringBuffer"];
                let simple = of.strip_prefix("java/lang/").unwrap_or("");
                if owner == CHARACTERS && !known.contains(&simple) {
                    return None;
                }
                continue;
            }
            let chain = self.hierarchy.chain(&of)?;
            if self.hierarchy.is_subtype(&chain, owner)? {
                self.selected(&chain, name, descriptor)?;
            }
        }
        Some(())
    }

    /// If there is only one method that can be meant: whether it is harmless.
    fn exact(&mut self, method: &Named<'_>) -> Option<Option<Option<()>>> {
        let chain = self.hierarchy.chain(method.owner)?;
        for bytes in &chain.classes {
            let class = ClassFile::parse(bytes).ok()?;
            if let Some(found) = class.method(method.name, method.descriptor) {
                let access = found.access();
                let is_exact = access.is_private()
                    || access.is_final()
                    || class.access().is_final() && !access.is_abstract();
                return Some(is_exact.then(|| self.method(&class, method.name, method.descriptor)));
            }
        }
        let of_enum = [("ordinal", "()I"), ("name", "()Ljava/lang/String;")];
        let is_known =
            chain.top == "java/lang/Enum" && of_enum.contains(&(method.name, method.descriptor));
        Some(is_known.then_some(Some(())))
    }

    /// The method that objects of a class have; all that could be meant of those that it inherits.
    fn selected(&mut self, chain: &Chain, name: &str, descriptor: &str) -> Option<()> {
        let mut has_any = false;
        for bytes in &chain.classes {
            let class = ClassFile::parse(bytes).ok()?;
            let Some(method) = class.method(name, descriptor) else {
                continue;
            };
            let access = method.access();
            if !(access.is_static() || access.is_private() || access.is_abstract()) {
                has_any = true;
                self.method(&class, name, descriptor)?;
            }
        }
        has_any.then_some(())
    }
}

/// The tags of constants that are the same each time: numbers, strings and classes.
const LOADED: [u8; 6] = [3, 4, 5, 6, 7, 8];

const CHARACTERS: &str = "java/lang/CharSequence";

/// Those methods of sequences of characters that the classes of the JDK have in the same way.
const OF_CHARACTERS: &[(&str, &str)] = &[("length", "()I"), ("charAt", "(I)C")];
