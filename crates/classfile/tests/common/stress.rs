//! The stress edit: before every instruction two `nop`s and a counter increment, locals that are
//! not parameters one slot higher, frames computed from nothing.

use braid_classfile::{
    AccessFlags, ClassFile, ClassTable, Code, Editor, ErrorKind, Frames, Insn, Member,
    MethodDescriptor, Op, ReadParts, Result, new_class,
};

/// What became of a class's methods.
#[derive(Default, Clone, Copy, Debug)]
pub(crate) struct Stressed {
    /// Methods with the full edit.
    pub(crate) full: usize,
    /// Methods that would have exceeded 64 KB and got two `nop`s at their start instead.
    pub(crate) light: usize,
}

/// A class with the counter that the edit increments.
pub(crate) fn counter_class(name: &str) -> Vec<u8> {
    let access = AccessFlags::PUBLIC.with(AccessFlags::SUPER);
    let bytes = new_class(52, access, name, Some("java/lang/Object")).expect("a small class");
    let class = ClassFile::parse(&bytes).expect("our own class");
    let mut editor = Editor::new(&class);
    let access = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
    editor
        .add_field(access, "n", "I")
        .expect("room for a field");
    editor.finish().expect("our own class")
}

/// Stress-edits a class; without a counter class only `nop`s are inserted.
pub(crate) fn stress(
    bytes: &[u8],
    counter: Option<&str>,
    table: &ClassTable,
) -> Result<(Vec<u8>, Stressed)> {
    let class = ClassFile::parse(bytes)?;
    let mut editor = Editor::new(&class);
    let field = match counter {
        Some(counter) => Some(editor.pool_mut().field(counter, "n", "I")?),
        None => None,
    };
    let mut code = Code::default();
    let mut counts = Stressed::default();
    let parts = ReadParts {
        frames: false,
        debug: true,
    };
    for (position, method) in class.methods().enumerate() {
        if !editor.read_code_parts(position, &mut code, parts)? {
            continue;
        }
        edit(&mut code, field, first_free_local(method));
        match editor.write_code(position, &mut code, Frames::Recompute(table)) {
            Ok(()) => counts.full += 1,
            Err(error) if matches!(error.kind, ErrorKind::CodeSize { .. }) => {
                editor.read_code_parts(position, &mut code, parts)?;
                code.insert(0, [Insn::Plain(Op::Nop); 2]);
                editor.write_code(position, &mut code, Frames::Recompute(table))?;
                counts.light += 1;
            }
            Err(error) => return Err(error),
        }
    }
    Ok((editor.finish()?, counts))
}

fn edit(code: &mut Code, field: Option<u16>, first_free: u16) {
    code.shift_locals(first_free, 1);
    code.rewrite(|insn, out| {
        if insn.is_real() {
            out.extend([Insn::Plain(Op::Nop); 2]);
            if let Some(field) = field {
                out.extend([
                    Insn::Field(Op::Getstatic, field),
                    Insn::Plain(Op::Iconst1),
                    Insn::Plain(Op::Iadd),
                    Insn::Field(Op::Putstatic, field),
                ]);
            }
        }
        out.push(insn);
    });
}

/// The first slot behind the parameters.
fn first_free_local(method: Member<'_>) -> u16 {
    let slots = MethodDescriptor::parse(method.descriptor()).expect("a descriptor");
    slots.parameter_slots() + u16::from(!method.access().is_static())
}
