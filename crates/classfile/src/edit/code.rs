//! A method's code as it is edited: instructions with labels, and tables that refer to labels.

use crate::edit::insn::{Cases, Insn, Label, Switch};
use crate::frames::FrameList;
use crate::opcode::Op;

/// A method's code, ready to be edited.
///
/// Places are [`Label`]s that stand among the instructions, so everything that refers to a place
/// (jumps, exception handlers, lines, local variables, frames, type annotations) survives
/// insertion and removal. Made empty with `Code::default()` or filled by
/// [`crate::Editor::read_code`]; a `Code` can be filled again and again without new allocations.
///
/// ```
/// use braid_classfile::{Code, Insn, Op};
/// let mut code = Code::default();
/// let end = code.new_label();
/// code.insns = vec![
///     Insn::Local(Op::Iload, 0),
///     Insn::Jump(Op::Ifeq, end),
///     Insn::Iinc(0, 1),
///     Insn::Label(end),
///     Insn::Plain(Op::Return),
/// ];
/// code.shift_locals(0, 2);
/// assert_eq!(code.insns[2], Insn::Iinc(2, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Instructions and labels in order.
    pub insns: Vec<Insn>,
    /// The switches that [`Insn::Switch`] names.
    pub switches: Vec<Switch>,
    /// Exception handlers in order of precedence.
    pub tries: Vec<TryRange>,
    /// Line numbers.
    pub lines: Vec<Line>,
    /// Names and descriptors of locals.
    pub locals: Vec<LocalVar>,
    /// Names and generic signatures of locals.
    pub local_types: Vec<LocalVar>,
    /// Verification types at labels, if they were read and not thrown away.
    pub frames: FrameList,
    /// Annotations of types in the code.
    pub type_annotations: Vec<CodeTypeAnnotation>,
    /// Deepest operand stack in slots.
    pub max_stack: u16,
    /// Number of local variable slots.
    pub max_locals: u16,
    /// The code's attributes in their original order.
    pub(crate) attributes: Vec<CodeAttributeSlot>,
    pub(crate) labels: u32,
}

/// A range of instructions with the handler of exceptions thrown there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TryRange {
    /// Where the range starts.
    pub start: Label,
    /// Just behind the range.
    pub end: Label,
    /// Where the handler starts.
    pub handler: Label,
    /// Class index of what is caught, 0 for anything.
    pub catch_type: u16,
}

/// A line of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// From where it holds.
    pub start: Label,
    /// The line.
    pub line: u16,
}

/// A named local variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalVar {
    /// From where it has a value.
    pub start: Label,
    /// Just behind its range.
    pub end: Label,
    /// Text index of its name.
    pub name: u16,
    /// Text index of its descriptor or signature.
    pub descriptor: u16,
    /// Its slot.
    pub index: u16,
}

/// An annotation of a type in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeTypeAnnotation {
    /// Kept for reflection.
    pub visible: bool,
    /// The target type byte (JVMS table 4.7.20-B).
    pub kind: u8,
    /// What it stands on.
    pub target: CodeTarget,
    /// Type path and annotation, as the class file writes them.
    pub rest: Vec<u8>,
}

/// What a type annotation in code stands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodeTarget {
    /// A local in its ranges: start, end, slot.
    Local(Vec<(Label, Label, u16)>),
    /// The exception handler at this position of [`Code::tries`].
    Catch(u16),
    /// The first instruction behind a label that an annotation of this kind stands on, with the
    /// position of the type argument if the kind has one.
    Insn(Label, Option<u8>),
    /// The place of a label: compilers also annotate places where no fitting instruction is.
    Place(Label, Option<u8>),
}

/// An attribute of the code, for writing them in their original order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CodeAttributeSlot {
    Lines(u16),
    Locals(u16),
    LocalTypes(u16),
    Frames(u16),
    TypeAnnotations(u16, bool),
    /// Name index and bytes of an attribute we do not know.
    Raw(u16, Vec<u8>),
}

/// True if a type annotation of this kind can stand on this instruction (JVMS table 4.7.20-B).
pub(crate) fn annotation_fits(kind: u8, op: Op) -> bool {
    match kind {
        0x43 => op == Op::Instanceof,
        0x44 => op == Op::New,
        0x45 | 0x46 | 0x4a | 0x4b => op == Op::Invokedynamic,
        0x47 => op == Op::Checkcast,
        _ => op.is_invoke() || op == Op::New,
    }
}

impl Code {
    /// Makes a label. It stands nowhere until an [`Insn::Label`] puts it somewhere.
    pub fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Number of labels made so far; labels are `0..label_count`.
    pub fn label_count(&self) -> u32 {
        self.labels
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.insns.clear();
        self.switches.clear();
        self.tries.clear();
        self.lines.clear();
        self.locals.clear();
        self.local_types.clear();
        self.frames.clear();
        self.type_annotations.clear();
        self.attributes.clear();
        (self.max_stack, self.max_locals, self.labels) = (0, 0, 0);
    }

    /// Adds a switch and gives its instruction.
    pub fn add_switch(&mut self, switch: Switch) -> Insn {
        self.switches.push(switch);
        Insn::Switch(self.switches.len() as u32 - 1)
    }

    /// A `tableswitch` or `lookupswitch`, whichever is smaller, for sorted pairs of keys.
    pub fn switch(&mut self, pairs: Vec<(i32, Label)>, default: Label) -> Insn {
        let cases = match (pairs.first(), pairs.last()) {
            (Some((low, _)), Some((high, _))) => {
                let span = i64::from(*high) - i64::from(*low) + 1;
                // Bytes of the table against bytes of the pairs.
                if 4 * span + 12 <= 8 * pairs.len() as i64 + 8 {
                    let mut targets = vec![default; span as usize];
                    for (key, label) in &pairs {
                        targets[(i64::from(*key) - i64::from(*low)) as usize] = *label;
                    }
                    Cases::Table { low: *low, targets }
                } else {
                    Cases::Lookup(pairs)
                }
            }
            _ => Cases::Lookup(pairs),
        };
        self.add_switch(Switch { default, cases })
    }

    /// Where each label stands among the instructions (`usize::MAX` if nowhere).
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![usize::MAX; self.labels as usize];
        for (position, insn) in self.insns.iter().enumerate() {
            if let Insn::Label(label) = insn
                && let Some(place) = positions.get_mut(label.0 as usize)
            {
                *place = position;
            }
        }
        positions
    }

    /// Puts instructions in front of the one at `position`. Labels that stand directly before it
    /// stay before the inserted ones, so jumps to it run them too.
    pub fn insert(&mut self, position: usize, insns: impl IntoIterator<Item = Insn>) {
        let position = position.min(self.insns.len());
        self.insns.splice(position..position, insns);
    }

    /// Rebuilds the instruction list: `step` sees each item and pushes what shall stand in its
    /// place. The fast way to insert at many places.
    pub fn rewrite(&mut self, mut step: impl FnMut(Insn, &mut Vec<Insn>)) {
        let old = std::mem::take(&mut self.insns);
        self.insns.reserve(old.len() * 2);
        for insn in old {
            step(insn, &mut self.insns);
        }
    }

    /// Replaces the items of a range. Labels in the range are kept, in front of the new ones.
    pub fn replace(
        &mut self,
        range: std::ops::Range<usize>,
        insns: impl IntoIterator<Item = Insn>,
    ) {
        let labels = self.insns[range.clone()]
            .iter()
            .copied()
            .filter(|i| !i.is_real());
        let kept: Vec<Insn> = labels.chain(insns).collect();
        self.insns.splice(range, kept);
    }

    /// Removes the instructions of a range; labels in it stay.
    pub fn remove(&mut self, range: std::ops::Range<usize>) {
        self.replace(range, []);
    }

    /// Moves every local from slot `from` on up by `by` slots, in the instructions and in every
    /// table. Frames are moved too: the new slots hold nothing there.
    pub fn shift_locals(&mut self, from: u16, by: u16) {
        let shift = |local: &mut u16| {
            if *local >= from {
                *local = local.saturating_add(by);
            }
        };
        for insn in &mut self.insns {
            if let Insn::Local(_, local) | Insn::Iinc(local, _) = insn {
                shift(local);
            }
        }
        for local in self.locals.iter_mut().chain(&mut self.local_types) {
            shift(&mut local.index);
        }
        for annotation in &mut self.type_annotations {
            if let CodeTarget::Local(ranges) = &mut annotation.target {
                ranges.iter_mut().for_each(|(_, _, local)| shift(local));
            }
        }
        self.frames.shift_locals(from, by);
        self.max_locals = self.max_locals.saturating_add(by);
    }

    /// The source line of the instruction at a position, if known: that of the last line entry
    /// at or before it.
    pub fn line_at(&self, position: usize) -> Option<u16> {
        let positions = self.positions();
        self.lines
            .iter()
            .filter(|line| positions[line.start.0 as usize] <= position)
            .max_by_key(|line| positions[line.start.0 as usize])
            .map(|line| line.line)
    }

    /// True if the code uses the subroutines of old compilers, for which no frames exist.
    pub fn has_subroutines(&self) -> bool {
        self.insns
            .iter()
            .any(|insn| matches!(insn, Insn::Jump(Op::Jsr, _) | Insn::Local(Op::Ret, _)))
    }

    /// Drops handlers whose range holds no instruction. Type annotations of handlers follow.
    pub(crate) fn drop_empty_tries(&mut self) {
        let mut real_before = vec![0u32; self.labels as usize];
        let mut count = 0;
        for insn in &self.insns {
            match insn {
                Insn::Label(label) => {
                    if let Some(place) = real_before.get_mut(label.0 as usize) {
                        *place = count;
                    }
                }
                _ => count += 1,
            }
        }
        let at = |label: Label| real_before.get(label.0 as usize).copied().unwrap_or(0);
        let keep: Vec<bool> = self.tries.iter().map(|t| at(t.start) < at(t.end)).collect();
        if keep.iter().all(|keep| *keep) {
            return;
        }
        let mut kept = keep.iter();
        self.tries.retain(|_| kept.next() == Some(&true));
        let before = |index: u16| keep[..usize::from(index)].iter().filter(|k| **k).count() as u16;
        self.type_annotations
            .retain_mut(|annotation| match &mut annotation.target {
                CodeTarget::Catch(index) if keep.get(usize::from(*index)) == Some(&true) => {
                    *index = before(*index);
                    true
                }
                CodeTarget::Catch(_) => false,
                _ => true,
            });
    }
}
