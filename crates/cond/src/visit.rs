//! Reachability: which nodes lie below a root.

use crate::Manager;
use crate::table::{Id, Table};

/// Marks on node numbers that are all taken back by starting a new round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stamps {
    round: u32,
    stamps: Vec<u32>,
}

impl Stamps {
    /// Starts a round for a table of this size with no number marked.
    fn start(&mut self, len: usize) {
        if self.round == u32::MAX {
            self.stamps.clear();
            self.round = 0;
        }
        self.round += 1;
        if self.stamps.len() < len {
            self.stamps.resize(len, 0);
        }
    }

    /// Marks the number; false if it was marked already.
    fn mark(&mut self, id: Id) -> bool {
        let stamp = &mut self.stamps[id.get() as usize];
        std::mem::replace(stamp, self.round) != self.round
    }
}

impl Manager {
    /// Every node below the roots including them, each once, in depth-first order (`lo` before `hi`).
    pub(crate) fn reachable(&mut self, roots: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut found = Vec::new();
        self.visited.start(self.table.len());
        for root in roots {
            visit(&self.table, &mut self.visited, root, &mut found);
        }
        found
    }

    /// The same with every node after its children.
    pub(crate) fn bottom_up(&mut self, roots: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut found = self.reachable(roots);
        found.sort_by_key(|&id| std::cmp::Reverse(self.table.level(id)));
        found
    }
}

fn visit(table: &Table, visited: &mut Stamps, root: Id, found: &mut Vec<Id>) {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !visited.mark(id) {
            continue;
        }
        found.push(id);
        let node = table.node(id);
        if !node.is_terminal() {
            stack.push(node.hi());
            stack.push(node.lo());
        }
    }
}
