//! Mutants that change nothing, and mutants that are the same as others, found by comparing the
//! changed piece of code after simple folding.

use std::collections::HashMap;

use braid_classfile::{Cases, Insn, Label, Op, Switch};

use crate::binary::Binary;
use crate::body::Body;
use crate::condition::Relation;
use crate::constants::Number;
use crate::model::{MutantId, Reason};
use crate::operator::{Edit, Goal, Proposal, Step};

/// An instruction with the meaning of its constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Item {
    Int(i32),
    Long(i64),
    Float(u32),
    Double(u64),
    Text(String),
    /// A call of a static method that does nothing but give or box a value.
    Value(String, String),
    Insn(Insn),
    Temp(Op),
    Array(String),
    Jump(Op, Goal),
    Switch(Vec<(i32, Label)>, Label),
}

/// What the pieces of a method's code become.
pub(crate) struct Folder<'b> {
    body: &'b Body<'b>,
    /// Folded pieces by their place, and the mutant that has them.
    seen: HashMap<(usize, Vec<Item>), MutantId>,
    /// Folded pieces of the original by their place.
    originals: HashMap<usize, Vec<Item>>,
}

/// How a mutant compares with what was there before.
pub(crate) enum Verdict {
    New,
    /// The same as the original or as another mutant.
    Same(Reason),
}

impl<'b> Folder<'b> {
    pub(crate) fn new(body: &'b Body<'b>) -> Folder<'b> {
        Folder {
            body,
            seen: HashMap::new(),
            originals: HashMap::new(),
        }
    }

    /// Compares a mutant with the original and with those before it.
    pub(crate) fn compare(&mut self, id: &MutantId, proposal: &Proposal) -> Verdict {
        let Some(edit) = proposal.edits.first() else {
            return Verdict::Same(Reason::Equivalent);
        };
        let body = self.body;
        let (range, changed) = match edit {
            Edit::Body(steps) => {
                let single = body.blocks.last() == Some(&0);
                let range = if single {
                    0..body.code.insns.len()
                } else {
                    0..0
                };
                (
                    range,
                    steps.iter().map(|step| of_step(step, body)).collect(),
                )
            }
            _ => {
                let range = body.piece(proposal.at);
                let changed = changed(body, range.clone(), &proposal.edits);
                (range, changed)
            }
        };
        let place = range.start;
        let original = self.originals.entry(place).or_insert_with(|| {
            let insns = range.clone().map(|at| of_insn(body.insn(at), body));
            fold(body, range.end, insns.flatten().collect())
        });
        let folded = fold(body, range.end, changed);
        if folded == *original {
            return Verdict::Same(Reason::Equivalent);
        }
        match self.seen.get(&(place, folded.clone())) {
            Some(same) => Verdict::Same(Reason::Duplicate(same.clone())),
            None => {
                self.seen.insert((place, folded), id.clone());
                Verdict::New
            }
        }
    }
}

/// A piece of code with an edit.
fn changed(body: &Body<'_>, range: std::ops::Range<usize>, edits: &[Edit]) -> Vec<Item> {
    let mut items = Vec::with_capacity(range.len());
    for at in range {
        let here = |edit: &&Edit| match edit {
            Edit::Replace(replaced, _) => replaced.contains(&at),
            Edit::Retarget(jump, ..) => *jump == at,
            Edit::Switch(index, _) => body.insn(at) == Insn::Switch(*index),
            Edit::Body(_) => false,
        };
        match edits.iter().find(here) {
            Some(Edit::Replace(replaced, steps)) => {
                if at == replaced.start {
                    items.extend(steps.iter().map(|step| of_step(step, body)));
                }
            }
            Some(Edit::Retarget(_, op, goal)) => items.push(Item::Jump(*op, *goal)),
            Some(Edit::Switch(_, switch)) => items.push(of_switch(switch)),
            _ => items.extend(of_insn(body.insn(at), body)),
        }
    }
    items
}

fn of_switch(switch: &Switch) -> Item {
    let pairs = match &switch.cases {
        Cases::Lookup(pairs) => pairs.clone(),
        Cases::Table { low, targets } => {
            let keys = (0..).map(|i| low.wrapping_add(i));
            keys.zip(targets.iter().copied()).collect()
        }
    };
    Item::Switch(pairs, switch.default)
}

fn of_number(number: Number) -> Item {
    match number {
        Number::Int(value) => Item::Int(value),
        Number::Long(value) => Item::Long(value),
        Number::Float(value) => Item::Float(value.to_bits()),
        Number::Double(value) => Item::Double(value.to_bits()),
    }
}

fn of_insn(insn: Insn, body: &Body<'_>) -> Option<Item> {
    if let Some(number) = Number::of(insn, body.pool) {
        return Some(of_number(number));
    }
    Some(match insn {
        Insn::Label(_) => return None,
        Insn::Const(_, index) => match body.pool.string(index) {
            Ok(text) => Item::Text(text.to_string()),
            Err(_) => Item::Insn(insn),
        },
        Insn::Jump(op, label) => Item::Jump(op, Goal::Label(label)),
        Insn::Switch(index) => match body.code.switches.get(index as usize) {
            Some(switch) => of_switch(switch),
            None => Item::Insn(insn),
        },
        Insn::Invoke(Op::Invokestatic, _) => match body.callee(insn) {
            Some(callee) => match callee.owner.as_str() {
                Some(owner) if GIVERS.contains(&owner) => {
                    Item::Value(owner.to_owned(), callee.name.to_string())
                }
                _ => Item::Insn(insn),
            },
            None => Item::Insn(insn),
        },
        _ => Item::Insn(insn),
    })
}

fn of_step(step: &Step, body: &Body<'_>) -> Item {
    match step {
        Step::Insn(insn) => of_insn(*insn, body).unwrap_or(Item::Insn(*insn)),
        Step::Int(value) => Item::Int(*value),
        Step::Long(value) => Item::Long(*value),
        Step::Float(value) => Item::Float(value.to_bits()),
        Step::Double(value) => Item::Double(value.to_bits()),
        Step::Text(text) => Item::Text((*text).to_owned()),
        Step::Null => Item::Insn(Insn::Plain(Op::AconstNull)),
        Step::Call(_, owner, name, _) | Step::InterfaceStatic(owner, name, _) => {
            Item::Value((*owner).to_owned(), (*name).to_owned())
        }
        Step::NewArray(class) => Item::Array(class.clone()),
        Step::Temp(op) => Item::Temp(*op),
    }
}

/// Classes whose static methods, as far as operators call them, only give a value.
const GIVERS: [&str; 11] = [
    "java/util/Collections",
    "java/util/Optional",
    "java/util/stream/Stream",
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Short",
    "java/lang/Character",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Float",
    "java/lang/Double",
];

/// Folds constants, neutral operands, values that are dropped and jumps that are decided.
fn fold(body: &Body<'_>, end: usize, items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    for item in items {
        push(&mut out, item);
    }
    // A jump to what follows anyway.
    if let Some(Item::Jump(Op::Goto, Goal::Label(label))) = out.last()
        && body.target(*label) == body.real_from(end)
    {
        out.pop();
    }
    out
}

/// Appends an item and folds it with what stands before it.
fn push(out: &mut Vec<Item>, item: Item) {
    match &item {
        Item::Insn(Insn::Plain(Op::Pop)) => drop_value(out, 1),
        Item::Insn(Insn::Plain(Op::Pop2)) => drop_value(out, 2),
        Item::Insn(Insn::Plain(op)) => match fold_plain(out, *op) {
            true => {}
            false => out.push(item),
        },
        Item::Insn(Insn::Iinc(_, 0)) => {}
        Item::Jump(op, goal) => match decided(out, *op) {
            Some(true) => out.push(Item::Jump(Op::Goto, *goal)),
            Some(false) => {}
            None => out.push(item),
        },
        _ => out.push(item),
    }
}

/// Slots of a value that was pushed without any effect; none if it was not.
fn pure(item: &Item) -> Option<u8> {
    match item {
        Item::Int(_) | Item::Float(_) | Item::Text(_) => Some(1),
        Item::Long(_) | Item::Double(_) => Some(2),
        Item::Value(owner, name) => {
            (name != "valueOf" && !owner.starts_with("java/lang")).then_some(1)
        }
        Item::Insn(Insn::Plain(Op::AconstNull)) => Some(1),
        Item::Insn(Insn::Local(op, _)) if op.is_load() => match op {
            Op::Lload | Op::Dload => Some(2),
            _ => Some(1),
        },
        _ => None,
    }
}

/// Drops the topmost slots: what computed them goes where it has no effect.
fn drop_value(out: &mut Vec<Item>, slots: u8) {
    let keep = |out: &mut Vec<Item>| {
        let op = if slots == 2 { Op::Pop2 } else { Op::Pop };
        out.push(Item::Insn(Insn::Plain(op)));
    };
    let Some(last) = out.last() else {
        return keep(out);
    };
    if pure(last) == Some(slots) {
        out.pop();
        return;
    }
    let pops: &[u8] = match last {
        Item::Value(owner, name) if name == "valueOf" => match owner.as_str() {
            "java/lang/Long" | "java/lang/Double" => &[2],
            _ => &[1],
        },
        Item::Insn(Insn::Plain(op)) => match effect_free(*op, slots) {
            Some(pops) => pops,
            None => return keep(out),
        },
        _ if slots == 2 && pure(last) == Some(1) => {
            out.pop();
            return drop_value(out, 1);
        }
        _ => return keep(out),
    };
    out.pop();
    for slots in pops {
        drop_value(out, *slots);
    }
}

/// The operands, topmost first, of an instruction without effect whose result has these slots.
fn effect_free(op: Op, slots: u8) -> Option<&'static [u8]> {
    let divides = matches!(op, Op::Idiv | Op::Irem | Op::Ldiv | Op::Lrem);
    let computes = Binary::of(op).is_some()
        || (Op::Ineg as u8..=Op::Dneg as u8).contains(&(op as u8))
        || (Op::I2l as u8..=Op::Dcmpg as u8).contains(&(op as u8));
    if divides || !computes || op.push_slots() != Some(slots) {
        return None;
    }
    Some(match op.pops() {
        "II" | "FF" => &[1, 1],
        "JJ" | "DD" => &[2, 2],
        "JI" => &[1, 2],
        "I" | "F" => &[1],
        _ => &[2],
    })
}

/// Folds an operator with constant or neutral operands; true if it is gone.
fn fold_plain(out: &mut Vec<Item>, op: Op) -> bool {
    if op == Op::Ineg
        && let Some(Item::Int(value)) = out.last_mut()
    {
        *value = value.wrapping_neg();
        return true;
    }
    let same_neg = out.last() == Some(&Item::Insn(Insn::Plain(op)));
    if same_neg && matches!(op, Op::Ineg | Op::Lneg | Op::Fneg | Op::Dneg) {
        out.pop();
        return true;
    }
    let Some(binary) = Binary::of(op) else {
        return false;
    };
    if let [.., Item::Int(a), Item::Int(b)] = out.as_slice()
        && let Some(value) = compute(binary, *a, *b)
    {
        out.truncate(out.len() - 2);
        out.push(Item::Int(value));
        return true;
    }
    let neutral = out.last().is_some_and(|last| is_neutral(binary, last));
    if neutral {
        out.pop();
    }
    neutral
}

fn is_neutral(binary: Binary, right: &Item) -> bool {
    let (zero, one) = match right {
        Item::Int(value) => (*value == 0, *value == 1),
        Item::Long(value) => (*value == 0, *value == 1),
        Item::Float(bits) => (false, f32::from_bits(*bits) == 1.0),
        Item::Double(bits) => (false, f64::from_bits(*bits) == 1.0),
        _ => return false,
    };
    match binary {
        Binary::Mul | Binary::Div => one,
        Binary::Rem | Binary::And => false,
        _ => zero,
    }
}

fn compute(binary: Binary, a: i32, b: i32) -> Option<i32> {
    Some(match binary {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => a.wrapping_shl(b as u32),
        Binary::Shr => a.wrapping_shr(b as u32),
        Binary::Ushr => (a as u32).wrapping_shr(b as u32) as i32,
    })
}

/// Whether a conditional jump on constants is taken; the constants go.
fn decided(out: &mut Vec<Item>, op: Op) -> Option<bool> {
    let relation = Relation::of_jump(op)?;
    let (a, b, count) = match (op.pop_slots(), out.as_slice()) {
        (Some(1), [.., Item::Int(a)]) => (*a, 0, 1),
        (Some(2), [.., Item::Int(a), Item::Int(b)]) => (*a, *b, 2),
        _ => return None,
    };
    out.truncate(out.len() - count);
    Some(match relation {
        Relation::Eq => a == b,
        Relation::Ne => a != b,
        Relation::Lt => a < b,
        Relation::Ge => a >= b,
        Relation::Gt => a > b,
        Relation::Le => a <= b,
    })
}
