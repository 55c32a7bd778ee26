//! Reachability along paths whose calls and returns match.
//!
//! A path of an inter-procedural graph is *realisable* if every return goes back to the call that entered the
//! procedure. Because execution is looked at from the middle, a path may return out of procedures that were
//! entered before it began, and may end inside procedures it entered: first returns without calls, then
//! calls without returns, balanced parts anywhere between. This is the two-phase search of Horwitz, Reps and
//! Binkley, "Interprocedural Slicing Using Dependence Graphs" (1990, section 4). With one fact a node
//! the summary edges need no table of pairs: a call is passed if its callee can return at all, so everything is
//! linear in the size of the graph.

use crate::Graph;

/// One call: control leaves `from`, enters the callee and, if that returns, goes on at `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The node that calls.
    pub from: u32,
    /// The procedure called. A call with several possible callees is several calls.
    pub callee: u32,
    /// The node where control goes on.
    pub to: u32,
}

/// An inter-procedural graph.
///
/// Two procedures that call a third: from the first, control never returns into the second.
///
/// ```
/// use braid_analysis::{Call, Graph, Program};
/// let call = |from, to| Call { from, callee: 2, to };
/// let program = Program::new(
///     Graph::new(6, [(4, 5)]),
///     vec![0, 2, 4],
///     vec![vec![1], vec![3], vec![5]],
///     vec![call(0, 1), call(2, 3)],
/// );
/// let reached = program.reachable(&[0]);
/// assert!(reached[1] && reached[5] && !reached[3]);
/// ```
#[derive(Debug, Clone)]
pub struct Program {
    intra: Graph,
    entries: Vec<u32>,
    exits: Vec<Vec<u32>>,
    calls: Vec<Call>,
    /// Calls by caller node, as indices into `calls` sorted by `from`.
    first_call: Vec<u32>,
    /// Where a procedure's callers go on.
    returns: Vec<Vec<u32>>,
    /// The procedure that ends at a node, if one does.
    ended: Vec<u32>,
    can_return: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl Program {
    /// A program from the edges inside procedures (calls left out), the entry node and exit nodes of
    /// each procedure, and its calls.
    pub fn new(
        intra: Graph,
        entries: Vec<u32>,
        exits: Vec<Vec<u32>>,
        mut calls: Vec<Call>,
    ) -> Self {
        calls.sort_unstable();
        calls.dedup();
        let nodes = intra.len();
        let mut first_call = vec![0u32; nodes + 1];
        let mut returns = vec![Vec::new(); entries.len()];
        for call in &calls {
            first_call[call.from as usize + 1] += 1;
            returns[call.callee as usize].push(call.to);
        }
        for node in 0..nodes {
            first_call[node + 1] += first_call[node];
        }
        let mut ended = vec![NONE; nodes];
        for (procedure, nodes) in exits.iter().enumerate() {
            for &node in nodes {
                ended[node as usize] = procedure as u32;
            }
        }
        let can_return = vec![false; entries.len()];
        let mut program = Self {
            intra,
            entries,
            exits,
            calls,
            first_call,
            returns,
            ended,
            can_return,
        };
        program.find_returning();
        program
    }

    fn calls_from(&self, node: u32) -> &[Call] {
        let range = self.first_call[node as usize]..self.first_call[node as usize + 1];
        &self.calls[range.start as usize..range.end as usize]
    }

    /// Whether some path from a procedure's entry leads to one of its exits.
    pub fn can_return(&self, procedure: u32) -> bool {
        self.can_return[procedure as usize]
    }

    /// The exits of a procedure.
    pub fn exits(&self, procedure: u32) -> &[u32] {
        &self.exits[procedure as usize]
    }

    /// Marks nodes reached from their own procedure's entry, passing calls whose callee is known to return, until
    /// no further procedure is found to return.
    fn find_returning(&mut self) {
        let mut reached = vec![false; self.intra.len()];
        let mut work = self.entries.clone();
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); self.entries.len()];
        for (i, call) in self.calls.iter().enumerate() {
            callers[call.callee as usize].push(i as u32);
        }
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            work.extend_from_slice(self.intra.successors(node));
            let passed = self
                .calls_from(node)
                .iter()
                .filter(|c| self.can_return[c.callee as usize]);
            work.extend(passed.map(|c| c.to));
            let procedure = self.ended[node as usize];
            if procedure != NONE
                && !std::mem::replace(&mut self.can_return[procedure as usize], true)
            {
                let passed = callers[procedure as usize]
                    .iter()
                    .map(|&i| self.calls[i as usize]);
                work.extend(passed.filter(|c| reached[c.from as usize]).map(|c| c.to));
            }
        }
    }

    /// The nodes that a realisable path from one of `starts` reaches, the starts included.
    pub fn reachable(&self, starts: &[u32]) -> Vec<bool> {
        let nodes = self.intra.len();
        let mut rising = vec![false; nodes];
        let mut sinking = vec![false; nodes];
        let mut work: Vec<(u32, bool)> = starts.iter().map(|&s| (s, false)).collect();
        while let Some((node, sunk)) = work.pop() {
            let seen = if sunk { &mut sinking } else { &mut rising };
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            work.extend(self.intra.successors(node).iter().map(|&to| (to, sunk)));
            for call in self.calls_from(node) {
                if self.can_return[call.callee as usize] {
                    work.push((call.to, sunk));
                }
                work.push((self.entries[call.callee as usize], true));
            }
            let procedure = self.ended[node as usize];
            if !sunk && procedure != NONE {
                work.extend(
                    self.returns[procedure as usize]
                        .iter()
                        .map(|&to| (to, false)),
                );
            }
        }
        rising.iter().zip(&sinking).map(|(a, b)| a | b).collect()
    }
}
