//! Dominators and post-dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use crate::Graph;

const NONE: u32 = u32::MAX;

/// The dominator tree of the nodes reachable from one root.
///
/// ```
/// use braid_analysis::{Dominators, Graph, PostDominators};
/// let diamond = Graph::new(4, [(0, 1), (0, 2), (1, 3), (2, 3)]);
/// assert_eq!(Dominators::new(&diamond, 0).immediate(3), Some(0));
/// assert!(PostDominators::new(&diamond, &[3]).post_dominates(3, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dominators {
    root: u32,
    parent: Vec<u32>,
    depth: Vec<u32>,
}

impl Dominators {
    /// The dominators of `graph` seen from `root`.
    pub fn new(graph: &Graph, root: u32) -> Self {
        let order = graph.post_order(&[root]);
        let mut number = vec![NONE; graph.len()];
        for (i, &node) in order.iter().enumerate() {
            number[node as usize] = i as u32;
        }
        let before = graph.reversed();
        let mut parent = vec![NONE; graph.len()];
        parent[root as usize] = root;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().skip(1) {
                let known = before
                    .successors(node)
                    .iter()
                    .copied()
                    .filter(|&p| parent[p as usize] != NONE);
                let new = known.reduce(|a, b| meet(&parent, &number, a, b));
                let new = new.expect("in reverse post-order a predecessor comes first");
                if parent[node as usize] != new {
                    parent[node as usize] = new;
                    changed = true;
                }
            }
        }
        let mut depth = vec![NONE; graph.len()];
        depth[root as usize] = 0;
        for &node in order.iter().rev().skip(1) {
            depth[node as usize] = depth[parent[node as usize] as usize] + 1;
        }
        Self {
            root,
            parent,
            depth,
        }
    }

    /// The closest node that every path from the root to `node` passes before it; none for the root and for what
    /// cannot be reached.
    pub fn immediate(&self, node: u32) -> Option<u32> {
        let parent = self.parent[node as usize];
        (parent != NONE && node != self.root).then_some(parent)
    }

    /// Whether every path from the root to `node` passes `by`. A node dominates itself; what cannot be
    /// reached neither dominates nor is dominated.
    pub fn dominates(&self, by: u32, node: u32) -> bool {
        if !self.reaches(by) || !self.reaches(node) {
            return false;
        }
        let mut at = node;
        while self.depth[at as usize] > self.depth[by as usize] {
            at = self.parent[at as usize];
        }
        at == by
    }

    /// Whether the root reaches the node at all.
    pub fn reaches(&self, node: u32) -> bool {
        self.parent[node as usize] != NONE
    }
}

/// The closest common ancestor, by post-order numbers.
fn meet(parent: &[u32], number: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while number[a as usize] < number[b as usize] {
            a = parent[a as usize];
        }
        while number[b as usize] < number[a as usize] {
            b = parent[b as usize];
        }
    }
    a
}

/// The post-dominators of a graph with several exits: dominators of the reversed graph, seen from one virtual exit
/// that every node of `exits` leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostDominators {
    tree: Dominators,
    exit: u32,
}

impl PostDominators {
    /// The post-dominators of `graph` towards `exits`.
    pub fn new(graph: &Graph, exits: &[u32]) -> Self {
        let exit = graph.len() as u32;
        let turned = graph.edges().map(|(from, to)| (to, from));
        let reversed = Graph::new(
            graph.len() + 1,
            turned.chain(exits.iter().map(|&e| (exit, e))),
        );
        Self {
            tree: Dominators::new(&reversed, exit),
            exit,
        }
    }

    /// The closest node that every path from `node` to an exit passes after it; none if paths part until
    /// they end, or if no exit can be reached.
    pub fn immediate(&self, node: u32) -> Option<u32> {
        self.tree
            .immediate(node)
            .filter(|&parent| parent != self.exit)
    }

    /// Whether every path from `node` to an exit passes `by`. A node post-dominates itself; a node that
    /// reaches no exit is post-dominated by nothing.
    pub fn post_dominates(&self, by: u32, node: u32) -> bool {
        self.tree.dominates(by, node)
    }
}
