//! What a diagram says about one configuration, and the smallest configuration that meets a condition.

use crate::Manager;
use crate::handle::{Choice, Cond, Opt};
use crate::table::{FALSE, Id, TRUE};
use rustc_hash::FxHashMap;

impl Manager {
    /// Does the configuration meet the condition?
    pub fn eval(&self, cond: Cond, on: impl FnMut(Opt) -> bool) -> bool {
        self.payload_at(cond.into(), on) != 0
    }

    /// The payload of the choice in this configuration.
    pub fn payload_at(&self, choice: Choice, mut on: impl FnMut(Opt) -> bool) -> u64 {
        let mut node = self.table.node(choice.0);
        while !node.is_terminal() {
            let opt = self.levels.at(node.level);
            node = self.table.node(if on(opt) { node.hi() } else { node.lo() });
        }
        node.payload()
    }

    /// The configuration with the fewest options on that meets the condition, as the options that are on in the
    /// order of the diagrams; among equally small ones the one whose first differing option comes earlier.
    ///
    /// ```
    /// # use braid_cond::Manager;
    /// let mut m = Manager::with_options(["a", "b", "c"]);
    /// let failing = m.parse("a & b | c & !a").unwrap();
    /// let smallest: Vec<&str> = m.smallest(failing).unwrap().iter().map(|&o| m.name(o)).collect();
    /// assert_eq!(smallest, ["c"]);
    /// ```
    pub fn smallest(&mut self, cond: Cond) -> Option<Vec<Opt>> {
        if cond.is_false() {
            return None;
        }
        let fewest = self.fewest_on(cond);
        let mut on = Vec::new();
        let mut id = cond.0;
        while id != TRUE {
            let node = self.table.node(id);
            let least = |child: Id| fewest.get(&child).copied().unwrap_or(usize::MAX);
            if least(node.hi()).saturating_add(1) <= least(node.lo()) {
                on.push(self.levels.at(node.level));
                id = node.hi();
            } else {
                id = node.lo();
            }
        }
        Some(on)
    }

    /// For each node below the condition how many options must be on to reach true; none for false.
    fn fewest_on(&mut self, cond: Cond) -> FxHashMap<Id, usize> {
        let mut fewest = FxHashMap::from_iter([(TRUE, 0), (FALSE, usize::MAX)]);
        for id in self.bottom_up([cond.0]) {
            let node = self.table.node(id);
            if !node.is_terminal() {
                let on = fewest[&node.hi()].saturating_add(1);
                fewest.insert(id, on.min(fewest[&node.lo()]));
            }
        }
        fewest
    }

    /// Any configuration that meets the condition, as the options that are on.
    pub fn any_solution(&self, cond: Cond) -> Option<Vec<Opt>> {
        if cond.is_false() {
            return None;
        }
        let mut on = Vec::new();
        let mut node = self.table.node(cond.0);
        while !node.is_terminal() {
            let next = if node.lo() == FALSE {
                on.push(self.levels.at(node.level));
                node.hi()
            } else {
                node.lo()
            };
            node = self.table.node(next);
        }
        Some(on)
    }
}
