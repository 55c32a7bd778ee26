//! The class with just one mutant.

use braid_classfile::{ClassFile, Code, Editor, Frames};

use crate::error::{MutatorsError, Result};
use crate::model::{Mutant, Mutation, Replacement};

/// The class with just this mutant: what a JVM runs that knows nothing of variants.
pub fn alone(original: &[u8], mutation: &Mutation, mutant: &Mutant) -> Result<Vec<u8>> {
    let copy = match &mutant.code {
        Replacement::Whole(bytes) => return Ok(bytes.to_vec()),
        Replacement::Copy(copy) => copy,
    };
    let originals = ClassFile::parse(original)?.methods().len();
    let class = ClassFile::parse(&mutation.bulk)?;
    let find = |name: &str| {
        let same = |m: braid_classfile::Member<'_>| {
            m.name() == name && m.descriptor() == mutant.descriptor.as_str()
        };
        let foreign = || MutatorsError::ForeignMutant(mutant.id.to_string());
        class.methods().position(same).ok_or_else(foreign)
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
