//! Taking choices apart: which payloads a choice has, and under which conditions.

use crate::Manager;
use crate::choice::WhenEqual;
use crate::error::OutOfNodes;
use crate::handle::{Choice, Cond};
use crate::table::{FALSE, Id, TRUE};
use rustc_hash::FxHashMap;

/// Choices with more leaves are taken apart in one pass instead of once for each leaf.
const FEW_LEAVES: usize = 8;

/// The payload terminals below a node with their conditions, by terminal number.
type Parts = Vec<(Id, Id)>;

impl Manager {
    /// The distinct payloads of a choice, in any context, in a fixed order (options off before on).
    pub fn payloads(&mut self, choice: Choice) -> Vec<u64> {
        self.terminals(choice)
            .into_iter()
            .map(|id| self.table.node(id).payload())
            .collect()
    }

    fn terminals(&mut self, choice: Choice) -> Vec<Id> {
        let mut found = self.reachable([choice.0]);
        found.retain(|&id| self.table.node(id).is_terminal());
        found
    }

    /// The payloads of a choice within a context and the part of the context where each is: disjoint, satisfiable
    /// conditions that together are the context. Empty under [`Cond::FALSE`].
    pub fn leaves(
        &mut self,
        choice: Choice,
        context: Cond,
    ) -> Result<Vec<(Cond, u64)>, OutOfNodes> {
        if context.is_false() {
            return Ok(Vec::new());
        }
        if let Some(payload) = self.value_in(choice, context)? {
            return Ok(vec![(context, payload)]);
        }
        let terminals = self.terminals(choice);
        let parts = if terminals.len() <= FEW_LEAVES {
            self.parts_one_by_one(choice.0, &terminals)?
        } else {
            let restricted = self.restrict(choice, context)?;
            let terminals = self.terminals(restricted);
            self.parts_at_once(restricted.0, &terminals)?
        };
        let mut leaves = Vec::with_capacity(parts.len());
        for (terminal, cond) in parts {
            let cond = self.and(context, Cond(cond))?;
            if cond.is_satisfiable() {
                leaves.push((cond, self.table.node(terminal).payload()));
            }
        }
        Ok(leaves)
    }

    /// The condition of each terminal by a cached operation.
    pub(crate) fn parts_one_by_one(
        &mut self,
        root: Id,
        terminals: &[Id],
    ) -> Result<Parts, OutOfNodes> {
        let when = |&terminal: &Id| Ok((terminal, self.run(&mut WhenEqual, [root, terminal])?));
        terminals.iter().map(when).collect()
    }

    /// The condition of each terminal by merging the lists of children, bottom-up: work in proportion to the
    /// leaves below each node instead of all nodes for each leaf.
    pub(crate) fn parts_at_once(
        &mut self,
        root: Id,
        terminals: &[Id],
    ) -> Result<Parts, OutOfNodes> {
        let mut parts: FxHashMap<Id, Parts> = FxHashMap::default();
        for id in self.bottom_up([root]) {
            let node = self.table.node(id);
            let merged = if node.is_terminal() {
                vec![(id, TRUE)]
            } else {
                self.merge_parts(node.level, &parts[&node.lo()], &parts[&node.hi()])?
            };
            parts.insert(id, merged);
        }
        let mut by_terminal = parts.remove(&root).unwrap_or_default();
        let place: FxHashMap<Id, usize> = terminals
            .iter()
            .enumerate()
            .map(|(place, &id)| (id, place))
            .collect();
        by_terminal.sort_by_key(|(terminal, _)| place.get(terminal).copied());
        Ok(by_terminal)
    }

    fn merge_parts(&mut self, level: u32, lo: &Parts, hi: &Parts) -> Result<Parts, OutOfNodes> {
        let mut merged = Vec::with_capacity(lo.len().max(hi.len()));
        let (mut left, mut right) = (lo.iter().peekable(), hi.iter().peekable());
        loop {
            let (terminal, off, on) = match (left.peek(), right.peek()) {
                (Some(&&(a, off)), Some(&&(b, on))) if a == b => {
                    left.next();
                    right.next();
                    (a, off, on)
                }
                (Some(&&(a, off)), other) if other.is_none_or(|&&(b, _)| a < b) => {
                    left.next();
                    (a, off, FALSE)
                }
                (_, Some(&&(b, on))) => {
                    right.next();
                    (b, FALSE, on)
                }
                _ => return Ok(merged),
            };
            merged.push((terminal, self.table.make(level, off, on)?));
        }
    }

    /// The combinations of payloads that several choices have within a context and the part of the context where
    /// each is: what a call with conditional arguments is split into.
    pub fn split(
        &mut self,
        context: Cond,
        choices: &[Choice],
    ) -> Result<Vec<(Cond, Vec<u64>)>, OutOfNodes> {
        let mut parts = vec![(context, Vec::with_capacity(choices.len()))];
        parts.retain(|(cond, _)| !cond.is_false());
        for &choice in choices {
            let mut finer = Vec::with_capacity(parts.len());
            for (cond, payloads) in parts {
                for (cond, payload) in self.leaves(choice, cond)? {
                    let mut payloads = payloads.clone();
                    payloads.push(payload);
                    finer.push((cond, payloads));
                }
            }
            parts = finer;
        }
        Ok(parts)
    }
}
