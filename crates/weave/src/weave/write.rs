//! Writes what was found: companions, choices, lambda bodies.

use std::collections::HashMap;

use braid_classfile::{AccessFlags, Code, Editor, Frames, Insn, Op};

use crate::error::Result;
use crate::weave::dispatch::{Companion, Method, Names};
use crate::weave::import::{Import, LambdaNames};
use crate::weave::model::MethodKey;

/// A body that some variants have at a site.
pub(super) struct Body {
    pub(super) source: usize,
    /// Position in the source; `None` for an empty body.
    pub(super) position: Option<usize>,
    pub(super) synchronized: bool,
}

/// A method that variants change, and the bodies they give it.
pub(super) struct Changed {
    /// Position in the original class.
    pub(super) position: Option<usize>,
    pub(super) access: AccessFlags,
    /// Variants with the number of their body.
    pub(super) variants: Vec<(u32, u32)>,
    pub(super) bodies: Vec<Body>,
    pub(super) known: HashMap<(bool, Vec<u8>), u32>,
    /// Monitor and code of the original.
    pub(super) original: Option<(bool, Vec<u8>)>,
}

/// What is needed to write companions.
#[derive(Default)]
pub(super) struct Output {
    pub(super) lambdas: LambdaNames,
    names: Names,
    code: Code,
}

impl Output {
    /// Writes the companions and the choice of one method.
    pub(super) fn site(
        &mut self,
        editor: &mut Editor<'_>,
        imports: &mut [Import<'_>],
        key: &MethodKey,
        changed: &Changed,
    ) -> Result<()> {
        let method = Method {
            name: &key.name,
            descriptor: &key.descriptor,
            access: changed.access,
            interface: editor.class().access().is_interface(),
        };
        // If only some take the monitor, each takes its own and the choice takes none.
        let locked = changed.access.is_synchronized();
        let apart = locked && changed.bodies.iter().any(|body| !body.synchronized);
        let mut companions = Vec::with_capacity(changed.bodies.len());
        for body in &changed.bodies {
            let own = body.synchronized && (apart || !locked);
            let companion = method.companion(editor, &mut self.names, own)?;
            self.body(editor, imports, body, companion)?;
            companions.push(companion);
        }
        let targets: Vec<(i32, Companion)> = changed
            .variants
            .iter()
            .map(|(variant, body)| (*variant as i32, companions[*body as usize]))
            .collect();
        self.choice(editor, &method, changed, apart, &targets)
    }

    fn body(
        &mut self,
        editor: &mut Editor<'_>,
        imports: &mut [Import<'_>],
        body: &Body,
        companion: Companion,
    ) -> Result<()> {
        let code = &mut self.code;
        match body.position {
            Some(position) => {
                imports[body.source].code(editor, &mut self.lambdas, position, code)?;
                code.max_locals = code.max_locals.max(companion.slots);
                editor.write_code(companion.position, code, Frames::Keep)?;
            }
            None => {
                code.clear();
                code.insns.push(Insn::Plain(Op::Return));
                editor.write_code(companion.position, code, Frames::Maxs)?;
            }
        }
        Ok(())
    }

    /// Writes the changed method: the choice, then its own code.
    fn choice(
        &mut self,
        editor: &mut Editor<'_>,
        method: &Method<'_>,
        changed: &Changed,
        apart: bool,
        targets: &[(i32, Companion)],
    ) -> Result<()> {
        let own = changed.position;
        let mut moved = None;
        let mut move_away = |editor: &mut Editor<'_>, names: &mut Names| -> Result<Companion> {
            if let Some(companion) = moved {
                return Ok(companion);
            }
            let companion = method.companion(editor, names, apart)?;
            let mut code = Code::default();
            match own {
                Some(position) => {
                    editor.read_code(position, &mut code)?;
                    code.max_locals = code.max_locals.max(companion.slots);
                    editor.write_code(companion.position, &mut code, Frames::Keep)?;
                }
                None => {
                    absent(method, &mut code);
                    editor.write_code(companion.position, &mut code, Frames::Maxs)?;
                }
            }
            moved = Some(companion);
            Ok(companion)
        };
        let code = &mut self.code;
        match own {
            _ if apart => {
                let companion = move_away(editor, &mut self.names)?;
                method.delegate(companion, code)?;
            }
            Some(position) => {
                editor.read_code(position, code)?;
                if is_large(editor, position) {
                    let companion = move_away(editor, &mut self.names)?;
                    method.delegate(companion, code)?;
                }
            }
            None => absent(method, code),
        }
        method.choose(editor, &mut self.names, targets, &mut move_away, code)?;
        let position = match own {
            Some(position) => position,
            None => editor.add_method(
                changed.access.with(AccessFlags::SYNTHETIC),
                method.name,
                method.descriptor,
            )?,
        };
        if apart {
            let access = changed.access.without(AccessFlags::SYNCHRONIZED);
            editor.set_method_access(position, access)?;
        }
        editor.write_code(position, code, Frames::Forward)?;
        Ok(())
    }

    /// Takes over the lambda bodies that companions use, and those that these use.
    pub(super) fn lambda_bodies(
        &mut self,
        editor: &mut Editor<'_>,
        imports: &mut [Import<'_>],
    ) -> Result<()> {
        for import in imports {
            import.lambda_bodies(editor, &mut self.lambdas)?;
        }
        Ok(())
    }
}

/// The code of an added method for variants that do not have it. They never call it.
fn absent(method: &Method<'_>, code: &mut Code) {
    code.clear();
    match method.name {
        "<clinit>" => code.insns.push(Insn::Plain(Op::Return)),
        _ => code
            .insns
            .extend([Insn::Plain(Op::AconstNull), Insn::Plain(Op::Athrow)]),
    }
}

/// Whether a method's code leaves too little room for a choice in front of it.
fn is_large(editor: &Editor<'_>, position: usize) -> bool {
    const ROOM: usize = 4096;
    let code = editor.method(position).map(|method| method.code());
    matches!(code, Some(Ok(Some(code))) if code.bytes.len() + ROOM > 0xffff)
}
