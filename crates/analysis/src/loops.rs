//! Loops: natural ones by back edges, and irreducible ones, which have several entries.

use crate::{Dominators, Graph};

/// One loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The only entry of a natural loop; of an irreducible one, one of its entries.
    pub head: u32,
    /// All nodes, the head included, ascending.
    pub nodes: Vec<u32>,
    /// Whether the head dominates every node.
    pub natural: bool,
}

/// The loops of the part of a graph that the dominators' root reaches, ordered by head. Back edges to one head make one loop.
///
/// A cycle without a back edge to a dominating head is reported as one irreducible loop: the strongly connected
/// part that remains when all back edges are taken away.
pub fn loops(graph: &Graph, dominators: &Dominators) -> Vec<Loop> {
    let before = graph.reversed();
    let mut latches: Vec<Vec<u32>> = vec![Vec::new(); graph.len()];
    let mut forward = Vec::new();
    for (from, to) in graph.edges().filter(|&(from, _)| dominators.reaches(from)) {
        if dominators.dominates(to, from) {
            latches[to as usize].push(from);
        } else {
            forward.push((from, to));
        }
    }
    let mut found: Vec<Loop> = Vec::new();
    for head in 0..graph.len() as u32 {
        if !latches[head as usize].is_empty() {
            let nodes = natural_body(&before, dominators, head, &latches[head as usize]);
            found.push(Loop {
                head,
                nodes,
                natural: true,
            });
        }
    }
    for mut nodes in Graph::new(graph.len(), forward).components() {
        if nodes.len() > 1 {
            nodes.sort_unstable();
            found.push(Loop {
                head: nodes[0],
                nodes,
                natural: false,
            });
        }
    }
    found.sort_by_key(|l| l.head);
    found
}

/// The nodes that reach a latch without passing the head.
fn natural_body(before: &Graph, dominators: &Dominators, head: u32, latches: &[u32]) -> Vec<u32> {
    let mut inside = vec![head];
    let mut seen = vec![false; before.len()];
    seen[head as usize] = true;
    let mut work = latches.to_vec();
    while let Some(node) = work.pop() {
        if dominators.reaches(node) && !std::mem::replace(&mut seen[node as usize], true) {
            inside.push(node);
            work.extend_from_slice(before.successors(node));
        }
    }
    inside.sort_unstable();
    inside
}
