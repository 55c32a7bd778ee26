//! What has to be done to try a change dry: what goes in, how both versions leave the part that differs, and what is
//! compared there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use braid_analysis::{Cfg, Liveness, MethodTypes, Type, TypeState};
use braid_classfile::{ClassFile, Instruction, Member, MethodDescriptor, Op, Operand};

use super::cut::Cut;
use super::dry::{self, Look, Rules, State};
use super::program::{Id, Program};
use crate::error::Result;
use crate::rounds::body::Body;
use crate::weave::canonical::Canonical;
use crate::weave::region::Steps;

/// One version of a method.
pub(super) struct Version<'a> {
    pub(super) body: Body<'a>,
    pub(super) steps: Steps,
    live: Liveness,
    types: MethodTypes,
    concatenations: BTreeSet<u16>,
}

impl<'a> Version<'a> {
    /// Reads a method; none if it has no code, or code that cannot be looked at.
    pub(super) fn read(
        class: &'a ClassFile<'a>,
        canonical: &mut Canonical<'a>,
        method: Member<'a>,
    ) -> Result<Option<Self>> {
        let Some(code) = method.code()? else {
            return Ok(None);
        };
        let Some(steps) = Steps::read(class, canonical, method)? else {
            return Ok(None);
        };
        let live = Liveness::new(&Cfg::new(code)?, code.max_locals);
        let types = MethodTypes::new(class, method, code)?;
        let version = |body| Self {
            body,
            steps,
            live,
            types,
            concatenations: dry::concatenations(class).unwrap_or_default(),
        };
        Ok(Body::of(code, 0).map(version))
    }

    fn locals(&self) -> usize {
        usize::from(self.body.code.max_locals)
    }
}

/// A value as instructions know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Long,
    Float,
    Double,
    Reference,
    /// The null that the verifier knows of.
    Null,
    /// An object whose constructor was not called yet.
    Unfinished,
}

impl Kind {
    fn of(ty: &Type) -> Option<Kind> {
        Some(match ty {
            Type::Int => Kind::Int,
            Type::Long => Kind::Long,
            Type::Float => Kind::Float,
            Type::Double => Kind::Double,
            Type::Object(_) => Kind::Reference,
            Type::Null => Kind::Null,
            Type::Uninitialized(_) => Kind::Unfinished,
            Type::Top | Type::UninitializedThis => return None,
        })
    }

    /// The same for what is compared: null may be something else in the other version.
    fn compared(ty: &Type) -> Option<Kind> {
        Some(match Kind::of(ty)? {
            Kind::Null => Kind::Reference,
            kind => kind,
        })
    }

    pub(super) fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            _ => 1,
        }
    }
}

/// A value that goes in.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) kind: Kind,
    pub(super) descriptor: String,
}

/// How a part of a method is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// To an instruction before it.
    Before(usize),
    /// To an instruction behind it; 0 is the first.
    Behind(usize),
    Return,
}

/// What is compared if both versions leave the same way.
#[derive(Clone, Debug, Default)]
pub(super) struct Exit {
    /// The operands, the topmost last.
    pub(super) stack: Vec<Kind>,
    pub(super) locals: Vec<(u16, Kind)>,
}

/// The part of one version.
pub(super) struct Part {
    pub(super) range: Range<usize>,
    /// Which of its instructions run dry.
    pub(super) runs: Vec<bool>,
    reads: BTreeSet<u16>,
    writes: BTreeSet<u16>,
    ways: BTreeSet<Way>,
}

/// How a change is tried.
pub(super) struct Plan {
    pub(super) cut: Cut,
    /// The local variables that go in, by slot.
    pub(super) locals: BTreeMap<u16, Value>,
    /// The operands that go in, the topmost last.
    pub(super) operands: Vec<Value>,
    pub(super) exits: BTreeMap<Way, Exit>,
    pub(super) old: Part,
    pub(super) new: Part,
    /// The methods of the program that either version calls.
    pub(super) calls: BTreeSet<Id>,
    /// What is called may change something before it throws.
    pub(super) spoils: bool,
    /// The local variables of either version.
    pub(super) max_locals: u16,
}

impl Plan {
    /// How many more instructions it may take until both versions are at the same place, with nothing on the operand
    /// stack that only the next instructions look at: the best number first.
    fn apart(&self) -> Vec<usize> {
        let ways = self.old.ways.union(&self.new.ways);
        let behind = ways.filter_map(|way| match way {
            // a long way is not for code that jumps elsewhere
            Way::Behind(at) if (1..=MAX_JOIN).contains(at) => Some(*at),
            _ => None,
        });
        let mut all: Vec<usize> = behind.collect();
        all.reverse();
        let next = self.exits.get(&Way::Behind(0));
        let looked_at = |kind: &Kind| *kind != Kind::Unfinished;
        if all.is_empty() && next.is_some_and(|exit| exit.stack.iter().any(looked_at)) {
            all.push(1);
        }
        all
    }
}

/// A method of the program with what is known of it.
pub(super) struct Original<'a> {
    pub(super) version: Version<'a>,
    pub(super) class: String,
    pub(super) is_static: bool,
}

/// How often a part begins earlier, until nothing unfinished goes in.
const MAX_EARLIER: usize = 60;
/// How often a part ends later, until both versions are likely to be at one place.
const MAX_LATER: usize = 24;
/// Code that one version jumps over is taken in if it is not longer.
const MAX_JOIN: usize = 40;
/// Longer parts are not looked at.
const MAX_LENGTH: usize = 1000;
/// Methods with more local variables are not looked at.
const MAX_LOCALS: usize = 4000;
/// The most slots that go in.
const MAX_SLOTS: u16 = 200;

/// What keeps a change from being tried.
enum Refusal {
    /// The part must begin earlier.
    Earlier,
    Never,
}

/// How a change of a method is tried; none if it cannot be.
pub(super) fn plan(
    program: &Program<'_>,
    original: &Original<'_>,
    new: &Version<'_>,
) -> Option<Plan> {
    let old = &original.version;
    let from = |cut| Planner::earliest(program, original, new, cut);
    let mut plan = from(Cut::between(&old.steps, &new.steps)?)?;
    // what comes behind may bring both versions together again
    for _ in 0..MAX_LATER {
        let later = plan.apart().into_iter().filter_map(|by| {
            let behind = plan.cut.old..plan.cut.old + by;
            let makes = old
                .body
                .insns
                .get(behind)?
                .iter()
                .any(|insn| may_make(old, insn));
            // two new objects are never the same
            (!makes).then(|| plan.cut.later(by, &old.steps, &new.steps))?
        });
        let Some(later) = later.filter_map(from).next() else {
            break;
        };
        plan = later;
    }
    Some(plan)
}

/// Whether an instruction may give an object that is made there.
fn may_make(version: &Version<'_>, insn: &Instruction<'_>) -> bool {
    let pool = version.body.code.pool();
    match insn.operand {
        Operand::Method(index) | Operand::InterfaceMethod(index, _) => {
            let method = pool.method(index);
            method.is_ok_and(|method| {
                let descriptor = MethodDescriptor::parse(method.descriptor);
                let value = descriptor.map(|descriptor| descriptor.return_type());
                value.is_ok_and(|value| value.is_some_and(|value| value.is_reference()))
            })
        }
        Operand::Dynamic(_) | Operand::NewArray(_) | Operand::MultiNewArray(..) => true,
        _ => matches!(insn.op, Op::New | Op::Anewarray),
    }
}

struct Planner<'p, 'c> {
    program: &'p Program<'c>,
    original: &'p Original<'p>,
    new: &'p Version<'p>,
    cut: Cut,
}

impl<'p, 'c> Planner<'p, 'c> {
    /// The plan for a cut, or for one that begins earlier.
    fn earliest(
        program: &'p Program<'c>,
        original: &'p Original<'p>,
        new: &'p Version<'p>,
        mut cut: Cut,
    ) -> Option<Plan> {
        for _ in 0..MAX_EARLIER {
            let planner = Planner {
                program,
                original,
                new,
                cut,
            };
            match planner.plan() {
                Ok(plan) => return Some(plan),
                Err(Refusal::Earlier) => {
                    cut = cut.earlier(&original.version.steps, &new.steps)?;
                }
                Err(Refusal::Never) => return None,
            }
        }
        None
    }

    fn plan(&self) -> std::result::Result<Plan, Refusal> {
        let cut = self.cut;
        let old = &self.original.version;
        let slots = old.locals().max(self.new.locals());
        if cut.old.max(cut.new) - cut.from > MAX_LENGTH || slots > MAX_LOCALS {
            return Err(Refusal::Never);
        }
        let types = self.types().ok_or(Refusal::Never)?;
        let (old_look, old_part) = self.part(old, cut.old, types).ok_or(Refusal::Never)?;
        let (new_look, new_part) = self.part(self.new, cut.new, types).ok_or(Refusal::Never)?;
        let base = base(types, old_look.lowest.min(new_look.lowest));
        let operands = operands(&types.stack[base..])?;
        let mut exits = BTreeMap::new();
        for way in old_part.ways.intersection(&new_part.ways) {
            let exit = self.exit(*way, base, &old_part, &new_part);
            exits.insert(*way, exit.ok_or(Refusal::Never)?);
        }
        let locals = locals(types, &old_part, &new_part, &exits)?;
        let mut calls = old_look.summary.calls;
        calls.extend(new_look.summary.calls);
        Ok(Plan {
            cut,
            locals,
            operands,
            exits,
            old: old_part,
            new: new_part,
            calls,
            spoils: old_look.summary.spoils || new_look.summary.spoils,
            max_locals: old.body.code.max_locals.max(self.new.body.code.max_locals),
        })
    }

    /// The types of what the part begins with.
    fn types(&self) -> Option<&TypeState> {
        let types = &self.original.version.types;
        let from = self.cut.from as u32;
        if self.cut.falls
            && let Some((_, _, falling)) = types.frames().find(|(at, ..)| *at == from)
        {
            return falling;
        }
        types.before(from)
    }

    /// What runs of one version.
    fn part(&self, version: &Version<'_>, end: usize, types: &TypeState) -> Option<(Look, Part)> {
        let range = self.cut.from..end;
        let rules = Rules {
            program: self.program,
            user: &self.original.class,
            initialising: None,
            concatenations: &version.concatenations,
            initialiser: false,
        };
        let state = State {
            locals: vec![false; version.locals()],
            stack: vec![false; types.stack.len()],
        };
        let body = &version.body;
        let look = dry::range(&rules, body, range.clone(), state, false)?;
        let mut part = Part {
            runs: look.states.iter().map(Option::is_some).collect(),
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            ways: BTreeSet::new(),
            range,
        };
        if part.range.is_empty() {
            part.ways.insert(Way::Behind(0));
        }
        for at in part.range.clone() {
            if part.runs[at - self.cut.from] {
                part.instruction(body, at)?;
            }
        }
        Some((look, part))
    }

    /// What must be the same if both versions leave this way.
    fn exit(&self, way: Way, base: usize, old: &Part, new: &Part) -> Option<Exit> {
        let (to, other) = match way {
            Way::Before(at) => (at, at),
            Way::Behind(at) => (old.range.end + at, new.range.end + at),
            Way::Return => {
                let kind = self.returned(old)?;
                let stack = kind.into_iter().collect();
                let locals = Vec::new();
                return Some(Exit { stack, locals });
            }
        };
        let types = self.original.version.types.before(to as u32)?;
        let others = self.new.types.before(other as u32)?;
        let stack = kinds(types.stack.get(base..)?)?;
        // what only drops an operand takes any
        if stack != kinds(others.stack.get(base..)?)? {
            return None;
        }
        let mut locals = Vec::new();
        for slot in old.writes.union(&new.writes) {
            let live = self.original.version.live.before(to as u32, *slot)
                || self.new.live.before(other as u32, *slot);
            if !live {
                continue;
            }
            let slot_at = usize::from(*slot);
            let kind = |types: &TypeState| types.locals.get(slot_at).and_then(Kind::compared);
            match kind(types) {
                Some(Kind::Unfinished) => return None,
                mine if mine != kind(others) => return None,
                Some(kind) => locals.push((*slot, kind)),
                None => {
                    // the second half of a wide value, or nothing that could be compared
                    let first = slot_at.checked_sub(1)?;
                    types.locals.get(first).filter(|ty| ty.is_wide())?;
                }
            }
        }
        Some(Exit { stack, locals })
    }

    /// What a version returns: nothing, or a value.
    fn returned(&self, part: &Part) -> Option<Option<Kind>> {
        let insns = &self.original.version.body.insns;
        let mut runs = part
            .range
            .clone()
            .filter(|at| part.runs[*at - part.range.start]);
        let at = runs.find(|at| insns[*at].op.is_return())?;
        Some(match insns[at].op {
            Op::Return => None,
            Op::Ireturn => Some(Kind::Int),
            Op::Lreturn => Some(Kind::Long),
            Op::Freturn => Some(Kind::Float),
            Op::Dreturn => Some(Kind::Double),
            _ => Some(Kind::Reference),
        })
    }
}

impl Part {
    /// Takes down what an instruction does; none if it is the end of a loop.
    fn instruction(&mut self, body: &Body<'_>, at: usize) -> Option<()> {
        let insn = &body.insns[at];
        match insn.operand {
            Operand::Iinc { local, .. } => {
                self.reads.insert(local);
                self.writes.insert(local);
            }
            Operand::Local(local) if insn.op.is_load() => {
                self.reads.insert(local);
            }
            Operand::Local(local) => {
                self.writes.insert(local);
                if matches!(insn.op.general(), Op::Lstore | Op::Dstore) {
                    self.writes.insert(local.checked_add(1)?);
                }
                // a wide value that begins in the slot before is cut in half
                self.writes.extend(local.checked_sub(1));
            }
            _ => {}
        }
        if insn.op.is_return() {
            self.ways.insert(Way::Return);
        }
        for to in &body.next[at][..body.straight[at]] {
            if let Some(way) = self.way(*to) {
                self.ways.insert(way);
            } else if *to <= at {
                return None;
            }
        }
        Some(())
    }

    /// How a step to an instruction leaves the part; none if it does not.
    pub(super) fn way(&self, to: usize) -> Option<Way> {
        if to < self.range.start {
            Some(Way::Before(to))
        } else if to >= self.range.end {
            Some(Way::Behind(to - self.range.end))
        } else {
            None
        }
    }
}

/// The depth below which both versions leave the operands alone, not within a wide one.
fn base(types: &TypeState, lowest: usize) -> usize {
    let wide = |at: &usize| types.stack[*at].is_wide();
    match lowest.checked_sub(1).filter(wide) {
        Some(first) => first,
        None => lowest,
    }
}

fn operands(types: &[Type]) -> std::result::Result<Vec<Value>, Refusal> {
    let mut values = Vec::new();
    let mut at = 0;
    while let Some(ty) = types.get(at) {
        let value = value(ty).ok_or(Refusal::Earlier)?;
        at += usize::from(value.kind.slots());
        values.push(value);
    }
    Ok(values)
}

/// The kinds of operands.
fn kinds(types: &[Type]) -> Option<Vec<Kind>> {
    let mut kinds = Vec::new();
    let mut at = 0;
    while let Some(ty) = types.get(at) {
        let kind = Kind::compared(ty)?;
        at += usize::from(kind.slots());
        kinds.push(kind);
    }
    Some(kinds)
}

/// The local variables that go in: those that are read, or compared in the end.
fn locals(
    types: &TypeState,
    old: &Part,
    new: &Part,
    exits: &BTreeMap<Way, Exit>,
) -> std::result::Result<BTreeMap<u16, Value>, Refusal> {
    let compared = exits.values().flat_map(|exit| &exit.locals);
    let mut slots: BTreeSet<u16> = compared.map(|(slot, _)| *slot).collect();
    slots.extend(old.reads.union(&new.reads));
    let mut locals = BTreeMap::new();
    let mut all = 0;
    for slot in slots {
        // what has no value yet gets one before it is read
        let ty = types.locals.get(usize::from(slot)).unwrap_or(&Type::Top);
        if *ty == Type::Top {
            continue;
        }
        let value = value(ty).ok_or(Refusal::Never)?;
        all += value.kind.slots();
        locals.insert(slot, value);
    }
    match all <= MAX_SLOTS {
        true => Ok(locals),
        false => Err(Refusal::Never),
    }
}

/// A value that can go in; none if it is unfinished.
fn value(ty: &Type) -> Option<Value> {
    let kind = Kind::of(ty).filter(|kind| *kind != Kind::Unfinished)?;
    let descriptor = match ty {
        Type::Int => "I".to_owned(),
        Type::Long => "J".to_owned(),
        Type::Float => "F".to_owned(),
        Type::Double => "D".to_owned(),
        Type::Object(name) => {
            let name = std::str::from_utf8(name).ok()?;
            match name.starts_with('[') {
                true => name.to_owned(),
                false => format!("L{name};"),
            }
        }
        _ => String::new(),
    };
    Some(Value { kind, descriptor })
}
