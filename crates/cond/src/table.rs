//! The node table: nodes and terminals hash-consed in one array, found through an open-addressing index.
//!
//! A node is 16 bytes. Number 0 is never a node, so an `Option` or `Result` of a handle costs nothing; numbers 1
//! and 2 are the terminals with payloads 0 and 1, which are false and true. Nodes never move: a collection puts
//! dead ones on a free list and rebuilds the index.

use crate::error::OutOfNodes;
use std::num::NonZeroU32;

/// A node number.
pub(crate) type Id = NonZeroU32;

/// Terminal with payload 0.
pub(crate) const FALSE: Id = NonZeroU32::MIN;
/// Terminal with payload 1.
pub(crate) const TRUE: Id = FALSE.saturating_add(1);
/// The level of terminals, below every option.
pub(crate) const TERMINAL: u32 = u32::MAX;
/// The level of a slot on the free list.
const FREE: u32 = u32::MAX - 1;

const MIN_SLOTS: usize = 1 << 10;

/// An inner node (`level`, `lo`, `hi`), a terminal (`TERMINAL`, payload in the two halves) or a free slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) level: u32,
    pub(crate) lo: u32,
    pub(crate) hi: u32,
    /// 1 if every terminal below is false or true.
    boolean: u32,
}

impl Node {
    #[inline]
    pub(crate) fn is_terminal(&self) -> bool {
        self.level == TERMINAL
    }

    /// The payload of a terminal.
    #[inline]
    pub(crate) fn payload(&self) -> u64 {
        u64::from(self.lo) | u64::from(self.hi) << 32
    }

    /// The branch with the option off. Only for inner nodes (a terminal's half may be any number).
    #[inline]
    pub(crate) fn lo(&self) -> Id {
        child(self.lo)
    }

    /// The branch with the option on. Only for inner nodes.
    #[inline]
    pub(crate) fn hi(&self) -> Id {
        child(self.hi)
    }

    #[inline]
    pub(crate) fn is_boolean(&self) -> bool {
        self.boolean != 0
    }

    fn is_free(&self) -> bool {
        self.level == FREE
    }
}

/// The children of inner nodes are never 0; the alternative only satisfies the type without a panic path.
#[inline]
fn child(raw: u32) -> Id {
    Id::new(raw).unwrap_or(FALSE)
}

#[inline]
fn hash(level: u32, lo: u32, hi: u32) -> usize {
    let word = (u64::from(lo) | u64::from(hi) << 32) ^ u64::from(level).wrapping_mul(LEVEL_MIX);
    mix(word)
}

/// The bits of a slot that hold a part of the hash.
const TAG: u64 = !(u32::MAX as u64);

#[inline]
fn tag(hash: usize) -> u64 {
    hash as u64 & TAG
}

const LEVEL_MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Folds the 128-bit product with an odd constant: two instructions, and every input bit reaches the low bits.
#[inline]
pub(crate) fn mix(word: u64) -> usize {
    let wide = u128::from(word ^ 0xa076_1d64_78bd_642f) * u128::from(0xe703_7ed1_a0b4_28db_u64);
    (wide as u64 ^ (wide >> 64) as u64) as usize
}

/// The table of all nodes of a manager.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    nodes: Vec<Node>,
    /// Node numbers by hash with linear probing, a power of two, at most two thirds full. The upper half of a slot
    /// repeats bits of the hash, so that a probe of the wrong node does not touch the node; 0 is empty.
    slots: Box<[u64]>,
    free: u32,
    live: usize,
    peak: usize,
    limit: usize,
}

impl Table {
    pub(crate) fn new(limit: usize) -> Table {
        let unused = Node {
            level: FREE,
            lo: 0,
            hi: 0,
            boolean: 0,
        };
        let mut table = Table {
            nodes: vec![unused],
            slots: vec![0; MIN_SLOTS].into_boxed_slice(),
            free: 0,
            live: 0,
            peak: 0,
            limit,
        };
        table.insert_unlimited(TERMINAL, 0, 0);
        table.insert_unlimited(TERMINAL, 1, 0);
        table
    }

    #[inline]
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes[id.get() as usize]
    }

    #[inline]
    pub(crate) fn level(&self, id: Id) -> u32 {
        self.nodes[id.get() as usize].level
    }

    /// Node numbers are below this.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Bytes held by the nodes and the index.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.slots.len() * size_of::<u64>()
    }

    /// The node that decides on `level`, or its child if both are the same.
    #[inline]
    pub(crate) fn make(&mut self, level: u32, lo: Id, hi: Id) -> Result<Id, OutOfNodes> {
        if lo == hi {
            return Ok(lo);
        }
        self.intern(level, lo.get(), hi.get())
    }

    /// The terminal with this payload.
    #[inline]
    pub(crate) fn terminal(&mut self, payload: u64) -> Result<Id, OutOfNodes> {
        if payload <= 1 {
            return Ok(if payload == 0 { FALSE } else { TRUE });
        }
        self.intern(TERMINAL, payload as u32, (payload >> 32) as u32)
    }

    /// [`Table::make`] for the few nodes that must exist whatever the limit.
    pub(crate) fn make_unlimited(&mut self, level: u32, lo: Id, hi: Id) -> Id {
        match self.find(level, lo.get(), hi.get()) {
            Ok(id) => id,
            Err(_) => self.insert_unlimited(level, lo.get(), hi.get()),
        }
    }

    #[inline]
    fn intern(&mut self, level: u32, lo: u32, hi: u32) -> Result<Id, OutOfNodes> {
        match self.find(level, lo, hi) {
            Ok(id) => Ok(id),
            Err(_) if self.live >= self.limit => Err(OutOfNodes),
            Err(slot) => Ok(self.insert_at(slot, level, lo, hi)),
        }
    }

    /// The node with these fields, or the slot where it belongs.
    #[inline]
    fn find(&self, level: u32, lo: u32, hi: u32) -> Result<Id, usize> {
        let mask = self.slots.len() - 1;
        let hash = hash(level, lo, hi);
        let mut slot = hash & mask;
        loop {
            let entry = self.slots[slot];
            if tag(hash) == entry & TAG {
                let node = &self.nodes[entry as u32 as usize];
                if node.lo == lo && node.hi == hi && node.level == level {
                    return Ok(child(entry as u32));
                }
            }
            if entry == 0 {
                return Err(slot);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn insert_unlimited(&mut self, level: u32, lo: u32, hi: u32) -> Id {
        match self.find(level, lo, hi) {
            Ok(id) => id,
            Err(slot) => self.insert_at(slot, level, lo, hi),
        }
    }

    fn insert_at(&mut self, slot: usize, level: u32, lo: u32, hi: u32) -> Id {
        let boolean = if level == TERMINAL {
            u32::from(hi == 0 && lo <= 1)
        } else {
            self.nodes[lo as usize].boolean & self.nodes[hi as usize].boolean
        };
        let node = Node {
            level,
            lo,
            hi,
            boolean,
        };
        let id = match Id::new(self.free) {
            Some(id) => {
                self.free = self.nodes[id.get() as usize].lo;
                self.nodes[id.get() as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                // The limit keeps numbers below 2^32, see `Manager::set_node_limit`.
                child((self.nodes.len() - 1) as u32)
            }
        };
        self.slots[slot] = tag(hash(level, lo, hi)) | u64::from(id.get());
        self.live += 1;
        self.peak = self.peak.max(self.live);
        if self.live * 3 > self.slots.len() * 2 {
            self.rebuild_index(self.slots.len() * 2);
        }
        id
    }

    fn rebuild_index(&mut self, size: usize) {
        self.slots = vec![0; size].into_boxed_slice();
        let mask = size - 1;
        for (number, node) in self.nodes.iter().enumerate() {
            if node.is_free() {
                continue;
            }
            let hash = hash(node.level, node.lo, node.hi);
            let mut slot = hash & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = tag(hash) | number as u64;
        }
    }

    /// Frees every node that `keep` says is dead; returns how many. Numbers of live nodes do not change.
    pub(crate) fn sweep(&mut self, keep: impl Fn(u32) -> bool) -> usize {
        let before = self.live;
        self.free = 0;
        self.live = 0;
        let mut last_live = 0;
        for number in 1..self.nodes.len() {
            if !self.nodes[number].is_free() && keep(number as u32) {
                self.live += 1;
                last_live = number;
            } else {
                self.nodes[number].level = FREE;
            }
        }
        self.nodes.truncate(last_live + 1);
        // Low numbers are handed out first, which keeps the array dense.
        for number in (1..self.nodes.len()).rev() {
            if self.nodes[number].is_free() {
                self.nodes[number].lo = self.free;
                self.free = number as u32;
            }
        }
        let size = (self.live * 3).next_power_of_two().max(MIN_SLOTS);
        self.rebuild_index(size.min(self.slots.len()));
        before - self.live
    }

    /// Rewrites levels by a strictly increasing map, so the order within every diagram stays as it was.
    pub(crate) fn relabel(&mut self, map: impl Fn(u32) -> u32) {
        for node in &mut self.nodes {
            if node.level < FREE {
                node.level = map(node.level);
            }
        }
        self.rebuild_index(self.slots.len());
    }
}
