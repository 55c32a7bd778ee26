//! Bounds on how many options are on.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Cond, Opt};
use crate::table::{FALSE, Id, TRUE};

impl Manager {
    /// At most `n` of the options are on: the universe of a search of bounded degree.
    ///
    /// ```
    /// # use braid_cond::Manager;
    /// # fn main() -> Result<(), braid_cond::OutOfNodes> {
    /// let mut m = Manager::with_options(["a", "b", "c"]);
    /// let opts = m.order().to_vec();
    /// let few = m.at_most(&opts, 1)?;
    /// assert_eq!(m.count(few), 4u32.into());
    /// # Ok(())
    /// # }
    /// ```
    pub fn at_most(&mut self, opts: &[Opt], n: usize) -> Result<Cond, OutOfNodes> {
        self.between(opts, 0, n)
    }

    /// At least `n` of the options are on.
    pub fn at_least(&mut self, opts: &[Opt], n: usize) -> Result<Cond, OutOfNodes> {
        self.between(opts, n, opts.len())
    }

    /// Exactly `n` of the options are on.
    pub fn exactly(&mut self, opts: &[Opt], n: usize) -> Result<Cond, OutOfNodes> {
        self.between(opts, n, n)
    }

    /// At least `min` and at most `max` of the options are on. An option named twice counts once.
    pub fn between(&mut self, opts: &[Opt], min: usize, max: usize) -> Result<Cond, OutOfNodes> {
        let mut levels: Vec<u32> = opts.iter().map(|&opt| self.level(opt)).collect();
        levels.sort_unstable();
        levels.dedup();
        let n = levels.len();
        if min > max || min > n {
            return Ok(Cond::FALSE);
        }
        // row[j]: given that j of the options above are on, are enough and not too many on in the end? The last
        // entry stands for "too many".
        let max = max.min(n);
        let mut row: Vec<Id> = (0..=max + 1)
            .map(|on| if on >= min && on <= max { TRUE } else { FALSE })
            .collect();
        for (above, &level) in levels.iter().enumerate().rev() {
            for on in 0..=max.min(above) {
                row[on] = self.table.make(level, row[on], row[on + 1])?;
            }
        }
        Ok(Cond(row[0]))
    }

    /// At most `n` of the conditions hold.
    pub fn at_most_of(&mut self, conds: &[Cond], n: usize) -> Result<Cond, OutOfNodes> {
        self.between_of(conds, 0, n)
    }

    /// At least `min` and at most `max` of the conditions hold. A condition named twice counts twice.
    pub fn between_of(
        &mut self,
        conds: &[Cond],
        min: usize,
        max: usize,
    ) -> Result<Cond, OutOfNodes> {
        let n = conds.len();
        if min > max || min > n {
            return Ok(Cond::FALSE);
        }
        let max = max.min(n);
        let mut row: Vec<Cond> = (0..=max + 1)
            .map(|on| {
                if on >= min && on <= max {
                    Cond::TRUE
                } else {
                    Cond::FALSE
                }
            })
            .collect();
        for (above, &cond) in conds.iter().enumerate().rev() {
            for on in 0..=max.min(above) {
                row[on] = self.ite(cond, row[on + 1], row[on])?;
            }
        }
        Ok(row[0])
    }
}
