//! What the worker slots of a round have to do: items of neighbouring mutants first, then the mutants that were put off.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::trying::Trying;

/// A piece of work for one slot.
pub(crate) enum Work {
    /// Mutants that are neighbours.
    Item(Range<usize>),
    /// The other tests of one mutant.
    Rest(Box<Trying>),
}

/// Work that grows while it is done. A slot that finds nothing waits for what the others may still put off, so that all
/// slots end at about the same time.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    items: VecDeque<Range<usize>>,
    /// Mutants that were put off, with what their tests cost.
    rest: Vec<(u64, Box<Trying>)>,
    /// Pieces that somebody works on.
    busy: usize,
}

impl Queue {
    pub(crate) fn new(items: Vec<Range<usize>>) -> Self {
        let state = State {
            items: items.into(),
            rest: Vec::new(),
            busy: 0,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece; waits while there may still be one. Each must be followed by [`done`](Self::done).
    pub(crate) fn next(&self) -> Option<Work> {
        let mut state = self.state();
        loop {
            let next = match state.items.pop_front() {
                Some(item) => Some(Work::Item(item)),
                None => state.costliest().map(Work::Rest),
            };
            if next.is_some() {
                state.busy += 1;
            }
            if next.is_some() || state.busy == 0 {
                return next;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Puts off the rest of a mutant.
    pub(crate) fn put_off(&self, cost: u64, trying: Trying) {
        self.state().rest.push((cost, Box::new(trying)));
        self.changed.notify_all();
    }

    /// A piece is done when the guard is dropped.
    pub(crate) fn done(&self) -> Done<'_> {
        Done(self)
    }
}

impl State {
    /// The mutant with the most left to do: if it came last, one slot would be left with it.
    fn costliest(&mut self) -> Option<Box<Trying>> {
        let places = 0..self.rest.len();
        let place = places.max_by_key(|place| (self.rest[*place].0, *place))?;
        Some(self.rest.swap_remove(place).1)
    }
}

/// Tells the queue at its end that a piece is done.
pub(crate) struct Done<'q>(&'q Queue);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.state().busy -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_waits_for_what_another_puts_off() {
        let queue = Queue::new(std::iter::once(0..1).collect());
        std::thread::scope(|scope| {
            let item = queue.next();
            assert!(matches!(item, Some(Work::Item(_))));
            let other = scope.spawn(|| {
                let _done = queue.done();
                queue
                    .next()
                    .is_some_and(|work| matches!(work, Work::Rest(_)))
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            let done = queue.done();
            queue.put_off(1, Trying::new(1, Vec::new(), Vec::new()));
            drop(done);
            assert!(other.join().unwrap());
        });
        assert!(queue.next().is_none());
    }

    #[test]
    fn the_costliest_comes_first() {
        let queue = Queue::new(Vec::new());
        for cost in [3, 9, 1] {
            queue.put_off(cost, Trying::new(cost as usize, Vec::new(), Vec::new()));
        }
        let next = || match queue.next() {
            Some(Work::Rest(trying)) => trying.mutant,
            _ => 0,
        };
        assert_eq!([next(), next(), next()], [9, 3, 1]);
    }
}
