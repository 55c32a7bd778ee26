//! Editing a class: read a method's code, change it, write it; add and remove members.

use std::ops::Range;

use crate::class::{ClassFile, Member};
use crate::edit::code::Code;
use crate::edit::members::{AttributeEdits, Bootstraps, Header, MemberEdit};
use crate::edit::pool::PoolBuilder;
use crate::edit::read::{CodeReader, ReadContext};
use crate::edit::write::{CodeWriter, WriteContext};
use crate::error::{ErrorKind, Result};
use crate::flags::AccessFlags;
use crate::frames::{Hierarchy, Lattice, MethodStart, Types, VType};
use crate::jstr::JStr;
use crate::reader::u16_at;

/// What happens to stack map frames, stack depth and number of locals when code is written.
#[derive(Clone, Copy)]
pub enum Frames<'h> {
    /// All three stay as the [`Code`] has them.
    Keep,
    /// Frames stay, depth and locals are computed.
    Maxs,
    /// The frames that came with the code hold; those of new branch targets are computed by
    /// simulating forward from them. Needs no hierarchy. For edits that only insert: if two paths
    /// meet in inserted code with operands of different classes, this is an error.
    Forward,
    /// Everything is computed from nothing. Dead code is removed.
    Recompute(&'h dyn Hierarchy),
}

/// Which tables to read with a method's code; what is not read is gone when it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadParts {
    /// Stack map frames (not needed if they will be recomputed).
    pub frames: bool,
    /// Line numbers and local variables.
    pub debug: bool,
}

impl Default for ReadParts {
    fn default() -> Self {
        ReadParts {
            frames: true,
            debug: true,
        }
    }
}

/// Edits a class. What is not edited keeps its bytes, the constant pool only grows.
///
/// A class made from nothing, then a call put before everything that its method does:
///
/// ```
/// use braid_classfile::{AccessFlags, ClassFile, Code, ClassTable, Editor, Frames, Insn, Op, new_class};
/// # fn main() -> Result<(), braid_classfile::Error> {
/// let public = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
/// let empty = new_class(61, AccessFlags::PUBLIC, "Example", Some("java/lang/Object"))?;
/// let class = ClassFile::parse(&empty)?;
/// let mut editor = Editor::new(&class);
/// let method = editor.add_method(public, "absolute", "(I)I")?;
/// let mut code = Code::default();
/// let positive = code.new_label();
/// code.insns = vec![
///     Insn::Local(Op::Iload, 0),
///     Insn::Jump(Op::Ifge, positive),
///     Insn::Local(Op::Iload, 0),
///     Insn::Plain(Op::Ineg),
///     Insn::Plain(Op::Ireturn),
///     Insn::Label(positive),
///     Insn::Local(Op::Iload, 0),
///     Insn::Plain(Op::Ireturn),
/// ];
/// editor.write_code(method, &mut code, Frames::Recompute(&ClassTable::new()))?;
/// let bytes = editor.finish()?;
///
/// let class = ClassFile::parse(&bytes)?;
/// let mut editor = Editor::new(&class);
/// let tick = editor.pool_mut().method("Counter", "tick", "()V")?;
/// for method in 0..class.methods().len() {
///     if editor.read_code(method, &mut code)? {
///         code.insert(0, [Insn::Invoke(Op::Invokestatic, tick)]);
///         editor.write_code(method, &mut code, Frames::Forward)?;
///     }
/// }
/// let edited = editor.finish()?;
/// let class = ClassFile::parse(&edited)?;
/// let code = class.method("absolute", "(I)I").and_then(|m| m.code().ok()?).expect("its code");
/// let first = code.instructions().next().expect("an instruction")?;
/// assert_eq!(first.op, Op::Invokestatic);
/// assert_eq!(code.stack_map_table()?.expect("frames").len(), 1);
/// # Ok(()) }
/// ```
pub struct Editor<'a> {
    pub(super) class: &'a ClassFile<'a>,
    pub(super) pool: PoolBuilder<'a>,
    pub(super) work: Workspace,
    pub(super) header: Header,
    pub(super) fields: Vec<MemberEdit>,
    pub(super) methods: Vec<MemberEdit>,
    pub(super) attributes: AttributeEdits,
    pub(super) bootstraps: Bootstraps,
}

/// Memory that editors can share one after the other, so that editing many classes does not
/// allocate anew for each.
#[derive(Default)]
pub struct Workspace {
    types: Types,
    reader: CodeReader,
    writer: CodeWriter,
    /// Contents of the written `Code` attributes.
    pub(super) codes: Vec<u8>,
}

impl<'a> Editor<'a> {
    /// An editor in which nothing has been edited yet.
    pub fn new(class: &'a ClassFile<'a>) -> Editor<'a> {
        Editor::with_workspace(class, Workspace::default())
    }

    /// The same, with memory from [`Editor::finish_reusing`].
    pub fn with_workspace(class: &'a ClassFile<'a>, mut work: Workspace) -> Editor<'a> {
        work.types.reset();
        work.reader.reset();
        work.codes.clear();
        let edits = |members: &[_]| vec![MemberEdit::default(); members.len()];
        Editor {
            class,
            pool: PoolBuilder::new(class.pool()),
            work,
            header: Header::default(),
            fields: edits(&class.index.fields),
            methods: edits(&class.index.methods),
            attributes: AttributeEdits::default(),
            bootstraps: Bootstraps::default(),
        }
    }

    /// The class as it was.
    pub fn class(&self) -> &'a ClassFile<'a> {
        self.class
    }

    /// The constant pool as it is now.
    pub fn pool(&self) -> &PoolBuilder<'a> {
        &self.pool
    }

    /// The constant pool, to add to it.
    pub fn pool_mut(&mut self) -> &mut PoolBuilder<'a> {
        &mut self.pool
    }

    /// The names behind the types of frames.
    pub fn types(&self) -> &Types {
        &self.work.types
    }

    /// The names behind the types of frames, to make new ones.
    pub fn types_mut(&mut self) -> &mut Types {
        &mut self.work.types
    }

    /// Reads the code of the method at a position into `code`; false if it has none.
    pub fn read_code(&mut self, method: usize, code: &mut Code) -> Result<bool> {
        self.read_code_parts(method, code, ReadParts::default())
    }

    /// Reads the code of a method without the tables that will not be needed.
    pub fn read_code_parts(
        &mut self,
        method: usize,
        code: &mut Code,
        parts: ReadParts,
    ) -> Result<bool> {
        let Some(member) = self.class.method_at(method) else {
            return Err(no_method(method));
        };
        let Some(source) = member.code()? else {
            return Ok(false);
        };
        let start = self.method_start(method)?;
        let mut context = ReadContext {
            pool: &self.pool,
            types: &mut self.work.types,
            start: &start,
            parts,
        };
        self.work.reader.read(source, code, &mut context)?;
        Ok(true)
    }

    /// The types a method starts with.
    fn method_start(&mut self, method: usize) -> Result<MethodStart> {
        let (access, name, descriptor) = self.method_header(method)?;
        let this = self
            .work
            .types
            .of_class(&self.pool, self.class.this_index())?;
        let receiver = if access.is_static() {
            None
        } else if self.pool.view().utf8(name)? == "<init>" && this != VType::JAVA_OBJECT {
            Some(VType::UNINITIALIZED_THIS)
        } else {
            Some(this)
        };
        Ok(MethodStart {
            receiver,
            descriptor,
            this,
        })
    }

    /// Access flags, name and descriptor that a method has now.
    fn method_header(&self, method: usize) -> Result<(AccessFlags, u16, u16)> {
        let Some(edit) = self.methods.get(method) else {
            return Err(no_method(method));
        };
        let original = self.class.method_at(method).map(|member| {
            let at = member.offset();
            let item = |i| u16_at(self.class.bytes(), at + i);
            (AccessFlags(item(0)), item(2), item(4))
        });
        let (access, name, descriptor) = original.unwrap_or_default();
        Ok((
            edit.access.unwrap_or(access),
            edit.name.unwrap_or(name),
            edit.descriptor.unwrap_or(descriptor),
        ))
    }

    /// Writes the code of a method: the one at a position, or one that was added.
    ///
    /// `code` is changed where the mode asks for it: dead code goes, long jumps are widened.
    pub fn write_code(&mut self, method: usize, code: &mut Code, frames: Frames<'_>) -> Result<()> {
        let range = self.encode_code(method, code, frames)?;
        self.methods[method].code = Some(range);
        Ok(())
    }

    fn encode_code(
        &mut self,
        method: usize,
        code: &mut Code,
        frames: Frames<'_>,
    ) -> Result<Range<usize>> {
        let start = self.method_start(method)?;
        let class = self.class;
        let hierarchy = match frames {
            Frames::Recompute(hierarchy) => Some(hierarchy),
            _ => None,
        };
        let Workspace {
            types,
            writer,
            codes,
            ..
        } = &mut self.work;
        let mut context = WriteContext {
            pool: &mut self.pool,
            types,
            start: &start,
            version: self
                .header
                .version
                .map_or(class.major_version(), |(major, _)| major),
            lattice: Lattice {
                hierarchy,
                this_name: class.name(),
                super_name: class.super_name(),
                interface: class.access().is_interface(),
            },
        };
        let from = codes.len();
        let written = writer.write(codes, code, frames, &mut context);
        if written.is_err() {
            codes.truncate(from);
        }
        written.map(|()| from..codes.len())
    }

    /// The original method at a position.
    pub fn method(&self, method: usize) -> Option<Member<'a>> {
        self.class.method_at(method)
    }

    /// The instruction that calls an interface method, with the argument count it needs.
    pub fn invoke_interface(
        &mut self,
        owner: JStr<'_>,
        name: JStr<'_>,
        descriptor: JStr<'_>,
    ) -> Result<crate::Insn> {
        let slots = crate::MethodDescriptor::parse(descriptor)?.parameter_slots();
        let Ok(count) = u8::try_from(slots + 1) else {
            let what = "parameters";
            return Err(ErrorKind::Limit { what, limit: 255 }.at(0));
        };
        let index = self.pool.interface_method(owner, name, descriptor)?;
        Ok(crate::Insn::InvokeInterface(index, count))
    }
}

pub(super) fn no_method(method: usize) -> crate::Error {
    ErrorKind::Encode("a method that is not there").at(method)
}
