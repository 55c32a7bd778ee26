//! From proposals to changed code: the bulk class, and whole classes for constructors.

use std::sync::Arc;

use braid_classfile::{
    AccessFlags, ClassFile, Code, Editor, Frames, Insn, Member, PoolBuilder, Result,
};

use crate::body::Body;
use crate::model::Replacement;
use crate::operator::{Edit, Goal, Proposal, Step};

/// Writes the mutants of one class.
pub(crate) struct Writer<'c> {
    editor: Editor<'c>,
    copies: u32,
    /// Reused for each mutant.
    code: Code,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(class: &'c ClassFile<'c>) -> Writer<'c> {
        Writer {
            editor: Editor::new(class),
            copies: 0,
            code: Code::default(),
        }
    }

    /// Reads a method's code; false if it has none.
    pub(crate) fn read(&mut self, method: usize, code: &mut Code) -> Result<bool> {
        self.editor.read_code(method, code)
    }

    /// Writes a mutant of a method.
    pub(crate) fn write(&mut self, body: &Body<'_>, proposal: &Proposal) -> Result<Replacement> {
        if body.name.starts_with('<') {
            return self
                .check_whole(body, proposal)
                .map(|()| Replacement::Whole);
        }
        self.code.clone_from(body.code);
        let frames = apply(&mut self.code, &proposal.edits, self.editor.pool_mut())?;
        let name = format!("braid$mutant${}", self.copies);
        let access = AccessFlags(body.access.0 & AccessFlags::STATIC.0);
        let access = access
            .with(AccessFlags::PRIVATE)
            .with(AccessFlags::SYNTHETIC);
        let descriptor = body.descriptor.as_str();
        let added = self.editor.add_method(access, name.as_str(), descriptor)?;
        if let Err(error) = self.editor.write_code(added, &mut self.code, frames) {
            self.editor.remove_method(added)?;
            return Err(error);
        }
        self.copies += 1;
        Ok(Replacement::Copy(name))
    }

    /// Makes sure that a constructor or initialiser can be written when it is asked for. Only new
    /// jump targets, whose frames have to be found, can fail.
    fn check_whole(&mut self, body: &Body<'_>, proposal: &Proposal) -> Result<()> {
        let jumps = |edit: &Edit| matches!(edit, Edit::Retarget(..));
        if !proposal.edits.iter().any(jumps) {
            return Ok(());
        }
        let class = body.class;
        let own = |m: Member<'_>| {
            m.name() == body.name.as_str() && m.descriptor() == body.descriptor.as_str()
        };
        let Some(method) = class.methods().position(own) else {
            return Ok(());
        };
        let mut editor = Editor::new(class);
        editor.read_code(method, &mut self.code)?;
        let frames = apply(&mut self.code, &proposal.edits, editor.pool_mut())?;
        editor.write_code(method, &mut self.code, frames)
    }

    /// The class with all copies.
    pub(crate) fn finish(self) -> Result<Arc<[u8]>> {
        Ok(self.editor.finish()?.into())
    }
}

/// Changes the code; says how its frames are to be written.
pub(crate) fn apply(
    code: &mut Code,
    edits: &[Edit],
    pool: &mut PoolBuilder<'_>,
) -> Result<Frames<'static>> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    // From the end, so that positions stay right.
    edits.sort_by_key(|edit| std::cmp::Reverse(place(edit)));
    let temp = code.max_locals;
    let mut frames = Frames::Keep;
    for edit in edits {
        match edit {
            Edit::Replace(range, steps) => {
                let insns = insns(steps, pool, temp)?;
                grow(code, steps);
                code.replace(range.clone(), insns);
            }
            Edit::Switch(index, switch) => {
                if let Some(old) = code.switches.get_mut(*index as usize) {
                    old.clone_from(switch);
                }
            }
            Edit::Retarget(at, op, goal) => {
                let label = match *goal {
                    Goal::Label(label) => label,
                    Goal::Before(position) => {
                        // Jumps of connectors go forward, so `at` stays.
                        let label = code.new_label();
                        code.insert(position, [Insn::Label(label)]);
                        label
                    }
                };
                if let Some(insn) = code.insns.get_mut(*at) {
                    *insn = Insn::Jump(*op, label);
                }
                frames = Frames::Forward;
            }
            Edit::Body(steps) => {
                let insns = insns(steps, pool, temp)?;
                code.clear();
                code.insns = insns;
                frames = Frames::Maxs;
            }
        }
    }
    Ok(frames)
}

fn insns(steps: &[Step], pool: &mut PoolBuilder<'_>, temp: u16) -> Result<Vec<Insn>> {
    steps.iter().map(|step| step.insn(pool, temp)).collect()
}

/// Makes room for what the steps push and for the local behind all others.
fn grow(code: &mut Code, steps: &[Step]) {
    let growth: u16 = steps.iter().map(Step::growth).sum();
    code.max_stack = code.max_stack.saturating_add(growth);
    if steps.iter().any(|step| matches!(step, Step::Temp(_))) {
        code.max_locals = code.max_locals.saturating_add(2);
    }
}

fn place(edit: &Edit) -> usize {
    match edit {
        Edit::Replace(range, _) => range.start,
        Edit::Retarget(at, ..) => *at,
        Edit::Switch(..) | Edit::Body(_) => 0,
    }
}
