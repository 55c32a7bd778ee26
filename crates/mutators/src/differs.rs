//! When a mutant does anything else than the original.
//!
//! Many operators replace an instruction that has no effect but its value: `a + b` by `a - b`, `a < b` by `a <= b`, a
//! returned value by another. As long as both have the same value, the mutant *is* the original. [`scouting`] gives a class
//! that does what the original does and asks at each such place whether the values would differ; a test in whose run
//! they never do cannot notice the mutant. This is what is called weak mutation, or infection, in the literature.

use std::collections::BTreeMap;

use braid_classfile::{ClassFile, Code, Editor, ErrorKind, Frames, Insn, Op, PoolBuilder};

use crate::error::Result;
use crate::model::Mutant;
use crate::operator::{Edit, Step};

/// The class whose static methods compare values: `braid.runtime.Scout`.
const SCOUT: &str = "braid/runtime/Scout";

/// What stands in the place of an instruction, as far as it has no effect but its value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Difference {
    /// A jump under another condition; `goto` for always, `nop` for never.
    Jump(Op, Op),
    /// A comparison of fractions and the jump behind it.
    Compared([Op; 2], [Op; 2]),
    /// Another operator on the same operands.
    Binary(Op, Op),
    /// A constant that is returned by this instruction.
    Returned(Op, Step),
}

/// A place where a mutant may differ: a position among the items of the code.
pub(crate) type Check = (usize, Difference);

/// Where a mutant may differ from the original, and how; nothing if that is not known.
pub(crate) fn checks(code: &Code, edits: &[Edit]) -> Vec<Check> {
    let all: Option<Vec<Check>> = edits.iter().map(|edit| check(code, edit)).collect();
    all.unwrap_or_default()
}

fn check(code: &Code, edit: &Edit) -> Option<Check> {
    let Edit::Replace(range, steps) = edit else {
        return None;
    };
    let real = |insn: &&Insn| !matches!(insn, Insn::Label(_));
    let old: Vec<Insn> = code.insns[range.clone()]
        .iter()
        .filter(real)
        .copied()
        .collect();
    let difference = match (old.as_slice(), steps.as_slice()) {
        ([Insn::Plain(old)], steps) if old.is_return() => returned(*old, steps)?,
        ([Insn::Plain(old)], [Step::Insn(Insn::Plain(new))]) => binary(*old, *new)?,
        ([Insn::Jump(old, from)], steps) => {
            let new = match steps {
                [Step::Insn(Insn::Jump(new, to))] if from == to => *new,
                [Step::Insn(Insn::Plain(Op::Pop | Op::Pop2))] => Op::Nop,
                [
                    Step::Insn(Insn::Plain(Op::Pop | Op::Pop2)),
                    zero,
                    Step::Insn(Insn::Jump(Op::Ifeq, to)),
                ] if *zero == Op::Iconst0.into() && from == to => Op::Goto,
                _ => return None,
            };
            (old.negated() != Some(new)).then_some(Difference::Jump(*old, new))?
        }
        (
            [Insn::Plain(compare), Insn::Jump(old, from)],
            [
                Step::Insn(Insn::Plain(other)),
                Step::Insn(Insn::Jump(new, to)),
            ],
        ) if from == to && matches!(compare.pops(), "FF" | "DD") => {
            Difference::Compared([*compare, *old], [*other, *new])
        }
        _ => return None,
    };
    Some((range.start, difference))
}

fn binary(old: Op, new: Op) -> Option<Difference> {
    let known = crate::binary::Binary::of(old).and(crate::binary::Binary::of(new));
    (known.is_some() && old.pops() == new.pops()).then_some(Difference::Binary(old, new))
}

/// Constants are compared, objects only with null: another one that is equal need not be the same.
fn returned(op: Op, steps: &[Step]) -> Option<Difference> {
    let [Step::Insn(Insn::Plain(Op::Pop | Op::Pop2)), value, last] = steps else {
        return None;
    };
    let constant = matches!(
        value,
        Step::Int(_) | Step::Long(_) | Step::Float(_) | Step::Double(_) | Step::Null
    );
    (constant && *last == op.into()).then(|| Difference::Returned(op, value.clone()))
}

/// The class that does what the original does and tells `Scout` of the numbers of the mutants which would do something
/// else, and of those whose place was passed. Methods that would grow too large are left as they are. Nothing if no
/// mutant can be asked for.
pub fn scouting(original: &[u8], mutants: &[(u32, &Mutant)]) -> Result<Option<Vec<u8>>> {
    let mut methods: BTreeMap<(&str, &str), Vec<(u32, &Check)>> = BTreeMap::new();
    for (number, mutant) in mutants {
        let own = methods.entry((&mutant.method, &mutant.descriptor));
        let own = own.or_default();
        own.extend(mutant.checks.iter().map(|check| (*number, check)));
    }
    methods.retain(|_, checks| !checks.is_empty());
    if methods.is_empty() {
        return Ok(None);
    }
    let class = ClassFile::parse(original)?;
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    for (position, method) in class.methods().enumerate() {
        let (name, descriptor) = (method.name().to_string(), method.descriptor().to_string());
        let Some(checks) = methods.get(&(name.as_str(), descriptor.as_str())) else {
            continue;
        };
        if !editor.read_code(position, &mut code)? {
            continue;
        }
        insert(&mut code, checks, editor.pool_mut())?;
        match editor.write_code(position, &mut code, Frames::Maxs) {
            Err(error) if matches!(error.kind, ErrorKind::CodeSize { .. }) => {}
            other => other?,
        }
    }
    Ok(Some(editor.finish()?))
}

/// Puts checks into a method, in front of the instructions that they are about.
fn insert(
    code: &mut Code,
    checks: &[(u32, &Check)],
    pool: &mut PoolBuilder<'_>,
) -> braid_classfile::Result<()> {
    let temp = code.max_locals;
    code.max_locals = code.max_locals.saturating_add(2);
    let mut at: BTreeMap<usize, Vec<Insn>> = BTreeMap::new();
    for (number, (position, difference)) in checks {
        let out = at.entry(*position).or_default();
        difference.ask(*number, temp, pool, out)?;
    }
    for (position, insns) in at.into_iter().rev() {
        code.insert(position, insns);
    }
    Ok(())
}

impl Difference {
    /// Pushes straight code that leaves the stack as it was.
    fn ask(
        &self,
        number: u32,
        temp: u16,
        pool: &mut PoolBuilder<'_>,
        out: &mut Vec<Insn>,
    ) -> braid_classfile::Result<()> {
        let code = |op: &Op| Step::Int(i32::from(*op as u8));
        let (name, operands, mut steps) = match self {
            Self::Jump(old, new) => ("jump", old.pops(), vec![code(old), code(new)]),
            Self::Binary(old, new) => ("binary", old.pops(), vec![code(old), code(new)]),
            Self::Compared(old, new) => {
                let both = old.iter().chain(new).map(code);
                ("compared", old[0].pops(), both.collect())
            }
            Self::Returned(op, Step::Null) => ("returned", op.pops(), Vec::new()),
            Self::Returned(op, value) => ("returned", op.pops(), vec![value.clone()]),
        };
        steps.push(Step::Int(number as i32));
        let mut descriptor = "(".to_owned();
        for letter in operands.chars() {
            match letter {
                'A' => descriptor.push_str("Ljava/lang/Object;"),
                letter => descriptor.push(letter),
            }
        }
        match self {
            Self::Returned(op, value) if *value != Step::Null => descriptor.push_str(op.pops()),
            Self::Returned(..) => {}
            Self::Compared(..) => descriptor.push_str("IIII"),
            Self::Jump(..) | Self::Binary(..) => descriptor.push_str("II"),
        }
        descriptor.push_str("I)V");
        let kept = copy_operands(operands, temp, out);
        for step in &steps {
            out.push(step.insn(pool, temp)?);
        }
        let method = pool.method(SCOUT, name, descriptor.as_str())?;
        out.push(Insn::Invoke(Op::Invokestatic, method));
        out.extend(kept);
        Ok(())
    }
}

/// Doubles the operands on the stack; what has to be loaded again behind the call comes back.
fn copy_operands(operands: &str, temp: u16, out: &mut Vec<Insn>) -> Option<Insn> {
    let local = |store: Op, load: Op| (Insn::Local(store, temp), Insn::Local(load, temp));
    let (store, load) = match operands {
        "I" | "F" | "A" => {
            out.push(Insn::Plain(Op::Dup));
            return None;
        }
        "JI" => local(Op::Istore, Op::Iload),
        "JJ" => local(Op::Lstore, Op::Lload),
        "DD" => local(Op::Dstore, Op::Dload),
        _ => {
            out.push(Insn::Plain(Op::Dup2)); // one wide operand or two narrow ones
            return None;
        }
    };
    out.extend([store, Insn::Plain(Op::Dup2), load]);
    Some(load)
}
