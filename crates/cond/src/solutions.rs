//! All solutions of a condition, one after the other in a given order.

use crate::Manager;
use crate::error::OutOfNodes;
use crate::handle::{Cond, Opt};
use crate::table::{FALSE, Id, TERMINAL, TRUE};
use rustc_hash::FxHashMap;

/// The order in which solutions come. "First" is judged by the options as the caller lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// Fewest options on first; among as many, those with the first options on first.
    FewestOn,
    /// Most options on first; among as many, those with the first options on first.
    MostOn,
    /// Like counting in binary: the first option is off, then on.
    OffFirst,
    /// The reverse: the first option is on, then off.
    OnFirst,
}

/// Iterator over the solutions of a condition; see [`Manager::solutions`].
#[derive(Debug)]
pub struct Solutions<'m> {
    manager: &'m mut Manager,
    over: Vec<Opt>,
    order: Order,
    cond: Cond,
    /// How many options may be on, in the order to try; only for the orders by number. Last is next.
    degrees: Vec<usize>,
    /// Conditions still to be explored: a prefix of `over` is decided, `on` of them are on. Last is next.
    stack: Vec<Open>,
    on: Vec<Opt>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    cond: Cond,
    decided: usize,
    /// How many options are on before the last decision.
    on: usize,
    last_on: bool,
}

impl Manager {
    /// All settings of `over` that the condition allows (other options being free to help), each as the options
    /// that are on, in the given order. Options named twice count once.
    ///
    /// ```
    /// # use braid_cond::{Manager, Order};
    /// # fn main() -> Result<(), braid_cond::OutOfNodes> {
    /// let mut m = Manager::with_options(["a", "b"]);
    /// let opts = m.order().to_vec();
    /// let some = m.parse("a | b").unwrap();
    /// let all: Result<Vec<_>, _> = m.solutions(some, &opts, Order::FewestOn)?.collect();
    /// assert_eq!(all?, [vec![opts[0]], vec![opts[1]], opts.clone()]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn solutions(
        &mut self,
        cond: Cond,
        over: &[Opt],
        order: Order,
    ) -> Result<Solutions<'_>, OutOfNodes> {
        let mut seen = std::collections::HashSet::new();
        let over: Vec<Opt> = over
            .iter()
            .copied()
            .filter(|&opt| seen.insert(opt))
            .collect();
        let cond = self.project(cond, &over)?;
        let mut degrees = Vec::new();
        let mut stack = Vec::new();
        match order {
            Order::FewestOn => {
                degrees = self.degrees(cond, &over);
                degrees.reverse();
            }
            Order::MostOn => degrees = self.degrees(cond, &over),
            Order::OffFirst | Order::OnFirst => stack.push(Open::root(cond)),
        }
        Ok(Solutions {
            manager: self,
            over,
            order,
            cond,
            degrees,
            stack,
            on: Vec::new(),
        })
    }

    /// Which numbers of `over` are on in some solution, ascending. The condition depends on `over` only.
    fn degrees(&mut self, cond: Cond, over: &[Opt]) -> Vec<usize> {
        let mut levels: Vec<u32> = over.iter().map(|&opt| self.level(opt)).collect();
        levels.sort_unstable();
        let place = |level: u32| match level {
            TERMINAL => levels.len(),
            level => levels.partition_point(|&other| other < level),
        };
        let mut sets =
            FxHashMap::from_iter([(FALSE, DegreeSet::default()), (TRUE, DegreeSet(vec![1]))]);
        for id in self.bottom_up([cond.0]) {
            let node = self.table.node(id);
            if node.is_terminal() {
                continue;
            }
            let below = |child: Id| {
                let free = place(self.table.level(child)) - place(node.level) - 1;
                sets[&child].with_free(free)
            };
            let mut set = below(node.hi()).shifted(1);
            set.add(&below(node.lo()));
            sets.insert(id, set);
        }
        let free = place(self.table.level(cond.0));
        sets[&cond.0].with_free(free).members()
    }
}

impl Open {
    fn root(cond: Cond) -> Open {
        Open {
            cond,
            decided: 0,
            on: 0,
            last_on: false,
        }
    }
}

impl Solutions<'_> {
    fn advance(&mut self) -> Result<Option<Vec<Opt>>, OutOfNodes> {
        loop {
            let Some(open) = self.stack.pop() else {
                let Some(degree) = self.degrees.pop() else {
                    return Ok(None);
                };
                let exact = self.manager.exactly(&self.over, degree)?;
                let cond = self.manager.and(self.cond, exact)?;
                self.stack.push(Open::root(cond));
                continue;
            };
            if open.cond.is_false() {
                continue;
            }
            self.on.truncate(open.on);
            if open.last_on {
                self.on.push(self.over[open.decided - 1]);
            }
            if open.decided == self.over.len() {
                return Ok(Some(self.on.clone()));
            }
            self.branch(open)?;
        }
    }

    fn branch(&mut self, open: Open) -> Result<(), OutOfNodes> {
        let opt = self.over[open.decided];
        let off = self.manager.cofactor(open.cond, opt, false)?;
        let on = self.manager.cofactor(open.cond, opt, true)?;
        let next = |cond, last_on| Open {
            cond,
            decided: open.decided + 1,
            on: self.on.len(),
            last_on,
        };
        let (off, on) = (next(off, false), next(on, true));
        self.stack.extend(if self.order == Order::OffFirst {
            [on, off]
        } else {
            [off, on]
        });
        Ok(())
    }
}

impl Iterator for Solutions<'_> {
    type Item = Result<Vec<Opt>, OutOfNodes>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}

/// A set of small numbers as bits.
#[derive(Debug, Clone, Default)]
struct DegreeSet(Vec<u64>);

impl DegreeSet {
    /// Every member with 0 to `free` added.
    fn with_free(&self, free: usize) -> DegreeSet {
        let mut set = self.clone();
        let (mut covered, mut left) = (1, free);
        while left > 0 {
            let step = covered.min(left);
            let shifted = set.shifted(step);
            set.add(&shifted);
            covered += step;
            left -= step;
        }
        set
    }

    fn shifted(&self, by: usize) -> DegreeSet {
        let (words, bits) = (by / 64, by % 64);
        let mut shifted = vec![0; self.0.len() + words + 1];
        for (index, &word) in self.0.iter().enumerate() {
            shifted[index + words] |= word << bits;
            if bits > 0 {
                shifted[index + words + 1] |= word >> (64 - bits);
            }
        }
        while shifted.last() == Some(&0) {
            shifted.pop();
        }
        DegreeSet(shifted)
    }

    fn add(&mut self, other: &DegreeSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn members(&self) -> Vec<usize> {
        (0..self.0.len() * 64)
            .filter(|&n| self.0[n / 64] & 1 << (n % 64) != 0)
            .collect()
    }
}
