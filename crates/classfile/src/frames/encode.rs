//! Writing frames as the differences of a `StackMapTable`.

use crate::edit::PoolBuilder;
use crate::error::{ErrorKind, Result};
use crate::frames::types::{Types, VType};

/// A frame to be written: code offset, locals and stack in slots.
pub(crate) struct FrameAt<'f> {
    pub(crate) pc: u32,
    pub(crate) locals: &'f [VType],
    pub(crate) stack: &'f [VType],
}

/// Memory for writing frames, reused from method to method.
#[derive(Default)]
pub(crate) struct FrameScratch {
    previous: Vec<VType>,
    current: Vec<VType>,
}

/// Writes the content of a `StackMapTable` (count and frames); returns the number of frames.
///
/// Frames come in code order. Of several at one offset the last holds, because each state flows
/// into the next. `new_pc` gives the code offset of an uninitialized type's `new`.
pub(crate) fn encode_frames<'f>(
    out: &mut Vec<u8>,
    types: &mut Types,
    pool: &mut PoolBuilder<'_>,
    start: &[VType],
    frames: impl Iterator<Item = FrameAt<'f>>,
    new_pc: impl Fn(u32) -> Option<u32>,
    scratch: &mut FrameScratch,
) -> Result<usize> {
    let at = out.len();
    out.extend([0, 0]);
    collect_items(start, true, &mut scratch.previous);
    let mut writer = Writer {
        out,
        types,
        pool,
        new_pc,
        previous: &mut scratch.previous,
        current: &mut scratch.current,
        next_pc: 0,
    };
    let mut count = 0usize;
    let mut frames = frames.peekable();
    while let Some(frame) = frames.next() {
        if frames.peek().is_some_and(|next| next.pc == frame.pc) {
            continue;
        }
        writer.frame(&frame)?;
        count += 1;
    }
    let Ok(short) = u16::try_from(count) else {
        let what = "frames";
        return Err(ErrorKind::Limit {
            what,
            limit: 0xffff,
        }
        .at(0));
    };
    out[at..at + 2].copy_from_slice(&short.to_be_bytes());
    Ok(count)
}

/// Slots as items: the second slot of a long or double left out, and with `trim` unusable ones at
/// the end too.
fn collect_items(slots: &[VType], trim: bool, items: &mut Vec<VType>) {
    items.clear();
    let mut end = slots.len();
    if trim {
        while end > 0 && slots[end - 1] == VType::TOP && !(end > 1 && slots[end - 2].is_wide()) {
            end -= 1;
        }
    }
    let mut at = 0;
    while at < end {
        items.push(slots[at]);
        at += if slots[at].is_wide() { 2 } else { 1 };
    }
}

struct Writer<'w, 'p, F> {
    out: &'w mut Vec<u8>,
    types: &'w mut Types,
    pool: &'w mut PoolBuilder<'p>,
    new_pc: F,
    previous: &'w mut Vec<VType>,
    current: &'w mut Vec<VType>,
    next_pc: u32,
}

impl<F: Fn(u32) -> Option<u32>> Writer<'_, '_, F> {
    fn frame(&mut self, frame: &FrameAt<'_>) -> Result<()> {
        let Some(delta) = frame.pc.checked_sub(self.next_pc) else {
            return Err(ErrorKind::Encode("frames out of order").at(0));
        };
        self.next_pc = frame.pc + 1;
        let delta = delta as u16;
        collect_items(frame.locals, true, self.current);
        let done = self.shortest(delta, frame.stack);
        std::mem::swap(self.previous, self.current);
        done
    }

    fn shortest(&mut self, delta: u16, stack: &[VType]) -> Result<()> {
        let same = self.previous == self.current;
        let one = match stack {
            [ty] => Some(*ty),
            [ty, VType::TOP] if ty.is_wide() => Some(*ty),
            _ => None,
        };
        if let (true, Some(ty)) = (same, one) {
            match delta {
                0..64 => self.out.push(64 + delta as u8),
                _ => self.head(247, delta),
            }
            return self.ty(ty);
        }
        if !stack.is_empty() {
            return self.full(delta, stack);
        }
        if same {
            match delta {
                0..64 => self.out.push(delta as u8),
                _ => self.head(251, delta),
            }
            return Ok(());
        }
        let (old, new) = (self.previous.len(), self.current.len());
        if new < old && old - new <= 3 && self.previous[..new] == **self.current {
            self.head(251 - (old - new) as u8, delta);
            return Ok(());
        }
        if old < new && new - old <= 3 && self.previous[..] == self.current[..old] {
            self.head(251 + (new - old) as u8, delta);
            return (old..new).try_for_each(|i| self.ty(self.current[i]));
        }
        self.full(delta, stack)
    }

    fn head(&mut self, kind: u8, delta: u16) {
        let [a, b] = delta.to_be_bytes();
        self.out.extend([kind, a, b]);
    }

    fn full(&mut self, delta: u16, stack: &[VType]) -> Result<()> {
        self.head(255, delta);
        self.items()?;
        collect_items(stack, false, self.previous);
        std::mem::swap(self.previous, self.current);
        let done = self.items();
        std::mem::swap(self.previous, self.current);
        done
    }

    /// Writes the current items with their number before them.
    fn items(&mut self) -> Result<()> {
        let count = self.current.len();
        self.out.extend((count as u16).to_be_bytes());
        (0..count).try_for_each(|i| self.ty(self.current[i]))
    }

    fn ty(&mut self, ty: VType) -> Result<()> {
        self.out.push(ty.tag());
        if ty.is_object() {
            let index = self.types.class_index(self.pool, ty.payload())?;
            self.out.extend(index.to_be_bytes());
        } else if ty.is_uninitialized() {
            let Some(pc) = (self.new_pc)(ty.payload()) else {
                return Err(ErrorKind::Encode("a frame that names no new").at(0));
            };
            self.out.extend((pc as u16).to_be_bytes());
        }
        Ok(())
    }
}
