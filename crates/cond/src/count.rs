//! How many configurations meet a condition.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Cond, Opt};
use crate::table::{FALSE, Id, TRUE};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

impl Manager {
    /// How many configurations of all options meet the condition.
    ///
    /// ```
    /// # use braid_cond::Manager;
    /// # fn main() -> Result<(), braid_cond::OutOfNodes> {
    /// let mut m = Manager::with_options((0..2000).map(|i| i.to_string()));
    /// let opts = m.order().to_vec();
    /// let pairs = m.exactly(&opts, 2)?;
    /// assert_eq!(m.count(pairs), (2000u32 * 1999 / 2).into());
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(&mut self, cond: Cond) -> BigUint {
        // Each entry counts the settings of the options at and below the node's level.
        let mut counts: FxHashMap<Id, BigUint> =
            FxHashMap::from_iter([(FALSE, BigUint::ZERO), (TRUE, BigUint::from(1u32))]);
        for id in self.bottom_up([cond.0]) {
            let node = self.table.node(id);
            if node.is_terminal() {
                continue;
            }
            let below = |child: Id| {
                let free = self.options_above(child) - self.options_above(id) - 1;
                &counts[&child] << free
            };
            let count = below(node.lo()) + below(node.hi());
            counts.insert(id, count);
        }
        &counts[&cond.0] << self.options_above(cond.0)
    }

    fn options_above(&self, id: Id) -> usize {
        self.levels.above(self.table.level(id))
    }

    /// How many settings of just these options the condition allows (the other options being free to help).
    pub fn count_over(&mut self, cond: Cond, opts: &[Opt]) -> Result<BigUint, OutOfNodes> {
        let projected = self.project(cond, opts)?;
        let mut distinct = opts.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        Ok(self.count(projected) >> (self.option_count() - distinct.len()))
    }

    /// The condition on just these options under which the others can be set so that `cond` holds.
    pub fn project(&mut self, cond: Cond, opts: &[Opt]) -> Result<Cond, OutOfNodes> {
        let kept: std::collections::HashSet<Opt> = opts.iter().copied().collect();
        let mut others = self.support(cond);
        others.retain(|opt| !kept.contains(opt));
        if others.is_empty() {
            Ok(cond)
        } else {
            self.exists(cond, &others)
        }
    }
}
