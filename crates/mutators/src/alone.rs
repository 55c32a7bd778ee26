//! The class with just one mutant.

use braid_classfile::{ClassFile, Code, Editor, Frames};

use crate::error::{MutatorsError, Result};
use crate::model::{Mutant, Mutation, Replacement};
use crate::write::apply;

/// The class with just this mutant: what a JVM runs that knows nothing of variants.
pub fn alone(original: &[u8], mutation: &Mutation, mutant: &Mutant) -> Result<Vec<u8>> {
    let copy = match &mutant.code {
        Replacement::Whole => return whole(original, mutant),
        Replacement::Copy(copy) => copy,
    };
    if mutant.class != mutation.class {
        return Err(foreign(mutant));
    }
    let originals = ClassFile::parse(original)?.methods().len();
    let class = ClassFile::parse(&mutation.bulk)?;
    let find = |name: &str| {
        let same = |m: braid_classfile::Member<'_>| {
            m.name() == name && m.descriptor() == mutant.descriptor.as_str()
        };
        class
            .methods()
            .position(same)
            .ok_or_else(|| foreign(mutant))
    };
    let (from, to) = (find(copy)?, find(&mutant.method)?);
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    editor.read_code(from, &mut code)?;
    editor.write_code(to, &mut code, Frames::Keep)?;
    for extra in originals..class.methods().len() {
        editor.remove_method(extra)?;
    }
    Ok(editor.finish()?)
}

/// The class with a mutant of a constructor or initialiser in its place.
fn whole(original: &[u8], mutant: &Mutant) -> Result<Vec<u8>> {
    let class = ClassFile::parse(original)?;
    let own = |m: braid_classfile::Member<'_>| {
        m.name() == mutant.method.as_str() && m.descriptor() == mutant.descriptor.as_str()
    };
    let method = class.methods().position(own);
    let method = method.ok_or_else(|| foreign(mutant))?;
    let mut editor = Editor::new(&class);
    let mut code = Code::default();
    editor.read_code(method, &mut code)?;
    let frames = apply(&mut code, &mutant.edits, editor.pool_mut())?;
    editor.write_code(method, &mut code, frames)?;
    Ok(editor.finish()?)
}

fn foreign(mutant: &Mutant) -> MutatorsError {
    MutatorsError::ForeignMutant(mutant.id.to_string())
}
