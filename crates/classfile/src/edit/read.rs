//! From a `Code` attribute to the code model.

use crate::attribute::{LineNumber, LocalVariable, RawAttribute, TypeTarget};
use crate::code::CodeAttribute;
use crate::edit::code::{
    Code, CodeAttributeSlot, CodeTarget, CodeTypeAnnotation, Line, LocalVar, TryRange,
    annotation_fits,
};
use crate::edit::decode::{Form, TEMPLATES};
use crate::edit::editor::ReadParts;
use crate::edit::insn::{Cases, Insn, Label, Switch};
use crate::edit::pool::PoolBuilder;
use crate::error::{ErrorKind, Result};
use crate::frames::{MethodStart, Types, VType};
use crate::instruction::{Instructions, Operand};
use crate::opcode::{Op, OperandKind};
use crate::reader::{Reader, u16_at};
use crate::table::{Record, Table};

/// Scratch memory for reading code, reused from method to method.
#[derive(Default)]
pub(crate) struct CodeReader {
    /// Label plus one plus `base` of each code offset that something refers to. Numbers up to
    /// `base` are left from methods read before, so that nothing need be cleared.
    label_at: Vec<u32>,
    base: u32,
    labels: u32,
    /// Size of the code.
    len: usize,
    /// Code offset of the jump being decoded.
    now: usize,
    /// True if a label was made for a place that had been passed already.
    late: bool,
    /// Where the instructions stand in the class file.
    offset: usize,
    locals: Vec<VType>,
    stack: Vec<VType>,
    /// What the attribute names of the class mean, by text index.
    names: Vec<Option<CodeAttributeName>>,
}

/// The attributes of code that the model takes apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CodeAttributeName {
    Lines,
    Locals,
    LocalTypes,
    Frames,
    TypeAnnotations(bool),
    Other,
}

impl CodeAttributeName {
    fn of(name: &[u8]) -> CodeAttributeName {
        match name {
            b"LineNumberTable" => CodeAttributeName::Lines,
            b"LocalVariableTable" => CodeAttributeName::Locals,
            b"LocalVariableTypeTable" => CodeAttributeName::LocalTypes,
            b"StackMapTable" => CodeAttributeName::Frames,
            b"RuntimeVisibleTypeAnnotations" => CodeAttributeName::TypeAnnotations(true),
            b"RuntimeInvisibleTypeAnnotations" => CodeAttributeName::TypeAnnotations(false),
            _ => CodeAttributeName::Other,
        }
    }
}

/// What reading needs to know of the class and method.
pub(crate) struct ReadContext<'c, 'p> {
    pub(crate) pool: &'c PoolBuilder<'p>,
    pub(crate) types: &'c mut Types,
    pub(crate) start: &'c MethodStart,
    pub(crate) parts: ReadParts,
}

impl CodeReader {
    /// Forgets what it knows of the class read before.
    pub(crate) fn reset(&mut self) {
        self.names.clear();
    }

    fn name(&mut self, raw: &RawAttribute<'_>, index: u16) -> CodeAttributeName {
        let at = usize::from(index);
        if at >= self.names.len() {
            self.names.resize(at + 1, None);
        }
        *self.names[at].get_or_insert_with(|| CodeAttributeName::of(raw.name.as_bytes()))
    }

    pub(crate) fn read(
        &mut self,
        source: CodeAttribute<'_>,
        code: &mut Code,
        context: &mut ReadContext<'_, '_>,
    ) -> Result<()> {
        code.clear();
        code.max_stack = source.max_stack;
        code.max_locals = source.max_locals;
        self.start(source.bytes.len());
        self.offset = source.offset;
        for entry in source.exceptions.iter() {
            let range = TryRange {
                start: self.place(entry.start_pc, "exception range", false)?,
                end: self.place(entry.end_pc, "exception range", true)?,
                handler: self.place(entry.handler_pc, "exception handler", false)?,
                catch_type: entry.catch_type,
            };
            code.tries.push(range);
        }
        for raw in source.attributes.iter() {
            self.attribute(raw, code, context)?;
        }
        self.decode(source.bytes, code)?;
        if self.late {
            // Now every label is known. Happens only where a loop starts without a frame or line.
            code.switches.clear();
            self.decode(source.bytes, code)?;
        }
        code.labels = self.labels;
        Ok(())
    }

    /// Forgets the labels of the method before.
    fn start(&mut self, len: usize) {
        self.len = len;
        self.base += self.labels;
        self.labels = 0;
        if self.base > u32::MAX / 2 {
            self.label_at.clear();
            self.base = 0;
        }
        if self.label_at.len() <= len {
            self.label_at.resize(len + 1, 0);
        }
    }

    /// The label of a code offset.
    #[inline]
    fn label(&mut self, pc: usize) -> Label {
        let slot = &mut self.label_at[pc];
        if *slot <= self.base {
            self.labels += 1;
            *slot = self.base + self.labels;
        }
        Label(*slot - self.base - 1)
    }

    /// The label of a code offset that a table names; `end` if it may be the end of the code.
    fn place(&mut self, pc: u16, what: &'static str, end: bool) -> Result<Label> {
        let pc = usize::from(pc);
        if pc + usize::from(!end) > self.len {
            return Err(self.bad_target(what, pc as i64));
        }
        Ok(self.label(pc))
    }

    fn bad_target(&self, what: &'static str, target: i64) -> crate::Error {
        ErrorKind::BadTarget { what, target }.at(self.offset)
    }

    /// The label of a jump's target.
    #[inline]
    fn target(&mut self, pc: i64) -> Result<Label> {
        match usize::try_from(pc) {
            Ok(at) if at < self.len => {
                let before = self.labels;
                let label = self.label(at);
                self.late |= self.labels != before && at <= self.now;
                Ok(label)
            }
            _ => Err(self.bad_target("jump target", pc)),
        }
    }

    /// Decodes all instructions and puts the labels between them.
    fn decode(&mut self, bytes: &[u8], code: &mut Code) -> Result<()> {
        self.late = false;
        code.insns.clear();
        code.insns.reserve(bytes.len() + self.labels as usize);
        let (mut pc, mut placed) = (0, 0);
        while pc < bytes.len() {
            let label = self.label_at[pc];
            if label > self.base {
                code.insns.push(Insn::Label(Label(label - self.base - 1)));
                placed += 1;
            }
            let (insn, size) = self.instruction(bytes, pc, code)?;
            code.insns.push(insn);
            pc += size;
        }
        let label = self.label_at[bytes.len()];
        if label > self.base {
            code.insns.push(Insn::Label(Label(label - self.base - 1)));
            placed += 1;
        }
        if placed == self.labels || self.late {
            return Ok(());
        }
        Err(self.misplaced(bytes))
    }

    /// The error for a label that is not at an instruction.
    #[cold]
    fn misplaced(&self, bytes: &[u8]) -> crate::Error {
        let mut starts = vec![false; bytes.len()];
        for instruction in Instructions::new(bytes, self.offset).flatten() {
            starts[instruction.pc as usize] = true;
        }
        let lost = |pc: &usize| self.label_at[*pc] > self.base && !starts[*pc];
        let pc = (0..bytes.len()).find(lost).unwrap_or(0);
        self.bad_target("a reference to", pc as i64)
    }

    #[inline]
    fn instruction(&mut self, bytes: &[u8], pc: usize, code: &mut Code) -> Result<(Insn, usize)> {
        let template = TEMPLATES[usize::from(bytes[pc])];
        if template.form == Form::Complete {
            return Ok((template.complete(), 1));
        }
        let Some(&[a, b]) = bytes.get(pc + 1..pc + 3) else {
            return self.uncommon(bytes, pc, code);
        };
        if template.form == Form::Operand {
            return Ok((template.with_operand([a, b]), template.size.into()));
        }
        self.now = pc;
        match Op::from_u8(bytes[pc]) {
            Some(op) if op.kind() == OperandKind::Jump => {
                let target = pc as i64 + i64::from(i16::from_be_bytes([a, b]));
                Ok((Insn::Jump(op, self.target(target)?), 3))
            }
            Some(Op::Iinc) => Ok((Insn::Iinc(a.into(), (b as i8).into()), 3)),
            _ => self.uncommon(bytes, pc, code),
        }
    }

    #[cold]
    fn uncommon(&mut self, bytes: &[u8], pc: usize, code: &mut Code) -> Result<(Insn, usize)> {
        self.now = pc;
        let mut instructions = Instructions::new(bytes, self.offset);
        instructions.seek(pc as u32);
        let Some(decoded) = instructions.next().transpose()? else {
            return Err(ErrorKind::Truncated.at(self.offset + pc));
        };
        let op = decoded.op.general();
        let insn = match decoded.operand {
            Operand::None => Insn::Plain(op),
            Operand::Int(value) => Insn::Push(value),
            Operand::Local(local) => Insn::Local(op, local),
            Operand::Iinc { local, delta } => Insn::Iinc(local, delta),
            Operand::Const(index) => Insn::Const(op, index),
            Operand::Field(index) => Insn::Field(op, index),
            Operand::Method(index) => Insn::Invoke(op, index),
            Operand::InterfaceMethod(index, count) => Insn::InvokeInterface(index, count),
            Operand::Dynamic(index) => Insn::InvokeDynamic(index),
            Operand::Class(index) => Insn::Class(op, index),
            Operand::NewArray(ty) => Insn::NewArray(ty),
            Operand::MultiNewArray(index, dimensions) => Insn::MultiNewArray(index, dimensions),
            Operand::Jump(target) => {
                let narrow = match op {
                    Op::GotoW => Op::Goto,
                    Op::JsrW => Op::Jsr,
                    other => other,
                };
                Insn::Jump(narrow, self.target(target)?)
            }
            Operand::TableSwitch(s) => {
                let default = self.target(s.default)?;
                let targets = s.targets().map(|t| self.target(t)).collect::<Result<_>>()?;
                let cases = Cases::Table {
                    low: s.low,
                    targets,
                };
                code.add_switch(Switch { default, cases })
            }
            Operand::LookupSwitch(s) => {
                let default = self.target(s.default)?;
                let pairs = s.pairs().map(|(key, t)| Ok((key, self.target(t)?)));
                let cases = Cases::Lookup(pairs.collect::<Result<_>>()?);
                code.add_switch(Switch { default, cases })
            }
        };
        Ok((insn, (decoded.next_pc - decoded.pc) as usize))
    }

    fn attribute(
        &mut self,
        raw: RawAttribute<'_>,
        code: &mut Code,
        context: &mut ReadContext<'_, '_>,
    ) -> Result<()> {
        let name = u16_at(raw.pool().bytes, raw.offset);
        let parts = context.parts;
        let slot = match self.name(&raw, name) {
            CodeAttributeName::Lines
            | CodeAttributeName::Locals
            | CodeAttributeName::LocalTypes
                if !parts.debug =>
            {
                return Ok(());
            }
            CodeAttributeName::Lines => {
                self.lines(raw, code)?;
                CodeAttributeSlot::Lines(name)
            }
            CodeAttributeName::Locals => {
                self.locals(raw, &mut code.locals)?;
                CodeAttributeSlot::Locals(name)
            }
            CodeAttributeName::LocalTypes => {
                self.locals(raw, &mut code.local_types)?;
                CodeAttributeSlot::LocalTypes(name)
            }
            CodeAttributeName::Frames => {
                if parts.frames {
                    self.frames(raw, code, context)?;
                }
                CodeAttributeSlot::Frames(name)
            }
            CodeAttributeName::TypeAnnotations(visible) => {
                self.type_annotations(raw, visible, code)?;
                CodeAttributeSlot::TypeAnnotations(name, visible)
            }
            CodeAttributeName::Other => CodeAttributeSlot::Raw(name, raw.info.to_vec()),
        };
        code.attributes.push(slot);
        Ok(())
    }

    /// The records of a table that is a whole attribute.
    fn table<'t, T: Record>(raw: RawAttribute<'t>) -> Result<Table<'t, T>> {
        let start = raw.info_offset();
        let mut reader = Reader::new(raw.pool().bytes, start, start + raw.info.len());
        let table = Table::counted(&mut reader)?;
        if reader.at_end() {
            return Ok(table);
        }
        let name = raw.name.to_str_lossy().into_owned();
        Err(ErrorKind::AttributeLength { name }.at(raw.offset))
    }

    fn lines(&mut self, raw: RawAttribute<'_>, code: &mut Code) -> Result<()> {
        let table: Table<'_, LineNumber> = CodeReader::table(raw)?;
        code.lines.reserve(table.len());
        for entry in table.iter() {
            let start = self.place(entry.start_pc, "line", false)?;
            let line = entry.line;
            code.lines.push(Line { start, line });
        }
        Ok(())
    }

    fn locals(&mut self, raw: RawAttribute<'_>, locals: &mut Vec<LocalVar>) -> Result<()> {
        let table: Table<'_, LocalVariable> = CodeReader::table(raw)?;
        locals.reserve(table.len());
        for entry in table.iter() {
            locals.push(LocalVar {
                start: self.place(entry.start_pc, "local variable", true)?,
                end: self.place(sum(entry.start_pc, entry.length), "local variable", true)?,
                name: entry.name,
                descriptor: entry.descriptor,
                index: entry.index,
            });
        }
        Ok(())
    }

    /// Reads the frames in full, in slots.
    fn frames(
        &mut self,
        raw: RawAttribute<'_>,
        code: &mut Code,
        context: &mut ReadContext<'_, '_>,
    ) -> Result<()> {
        let mut locals = std::mem::take(&mut self.locals);
        let mut stack = std::mem::take(&mut self.stack);
        locals.clear();
        locals.extend(context.start.receiver);
        let descriptor = context
            .types
            .descriptor(context.pool, context.start.descriptor)?;
        locals.extend_from_slice(context.types.parameters(descriptor));
        let start = raw.info_offset();
        let mut reader = Reader::new(raw.pool().bytes, start, start + raw.info.len());
        let count = reader.u16()?;
        let mut next_pc = 0u32;
        for _ in 0..count {
            let delta = self.frame(&mut reader, context, &mut locals, &mut stack)?;
            let pc = next_pc + u32::from(delta);
            next_pc = pc + 1;
            let pc = u16::try_from(pc).map_err(|_| self.bad_target("frame", pc.into()))?;
            let label = self.place(pc, "frame", false)?;
            code.frames.push(label, &locals, &stack);
        }
        (self.locals, self.stack) = (locals, stack);
        if reader.at_end() {
            return Ok(());
        }
        let name = "StackMapTable".to_owned();
        Err(ErrorKind::AttributeLength { name }.at(self.offset))
    }

    /// Applies one stored frame to the one before; returns the offset delta.
    fn frame(
        &mut self,
        reader: &mut Reader<'_>,
        context: &mut ReadContext<'_, '_>,
        locals: &mut Vec<VType>,
        stack: &mut Vec<VType>,
    ) -> Result<u16> {
        let at = reader.pos();
        let kind = reader.u8()?;
        stack.clear();
        match kind {
            0..=63 => Ok(kind.into()),
            64..=127 => {
                self.types(reader, context, stack, 1)?;
                Ok((kind - 64).into())
            }
            128..=246 => {
                let value = u32::from(kind);
                let what = "frame type";
                Err(ErrorKind::BadValue { what, value }.at(at))
            }
            _ => {
                let delta = reader.u16()?;
                match kind {
                    247 => self.types(reader, context, stack, 1)?,
                    248..=250 => (0..251 - kind).for_each(|_| chop(locals)),
                    251 => {}
                    252..=254 => self.types(reader, context, locals, u16::from(kind) - 251)?,
                    _ => {
                        locals.clear();
                        let count = reader.u16()?;
                        self.types(reader, context, locals, count)?;
                        let count = reader.u16()?;
                        self.types(reader, context, stack, count)?;
                    }
                }
                Ok(delta)
            }
        }
    }

    fn types(
        &mut self,
        reader: &mut Reader<'_>,
        context: &mut ReadContext<'_, '_>,
        out: &mut Vec<VType>,
        count: u16,
    ) -> Result<()> {
        for _ in 0..count {
            let at = reader.pos();
            let ty = match reader.u8()? {
                0 => VType::TOP,
                1 => VType::INTEGER,
                2 => VType::FLOAT,
                3 => VType::DOUBLE,
                4 => VType::LONG,
                5 => VType::NULL,
                6 => VType::UNINITIALIZED_THIS,
                7 => context.types.of_class(context.pool, reader.u16()?)?,
                8 => VType::uninitialized(self.place(reader.u16()?, "new", false)?.0),
                other => {
                    let (what, value) = ("verification type", u32::from(other));
                    return Err(ErrorKind::BadValue { what, value }.at(at));
                }
            };
            out.push(ty);
            if ty.is_wide() {
                out.push(VType::TOP);
            }
        }
        Ok(())
    }

    fn type_annotations(
        &mut self,
        raw: RawAttribute<'_>,
        visible: bool,
        code: &mut Code,
    ) -> Result<()> {
        let start = raw.info_offset();
        let end = start + raw.info.len();
        let mut reader = Reader::new(raw.pool().bytes, start, end);
        for _ in 0..reader.u16()? {
            let kind = reader.u8()?;
            let target = TypeTarget::read_rest(kind, &mut reader)?;
            let target = self.code_target(target, raw.pool().bytes, reader.pos())?;
            let from = reader.pos();
            skip_annotation_rest(raw, &mut reader)?;
            let rest = raw.pool().bytes[from..reader.pos()].to_vec();
            code.type_annotations.push(CodeTypeAnnotation {
                visible,
                kind,
                target,
                rest,
            });
        }
        Ok(())
    }

    /// A target by code offset: the instruction there if it fits, else the place.
    fn anchor(
        &mut self,
        kind: u8,
        pc: u16,
        argument: Option<u8>,
        class: &[u8],
    ) -> Result<CodeTarget> {
        let label = self.place(pc, "annotated instruction", false)?;
        let op = Op::from_u8(class[self.offset + usize::from(pc)]);
        let fits = op.is_some_and(|op| annotation_fits(kind, op));
        Ok(match fits {
            true => CodeTarget::Insn(label, argument),
            false => CodeTarget::Place(label, argument),
        })
    }

    /// What an annotation stands on; `class` is the class file.
    fn code_target(
        &mut self,
        target: TypeTarget<'_>,
        class: &[u8],
        at: usize,
    ) -> Result<CodeTarget> {
        Ok(match target {
            TypeTarget::Local(_, ranges) => {
                let mut list = Vec::with_capacity(ranges.len());
                for range in ranges.iter() {
                    let start = self.place(range.start_pc, "annotated local", true)?;
                    let end = sum(range.start_pc, range.length);
                    list.push((
                        start,
                        self.place(end, "annotated local", true)?,
                        range.index,
                    ));
                }
                CodeTarget::Local(list)
            }
            TypeTarget::Catch(index) => CodeTarget::Catch(index),
            TypeTarget::Offset(kind, pc) => self.anchor(kind, pc, None, class)?,
            TypeTarget::TypeArgument(kind, pc, argument) => {
                self.anchor(kind, pc, Some(argument), class)?
            }
            _ => {
                let (what, value) = ("type annotation target in code", 0);
                return Err(ErrorKind::BadValue { what, value }.at(at));
            }
        })
    }
}

/// An end offset; one that is too large stays too large.
fn sum(start: u16, length: u16) -> u16 {
    start.saturating_add(length)
}

/// Takes the last local item away.
fn chop(locals: &mut Vec<VType>) {
    if locals.pop() == Some(VType::TOP) && locals.last().is_some_and(|ty| ty.is_wide()) {
        locals.pop();
    }
}

/// Skips type path and annotation.
fn skip_annotation_rest(raw: RawAttribute<'_>, reader: &mut Reader<'_>) -> Result<()> {
    let mut look = Reader::new(
        raw.pool().bytes,
        reader.pos(),
        raw.info_offset() + raw.info.len(),
    );
    let before = look.remaining();
    let _: Table<'_, crate::attribute::TypePath> = Table::counted_u8(&mut look)?;
    crate::attribute::Annotation::read(raw.pool(), &mut look, 0)?;
    reader.skip(before - look.remaining())
}
