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
//! all loops. A few local variables may have changed if nothing depends on them (`rounds/changing.rs`).

mod changing;

use std::collections::{HashMap, HashSet};

use braid_classfile::{ClassFile, CodeAttribute, Instruction, MemberRef, Op, Operand};

use crate::names::{BRAID, GUARD};

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
}

/// Whether a loop that has come round cannot end. `classes` gives the classes as they run, `variant` is the active one.
pub fn is_endless(
    round: &Round<'_>,
    variant: u32,
    classes: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> bool {
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
        let (head, rest) = round.places.split_first()?;
        let head = *body.at.get(head)?;
        let around = body.around(head);
        let inside = |place: &u32| body.at.get(place).is_some_and(|at| around[*at]);
        if !rest.iter().all(inside) || !body.ticks_before(&around) {
            return None;
        }
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
        let text = |bytes| std::str::from_utf8(bytes).ok();
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

/// Whether a method of the JDK computes a value from its arguments and does nothing else.
fn computes(owner: &str, name: &str) -> bool {
    let names: &[&str] = match owner {
        "java/lang/Math" | "java/lang/StrictMath" => return name != "random",
        "java/lang/String" => &[
            "length",
            "charAt",
            "isEmpty",
            "equals",
            "indexOf",
            "lastIndexOf",
            "startsWith",
            "endsWith",
            "compareTo",
            "codePointAt",
        ],
        "java/lang/Character" => &[
            "isDigit",
            "isLetter",
            "isLetterOrDigit",
            "isWhitespace",
            "isUpperCase",
            "isLowerCase",
            "toUpperCase",
            "toLowerCase",
            "charCount",
            "isSurrogate",
        ],
        "java/lang/Integer" | "java/lang/Long" => &[
            "intValue",
            "longValue",
            "compare",
            "bitCount",
            "numberOfLeadingZeros",
            "numberOfTrailingZeros",
            "highestOneBit",
            "signum",
            "max",
            "min",
        ],
        "java/lang/Double" | "java/lang/Float" => &[
            "isNaN",
            "isInfinite",
            "compare",
            "doubleValue",
            "floatValue",
            "doubleToLongBits",
            "doubleToRawLongBits",
            "longBitsToDouble",
            "floatToIntBits",
            "floatToRawIntBits",
            "intBitsToFloat",
        ],
        _ => &[],
    };
    names.contains(&name)
}

/// A method's code with what can follow each instruction.
struct Body<'a> {
    code: CodeAttribute<'a>,
    insns: Vec<Instruction<'a>>,
    /// Where in `insns` a code offset is.
    at: HashMap<u32, usize>,
    /// First what follows if nothing is thrown, then what handles exceptions.
    next: Vec<Vec<usize>>,
    /// How many of these follow if nothing is thrown.
    straight: Vec<usize>,
}

impl<'a> Body<'a> {
    fn of(code: CodeAttribute<'a>, variant: u32) -> Option<Self> {
        let insns: Vec<Instruction<'a>> = code.instructions().collect::<Result<_, _>>().ok()?;
        let places = insns.iter().enumerate();
        let at = places.map(|(at, insn)| (insn.pc, at)).collect();
        let mut body = Body {
            code,
            next: Vec::with_capacity(insns.len()),
            straight: Vec::with_capacity(insns.len()),
            insns,
            at,
        };
        for at in 0..body.insns.len() {
            let mut next = body.successors(at, variant)?;
            body.straight.push(next.len());
            next.extend(body.handlers(at)?);
            body.next.push(next);
        }
        Some(body)
    }

    fn successors(&self, at: usize, variant: u32) -> Option<Vec<usize>> {
        let insn = &self.insns[at];
        let targets = match self.chosen(at, variant) {
            Some(target) => vec![target],
            None => {
                let mut targets = insn.operand.targets();
                if !insn.op.ends_block() {
                    targets.push(i64::from(insn.next_pc));
                }
                targets
            }
        };
        let place = |target: i64| self.at.get(&u32::try_from(target).ok()?).copied();
        targets.into_iter().map(place).collect()
    }

    /// Where exceptions of an instruction are handled.
    fn handlers(&self, at: usize) -> Option<Vec<usize>> {
        let pc = self.insns[at].pc;
        let entries = self.code.exceptions.iter();
        let around = entries
            .filter(|entry| (u32::from(entry.start_pc)..u32::from(entry.end_pc)).contains(&pc));
        around
            .map(|entry| self.at.get(&u32::from(entry.handler_pc)).copied())
            .collect()
    }

    /// Where an instruction goes that chooses by the number of the active variant.
    fn chosen(&self, at: usize, variant: u32) -> Option<i64> {
        let variant = i32::try_from(variant).ok()?;
        let insn = &self.insns[at];
        let before = |back: usize| Some(&self.insns[at.checked_sub(back)?]);
        match insn.operand {
            Operand::TableSwitch(switch) if self.is_active(before(1)?) => {
                let place = usize::try_from(i64::from(variant) - i64::from(switch.low)).ok();
                let target = place.and_then(|place| switch.targets().nth(place));
                Some(target.unwrap_or(switch.default))
            }
            Operand::LookupSwitch(switch) if self.is_active(before(1)?) => {
                let mut pairs = switch.pairs();
                let target = pairs.find(|(key, _)| *key == variant);
                Some(target.map_or(switch.default, |(_, target)| target))
            }
            Operand::Jump(target) if self.is_active(before(2)?) => {
                let than = self.int(before(1)?)?;
                let jumps = match insn.op {
                    Op::IfIcmplt => variant < than,
                    Op::IfIcmpgt => variant > than,
                    _ => return None,
                };
                Some(if jumps {
                    target
                } else {
                    i64::from(insn.next_pc)
                })
            }
            _ => None,
        }
    }

    fn is_active(&self, insn: &Instruction<'_>) -> bool {
        let Operand::Field(index) = insn.operand else {
            return false;
        };
        let member = self.code.pool().field(index);
        insn.op == Op::Getstatic
            && member.is_ok_and(|member| member.owner == BRAID && member.name == "active")
    }

    fn int(&self, insn: &Instruction<'_>) -> Option<i32> {
        match insn.operand {
            Operand::Int(value) => Some(value.into()),
            Operand::Const(index) => self.code.pool().integer(index).ok(),
            _ => match insn.op {
                Op::Iconst0 => Some(0),
                Op::Iconst1 => Some(1),
                Op::Iconst2 => Some(2),
                Op::Iconst3 => Some(3),
                Op::Iconst4 => Some(4),
                Op::Iconst5 => Some(5),
                _ => None,
            },
        }
    }

    /// What can run from an instruction on.
    fn reached_from(&self, start: usize) -> Vec<bool> {
        flood(start, self.insns.len(), &self.next)
    }

    /// What can run from an instruction on before it comes again.
    fn around(&self, head: usize) -> Vec<bool> {
        let mut previous = vec![Vec::new(); self.insns.len()];
        for (at, next) in self.next.iter().enumerate() {
            for to in next {
                previous[*to].push(at);
            }
        }
        let reached = self.reached_from(head);
        let reaching = flood(head, self.insns.len(), &previous);
        let both = reached.iter().zip(&reaching);
        both.map(|(reached, reaching)| *reached && *reaching)
            .collect()
    }

    /// Whether every call begins with a tick outside of the loop.
    fn ticks_before(&self, around: &[bool]) -> bool {
        let straight =
            |insn: &Instruction<'_>| insn.operand.targets().is_empty() && !insn.op.ends_block();
        let start = self.insns.iter().zip(around);
        let mut start = start.take_while(|(insn, inside)| straight(insn) && !**inside);
        start.any(|(insn, _)| {
            let Operand::Method(index) = insn.operand else {
                return false;
            };
            let member = self.code.pool().method(index);
            member.is_ok_and(|member| member.owner == BRAID && member.name == "tick")
        })
    }
}

fn flood(start: usize, length: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; length];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(&edges[at]);
        }
    }
    seen
}
