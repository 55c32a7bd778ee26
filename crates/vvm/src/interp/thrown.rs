//! Exceptions in parts of a context.
//!
//! They are a list, not one value that is a choice: exceptions are mostly passed on, told apart by class and counted,
//! and a diagram of many different objects is dear to build and to take apart.

use super::Done;
use crate::trap::Step;
use crate::value::{Slot, is_choice};
use crate::vm::Vm;
use braid_cond::Cond;

/// Disjoint parts of a context, each with the exception thrown there (a reference or a choice of references).
pub(crate) type Thrown = Vec<(Cond, Slot)>;

impl Done {
    /// Where a call made in `ctx` returned, and what it threw.
    pub(crate) fn parts(self, ctx: Cond) -> (Cond, Thrown) {
        match self {
            Done::Value(_) => (ctx, Vec::new()),
            Done::Threw(exception) => (Cond::FALSE, vec![(ctx, exception)]),
            Done::Mixed(mixed) => (mixed.returned.0, mixed.thrown),
        }
    }
}

impl Vm {
    /// Adds an exception in one more part.
    pub(crate) fn add_thrown(
        &mut self,
        thrown: &mut Thrown,
        cond: Cond,
        exception: Slot,
    ) -> Step<()> {
        if cond.is_false() {
            return Ok(());
        }
        match thrown.iter_mut().find(|(_, other)| *other == exception) {
            Some((old, _)) => *old = self.conds.or(*old, cond)?,
            None => thrown.push((cond, exception)),
        }
        Ok(())
    }

    /// The parts in which each single exception is thrown.
    pub(crate) fn exceptions(&mut self, thrown: &Thrown) -> Step<Thrown> {
        let mut single = Vec::with_capacity(thrown.len());
        for &(cond, exception) in thrown {
            if is_choice(exception) {
                let diagram = self.diagram(exception)?;
                single.extend(self.conds.leaves(diagram, cond)?);
            } else {
                single.push((cond, exception));
            }
        }
        Ok(single)
    }

    /// Where anything is thrown.
    pub(crate) fn thrown_where(&mut self, thrown: &Thrown) -> Step<Cond> {
        Ok(self.conds.any(thrown.iter().map(|part| part.0))?)
    }

    /// All exceptions as one value.
    pub(crate) fn as_value(&mut self, thrown: &Thrown) -> Step<Slot> {
        let mut value = 0;
        for (index, &(cond, exception)) in thrown.iter().enumerate() {
            value = match index {
                0 => exception,
                _ => self.select_slot(cond, exception, value)?,
            };
        }
        Ok(value)
    }
}
