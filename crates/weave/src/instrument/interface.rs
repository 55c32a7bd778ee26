//! Fields of interfaces are final and cannot be set again. Those that are no constants live in
//! cells instead: `Object[] $braid$cells`, a field that is set once, by the JVM's initialisation.

use braid_classfile::{Code, Editor, FieldType, Insn, JStr, Op};

use crate::error::Result;
use crate::instrument::entry::int;
use crate::names::CELLS;

/// An access to an interface's field.
pub(super) struct Access<'o> {
    pub(super) owner: &'o [u8],
    pub(super) cell: usize,
    pub(super) op: Op,
}

impl Access<'_> {
    /// Pushes the access to the cell.
    pub(super) fn emit(
        &self,
        editor: &mut Editor<'_>,
        descriptor: JStr<'_>,
        code: &mut Code,
    ) -> Result<()> {
        let cells = editor
            .pool_mut()
            .field(JStr::new(self.owner), CELLS, "[Ljava/lang/Object;")?;
        let index = int(editor, self.cell as i32)?;
        let ty = FieldType::parse(descriptor)?;
        let out = &mut code.insns;
        if self.op == Op::Getstatic {
            // .. -> .., cells -> .., cells, index -> .., value
            out.extend([
                Insn::Field(Op::Getstatic, cells),
                index,
                Insn::Plain(Op::Aaload),
            ]);
            return unbox(editor, ty, descriptor, out);
        }
        if let Some(wrapper) = Wrapper::of(ty) {
            let descriptor = format!("({})L{};", descriptor, wrapper.class);
            let method = editor
                .pool_mut()
                .method(wrapper.class, "valueOf", descriptor.as_str())?;
            out.push(Insn::Invoke(Op::Invokestatic, method));
        }
        // .., value -> .., cells, value -> .., cells, index, value -> ..
        out.extend([
            Insn::Field(Op::Getstatic, cells),
            Insn::Plain(Op::Swap),
            index,
            Insn::Plain(Op::Swap),
            Insn::Plain(Op::Aastore),
        ]);
        Ok(())
    }
}

/// Pushes what makes the object from a cell the value of a field.
fn unbox(
    editor: &mut Editor<'_>,
    ty: FieldType<'_>,
    descriptor: JStr<'_>,
    out: &mut Vec<Insn>,
) -> Result<()> {
    let pool = editor.pool_mut();
    match Wrapper::of(ty) {
        Some(wrapper) => {
            let class = pool.class(wrapper.class)?;
            let descriptor = format!("(){descriptor}");
            let method = pool.method(wrapper.class, wrapper.value, descriptor.as_str())?;
            out.extend([
                Insn::Class(Op::Checkcast, class),
                Insn::Invoke(Op::Invokevirtual, method),
            ]);
        }
        None => {
            let class = match ty {
                FieldType::Object(name) => pool.class(name)?,
                _ => pool.class(descriptor)?,
            };
            out.push(Insn::Class(Op::Checkcast, class));
        }
    }
    Ok(())
}

/// The class that boxes a primitive type, and the method that gives the value back.
pub(super) struct Wrapper {
    pub(super) class: &'static str,
    value: &'static str,
}

impl Wrapper {
    pub(super) fn of(ty: FieldType<'_>) -> Option<Wrapper> {
        let (class, value) = match ty {
            FieldType::Boolean => ("java/lang/Boolean", "booleanValue"),
            FieldType::Byte => ("java/lang/Byte", "byteValue"),
            FieldType::Char => ("java/lang/Character", "charValue"),
            FieldType::Short => ("java/lang/Short", "shortValue"),
            FieldType::Int => ("java/lang/Integer", "intValue"),
            FieldType::Long => ("java/lang/Long", "longValue"),
            FieldType::Float => ("java/lang/Float", "floatValue"),
            FieldType::Double => ("java/lang/Double", "doubleValue"),
            FieldType::Object(_) | FieldType::Array(_) => return None,
        };
        Some(Wrapper { class, value })
    }
}
