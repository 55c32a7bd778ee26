//! Bringing the VM back to the state after start-up, so that every test sees a new JVM.
//!
//! Loaded classes, translated methods and linked call sites stay: they do not depend on what a program did.
//! Objects, static fields and initialisation do not.

use crate::class::{Init, Resolved};
use crate::heap::HeapSnapshot;
use crate::value::{Ref, Slot};
use crate::vm::{Compared, Kept, Vm};
use braid_cond::{Choice, Cond};

/// What a reset goes back to.
pub struct Checkpoint {
    heap: HeapSnapshot,
    literals: Vec<Ref>,
    statics: Vec<Slot>,
    classes: Vec<(Init, Ref)>,
    kept: Kept,
    clock: u64,
}

impl Vm {
    /// Remembers the present state, and counts steps from here. The VM must be at rest: no call in progress.
    pub fn checkpoint(&mut self) -> Checkpoint {
        for class in &mut self.classes {
            class.permanent = class.init.begun.is_true() && class.init.failed.is_false();
        }
        self.quickened.clear();
        self.end_path();
        (self.counters.steps, self.counters.longest) = (0, 0);
        Checkpoint {
            heap: self.heap.snapshot(),
            literals: self.literals.snapshot(),
            statics: self.statics.clone(),
            classes: self
                .classes
                .iter()
                .map(|class| (class.init, class.mirror))
                .collect(),
            kept: self.kept.clone(),
            clock: self.clock,
        }
    }

    /// Goes back to a checkpoint; `keep` are conditions of earlier results that must stay valid.
    pub fn reset(&mut self, checkpoint: &Checkpoint, keep: &[Cond]) {
        self.note_heap();
        self.heap.restore(&checkpoint.heap);
        let count = checkpoint.statics.len();
        self.statics[..count].copy_from_slice(&checkpoint.statics);
        self.statics[count..].fill(0);
        for (code, pc, op) in self.quickened.drain(..).rev() {
            code.ops[pc].set(op);
        }
        self.reset_classes(checkpoint);
        self.literals.restore(&checkpoint.literals);
        self.kept = checkpoint.kept.clone();
        self.clock = checkpoint.clock;
        self.held.clear();
        // Contexts and choices may mean something else after a collection of nodes.
        self.seen.clear();
        self.compared.fill(Compared::NONE);
        self.calls.clear();
        self.multis.clear();
        (self.top, self.escaped) = (0, 0);
        self.collect_at = u64::from(self.heap.capacity() - self.heap.high()) * 3 / 4;
        self.ctx = self.universe;
        self.collect_nodes(keep);
    }

    fn reset_classes(&mut self, checkpoint: &Checkpoint) {
        let clinit = (self.known.clinit, self.known.void_descriptor);
        for (index, class) in self.classes.iter_mut().enumerate() {
            match checkpoint.classes.get(index) {
                Some(&(init, mirror)) => (class.init, class.mirror) = (init, mirror),
                None => {
                    let made = class.file.is_none() && !class.by_signature.contains_key(&clinit);
                    let begun = if made { Cond::TRUE } else { Cond::FALSE };
                    class.init = Init {
                        begun,
                        failed: Cond::FALSE,
                        error: 0,
                    };
                    class.mirror = 0;
                    class.loader = 0;
                }
            }
            class
                .resolved
                .retain(|_, resolved| !matches!(resolved, Resolved::Value(_)));
        }
        for (class, _) in self.defined.drain(..) {
            let name = self.classes[class as usize].name;
            if self.class_by_name.get(&name) == Some(&class) {
                self.class_by_name.remove(&name);
            }
        }
        self.files.reset();
    }

    /// Drops diagram nodes that nothing refers to any more. Only valid right after a reset.
    fn collect_nodes(&mut self, keep: &[Cond]) {
        if !self.conds.collection_due() {
            return;
        }
        let mut roots: Vec<Choice> = keep.iter().map(|&cond| Choice::from(cond)).collect();
        roots.push(Choice::from(self.universe));
        roots.extend(
            self.grant
                .as_ref()
                .map(|grant| Choice::from(grant.baseline)),
        );
        roots.extend(
            self.output
                .chunks()
                .iter()
                .map(|chunk| Choice::from(chunk.when)),
        );
        for &slot in self.statics.iter().chain(&self.options.values) {
            if crate::value::is_choice(slot) {
                roots.extend(Choice::from_raw(crate::value::node(slot)));
            }
        }
        self.conds.collect(roots);
    }
}
