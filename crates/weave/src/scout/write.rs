//! Writes the method that tries a change, and the call of it.
//!
//! ```text
//! private static synthetic void scout$braid$5(locals, operands) {
//!     if (!Dry.looks(2)) return;
//!     try {
//!         // the new version, with its own local variables; each way out keeps what is compared there, and its number
//!         // the old version; each way out compares that, and goes to one of these:
//!         same: return;
//!         differs: Dry.differs(2); return;
//!     } catch (Throwable t) {
//!         // notes that it differs, and that the run is spoiled if something may have changed
//!     }
//! }
//! ```

use std::collections::BTreeMap;

use braid_classfile::{
    AccessFlags, ClassTable, Code, Editor, ErrorKind, Frames, Insn, Label, Op, PoolBuilder, Switch,
    TryRange,
};

use super::plan::{Kind, Part, Plan, Value, Way};
use super::program::Program;
use crate::error::Result;
use crate::names::{BRAID, DRY, MARK};

/// The instructions of a version.
pub(super) struct Insns {
    pub(super) insns: Vec<Insn>,
    switches: Vec<Switch>,
    /// Before which instruction each label stands.
    labels: Vec<usize>,
}

impl Insns {
    pub(super) fn of(code: &Code) -> Self {
        let mut labels = vec![usize::MAX; code.label_count() as usize];
        let mut insns = Vec::new();
        for insn in &code.insns {
            match insn {
                Insn::Label(label) => labels[label.0 as usize] = insns.len(),
                insn => insns.push(*insn),
            }
        }
        let switches = code.switches.clone();
        Self {
            insns,
            switches,
            labels,
        }
    }
}

/// What the numbers of probes are.
#[derive(Clone, Copy)]
pub(super) struct Probes {
    /// The number of the question.
    pub(super) question: u32,
    /// The probe that says that the run does not count.
    pub(super) spoiled: u32,
}

/// The method that tries a change, and how it is called.
pub(super) struct Trial {
    /// Its position.
    pub(super) position: usize,
    /// The call, with what comes before and behind it.
    pub(super) call: Vec<Insn>,
    /// How many local variables the caller needs behind its own.
    pub(super) temporaries: u16,
}

/// Adds the method that tries a change; none if it cannot be written.
pub(super) fn add(
    editor: &mut Editor<'_>,
    program: &Program<'_>,
    plan: &Plan,
    versions: [&Insns; 2],
    probes: Probes,
    first_temporary: u16,
) -> Result<Option<Trial>> {
    let mut descriptor = "(".to_owned();
    for value in plan.locals.values().chain(&plan.operands) {
        descriptor.push_str(&value.descriptor);
    }
    descriptor.push_str(")V");
    // each name is added to the pool, so that the next one has another number
    let name = format!("scout{MARK}{}", editor.pool().count());
    let mut writer = Writer::new(editor, plan, probes);
    writer.write(versions)?;
    let code = writer.code;
    let access = AccessFlags::STATIC
        .with(AccessFlags::PRIVATE)
        .with(AccessFlags::SYNTHETIC);
    let position = editor.add_method(access, name.as_str(), descriptor.as_str())?;
    if !write_code(editor, program, position, &code)? {
        editor.remove_method(position)?;
        return Ok(None);
    }
    let class = editor.class().name();
    let interface = editor.class().access().is_interface();
    let pool = editor.pool_mut();
    let method = match interface {
        true => pool.interface_method(class, name.as_str(), descriptor.as_str())?,
        false => pool.method(class, name.as_str(), descriptor.as_str())?,
    };
    let mut call = Vec::new();
    let mut next = first_temporary;
    let mut kept = Vec::new();
    for operand in plan.operands.iter().rev() {
        call.push(store(operand.kind, next));
        kept.push((operand, next));
        next += operand.kind.slots();
    }
    kept.reverse();
    let goes_in = |value: &Value| value.kind != Kind::Null;
    let locals = plan.locals.iter().filter(|(_, value)| goes_in(value));
    call.extend(locals.map(|(slot, value)| load(value.kind, *slot)));
    let operands = kept.iter().filter(|(value, _)| goes_in(value));
    call.extend(operands.map(|(value, slot)| load(value.kind, *slot)));
    call.push(Insn::Invoke(Op::Invokestatic, method));
    call.extend(kept.iter().map(|(value, slot)| load(value.kind, *slot)));
    Ok(Some(Trial {
        position,
        call,
        temporaries: next - first_temporary,
    }))
}

/// Writes the code with frames; false if they cannot be computed.
fn write_code(
    editor: &mut Editor<'_>,
    program: &Program<'_>,
    position: usize,
    code: &Code,
) -> Result<bool> {
    let mut known = ClassTable::new();
    for _ in 0..200 {
        let mut code = code.clone();
        let written = editor.write_code(position, &mut code, Frames::Recompute(&known));
        match written.map_err(|error| error.kind) {
            Ok(()) => return Ok(true),
            Err(ErrorKind::UnknownClass(name)) => match program.class(&name) {
                Some(class) => known.add_class(&class.view()),
                None => return Ok(false),
            },
            Err(kind @ ErrorKind::Limit { .. }) => return Err(kind.at(0).into()),
            Err(_) => return Ok(false),
        }
    }
    Ok(false)
}

struct Writer<'w, 'p> {
    pool: &'w mut PoolBuilder<'p>,
    plan: &'w Plan,
    probes: Probes,
    code: Code,
    /// The slots of the parameters: local variables, then operands.
    parameters: Vec<u16>,
    /// The first local variable of the old version; those of the new one follow.
    locals: u16,
    way: u16,
    /// What the new version leaves at each exit: operands, then local variables.
    results: BTreeMap<Way, Vec<u16>>,
    /// The first free slot.
    free: u16,
    second: Label,
    same: Label,
    differs: Label,
}

/// Which version is written.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    New,
    Old,
}

impl<'w, 'p> Writer<'w, 'p> {
    fn new(editor: &'w mut Editor<'p>, plan: &'w Plan, probes: Probes) -> Self {
        let mut code = Code::default();
        let [second, same, differs] = std::array::from_fn(|_| code.new_label());
        let mut parameters = Vec::new();
        let mut next = 0;
        for value in plan.locals.values().chain(&plan.operands) {
            parameters.push(next);
            if value.kind != Kind::Null {
                next += value.kind.slots();
            }
        }
        let locals = next;
        let way = locals + 2 * plan.max_locals;
        let mut free = way + 1;
        let mut results = BTreeMap::new();
        for (way, exit) in &plan.exits {
            let kinds = exit
                .stack
                .iter()
                .chain(exit.locals.iter().map(|(_, kind)| kind));
            let mut slots = Vec::new();
            for kind in kinds {
                slots.push(free);
                free += kind.slots();
            }
            results.insert(*way, slots);
        }
        Self {
            pool: editor.pool_mut(),
            plan,
            probes,
            code,
            parameters,
            locals,
            way,
            results,
            free,
            second,
            same,
            differs,
        }
    }

    fn push(&mut self, insns: impl IntoIterator<Item = Insn>) {
        self.code.insns.extend(insns);
    }

    fn int(&mut self, value: u32) -> Result<Insn> {
        let value = value as i32;
        Ok(match Insn::int(value) {
            Some(insn) => insn,
            None => Insn::ldc(self.pool.integer(value)?),
        })
    }

    fn dry(&mut self, name: &str, descriptor: &str) -> Result<Insn> {
        let method = self.pool.method(DRY, name, descriptor)?;
        Ok(Insn::Invoke(Op::Invokestatic, method))
    }

    fn calls(&self) -> bool {
        !self.plan.calls.is_empty()
    }

    fn write(&mut self, [old, new]: [&Insns; 2]) -> Result<()> {
        let [start, end, handler, on] = std::array::from_fn(|_| self.code.new_label());
        let question = self.int(self.probes.question)?;
        let looks = self.dry(if self.calls() { "begins" } else { "looks" }, "(I)Z")?;
        self.push([
            Insn::Label(start),
            question,
            looks,
            Insn::Jump(Op::Ifne, on),
            Insn::Plain(Op::Return),
            Insn::Label(on),
        ]);
        self.prepare();
        self.side(Side::New, new)?;
        self.push([Insn::Label(self.second)]);
        self.side(Side::Old, old)?;
        self.push([Insn::Label(self.same)]);
        if self.calls() {
            let ends = self.dry("ends", "()V")?;
            self.push([ends]);
        }
        self.push([Insn::Plain(Op::Return), Insn::Label(self.differs)]);
        self.differ()?;
        self.push([Insn::Label(end), Insn::Label(handler)]);
        self.handle()?;
        self.code.tries.push(TryRange {
            start,
            end,
            handler,
            catch_type: 0,
        });
        Ok(())
    }

    /// Gives each version its local variables, and what is compared a value.
    fn prepare(&mut self) {
        let values = self.plan.locals.iter().zip(&self.parameters);
        let mut out = Vec::new();
        for ((slot, value), parameter) in values {
            for first in [self.locals, self.locals + self.plan.max_locals] {
                out.push(match value.kind {
                    Kind::Null => Insn::Plain(Op::AconstNull),
                    kind => load(kind, *parameter),
                });
                out.push(store(value.kind, first + slot));
            }
        }
        out.extend([Insn::Plain(Op::Iconst0), Insn::Local(Op::Istore, self.way)]);
        for (way, exit) in &self.plan.exits {
            let kinds = exit
                .stack
                .iter()
                .chain(exit.locals.iter().map(|(_, kind)| kind));
            for (kind, slot) in kinds.zip(&self.results[way]) {
                let zero = match kind {
                    Kind::Int => Op::Iconst0,
                    Kind::Long => Op::Lconst0,
                    Kind::Float => Op::Fconst0,
                    Kind::Double => Op::Dconst0,
                    _ => Op::AconstNull,
                };
                out.extend([Insn::Plain(zero), store(*kind, *slot)]);
            }
        }
        self.push(out);
    }

    /// One version: its instructions with other local variables, and its ways out.
    fn side(&mut self, side: Side, insns: &Insns) -> Result<()> {
        let plan = self.plan;
        let (part, first) = match side {
            Side::Old => (&plan.old, self.locals),
            Side::New => (&plan.new, self.locals + plan.max_locals),
        };
        let operands = plan
            .operands
            .iter()
            .zip(&self.parameters[plan.locals.len()..]);
        let operands: Vec<Insn> = operands
            .map(|(value, slot)| match value.kind {
                Kind::Null => Insn::Plain(Op::AconstNull),
                kind => load(kind, *slot),
            })
            .collect();
        self.push(operands);
        let mut places = Places {
            labels: part.range.clone().map(|_| self.code.new_label()).collect(),
            out: Vec::new(),
        };
        if part.runs.first() != Some(&true) {
            return self.leave(side, part, part.range.start);
        }
        for at in part.range.clone() {
            let place = at - part.range.start;
            if !part.runs[place] {
                continue;
            }
            self.push([Insn::Label(places.labels[place])]);
            let insn = insns.insns[at];
            match insn {
                Insn::Local(op, slot) => self.push([Insn::Local(op, first + slot)]),
                Insn::Iinc(slot, by) => self.push([Insn::Iinc(first + slot, by)]),
                Insn::Jump(op, label) => {
                    let to = places.label(&mut self.code, part, insns.labels[label.0 as usize]);
                    self.push([Insn::Jump(op, to)]);
                }
                Insn::Switch(number) => {
                    let mut switch = insns.switches[number as usize].clone();
                    self.switch(&mut switch, &mut places, part, insns);
                }
                Insn::Plain(op) if op.is_return() => {
                    self.exit(side, Some(Way::Return))?;
                    continue;
                }
                insn => self.push([insn]),
            }
            let next = place + 1;
            if !insn.ends_block() && part.runs.get(next) != Some(&true) {
                self.leave(side, part, at + 1)?;
            }
        }
        for (label, to) in places.out {
            self.push([Insn::Label(label)]);
            self.leave(side, part, to)?;
        }
        Ok(())
    }

    fn switch(&mut self, switch: &mut Switch, places: &mut Places, part: &Part, insns: &Insns) {
        for target in switch.targets_mut() {
            *target = places.label(&mut self.code, part, insns.labels[target.0 as usize]);
        }
        let insn = self.code.add_switch(switch.clone());
        self.push([insn]);
    }

    /// Leaves a part to an instruction outside of it, or to one that surely throws.
    fn leave(&mut self, side: Side, part: &Part, to: usize) -> Result<()> {
        self.exit(side, part.way(to))
    }

    fn exit(&mut self, side: Side, way: Option<Way>) -> Result<()> {
        let plan = self.plan;
        let found = way.and_then(|way| Some((way, plan.exits.get(&way)?)));
        let Some((way, exit)) = found else {
            // `return` does not care what is on the operand stack
            return self.differ();
        };
        let number = plan.exits.keys().position(|known| *known == way);
        let number = self.int(number.unwrap_or_default() as u32 + 1)?;
        let results = self.results[&way].clone();
        let (stack, locals) = results.split_at(exit.stack.len());
        let first = match side {
            Side::Old => self.locals,
            Side::New => self.locals + plan.max_locals,
        };
        let mut out = Vec::new();
        if side == Side::New {
            for (kind, slot) in exit.stack.iter().zip(stack).rev() {
                out.push(match kind {
                    Kind::Unfinished => Insn::Plain(Op::Pop),
                    kind => store(*kind, *slot),
                });
            }
            for ((local, kind), slot) in exit.locals.iter().zip(locals) {
                out.extend([load(*kind, first + local), store(*kind, *slot)]);
            }
            out.extend([number, Insn::Local(Op::Istore, self.way)]);
            out.push(Insn::Jump(Op::Goto, self.second));
            self.push(out);
            return Ok(());
        }
        let mut kept = Vec::new();
        for kind in exit.stack.iter().rev() {
            kept.push(self.free);
            out.push(match kind {
                Kind::Unfinished => Insn::Plain(Op::Pop),
                kind => store(*kind, self.free),
            });
            self.free += kind.slots();
        }
        kept.reverse();
        out.extend([
            Insn::Local(Op::Iload, self.way),
            number,
            Insn::Jump(Op::IfIcmpne, self.differs),
        ]);
        for ((kind, mine), theirs) in exit.stack.iter().zip(kept).zip(stack) {
            self.compare(*kind, mine, *theirs, &mut out)?;
        }
        for ((local, kind), theirs) in exit.locals.iter().zip(locals) {
            self.compare(*kind, first + local, *theirs, &mut out)?;
        }
        out.push(Insn::Jump(Op::Goto, self.same));
        self.push(out);
        Ok(())
    }

    /// Goes on if two local variables are the same, bit by bit.
    fn compare(&mut self, kind: Kind, a: u16, b: u16, out: &mut Vec<Insn>) -> Result<()> {
        let mut both = |bits: Option<Insn>| {
            for slot in [a, b] {
                out.push(load(kind, slot));
                out.extend(bits);
            }
        };
        let jump = |op| Insn::Jump(op, self.differs);
        match kind {
            Kind::Int => {
                both(None);
                out.push(jump(Op::IfIcmpne));
            }
            Kind::Long => {
                both(None);
                out.extend([Insn::Plain(Op::Lcmp), jump(Op::Ifne)]);
            }
            Kind::Float => {
                let bits = self
                    .pool
                    .method("java/lang/Float", "floatToRawIntBits", "(F)I")?;
                both(Some(Insn::Invoke(Op::Invokestatic, bits)));
                out.push(jump(Op::IfIcmpne));
            }
            Kind::Double => {
                let bits = self
                    .pool
                    .method("java/lang/Double", "doubleToRawLongBits", "(D)J")?;
                both(Some(Insn::Invoke(Op::Invokestatic, bits)));
                out.extend([Insn::Plain(Op::Lcmp), jump(Op::Ifne)]);
            }
            Kind::Reference | Kind::Null => {
                both(None);
                out.push(jump(Op::IfAcmpne));
            }
            // what is new in both is the same as far as anybody can see
            Kind::Unfinished => {}
        }
        Ok(())
    }

    fn differ(&mut self) -> Result<()> {
        let question = self.int(self.probes.question)?;
        let differs = self.dry("differs", "(I)V")?;
        self.push([question, differs, Insn::Plain(Op::Return)]);
        Ok(())
    }

    /// What is thrown ends here, without calls: there may be no stack left for them.
    fn handle(&mut self) -> Result<()> {
        let thrown = self.free;
        let hits = self.free + 1;
        let [quiet, on, out] = std::array::from_fn(|_| self.code.new_label());
        let trying = self.pool.field(DRY, "trying", "Ljava/lang/Thread;")?;
        self.push([Insn::Local(Op::Astore, thrown)]);
        if self.calls() {
            self.push([
                Insn::Plain(Op::AconstNull),
                Insn::Field(Op::Putstatic, trying),
            ]);
        }
        if !self.plan.spoils {
            let harmless = self.pool.class("java/lang/RuntimeException")?;
            self.push([
                Insn::Local(Op::Aload, thrown),
                Insn::Class(Op::Instanceof, harmless),
                Insn::Jump(Op::Ifne, quiet),
            ]);
        }
        self.hit(self.probes.spoiled, hits)?;
        self.push([Insn::Label(quiet)]);
        self.hit(2 * self.probes.question + 1, hits)?;
        for ending in ["braid/runtime/OutOfFuel", "java/lang/ThreadDeath"] {
            let class = self.pool.class(ending)?;
            self.push([
                Insn::Local(Op::Aload, thrown),
                Insn::Class(Op::Instanceof, class),
                Insn::Jump(Op::Ifne, out),
            ]);
        }
        self.push([
            Insn::Jump(Op::Goto, on),
            Insn::Label(out),
            Insn::Local(Op::Aload, thrown),
            Insn::Plain(Op::Athrow),
            Insn::Label(on),
            Insn::Plain(Op::Return),
        ]);
        Ok(())
    }

    fn hit(&mut self, probe: u32, hits: u16) -> Result<()> {
        let probe = self.int(probe)?;
        let field = self.pool.field(BRAID, "hits", "[B")?;
        let behind = self.code.new_label();
        self.push([
            Insn::Field(Op::Getstatic, field),
            Insn::Local(Op::Astore, hits),
            Insn::Local(Op::Aload, hits),
            Insn::Plain(Op::Arraylength),
            probe,
            Insn::Jump(Op::IfIcmple, behind),
            Insn::Local(Op::Aload, hits),
            probe,
            Insn::Plain(Op::Iconst1),
            Insn::Plain(Op::Bastore),
            Insn::Label(behind),
        ]);
        Ok(())
    }
}

/// Where the instructions of a part are in the method that tries it.
struct Places {
    labels: Vec<Label>,
    /// Where it is left, and to which instruction.
    out: Vec<(Label, usize)>,
}

impl Places {
    /// The label for an instruction that is jumped to.
    fn label(&mut self, code: &mut Code, part: &Part, to: usize) -> Label {
        let place = to.checked_sub(part.range.start);
        match place {
            Some(place) if part.runs.get(place) == Some(&true) => self.labels[place],
            _ => {
                let label = code.new_label();
                self.out.push((label, to));
                label
            }
        }
    }
}

pub(super) fn load(kind: Kind, slot: u16) -> Insn {
    let op = match kind {
        Kind::Int => Op::Iload,
        Kind::Long => Op::Lload,
        Kind::Float => Op::Fload,
        Kind::Double => Op::Dload,
        _ => Op::Aload,
    };
    Insn::Local(op, slot)
}

fn store(kind: Kind, slot: u16) -> Insn {
    let op = match kind {
        Kind::Int => Op::Istore,
        Kind::Long => Op::Lstore,
        Kind::Float => Op::Fstore,
        Kind::Double => Op::Dstore,
        _ => Op::Astore,
    };
    Insn::Local(op, slot)
}
