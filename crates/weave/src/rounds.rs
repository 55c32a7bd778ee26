//! Whether a loop that has come round in the same state goes round for ever.
//!
//! The runtime sees a call at the same tick twice, with the same local variables and operands, while no other thread
//! could run. What it does next is what it did before if nothing that ran in between left a trace. So all that the code
//! could have run from the tick back to itself is looked at, with the methods it calls: no store into an object, an
//! array or a static field, nothing made, nothing locked, nothing thrown, and of the JDK only what is known to compute a
//! value from its arguments. That is more than really ran, so a loop may be taken for one that can end, never the other
//! way round.
//!
//! That it was one and the same call is seen by the ticks in between: a method with a loop ticks at its entry, outside of
//! all loops. A few local variables may have changed if nothing depends on them (`rounds/changing.rs`). A loop that does
//! leave traces may have come round with all objects that it can get at (`rounds/heap.rs`).

pub(crate) mod body;
pub(crate) mod changing;
mod heap;
mod hierarchy;
pub(crate) mod jdk;

use std::collections::HashSet;

use braid_classfile::{ClassFile, Instruction, MemberRef, Op, Operand};

use crate::names::{BRAID, GUARD};
use body::Body;
use hierarchy::text;
use jdk::computes;

/// A loop that came round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round<'r> {
    /// The class (`a/b/C`).
    pub class: &'r str,
    /// The method's name.
    pub method: &'r str,
    /// Its descriptor.
    pub descriptor: &'r str,
    /// Code offsets of ticks: first the one that was seen twice in the same state, then all that were seen from there on.
    pub places: &'r [u32],
    /// The slots of local variables that had another value the second time.
    pub changing: &'r [u32],
    /// If all that the loop can get at came round as well, through static fields of the classes of these objects, too:
    /// these classes, with dots.
    pub reach: Option<&'r [String]>,
}

/// Whether a loop that has come round cannot end. `classes` gives the classes as they run, `variant` is the active one.
pub fn is_endless(
    round: &Round<'_>,
    variant: u32,
    classes: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> bool {
    if let Some(reach) = round.reach {
        return heap::repeats(round, reach, variant, classes).is_some();
    }
    let mut trace = Trace {
        classes,
        variant,
        harmless: HashSet::new(),
    };
    trace.round(round).is_some()
}

/// Looks for traces. `None` everywhere means that there may be one.
struct Trace<'t> {
    classes: &'t dyn Fn(&str) -> Option<Vec<u8>>,
    variant: u32,
    /// Methods that were looked at, or are being.
    harmless: HashSet<String>,
}

impl Trace<'_> {
    fn round(&mut self, round: &Round<'_>) -> Option<()> {
        let bytes = (self.classes)(round.class)?;
        let class = ClassFile::parse(&bytes).ok()?;
        let method = class.method(round.method, round.descriptor)?;
        let body = Body::of(method.code().ok()??, self.variant)?;
        let (head, around) = body.came_round(round.places)?;
        let insns = body.insns.iter().zip(&around);
        for (insn, _) in insns.filter(|(_, inside)| **inside) {
            self.instruction(&body, insn)?;
        }
        match round.changing {
            [] => Some(()),
            changing => changing::is_idle(&body, head, &around, changing),
        }
    }

    fn instruction(&mut self, body: &Body<'_>, insn: &Instruction<'_>) -> Option<()> {
        match (insn.op, insn.operand) {
            (op, _) if leaves_a_trace(op) => None,
            (op, Operand::Method(index)) => {
                let member = body.code.pool().method(index).ok()?;
                self.call(op, &member)
            }
            (_, Operand::Const(index)) => (body.code.pool().tag(index) != DYNAMIC).then_some(()),
            _ => Some(()),
        }
    }

    fn call(&mut self, op: Op, member: &MemberRef<'_>) -> Option<()> {
        let owner = text(member.owner.as_bytes())?;
        let name = text(member.name.as_bytes())?;
        let descriptor = text(member.descriptor.as_bytes())?;
        if owner == BRAID {
            return ["tick", "hardTick", "hit"].contains(&name).then_some(());
        }
        // the runtime has seen that no initialiser ran
        if name.starts_with(GUARD) || computes(owner, name) {
            return Some(());
        }
        if !self.harmless.insert(format!("{owner}.{name}{descriptor}")) {
            return Some(());
        }
        let bytes = (self.classes)(owner)?;
        let class = ClassFile::parse(&bytes).ok()?;
        let method = class.method(name, descriptor)?;
        let access = method.access();
        let exact = match op {
            Op::Invokestatic | Op::Invokespecial => true,
            Op::Invokevirtual => {
                access.is_private() || access.is_final() || class.access().is_final()
            }
            _ => false,
        };
        if !exact || access.is_synchronized() || name == "<init>" {
            return None;
        }
        let body = Body::of(method.code().ok()??, self.variant)?;
        let reached = body.reached_from(0);
        for (insn, _) in body.insns.iter().zip(&reached).filter(|(_, on)| **on) {
            self.instruction(&body, insn)?;
        }
        Some(())
    }
}

/// The tag of a constant that a program computes.
const DYNAMIC: u8 = 17;

/// Whether what an instruction does can be seen later by other means than values on the stack, or is not looked at.
fn leaves_a_trace(op: Op) -> bool {
    use Op::{
        Aastore, Anewarray, Athrow, Bastore, Castore, Dastore, Fastore, Iastore, Invokedynamic,
        Invokeinterface, Jsr, JsrW, Lastore, Monitorenter, Monitorexit, Multianewarray, New,
        Newarray, Putfield, Putstatic, Ret, Sastore,
    };
    let seen = [
        Putfield,
        Putstatic,
        Iastore,
        Lastore,
        Fastore,
        Dastore,
        Aastore,
        Bastore,
        Castore,
        Sastore,
        New,
        Newarray,
        Anewarray,
        Multianewarray,
        Monitorenter,
        Monitorexit,
        Athrow,
    ];
    let unknown = [Invokedynamic, Invokeinterface, Jsr, JsrW, Ret];
    seen.contains(&op) || unknown.contains(&op)
}
