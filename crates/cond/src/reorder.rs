//! Changing the variable order of diagrams in use.

use crate::Manager;
use crate::error::{Error, OutOfNodes};
use crate::handle::{Choice, Cond, Opt};
use crate::levels::Levels;
use crate::table::{FALSE, Id, TRUE, Table};
use rustc_hash::FxHashMap;

impl Manager {
    /// Rebuilds everything in another variable order. `conds` and `choices` are replaced by their new handles;
    /// all other handles must not be used again. If the new order needs too many nodes, all is as before.
    ///
    /// Which order is best depends on the formula: options that are tested together belong together.
    pub fn reorder(
        &mut self,
        order: &[Opt],
        conds: &mut [Cond],
        choices: &mut [Choice],
    ) -> Result<(), Error> {
        self.check_permutation(order)?;
        let roots = conds
            .iter()
            .map(|cond| cond.0)
            .chain(choices.iter().map(|choice| choice.0));
        let roots: Vec<Id> = roots.collect();
        let nodes = self.bottom_up(roots);
        let old_levels = self.levels.clone();
        let limit = self.table.limit();
        let old_table = std::mem::replace(&mut self.table, Table::new(limit));
        let old_literals = self.literals.clone();
        self.forget_results();
        self.install_levels(Levels::from_order(order));
        match self.rebuild(&nodes, &old_table, &old_levels) {
            Ok(moved) => {
                conds.iter_mut().for_each(|cond| cond.0 = moved[&cond.0]);
                choices
                    .iter_mut()
                    .for_each(|choice| choice.0 = moved[&choice.0]);
                let conds = conds.iter().map(|&cond| Choice::from(cond));
                self.collect(conds.chain(choices.iter().copied()));
                Ok(())
            }
            Err(error) => {
                self.levels = old_levels;
                self.table = old_table;
                self.literals = old_literals;
                self.forget_results();
                Err(error.into())
            }
        }
    }

    fn check_permutation(&self, order: &[Opt]) -> Result<(), Error> {
        let mut distinct = order.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.retain(|opt| opt.index() < self.option_count());
        if distinct.len() == self.option_count() && order.len() == distinct.len() {
            return Ok(());
        }
        Err(Error::NotAPermutation {
            given: distinct.len(),
            expected: self.option_count(),
        })
    }

    fn rebuild(
        &mut self,
        nodes: &[Id],
        old: &Table,
        old_levels: &Levels,
    ) -> Result<FxHashMap<Id, Id>, OutOfNodes> {
        let mut moved = FxHashMap::from_iter([(FALSE, FALSE), (TRUE, TRUE)]);
        for &id in nodes {
            let node = old.node(id);
            let new = if node.is_terminal() {
                self.table.terminal(node.payload())?
            } else {
                let decide = self.on(old_levels.at(node.level));
                let (yes, no) = (Choice(moved[&node.hi()]), Choice(moved[&node.lo()]));
                self.select(decide, yes, no)?.0
            };
            moved.insert(id, new);
        }
        Ok(moved)
    }
}
