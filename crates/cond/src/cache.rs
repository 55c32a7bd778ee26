//! Lossy caches of operation results: direct-mapped, one entry a slot, overwritten on collision.

use crate::table::{Id, mix};

/// Caches start with this many entries.
pub(crate) const MIN_ENTRIES: usize = 1 << 14;

/// One cached result: operator, `N` operands (node numbers, or 0 where unused) and result. All zero if empty.
#[derive(Debug, Clone, Copy)]
struct Entry<const N: usize> {
    op: u32,
    operands: [u32; N],
    result: u32,
}

/// A cache for operators of `N` operands.
#[derive(Debug, Clone)]
pub(crate) struct Cache<const N: usize> {
    entries: Box<[Entry<N>]>,
    /// Results stored since the size last changed.
    stored: usize,
}

impl<const N: usize> Cache<N> {
    const EMPTY: Entry<N> = Entry {
        op: 0,
        operands: [0; N],
        result: 0,
    };

    pub(crate) fn new() -> Cache<N> {
        Cache {
            entries: vec![Self::EMPTY; MIN_ENTRIES].into_boxed_slice(),
            stored: 0,
        }
    }

    #[inline]
    fn slot(&self, op: u32, operands: [u32; N]) -> usize {
        let mut word = u64::from(op).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut shift = 0;
        for operand in operands {
            word ^= u64::from(operand).rotate_left(shift);
            shift += if N > 2 { 21 } else { 32 };
        }
        mix(word) & (self.entries.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, op: u32, operands: [u32; N]) -> Option<Id> {
        let entry = &self.entries[self.slot(op, operands)];
        // The first operand is a node number, so an empty entry never matches.
        if entry.operands == operands && entry.op == op {
            Id::new(entry.result)
        } else {
            None
        }
    }

    #[inline]
    pub(crate) fn put(&mut self, op: u32, operands: [u32; N], result: Id) {
        let slot = self.slot(op, operands);
        self.stored += 1;
        self.entries[slot] = Entry {
            op,
            operands,
            result: result.get(),
        };
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry<N>>()
    }

    /// Grows to this many entries, a power of two, if there was enough to store since the last time.
    pub(crate) fn grow(&mut self, entries: usize) {
        if self.len() < entries && self.stored > self.len() / 2 {
            self.resize(entries.min(self.len() * 4));
        }
    }

    /// Changes the number of entries to a power of two, keeping what does not collide.
    pub(crate) fn resize(&mut self, entries: usize) {
        let old = std::mem::replace(
            &mut self.entries,
            vec![Self::EMPTY; entries].into_boxed_slice(),
        );
        self.stored = 0;
        for entry in old.iter().filter(|entry| entry.result != 0) {
            let slot = self.slot(entry.op, entry.operands);
            self.entries[slot] = *entry;
        }
    }

    /// Forgets every entry that `keep` rejects by its operator and the node numbers it mentions.
    pub(crate) fn retain(&mut self, keep_op: impl Fn(u32) -> bool, keep: impl Fn(u32) -> bool) {
        for entry in &mut self.entries {
            let live = keep(entry.result)
                && keep_op(entry.op)
                && entry
                    .operands
                    .iter()
                    .all(|&operand| operand == 0 || keep(operand));
            if !live {
                *entry = Self::EMPTY;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(Self::EMPTY);
    }
}
