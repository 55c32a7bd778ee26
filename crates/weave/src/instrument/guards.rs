//! The reset pass over a method: guards at `new`, `getstatic` and `putstatic`, at the entry of
//! static methods and constructors; uses of interface fields go to their cells.
//!
//! A guard that the code before it implies is left out: one of the same class in the same
//! straight piece of code, or that of the method's own class and its superclasses where the entry
//! has one.

use braid_classfile::{ClassFile, Code, Editor, Insn, JStr, Member, Op};

use crate::error::Result;
use crate::instrument::flow::Flow;
use crate::instrument::{Note, init, interface, reflection};
use crate::names::RESET;
use crate::world::{Guard, State, World};

/// What the reset pass knows about the class it works on.
pub(super) struct Guards<'w> {
    world: &'w World,
    name: Vec<u8>,
    major: u16,
    /// The class itself is initialised anew in each epoch.
    resettable: bool,
    /// The guard that its static methods and constructors start with.
    own: Option<Guard<'w>>,
    /// Classes that are initialised when this class is.
    implied: Vec<Vec<u8>>,
}

impl<'w> Guards<'w> {
    pub(super) fn new(class: &ClassFile<'_>, world: &'w World, notes: &mut Vec<Note>) -> Self {
        let name = class.name().as_bytes();
        let state = world.facts(name).map(|facts| world.state_of(facts));
        if let Some(State::Not(reason)) = state {
            let reason = reason.to_owned();
            notes.push(Note::NotReset { reason });
        }
        let mut implied = vec![name.to_vec()];
        let mut parent = class.super_name().map(|name| name.as_bytes().to_vec());
        while let Some(name) = parent.take()
            && implied.len() < 0xff
        {
            parent = world
                .facts(&name)
                .and_then(|facts| facts.superclass.as_deref().map(<[u8]>::to_vec));
            implied.push(name);
        }
        Guards {
            world,
            name: name.to_vec(),
            major: class.major_version(),
            resettable: state == Some(State::Resettable),
            own: world.guard_of_new(name, name),
            implied,
        }
    }

    /// Adds what the class itself needs.
    pub(super) fn finish(&self, editor: &mut Editor<'_>) -> Result<()> {
        if self.resettable {
            init::add(editor, self.world)?;
        }
        Ok(())
    }

    /// Rewrites a method and pushes what it starts with; true if the code changed.
    pub(super) fn rewrite(
        &mut self,
        editor: &mut Editor<'_>,
        member: Member<'_>,
        code: &mut Code,
        entry: &mut Vec<Insn>,
    ) -> Result<bool> {
        let initialiser = member.name() == "<clinit>";
        let starts = member.access().is_static() || member.name() == "<init>";
        let guarded = starts && self.own.is_some() && (!initialiser || self.resettable);
        if guarded
            && !initialiser
            && let Some(guard) = &self.own
        {
            call(editor, guard, self.major, entry)?;
        }
        let flow = Flow::of(code);
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut changed = false;
        let old = std::mem::take(&mut code.insns);
        for insn in old {
            if let Insn::Label(label) = insn
                && flow.is_target(label)
            {
                seen.clear();
            }
            let before = code.insns.len();
            self.step(editor, insn, guarded, &mut seen, code)?;
            changed |= code.insns.len() != before + 1 || code.insns.last() != Some(&insn);
        }
        Ok(changed)
    }

    /// Writes one instruction with what it needs around it.
    fn step(
        &self,
        editor: &mut Editor<'_>,
        insn: Insn,
        guarded: bool,
        seen: &mut Vec<Vec<u8>>,
        code: &mut Code,
    ) -> Result<()> {
        match insn {
            Insn::Field(op @ (Op::Getstatic | Op::Putstatic), index) => {
                let member = editor.pool().view().field(index)?;
                let (owner, name) = (member.owner.as_bytes(), member.name.as_bytes());
                let descriptor = member.descriptor.as_bytes();
                let field = self
                    .world
                    .guard_of_field(owner, name, descriptor, &self.name);
                if let Some(field) = field {
                    let descriptor = descriptor.to_vec();
                    self.guard(editor, &field.guard, guarded, seen, &mut code.insns)?;
                    if let Some(cell) = field.cell {
                        let owner = field.guard.class;
                        let access = interface::Access { owner, cell, op };
                        return access.emit(editor, JStr::new(&descriptor), code);
                    }
                }
            }
            Insn::Class(Op::New, index) => {
                let name = editor.pool().view().class(index)?.as_bytes();
                if let Some(guard) = self.world.guard_of_new(name, &self.name) {
                    self.guard(editor, &guard, guarded, seen, &mut code.insns)?;
                }
            }
            Insn::Invoke(_, index) => {
                if let Some(hook) = reflection::hook(editor, index)? {
                    return hook.emit(editor, insn, code);
                }
            }
            _ => {}
        }
        code.insns.push(insn);
        Ok(())
    }

    fn guard(
        &self,
        editor: &mut Editor<'_>,
        guard: &Guard<'_>,
        guarded: bool,
        seen: &mut Vec<Vec<u8>>,
        out: &mut Vec<Insn>,
    ) -> Result<()> {
        let is = |name: &Vec<u8>| name == guard.class;
        if seen.iter().any(is) || (guarded && self.implied.iter().any(is)) {
            return Ok(());
        }
        seen.push(guard.class.to_vec());
        call(editor, guard, self.major, out)
    }
}

/// Pushes the call of a guard.
pub(super) fn call(
    editor: &mut Editor<'_>,
    guard: &Guard<'_>,
    major: u16,
    out: &mut Vec<Insn>,
) -> Result<()> {
    let (through, name) = (JStr::new(&guard.through), JStr::new(&guard.name));
    let pool = editor.pool_mut();
    if guard.interface && major < 52 {
        // Old class files cannot call methods of interfaces.
        let class = pool.class(through)?;
        let touch = pool.method(RESET, "touch", "(Ljava/lang/Class;)Ljava/lang/Class;")?;
        out.extend([
            Insn::ldc(class),
            Insn::Invoke(Op::Invokestatic, touch),
            Insn::Plain(Op::Pop),
        ]);
        return Ok(());
    }
    let method = match guard.interface {
        true => pool.interface_method(through, name, "()V")?,
        false => pool.method(through, name, "()V")?,
    };
    out.push(Insn::Invoke(Op::Invokestatic, method));
    Ok(())
}
