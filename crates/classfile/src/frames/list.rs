//! The frames of a method's code model.

use crate::edit::Label;
use crate::frames::VType;

/// Frames at labels, in code order. Types are in slots: a long or double is followed by `TOP`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameList {
    frames: Vec<Entry>,
    types: Vec<VType>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    label: Label,
    start: u32,
    locals: u32,
    stack: u32,
}

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameRef<'a> {
    /// Where it holds.
    pub label: Label,
    /// The locals in slots.
    pub locals: &'a [VType],
    /// The operand stack in slots, deepest first.
    pub stack: &'a [VType],
}

impl FrameList {
    /// Forgets all frames.
    pub fn clear(&mut self) {
        self.frames.clear();
        self.types.clear();
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// True if there is no frame.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Adds a frame; its place in the order is where its label stands.
    pub fn push(&mut self, label: Label, locals: &[VType], stack: &[VType]) {
        let start = self.types.len() as u32;
        self.types.extend_from_slice(locals);
        self.types.extend_from_slice(stack);
        self.frames.push(Entry {
            label,
            start,
            locals: locals.len() as u32,
            stack: stack.len() as u32,
        });
    }

    /// All frames.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = FrameRef<'_>> {
        self.frames.iter().map(|entry| {
            let start = entry.start as usize;
            let middle = start + entry.locals as usize;
            FrameRef {
                label: entry.label,
                locals: &self.types[start..middle],
                stack: &self.types[middle..middle + entry.stack as usize],
            }
        })
    }

    /// The frame at a label.
    pub fn at(&self, label: Label) -> Option<FrameRef<'_>> {
        self.iter().find(|frame| frame.label == label)
    }

    /// Moves the locals from slot `from` on up by `by` slots; the new slots hold nothing.
    pub fn shift_locals(&mut self, from: u16, by: u16) {
        let old = std::mem::take(self);
        let mut locals = Vec::new();
        for frame in old.iter() {
            let split = usize::from(from);
            locals.clear();
            locals.extend_from_slice(frame.locals);
            if split < locals.len() {
                locals.splice(
                    split..split,
                    std::iter::repeat_n(VType::TOP, usize::from(by)),
                );
            }
            self.push(frame.label, &locals, frame.stack);
        }
    }
}
