//! Mark-and-sweep collection with roots that the caller names.

use crate::Manager;
use crate::handle::{Choice, FRESH};
use crate::table::{FALSE, Id, TRUE};

/// Which nodes are live, while the caller is still naming roots.
#[derive(Debug, Clone)]
pub struct Marks {
    bits: Vec<u64>,
    /// The table's state when marking began: a node made since would be swept by mistake.
    live: usize,
    collections: u64,
}

impl Marks {
    fn mark(&mut self, id: Id) -> bool {
        let (word, bit) = (id.get() as usize / 64, 1 << (id.get() % 64));
        let fresh = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        fresh
    }

    fn contains(&self, number: u32) -> bool {
        self.bits
            .get(number as usize / 64)
            .is_some_and(|word| word & 1 << (number % 64) != 0)
    }
}

impl Manager {
    /// Frees every node that is not below a root; returns how many. Handles below the roots stay valid, literals
    /// and constants always do, all others must not be used again.
    ///
    /// ```
    /// # use braid_cond::Manager;
    /// # fn main() -> Result<(), braid_cond::OutOfNodes> {
    /// let mut m = Manager::with_options(["a", "b", "c"]);
    /// let [a, b, c] = [m.on(m.order()[0]), m.on(m.order()[1]), m.on(m.order()[2])];
    /// let keep = m.and(a, b)?;
    /// let _dead = m.xor(keep, c)?;
    /// m.collect([keep]);
    /// assert_eq!(m.and(a, b)?, keep);
    /// # Ok(())
    /// # }
    /// ```
    pub fn collect<R: Into<Choice>>(&mut self, roots: impl IntoIterator<Item = R>) -> usize {
        let mut marks = self.start_marking();
        for root in roots {
            self.mark(&mut marks, root, |_| {});
        }
        self.sweep(marks)
    }

    /// Is a collection worth its time? True once the live nodes have doubled since the last.
    #[inline]
    pub fn collection_due(&self) -> bool {
        self.table.live() >= self.collect_at
    }

    /// Begins a collection in steps, for callers that learn about roots on the way (a garbage collector that
    /// reaches objects through payloads). No diagrams may be built until [`Manager::sweep`].
    pub fn start_marking(&self) -> Marks {
        let words = self.table.len().div_ceil(64);
        let mut marks = Marks {
            bits: vec![0; words],
            live: self.table.live(),
            collections: self.collections,
        };
        for id in self
            .literals
            .iter()
            .flat_map(|&(off, on)| [off, on])
            .chain([FALSE, TRUE])
        {
            marks.mark(id);
        }
        marks
    }

    /// Marks what is below a root; calls `reached` with each payload met for the first time in this marking
    /// (other than 0 and 1).
    pub fn mark(&self, marks: &mut Marks, root: impl Into<Choice>, mut reached: impl FnMut(u64)) {
        let mut stack = vec![root.into().0];
        while let Some(id) = stack.pop() {
            if !marks.mark(id) {
                continue;
            }
            let node = self.table.node(id);
            if node.is_terminal() {
                reached(node.payload());
            } else {
                stack.push(node.hi());
                stack.push(node.lo());
            }
        }
    }

    /// Ends a collection: frees what is not marked; returns how many nodes that were. If diagrams were built
    /// since marking began nothing is freed.
    pub fn sweep(&mut self, marks: Marks) -> usize {
        if marks.live != self.table.live() || marks.collections != self.collections {
            return 0;
        }
        let freed = self.table.sweep(|number| marks.contains(number));
        let lasting = |op: u32| !(FRESH..1 << 30).contains(&op);
        self.cache2.retain(lasting, |number| marks.contains(number));
        self.cache3.retain(lasting, |number| marks.contains(number));
        self.collections += 1;
        self.collect_at = (self.table.live() * 2).max(1 << 16);
        freed
    }
}
