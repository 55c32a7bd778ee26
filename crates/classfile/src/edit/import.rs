//! Taking code from one class into another: every constant is looked up or added there.

use crate::attribute::Attribute;
use crate::class::ClassFile;
use crate::edit::code::Code;
use crate::edit::editor::Editor;
use crate::edit::insn::Insn;
use crate::error::{ErrorKind, Result};
use crate::pool::{Constant, Dynamic, tag};

/// Translates constant indices of one class into those of a class being edited.
///
/// ```
/// # use braid_classfile::*;
/// # fn class(name: &str, text: &str) -> Result<Vec<u8>> {
/// #     let empty = new_class(61, AccessFlags::PUBLIC, name, Some("java/lang/Object"))?;
/// #     let class = ClassFile::parse(&empty)?;
/// #     let mut editor = Editor::new(&class);
/// #     let method = editor.add_method(AccessFlags::STATIC, "f", "()Ljava/lang/String;")?;
/// #     let mut code = Code::default();
/// #     let text = editor.pool_mut().string(text)?;
/// #     code.insns = vec![Insn::ldc(text), Insn::Plain(Op::Areturn)];
/// #     editor.write_code(method, &mut code, Frames::Maxs)?;
/// #     editor.finish()
/// # }
/// # fn main() -> Result<()> {
/// # let (original, patched) = (class("Example", "old")?, class("Example", "new")?);
/// // Two versions of a class; the method of the second replaces that of the first.
/// let (original, patched) = (ClassFile::parse(&original)?, ClassFile::parse(&patched)?);
/// let mut code = Code::default();
/// Editor::new(&patched).read_code(0, &mut code)?;
/// let mut editor = Editor::new(&original);
/// Importer::new(&patched)?.code(&mut editor, &mut code)?; // now `code` refers to `original`'s pool
/// editor.write_code(0, &mut code, Frames::Recompute(&ClassTable::new()))?;
/// let bytes = editor.finish()?;
/// # let merged = ClassFile::parse(&bytes)?;
/// # assert!(merged.pool().indices().any(|i| merged.pool().string(i).is_ok_and(|s| s == "new")));
/// # Ok(()) }
/// ```
pub struct Importer<'s> {
    source: &'s ClassFile<'s>,
    /// New index plus one of each source index; 0 if not yet asked for.
    known: Vec<u32>,
    bootstraps: Vec<(u16, Vec<u16>)>,
    depth: usize,
}

/// Dynamic constants may refer to each other; broken ones may do so in a circle.
const MAX_DEPTH: usize = 64;

impl<'s> Importer<'s> {
    /// An importer from a class.
    pub fn new(source: &'s ClassFile<'s>) -> Result<Importer<'s>> {
        let bootstraps = match source.attribute("BootstrapMethods")? {
            Some(Attribute::BootstrapMethods(list)) => list
                .iter()
                .map(|b| (b.handle, b.arguments.iter().collect()))
                .collect(),
            _ => Vec::new(),
        };
        let known = vec![0; usize::from(source.pool().count())];
        Ok(Importer {
            source,
            known,
            bootstraps,
            depth: 0,
        })
    }

    /// The index in the edited class of a constant of the source; 0 stays 0.
    pub fn constant(&mut self, editor: &mut Editor<'_>, index: u16) -> Result<u16> {
        if index == 0 {
            return Ok(0);
        }
        if let Some(&known) = self.known.get(usize::from(index))
            && known != 0
        {
            return Ok((known - 1) as u16);
        }
        let new = match self.source.pool().get(index)? {
            Constant::Dynamic(dynamic) => {
                let dynamic = self.dynamic(editor, dynamic)?;
                editor.pool_mut().dynamic(dynamic)?
            }
            Constant::InvokeDynamic(dynamic) => {
                let dynamic = self.dynamic(editor, dynamic)?;
                editor.pool_mut().invoke_dynamic(dynamic)?
            }
            constant => editor.pool_mut().constant(constant)?,
        };
        self.known[usize::from(index)] = u32::from(new) + 1;
        Ok(new)
    }

    /// Imports the bootstrap method of a dynamic constant.
    fn dynamic(&mut self, editor: &mut Editor<'_>, dynamic: Dynamic<'s>) -> Result<Dynamic<'s>> {
        let Some((handle, arguments)) = self.bootstraps.get(usize::from(dynamic.bootstrap)) else {
            let (what, value) = ("bootstrap method", u32::from(dynamic.bootstrap));
            return Err(ErrorKind::BadValue { what, value }.at(0));
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let what = "nested dynamic constants";
            return Err(ErrorKind::Limit {
                what,
                limit: MAX_DEPTH,
            }
            .at(0));
        }
        let (handle, arguments) = (*handle, arguments.clone());
        let handle = self.constant(editor, handle)?;
        let mut imported = Vec::with_capacity(arguments.len());
        for argument in arguments {
            imported.push(self.constant(editor, argument)?);
        }
        self.depth -= 1;
        let bootstrap = editor.bootstrap(handle, &imported)?;
        Ok(Dynamic {
            bootstrap,
            ..dynamic
        })
    }

    /// Makes code that was read from the source refer to the edited class's constants.
    ///
    /// Frames, type annotations and attributes this crate does not know are dropped: their types
    /// belong to the source. Compute the frames when the code is written.
    pub fn code(&mut self, editor: &mut Editor<'_>, code: &mut Code) -> Result<()> {
        for insn in &mut code.insns {
            match insn {
                Insn::Const(op, index) => {
                    *index = self.constant(editor, *index)?;
                    let tag = editor.pool().view().tag(*index);
                    if matches!(tag, tag::LONG | tag::DOUBLE) || *op == crate::Op::Ldc2W {
                        continue;
                    }
                    *insn = Insn::ldc(*index);
                }
                Insn::Field(_, index)
                | Insn::Invoke(_, index)
                | Insn::InvokeInterface(index, _)
                | Insn::InvokeDynamic(index)
                | Insn::Class(_, index)
                | Insn::MultiNewArray(index, _) => *index = self.constant(editor, *index)?,
                _ => {}
            }
        }
        for range in &mut code.tries {
            range.catch_type = self.constant(editor, range.catch_type)?;
        }
        for local in code.locals.iter_mut().chain(&mut code.local_types) {
            local.name = self.constant(editor, local.name)?;
            local.descriptor = self.constant(editor, local.descriptor)?;
        }
        code.frames.clear();
        code.type_annotations.clear();
        code.attributes.clear();
        Ok(())
    }
}
