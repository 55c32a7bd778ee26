//! From the code model to the content of a `Code` attribute.

use crate::edit::code::{
    Code, CodeAttributeSlot, CodeTarget, CodeTypeAnnotation, LocalVar, annotation_fits,
};
use crate::edit::editor::Frames;
use crate::edit::insn::{Insn, Label};
use crate::edit::layout::{Encoded, Layout, widen};
use crate::edit::pool::PoolBuilder;
use crate::error::{ErrorKind, Result};
use crate::frames::{
    Flow, FrameAt, FrameScratch, Lattice, MethodStart, Types, VType, encode_frames, max_stack,
};
use crate::opcode::Op;

/// Memory and tables for writing code, reused from method to method.
#[derive(Default)]
pub(crate) struct CodeWriter {
    flow: Flow,
    layout: Layout,
    /// The locals the method starts with.
    initial: Vec<VType>,
    scratch: FrameScratch,
}

/// Where the frames to be written come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Nowhere,
    Model,
    Computed,
}

/// What writing needs to know of the class and method.
pub(crate) struct WriteContext<'c, 'p> {
    pub(crate) pool: &'c mut PoolBuilder<'p>,
    pub(crate) types: &'c mut Types,
    pub(crate) start: &'c MethodStart,
    /// The class's major version.
    pub(crate) version: u16,
    pub(crate) lattice: Lattice<'c>,
}

impl CodeWriter {
    /// Appends the content of the `Code` attribute to `out`. Dead code is removed where frames
    /// are computed, and jumps that do not reach are widened.
    pub(crate) fn write(
        &mut self,
        out: &mut Vec<u8>,
        code: &mut Code,
        frames: Frames<'_>,
        context: &mut WriteContext<'_, '_>,
    ) -> Result<()> {
        let base = out.len();
        loop {
            let source = self.analyse(code, frames, context)?;
            out.truncate(base);
            out.extend(code.max_stack.to_be_bytes());
            out.extend(code.max_locals.to_be_bytes());
            if self.layout.encode(code)? == Encoded::JumpTooLong {
                widen(code)?;
                continue;
            }
            if self.has_empty_try(code)? {
                code.drop_empty_tries();
                continue;
            }
            out.extend(self.layout.size.to_be_bytes());
            out.extend_from_slice(self.layout.bytes());
            self.exceptions(out, code)?;
            return self.attributes(out, code, source, context);
        }
    }

    /// Computes what the mode asks for: frames, stack depth, number of locals.
    fn analyse(
        &mut self,
        code: &mut Code,
        frames: Frames<'_>,
        context: &mut WriteContext<'_, '_>,
    ) -> Result<Source> {
        let with_frames = context.version >= 50;
        let keep = if with_frames {
            Source::Model
        } else {
            Source::Nowhere
        };
        match frames {
            Frames::Keep => Ok(keep),
            Frames::Maxs => self.maxs(code, context).map(|()| keep),
            Frames::Forward | Frames::Recompute(_) => {
                let old = context.version == 50 && code.has_subroutines();
                if !with_frames || old {
                    self.maxs(code, context)?;
                    return Ok(Source::Nowhere);
                }
                self.simulate(code, context)?;
                if self.flow.remove_dead(code) {
                    code.drop_empty_tries();
                    self.simulate(code, context)?;
                }
                code.max_stack = limit(self.flow.max_stack(), "operand stack")?;
                code.max_locals = limit(self.flow.max_locals(), "local variables")?;
                Ok(Source::Computed)
            }
        }
    }

    fn simulate(&mut self, code: &Code, context: &mut WriteContext<'_, '_>) -> Result<()> {
        let WriteContext {
            pool,
            types,
            start,
            lattice,
            ..
        } = context;
        self.flow.run(code, pool, types, start, lattice)
    }

    fn maxs(&mut self, code: &mut Code, context: &mut WriteContext<'_, '_>) -> Result<()> {
        let depth = max_stack(code, context.pool, context.types)?;
        code.max_stack = limit(depth, "operand stack")?;
        let descriptor = context
            .types
            .descriptor(context.pool, context.start.descriptor)?;
        let receiver = usize::from(context.start.receiver.is_some());
        let needed = locals_needed(&code.insns).max(usize::from(descriptor.slots) + receiver);
        code.max_locals = limit(needed, "local variables")?;
        Ok(())
    }

    /// True if an exception range has lost all its instructions, which the JVM rejects.
    fn has_empty_try(&self, code: &Code) -> Result<bool> {
        for range in &code.tries {
            if self.layout.pc(range.start)? >= self.layout.pc(range.end)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn exceptions(&self, out: &mut Vec<u8>, code: &Code) -> Result<()> {
        out.extend(limit(code.tries.len(), "exception handlers")?.to_be_bytes());
        for range in &code.tries {
            for label in [range.start, range.end, range.handler] {
                out.extend(self.pc(label)?);
            }
            out.extend(range.catch_type.to_be_bytes());
        }
        Ok(())
    }

    /// A label's code offset as it is written. The end of a full-size method does not fit.
    fn pc(&self, label: Label) -> Result<[u8; 2]> {
        Ok(limit(self.layout.pc(label)? as usize, "code offset")?.to_be_bytes())
    }

    fn attributes(
        &mut self,
        out: &mut Vec<u8>,
        code: &Code,
        source: Source,
        context: &mut WriteContext<'_, '_>,
    ) -> Result<()> {
        let at = out.len();
        out.extend([0, 0]);
        let mut count = 0u16;
        let mut done = Done::default();
        for slot in &code.attributes {
            count += u16::from(self.attribute(out, code, slot, source, context, &mut done)?);
        }
        for slot in missing(code, &done, context.pool)? {
            count += u16::from(self.attribute(out, code, &slot, source, context, &mut done)?);
        }
        if !done.frames && source != Source::Nowhere {
            let name = context.pool.count();
            let before = out.len();
            let slot = CodeAttributeSlot::Frames(name);
            if self.attribute(out, code, &slot, source, context, &mut done)? {
                // The name comes last into the pool, and only if there is a frame.
                let name = context.pool.utf8("StackMapTable")?;
                out[before..before + 2].copy_from_slice(&name.to_be_bytes());
                count += 1;
            }
        }
        out[at..at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    /// Writes one attribute unless it is empty or was written before; true if it was written.
    fn attribute(
        &mut self,
        out: &mut Vec<u8>,
        code: &Code,
        slot: &CodeAttributeSlot,
        source: Source,
        context: &mut WriteContext<'_, '_>,
        done: &mut Done,
    ) -> Result<bool> {
        let (name, seen) = match slot {
            CodeAttributeSlot::Lines(name) => (*name, &mut done.lines),
            CodeAttributeSlot::Locals(name) => (*name, &mut done.locals),
            CodeAttributeSlot::LocalTypes(name) => (*name, &mut done.local_types),
            CodeAttributeSlot::Frames(name) => (*name, &mut done.frames),
            CodeAttributeSlot::TypeAnnotations(name, true) => (*name, &mut done.visible),
            CodeAttributeSlot::TypeAnnotations(name, false) => (*name, &mut done.invisible),
            CodeAttributeSlot::Raw(name, _) => (*name, &mut done.raw),
        };
        if std::mem::replace(seen, true) && !matches!(slot, CodeAttributeSlot::Raw(..)) {
            return Ok(false);
        }
        let start = out.len();
        out.extend(name.to_be_bytes());
        out.extend([0; 4]);
        let written = match slot {
            CodeAttributeSlot::Lines(_) => self.lines(out, code)?,
            CodeAttributeSlot::Locals(_) => self.locals(out, &code.locals)?,
            CodeAttributeSlot::LocalTypes(_) => self.locals(out, &code.local_types)?,
            CodeAttributeSlot::Frames(_) => self.frames(out, code, source, context)?,
            CodeAttributeSlot::TypeAnnotations(_, visible) => {
                self.type_annotations(out, code, *visible)?
            }
            CodeAttributeSlot::Raw(_, bytes) => {
                out.extend_from_slice(bytes);
                true
            }
        };
        if !written {
            out.truncate(start);
            return Ok(false);
        }
        let len = (out.len() - start - 6) as u32;
        out[start + 2..start + 6].copy_from_slice(&len.to_be_bytes());
        Ok(true)
    }

    fn lines(&self, out: &mut Vec<u8>, code: &Code) -> Result<bool> {
        let at = out.len();
        out.extend([0, 0]);
        let mut count = 0;
        for line in &code.lines {
            let pc = self.layout.pc(line.start)?;
            // The JVM rejects a line at the end of the code.
            if pc < self.layout.size {
                let ([a, b], [c, d]) = ((pc as u16).to_be_bytes(), line.line.to_be_bytes());
                out.extend_from_slice(&[a, b, c, d]);
                count += 1;
            }
        }
        out[at..at + 2].copy_from_slice(&limit(count, "lines")?.to_be_bytes());
        // An empty table stays: compilers write them.
        Ok(true)
    }

    fn locals(&self, out: &mut Vec<u8>, locals: &[LocalVar]) -> Result<bool> {
        let at = out.len();
        out.extend([0, 0]);
        let mut count = 0;
        for local in locals {
            let (start, end) = (self.layout.pc(local.start)?, self.layout.pc(local.end)?);
            // The JVM rejects a range that starts at the end, and two equal entries, which can
            // come about when removing code empties ranges.
            let length = end.saturating_sub(start) as u16;
            let items = [
                start as u16,
                length,
                local.name,
                local.descriptor,
                local.index,
            ];
            let entry = items.map(u16::to_be_bytes);
            let entry = entry.as_flattened();
            let twice = length == 0 && out[at + 2..].chunks_exact(entry.len()).any(|e| e == entry);
            if start < self.layout.size && !twice {
                out.extend_from_slice(entry);
                count += 1;
            }
        }
        out[at..at + 2].copy_from_slice(&limit(count, "named locals")?.to_be_bytes());
        Ok(true)
    }

    fn frames(
        &mut self,
        out: &mut Vec<u8>,
        code: &Code,
        source: Source,
        context: &mut WriteContext<'_, '_>,
    ) -> Result<bool> {
        let layout = &self.layout;
        let pc_of = |label| layout.pc(label).unwrap_or(u32::MAX);
        let WriteContext {
            pool, types, start, ..
        } = context;
        let count = match source {
            Source::Nowhere => return Ok(false),
            Source::Computed => {
                let frames = self.flow.frames().map(|frame| FrameAt {
                    pc: pc_of(frame.label),
                    locals: frame.locals,
                    stack: frame.stack,
                });
                let new_pc = |ordinal: u32| layout.news.get(ordinal as usize).copied();
                encode_frames(
                    out,
                    types,
                    pool,
                    self.flow.start(),
                    frames,
                    new_pc,
                    &mut self.scratch,
                )?
            }
            Source::Model if code.frames.is_empty() => return Ok(false),
            Source::Model => {
                start.locals(pool, types, &mut self.initial)?;
                let initial = &self.initial;
                let frames = || {
                    code.frames.iter().map(|frame| FrameAt {
                        pc: pc_of(frame.label),
                        locals: frame.locals,
                        stack: frame.stack,
                    })
                };
                // A frame names the label before its `new`; other code may stand between them.
                let new_pc = |label: u32| {
                    let from = layout.pc(Label(label)).ok()?;
                    layout.news.iter().copied().find(|pc| *pc >= from)
                };
                let scratch = &mut self.scratch;
                if frames().is_sorted_by_key(|frame| frame.pc) {
                    encode_frames(out, types, pool, initial, frames(), new_pc, scratch)?
                } else {
                    let mut frames: Vec<FrameAt<'_>> = frames().collect();
                    frames.sort_by_key(|frame| frame.pc);
                    encode_frames(
                        out,
                        types,
                        pool,
                        initial,
                        frames.into_iter(),
                        new_pc,
                        scratch,
                    )?
                }
            }
        };
        Ok(count > 0)
    }

    fn type_annotations(&self, out: &mut Vec<u8>, code: &Code, visible: bool) -> Result<bool> {
        let at = out.len();
        out.extend([0, 0]);
        let mut count = 0;
        for annotation in code
            .type_annotations
            .iter()
            .filter(|a| a.visible == visible)
        {
            let Some(target) = self.target(code, annotation)? else {
                continue;
            };
            out.push(annotation.kind);
            out.extend(target);
            out.extend_from_slice(&annotation.rest);
            count += 1;
        }
        out[at..at + 2].copy_from_slice(&limit(count, "type annotations")?.to_be_bytes());
        Ok(count > 0)
    }

    /// The target's bytes; `None` if what it stood on is gone.
    fn target(&self, code: &Code, annotation: &CodeTypeAnnotation) -> Result<Option<Vec<u8>>> {
        let mut out = Vec::new();
        match &annotation.target {
            CodeTarget::Local(ranges) => {
                out.extend(limit(ranges.len(), "ranges")?.to_be_bytes());
                for (start, end, local) in ranges {
                    let (start, end) = (self.layout.pc(*start)?, self.layout.pc(*end)?);
                    out.extend((start as u16).to_be_bytes());
                    out.extend((end.saturating_sub(start) as u16).to_be_bytes());
                    out.extend(local.to_be_bytes());
                }
            }
            CodeTarget::Catch(index) => out.extend(index.to_be_bytes()),
            CodeTarget::Insn(label, argument) | CodeTarget::Place(label, argument) => {
                let exact = matches!(annotation.target, CodeTarget::Place(..));
                let pc = match exact {
                    true => self.layout.pc(*label)?,
                    false => self.anchor(code, *label, annotation.kind)?,
                };
                if pc >= self.layout.size {
                    return Ok(None);
                }
                out.extend((pc as u16).to_be_bytes());
                out.extend(argument);
            }
        }
        Ok(Some(out))
    }

    /// Code offset of the first instruction behind a label that an annotation of this kind fits.
    fn anchor(&self, code: &Code, label: Label, kind: u8) -> Result<u32> {
        let from = code
            .insns
            .iter()
            .position(|insn| *insn == Insn::Label(label));
        let from = from.ok_or_else(|| ErrorKind::Label(label.0).at(0))?;
        let found = code.insns[from..]
            .iter()
            .position(|insn| insn.op().is_some_and(|op| annotation_fits(kind, op)));
        let pc = found.and_then(|after| self.layout.item_pcs.get(from + after).copied());
        pc.map_or_else(|| self.layout.pc(label), Ok)
    }
}

/// Which attributes have been written.
#[derive(Default)]
struct Done {
    lines: bool,
    locals: bool,
    local_types: bool,
    frames: bool,
    visible: bool,
    invisible: bool,
    raw: bool,
}

/// Attributes that the code has now but did not have when it was read, except frames.
fn missing(code: &Code, done: &Done, pool: &mut PoolBuilder<'_>) -> Result<Vec<CodeAttributeSlot>> {
    let mut slots = Vec::new();
    if !done.lines && !code.lines.is_empty() {
        slots.push(CodeAttributeSlot::Lines(pool.utf8("LineNumberTable")?));
    }
    if !done.locals && !code.locals.is_empty() {
        slots.push(CodeAttributeSlot::Locals(pool.utf8("LocalVariableTable")?));
    }
    if !done.local_types && !code.local_types.is_empty() {
        let name = pool.utf8("LocalVariableTypeTable")?;
        slots.push(CodeAttributeSlot::LocalTypes(name));
    }
    let annotated = |visible| code.type_annotations.iter().any(|a| a.visible == visible);
    if !done.visible && annotated(true) {
        let name = pool.utf8("RuntimeVisibleTypeAnnotations")?;
        slots.push(CodeAttributeSlot::TypeAnnotations(name, true));
    }
    if !done.invisible && annotated(false) {
        let name = pool.utf8("RuntimeInvisibleTypeAnnotations")?;
        slots.push(CodeAttributeSlot::TypeAnnotations(name, false));
    }
    Ok(slots)
}

fn limit(value: usize, what: &'static str) -> Result<u16> {
    u16::try_from(value).map_err(|_| {
        ErrorKind::Limit {
            what,
            limit: 0xffff,
        }
        .at(0)
    })
}

/// Slots that the instructions use.
fn locals_needed(insns: &[Insn]) -> usize {
    let needed = |insn: &Insn| match insn {
        Insn::Local(Op::Lload | Op::Dload | Op::Lstore | Op::Dstore, local) => {
            usize::from(*local) + 2
        }
        Insn::Local(_, local) | Insn::Iinc(local, _) => usize::from(*local) + 1,
        _ => 0,
    };
    insns.iter().map(needed).max().unwrap_or(0)
}

impl MethodStart {
    /// The locals a method starts with, in slots.
    pub(crate) fn locals(
        &self,
        pool: &PoolBuilder<'_>,
        types: &mut Types,
        out: &mut Vec<VType>,
    ) -> Result<()> {
        let descriptor = types.descriptor(pool, self.descriptor)?;
        out.clear();
        out.extend(self.receiver);
        out.extend_from_slice(types.parameters(descriptor));
        Ok(())
    }
}
