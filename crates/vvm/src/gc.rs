//! Garbage collection: mark and sweep, nothing moves.
//!
//! It runs at safe points (backward jumps and calls), where every reference is in a register, a waiting
//! state, a static field, the heap or one of the VM's own tables. Registers are untyped, so they are scanned
//! conservatively: a number that happens to be the address of an object keeps it alive. Fields and elements
//! are scanned by type; choices by their leaves. Diagram nodes are not collected here, since contexts live in
//! the interpreter's own frames; they are collected between runs.

use crate::class::Shape;
use crate::heap::{HEADER, Heap, Hole};
use crate::interp::raise::AbortKind;
use crate::trap::Trap;
use crate::value::{Kind, Ref, Slot, is_choice, node};
use crate::vm::Vm;
use braid_cond::Choice;

/// Smaller holes are left alone until their neighbours die.
const SMALLEST_HOLE: u32 = 8;

struct Marker {
    /// One bit a word: where objects start.
    starts: Vec<u64>,
    marked: Vec<u64>,
    queue: Vec<Ref>,
    nodes: braid_cond::Marks,
    found: Vec<u64>,
}

fn bit(bits: &[u64], at: u32) -> bool {
    bits.get(at as usize / 64)
        .is_some_and(|word| word >> (at % 64) & 1 != 0)
}

fn set(bits: &mut [u64], at: u32) {
    bits[at as usize / 64] |= 1 << (at % 64);
}

impl Vm {
    /// Called when fuel or allocation ran out between two instructions.
    #[cold]
    pub(crate) fn safe_point(&mut self) -> Result<(), Trap> {
        if self.heap.allocated >= self.collect_at {
            self.collect();
        }
        if self.fuel == 0 && !self.grant_more() {
            let object = self.abort(AbortKind::Endless, 0)?;
            // The state is done for; what is left of its fuel must not wrap around.
            self.set_fuel(1);
            return Err(Trap::Throw(u64::from(object)));
        }
        Ok(())
    }

    /// Keeps the most of the heap that was in use.
    pub(crate) fn note_heap(&mut self) {
        let bytes = u64::from(self.heap.high()) * 8;
        self.counters.peak_heap = self.counters.peak_heap.max(bytes);
    }

    #[cold]
    pub(crate) fn out_of_memory(&mut self) -> Trap {
        self.collect_at = 0;
        Trap::new("java/lang/OutOfMemoryError", "Java heap space")
    }

    /// Words of the object at a reference.
    fn object_words(&self, object: Ref) -> u32 {
        let class = &self.classes[self.heap.class(object) as usize];
        let words = match class.shape {
            Shape::Array { kind, .. } => Heap::array_words(kind, self.heap.length(object)) as u32,
            _ if self.heap.class(object) == self.known.abort => HEADER + 2,
            _ => class.instance_words,
        };
        Heap::rounded(words)
    }

    /// Frees what cannot be reached.
    pub(crate) fn collect(&mut self) {
        self.counters.collections += 1;
        self.note_heap();
        self.heap.seal();
        let bits = self.heap.high() as usize / 64 + 1;
        let mut marker = Marker {
            starts: self.object_starts(bits),
            marked: vec![0; bits],
            queue: Vec::new(),
            nodes: self.conds.start_marking(),
            found: Vec::new(),
        };
        self.mark_roots(&mut marker);
        while let Some(object) = marker.queue.pop() {
            self.scan(&mut marker, object);
        }
        let live = self.sweep(&marker);
        let marked = marker.marked;
        self.heap.retain_side(|array| bit(&marked, array));
        let free = u64::from(self.heap.capacity()) - live;
        self.collect_at = (free * 3 / 4).max(1 << 14);
    }

    /// Every object below the high-water mark lies end to end with the next, holes excepted, and holes hold
    /// zeroes in their first word.
    fn object_starts(&self, bits: usize) -> Vec<u64> {
        let mut starts = vec![0; bits];
        let mut at = self.heap.first();
        while at < self.heap.high() {
            if self.heap.word(at) == 0 {
                at += self.heap.hole_words(at);
                continue;
            }
            set(&mut starts, at);
            at += self.object_words(at);
        }
        starts
    }

    fn mark_roots(&mut self, marker: &mut Marker) {
        let stack = std::rc::Rc::clone(&self.stack);
        for cell in &stack[..self.top.min(stack.len())] {
            self.mark_slot(marker, cell.get());
        }
        let mut slots: Vec<Slot> = self.statics.clone();
        slots.extend(&self.held);
        slots.push(self.escaped);
        slots.push(u64::from(self.last_resort));
        let kept = &self.kept;
        slots.extend(
            [
                kept.thread,
                kept.thread_group,
                kept.module,
                kept.proxy_module,
                kept.loader,
                kept.out,
                kept.err,
            ]
            .map(u64::from),
        );
        slots.extend(kept.blocks.iter().map(|&block| u64::from(block)));
        slots.extend(kept.extra.iter().map(|&object| u64::from(object)));
        slots.extend(self.literals.objects().map(u64::from));
        for multi in &self.multis {
            for state in &multi.states {
                slots.extend(state.regs.iter());
            }
            slots.extend(
                multi
                    .returned
                    .iter()
                    .chain(&multi.thrown)
                    .map(|(_, slot)| *slot),
            );
        }
        for class in &self.classes {
            slots.extend([
                u64::from(class.mirror),
                class.init.error,
                u64::from(class.loader),
            ]);
            slots.extend(
                class
                    .resolved
                    .values()
                    .filter_map(|resolved| match resolved {
                        crate::class::Resolved::Value(slot) => Some(*slot),
                        _ => None,
                    }),
            );
        }
        for slot in slots {
            self.mark_slot(marker, slot);
        }
    }

    fn mark_slot(&mut self, marker: &mut Marker, slot: Slot) {
        if is_choice(slot) {
            if let Some(choice) = Choice::from_raw(node(slot)) {
                self.mark_node(marker, choice);
            }
        } else if slot >> 32 == 0 {
            mark_object(marker, slot as Ref);
        }
    }

    fn mark_node(&mut self, marker: &mut Marker, choice: Choice) {
        let mut found = std::mem::take(&mut marker.found);
        self.conds
            .mark(&mut marker.nodes, choice, |payload| found.push(payload));
        for payload in found.drain(..) {
            if payload >> 32 == 0 {
                mark_object(marker, payload as Ref);
            }
        }
        marker.found = found;
    }

    fn scan(&mut self, marker: &mut Marker, object: Ref) {
        let class = &self.classes[self.heap.class(object) as usize];
        match class.shape {
            Shape::Array { kind, .. } => {
                let length = self.heap.length(object);
                if kind.shift() == 3 {
                    let refs = kind == Kind::Ref;
                    for index in 0..length {
                        let slot = self.heap.word(object + HEADER + index);
                        if refs || is_choice(slot) {
                            self.mark_slot(marker, slot);
                        }
                    }
                } else if self.heap.is_conditional(object) {
                    for index in 0..length {
                        let slot = self.heap.element(kind, object, index);
                        if is_choice(slot) {
                            self.mark_slot(marker, slot);
                        }
                    }
                }
            }
            _ => {
                let words = self.object_words(object);
                let refs =
                    std::rc::Rc::clone(&self.classes[self.heap.class(object) as usize].ref_offsets);
                for &offset in refs.iter() {
                    let slot = self.heap.field(object, offset);
                    self.mark_slot(marker, slot);
                }
                for offset in HEADER..words {
                    let slot = self.heap.field(object, offset);
                    if is_choice(slot) {
                        self.mark_slot(marker, slot);
                    }
                }
            }
        }
    }

    /// Returns the live words.
    fn sweep(&mut self, marker: &Marker) -> u64 {
        let mut holes = Vec::new();
        let (mut live, mut at, mut start) = (0u64, self.heap.first(), None);
        let high = self.heap.high();
        while at < high {
            let size = if self.heap.word(at) == 0 {
                self.heap.hole_words(at)
            } else {
                self.object_words(at)
            };
            if bit(&marker.marked, at) {
                live += u64::from(size);
                if let Some(begin) = start.take() {
                    holes.push(Hole {
                        start: begin,
                        end: at,
                    });
                }
            } else {
                start.get_or_insert(at);
            }
            at += size;
        }
        let begin = start.unwrap_or(high.max(at));
        holes.push(Hole {
            start: begin,
            end: self.heap.capacity(),
        });
        self.heap.retire(&holes);
        holes.retain(|hole| hole.end - hole.start >= SMALLEST_HOLE);
        holes.reverse();
        self.heap.use_holes(holes);
        live
    }
}

fn mark_object(marker: &mut Marker, object: Ref) {
    if object != 0 && bit(&marker.starts, object) && !bit(&marker.marked, object) {
        set(&mut marker.marked, object);
        marker.queue.push(object);
    }
}
