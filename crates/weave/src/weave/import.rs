//! Takes methods of a patched class into the class being woven: constants are translated, frames
//! keep their meaning, lambda bodies come along under new names.

use std::collections::HashMap;

use braid_classfile::{
    AccessFlags, Attribute, ClassFile, Code, Constant, Dynamic, Editor, ErrorKind, Frames, Insn,
    JStr, MethodHandle, Op, TypeKind, VType,
};

use crate::error::Result;
use crate::names::MARK;
use crate::weave::canonical::is_lambda;

/// Dynamic constants may refer to each other; broken ones may do so in a circle.
const MAX_DEPTH: usize = 64;

/// Takes code from one class.
pub(super) struct Import<'s> {
    source: &'s ClassFile<'s>,
    reader: Editor<'s>,
    /// New index plus one of each constant; 0 if not yet asked for.
    constants: Vec<u32>,
    bootstraps: Vec<(u16, Vec<u16>)>,
    bodies: HashMap<(&'s [u8], &'s [u8]), usize>,
    types: HashMap<u32, VType>,
    /// Lambda bodies by position, with their new names.
    lambdas: HashMap<usize, String>,
    /// Lambda bodies that are named but not yet taken over.
    wanted: Vec<usize>,
    depth: usize,
    scratch: Code,
}

/// Numbers the lambdas of a woven class.
#[derive(Default)]
pub(super) struct LambdaNames {
    count: u32,
}

impl LambdaNames {
    fn next(&mut self, old: JStr<'_>) -> String {
        self.count += 1;
        format!("{old}{MARK}{}", self.count)
    }
}

impl<'s> Import<'s> {
    pub(super) fn new(source: &'s ClassFile<'s>) -> Result<Import<'s>> {
        let bootstraps = match source.attribute("BootstrapMethods")? {
            Some(Attribute::BootstrapMethods(list)) => list
                .iter()
                .map(|b| (b.handle, b.arguments.iter().collect()))
                .collect(),
            _ => Vec::new(),
        };
        let bodies = source
            .methods()
            .enumerate()
            .filter(|(_, method)| is_lambda(*method))
            .map(|(position, method)| {
                let key = (method.name().as_bytes(), method.descriptor().as_bytes());
                (key, position)
            })
            .collect();
        Ok(Import {
            source,
            reader: Editor::new(source),
            constants: vec![0; usize::from(source.pool().count())],
            bootstraps,
            bodies,
            types: HashMap::new(),
            lambdas: HashMap::new(),
            wanted: Vec::new(),
            depth: 0,
            scratch: Code::default(),
        })
    }

    /// Reads the method at a position of the source into `code`, in terms of the edited class.
    pub(super) fn code(
        &mut self,
        editor: &mut Editor<'_>,
        names: &mut LambdaNames,
        position: usize,
        code: &mut Code,
    ) -> Result<()> {
        let mut from = std::mem::take(&mut self.scratch);
        self.reader.read_code(position, &mut from)?;
        code.clear();
        (0..from.label_count()).for_each(|_| {
            code.new_label();
        });
        std::mem::swap(&mut code.insns, &mut from.insns);
        std::mem::swap(&mut code.switches, &mut from.switches);
        std::mem::swap(&mut code.tries, &mut from.tries);
        std::mem::swap(&mut code.lines, &mut from.lines);
        std::mem::swap(&mut code.locals, &mut from.locals);
        std::mem::swap(&mut code.local_types, &mut from.local_types);
        (code.max_stack, code.max_locals) = (from.max_stack, from.max_locals);
        self.frames(editor, &from, code);
        self.scratch = from;
        self.constants(editor, names, code)
    }

    fn frames(&mut self, editor: &mut Editor<'_>, from: &Code, code: &mut Code) {
        let mut locals = Vec::new();
        for frame in from.frames.iter() {
            locals.clear();
            let all = frame.locals.iter().chain(frame.stack);
            for ty in all {
                locals.push(self.frame_type(editor, *ty));
            }
            let (first, rest) = locals.split_at(frame.locals.len());
            code.frames.push(frame.label, first, rest);
        }
    }

    fn frame_type(&mut self, editor: &mut Editor<'_>, ty: VType) -> VType {
        let TypeKind::Object(id) = ty.kind() else {
            return ty;
        };
        let reader = &self.reader;
        *self
            .types
            .entry(id)
            .or_insert_with(|| editor.types_mut().object(reader.types().name(id)))
    }

    fn constants(
        &mut self,
        editor: &mut Editor<'_>,
        names: &mut LambdaNames,
        code: &mut Code,
    ) -> Result<()> {
        for insn in &mut code.insns {
            match insn {
                Insn::Const(op, index) => {
                    *index = self.constant(editor, names, *index)?;
                    if *op != Op::Ldc2W {
                        *insn = Insn::ldc(*index);
                    }
                }
                Insn::Field(_, index)
                | Insn::Invoke(_, index)
                | Insn::InvokeInterface(index, _)
                | Insn::InvokeDynamic(index)
                | Insn::Class(_, index)
                | Insn::MultiNewArray(index, _) => *index = self.constant(editor, names, *index)?,
                _ => {}
            }
        }
        for range in &mut code.tries {
            range.catch_type = self.constant(editor, names, range.catch_type)?;
        }
        for local in code.locals.iter_mut().chain(&mut code.local_types) {
            local.name = self.constant(editor, names, local.name)?;
            local.descriptor = self.constant(editor, names, local.descriptor)?;
        }
        Ok(())
    }

    /// The index in the edited class of a constant of the source; 0 stays 0.
    pub(super) fn constant(
        &mut self,
        editor: &mut Editor<'_>,
        names: &mut LambdaNames,
        index: u16,
    ) -> Result<u16> {
        if index == 0 {
            return Ok(0);
        }
        if let Some(&known) = self.constants.get(usize::from(index))
            && known != 0
        {
            return Ok((known - 1) as u16);
        }
        let new = match self.source.pool().get(index)? {
            Constant::Dynamic(dynamic) => {
                let dynamic = self.dynamic(editor, names, dynamic)?;
                editor.pool_mut().dynamic(dynamic)?
            }
            Constant::InvokeDynamic(dynamic) => {
                let dynamic = self.dynamic(editor, names, dynamic)?;
                editor.pool_mut().invoke_dynamic(dynamic)?
            }
            Constant::MethodHandle(handle) => self.handle(editor, names, handle)?,
            constant => editor.pool_mut().constant(constant)?,
        };
        self.constants[usize::from(index)] = u32::from(new) + 1;
        Ok(new)
    }

    /// A method handle; if it is a lambda's body, under the name that body gets.
    fn handle(
        &mut self,
        editor: &mut Editor<'_>,
        names: &mut LambdaNames,
        handle: MethodHandle<'s>,
    ) -> Result<u16> {
        let member = handle.member;
        let own = member.owner == self.source.name();
        let key = (member.name.as_bytes(), member.descriptor.as_bytes());
        let lambda = self.bodies.get(&key).copied().filter(|_| own);
        let Some(position) = lambda else {
            return Ok(editor.pool_mut().constant(Constant::MethodHandle(handle))?);
        };
        let name = match self.lambdas.get(&position) {
            Some(name) => name.clone(),
            None => {
                let name = names.next(member.name);
                self.lambdas.insert(position, name.clone());
                self.wanted.push(position);
                name
            }
        };
        let mut renamed = handle;
        renamed.member.name = JStr::from(name.as_str());
        Ok(editor
            .pool_mut()
            .constant(Constant::MethodHandle(renamed))?)
    }

    fn dynamic(
        &mut self,
        editor: &mut Editor<'_>,
        names: &mut LambdaNames,
        dynamic: Dynamic<'s>,
    ) -> Result<Dynamic<'s>> {
        let Some((handle, arguments)) =
            self.bootstraps.get(usize::from(dynamic.bootstrap)).cloned()
        else {
            let (what, value) = ("bootstrap method", u32::from(dynamic.bootstrap));
            return Err(ErrorKind::BadValue { what, value }.at(0).into());
        };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let (what, limit) = ("nested dynamic constants", MAX_DEPTH);
            return Err(ErrorKind::Limit { what, limit }.at(0).into());
        }
        let handle = self.constant(editor, names, handle)?;
        let mut imported = Vec::with_capacity(arguments.len());
        for argument in arguments {
            imported.push(self.constant(editor, names, argument)?);
        }
        self.depth -= 1;
        let bootstrap = editor.bootstrap(handle, &imported)?;
        Ok(Dynamic {
            bootstrap,
            ..dynamic
        })
    }

    /// Takes over the lambda bodies that the code taken so far uses, and those that these use.
    pub(super) fn lambda_bodies(
        &mut self,
        editor: &mut Editor<'_>,
        names: &mut LambdaNames,
    ) -> Result<()> {
        let mut code = Code::default();
        while let Some(position) = self.wanted.pop() {
            let Some(method) = self.source.method_at(position) else {
                continue;
            };
            let access = method.access().with(AccessFlags::SYNTHETIC);
            let name = self.lambdas[&position].as_str();
            let target = editor.add_method(access, name, method.descriptor())?;
            self.code(editor, names, position, &mut code)?;
            editor.write_code(target, &mut code, Frames::Keep)?;
        }
        Ok(())
    }
}
