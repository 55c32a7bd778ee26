//! Prepares a class for a warm JVM. All inserted code is straight and leaves the operand stack as
//! it was, so the frames of the compiler stay true and no hierarchy is needed.

mod blocks;
mod entry;
mod flow;
mod fuel;
mod guards;
mod init;
mod interface;
mod reflection;
mod values;

use braid_classfile::{ClassFile, Code, Editor, ErrorKind, Frames, Insn, Label};

use crate::error::Result;
use crate::names::BRAID;
use crate::probes::ProbeBase;
use crate::world::World;
pub(crate) use blocks::starts as block_starts;
use guards::Guards;
use values::Values;
pub(crate) use values::dropped as dropped_values;

/// What to put into a class.
#[derive(Clone, Copy, Default)]
pub struct Passes<'w> {
    /// Count loop heads and method entries, and stop when the fuel is used up.
    pub fuel: bool,
    /// Initialise static state anew in each epoch; which classes have such state, and therefore
    /// what must be guarded, is asked of this world.
    pub reset: Option<&'w World>,
    /// Note the first hit of each method, and of each block if those have numbers; and count the values that methods
    /// return, if those have numbers.
    pub coverage: Option<ProbeBase>,
}

/// A class with the passes applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Instrumented {
    /// The new class file; `None` if the class stays as it is.
    pub bytes: Option<Vec<u8>>,
    /// What could not be done exactly.
    pub notes: Vec<Note>,
}

/// Something about a class that a run should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The class has static state that stays from run to run.
    NotReset {
        /// Why.
        reason: String,
    },
    /// A method (name and descriptor) is too large for some of the passes.
    TooLarge {
        /// The method.
        method: String,
        /// The passes it went without.
        without: &'static str,
    },
}

/// Applies passes to a class.
///
/// ```
/// use braid_classfile::ClassTable;
/// use braid_weave::{Passes, instrument};
/// let text = "\
/// version 61
/// class public super Loop extends java/lang/Object
///
/// method public static forever ()V
///   L0:
///     goto L0
/// ";
/// let bytes = braid_classfile_text::assemble(text, &ClassTable::new()).unwrap();
/// let passes = Passes { fuel: true, ..Passes::default() };
/// let out = instrument(&bytes, &passes).unwrap().bytes.unwrap();
/// let text = braid_classfile_text::print(&out).unwrap();
/// assert!(text.contains("invokestatic braid/runtime/Braid tick ()V"), "{text}");
/// ```
pub fn instrument(bytes: &[u8], passes: &Passes<'_>) -> Result<Instrumented> {
    let class = ClassFile::parse(bytes)?;
    let mut notes = Vec::new();
    if class.access().is_module() || class.name().as_bytes().starts_with(b"braid/runtime/") {
        return Ok(Instrumented { bytes: None, notes });
    }
    let mut editor = Editor::new(&class);
    let mut guards = passes
        .reset
        .map(|world| Guards::new(&class, world, &mut notes));
    let mut code = Code::default();
    let mut next_block = passes.coverage.and_then(|base| base.blocks);
    let values = match passes.coverage.and_then(|base| base.values) {
        Some(first) => Values::new(&class, first)?,
        None => Values::default(),
    };
    for method in 0..class.methods().len() {
        let mut pass = MethodPass {
            passes,
            guards: guards.as_mut(),
            values: &values,
            method,
            next_block,
        };
        pass.apply(&mut editor, &mut code, &mut notes)?;
        next_block = pass.next_block;
    }
    if let Some(guards) = &guards {
        guards.finish(&mut editor)?;
    }
    let out = editor.finish()?;
    let bytes = (out != bytes).then_some(out);
    Ok(Instrumented { bytes, notes })
}

/// The passes over one method.
struct MethodPass<'p, 'g, 'w> {
    passes: &'p Passes<'w>,
    guards: Option<&'g mut Guards<'w>>,
    values: &'p Values,
    method: usize,
    /// The number of the next block's probe.
    next_block: Option<u32>,
}

impl MethodPass<'_, '_, '_> {
    /// Applies all passes; if the method gets too large, fewer.
    fn apply(
        &mut self,
        editor: &mut Editor<'_>,
        code: &mut Code,
        notes: &mut Vec<Note>,
    ) -> Result<()> {
        let attempts = [(true, ""), (false, "fuel and coverage")];
        let first_block = self.next_block;
        for (all, without) in attempts {
            if !editor.read_code(self.method, code)? {
                return Ok(());
            }
            let marks = first_block.map_or(Vec::new(), |_| blocks::mark(code));
            self.next_block = first_block.map(|first| first + marks.len() as u32);
            let block_probes = first_block.filter(|_| all).map(|first| (marks, first));
            if !self.edit(editor, code, all, block_probes)? {
                return Ok(());
            }
            match editor.write_code(self.method, code, Frames::Maxs) {
                Err(error) if matches!(error.kind, ErrorKind::CodeSize { .. }) => {}
                other => {
                    other?;
                    if !all {
                        notes.push(self.too_large(editor, without));
                    }
                    return Ok(());
                }
            }
        }
        notes.push(self.too_large(editor, "reset, fuel and coverage"));
        Ok(())
    }

    fn too_large(&self, editor: &Editor<'_>, without: &'static str) -> Note {
        let method = editor.method(self.method).map_or(String::new(), |method| {
            format!("{}{}", method.name(), method.descriptor())
        });
        Note::TooLarge { method, without }
    }

    /// Edits the code; false if nothing is to be done.
    fn edit(
        &mut self,
        editor: &mut Editor<'_>,
        code: &mut Code,
        all: bool,
        block_probes: Option<(Vec<Label>, u32)>,
    ) -> Result<bool> {
        let Some(member) = editor.method(self.method) else {
            return Ok(false);
        };
        let mut entry: Vec<Insn> = Vec::new();
        let mut changed = false;
        let calls = fuel::calls_something(code);
        if all {
            changed |= self.values.count(editor, self.method, code)?;
        }
        if let Some(guards) = &mut self.guards {
            changed |= guards.rewrite(editor, member, code, &mut entry)?;
        }
        if all && self.passes.fuel {
            let tick = editor.pool_mut().method(BRAID, "tick", "()V")?;
            let loops = fuel::at_loop_heads(editor, code, tick)?;
            changed |= loops;
            // with a tick of its own no call of a method with loops goes unseen
            if calls || loops {
                entry.push(Insn::Invoke(braid_classfile::Op::Invokestatic, tick));
            }
        }
        if let Some((marks, first)) = block_probes {
            changed |= !marks.is_empty();
            blocks::probe(editor, code, &marks, first)?;
        }
        if let Some(base) = self.passes.coverage
            && all
            && (self.method as u32) < base.count
        {
            entry::probe(editor, base.first + self.method as u32, &mut entry)?;
        }
        changed |= !entry.is_empty();
        code.insert(0, entry);
        Ok(changed)
    }
}
