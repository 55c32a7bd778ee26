//! A class as one variant has it: nothing woven, no choice, only other code in its methods.

use braid_classfile::{ClassFile, Code, Editor, Frames};

use crate::error::Result;
use crate::weave::import::{Import, LambdaNames};
use crate::weave::model::{Change, MethodKey};

/// The class as these changes of one variant leave it; `None` where they are not all copies of its methods.
pub fn plain(original: &[u8], changes: &[&Change]) -> Result<Option<Vec<u8>>> {
    if let [Change::Class(bytes)] = changes {
        return Ok(Some(bytes.to_vec()));
    }
    let class = ClassFile::parse(original)?;
    let mut editor = Editor::new(&class);
    let mut names = LambdaNames::default();
    for change in changes {
        let Change::Copy {
            class: source,
            method,
            copy,
        } = change
        else {
            return Ok(None);
        };
        let source = ClassFile::parse(source)?;
        if !replace(&mut editor, &mut names, &source, method, copy)? {
            return Ok(None);
        }
    }
    Ok(Some(editor.finish()?))
}

/// Gives a method the code of its copy; false if one of them is not there.
fn replace(
    editor: &mut Editor<'_>,
    names: &mut LambdaNames,
    source: &ClassFile<'_>,
    method: &MethodKey,
    copy: &str,
) -> Result<bool> {
    let position = |class: &ClassFile<'_>, name: &str| {
        let same = |m: braid_classfile::Member<'_>| {
            m.name() == name && m.descriptor() == method.descriptor.as_str()
        };
        class.methods().position(same)
    };
    let target = position(editor.class(), &method.name);
    let (Some(target), Some(from)) = (target, position(source, copy)) else {
        return Ok(false);
    };
    let mut import = Import::new(source)?;
    let mut code = Code::default();
    import.code(editor, names, from, &mut code)?;
    editor.write_code(target, &mut code, Frames::Keep)?;
    import.lambda_bodies(editor, names)?;
    Ok(true)
}
