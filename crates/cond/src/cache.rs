//! Lossy caches of operation results: two entries a slot, the older overwritten on collision.

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
    /// Each slot has the newer entry first. A second entry costs little, being on the same cache line, and keeps two
    /// operations that are used in turn from driving each other out.
    slots: Box<[[Entry<N>; 2]]>,
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
            slots: vec![[Self::EMPTY; 2]; MIN_ENTRIES / 2].into_boxed_slice(),
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
        mix(word) & (self.slots.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, op: u32, operands: [u32; N]) -> Option<Id> {
        let [newer, older] = &self.slots[self.slot(op, operands)];
        // The first operand is a node number, so an empty entry never matches.
        if newer.operands == operands && newer.op == op {
            Id::new(newer.result)
        } else if older.operands == operands && older.op == op {
            Id::new(older.result)
        } else {
            None
        }
    }

    #[inline]
    pub(crate) fn put(&mut self, op: u32, operands: [u32; N], result: Id) {
        self.stored += 1;
        self.store(Entry {
            op,
            operands,
            result: result.get(),
        });
    }

    #[inline]
    fn store(&mut self, entry: Entry<N>) {
        let index = self.slot(entry.op, entry.operands);
        let slot = &mut self.slots[index];
        if slot[0].operands != entry.operands || slot[0].op != entry.op {
            slot[1] = slot[0];
        }
        slot[0] = entry;
    }

    /// How many entries there is room for.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() * 2
    }

    pub(crate) fn bytes(&self) -> usize {
        self.len() * size_of::<Entry<N>>()
    }

    /// Grows to this many entries, a power of two, if there was enough to store since the last time.
    pub(crate) fn grow(&mut self, entries: usize) {
        if self.len() < entries && self.stored > self.len() / 2 {
            self.resize(entries.min(self.len() * 4));
        }
    }

    /// Changes the number of entries to a power of two, keeping what does not collide.
    pub(crate) fn resize(&mut self, entries: usize) {
        let slots = vec![[Self::EMPTY; 2]; entries / 2].into_boxed_slice();
        let old = std::mem::replace(&mut self.slots, slots);
        self.stored = 0;
        for [newer, older] in old.iter().filter(|slot| slot[0].result != 0) {
            if older.result != 0 {
                self.store(*older);
            }
            self.store(*newer);
        }
    }

    /// Forgets every entry that is rejected by its operator or a node number it mentions.
    pub(crate) fn retain(&mut self, keep_op: impl Fn(u32) -> bool, keep: impl Fn(u32) -> bool) {
        let live = |entry: &Entry<N>| {
            keep(entry.result)
                && keep_op(entry.op)
                && entry
                    .operands
                    .iter()
                    .all(|&operand| operand == 0 || keep(operand))
        };
        for slot in &mut self.slots {
            let mut kept = [Self::EMPTY; 2];
            let lasting = slot.iter().filter(|entry| live(entry));
            kept.iter_mut()
                .zip(lasting)
                .for_each(|(place, entry)| *place = *entry);
            *slot = kept;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.fill([Self::EMPTY; 2]);
    }
}
