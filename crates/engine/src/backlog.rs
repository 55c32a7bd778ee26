//! What worker slots put off while they work, for whichever of them has time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Stop;

/// How long to wait before looking whether the run is to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// Work that comes up while other work is done. Slots take it first, and wait for it when there is nothing else as
/// long as others work.
pub(crate) struct Backlog<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    /// With what each costs.
    items: VecDeque<(u64, T)>,
    /// Slots at work.
    busy: usize,
}

/// A slot's work; it counts until this is dropped.
pub(crate) struct Busy<'b, T>(&'b Backlog<T>);

impl<T> Default for Backlog<T> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                items: VecDeque::new(),
                busy: 0,
            }),
            changed: Condvar::new(),
        }
    }
}

impl<T> Backlog<T> {
    /// Puts something off that costs so much, as far as that is known.
    pub(crate) fn push(&self, cost: u64, item: T) {
        self.lock().items.push_back((cost, item));
        self.changed.notify_one();
    }

    /// The costliest, since one slot would be left with it if it came last; of several the first. It has begun.
    pub(crate) fn take(&self) -> Option<T> {
        self.lock().take()
    }

    /// The same, once there is something; nothing when nobody works any more, or it is time to stop.
    pub(crate) fn wait(&self, stop: &Stop) -> Option<T> {
        let mut state = self.lock();
        while !stop.is_requested() {
            if let Some(item) = state.take() {
                return Some(item);
            }
            if state.busy == 0 {
                return None;
            }
            let waited = self.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// Other work has begun.
    pub(crate) fn begin(&self) {
        self.lock().busy += 1;
    }

    /// The work that was begun, to be kept until it is done.
    pub(crate) fn busy(&self) -> Busy<'_, T> {
        Busy(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn take(&mut self) -> Option<T> {
        let places = (0..self.items.len()).rev();
        let place = places.max_by_key(|place| self.items[*place].0)?;
        let (_, item) = self.items.remove(place)?;
        self.busy += 1;
        Some(item)
    }
}

impl<T> Drop for Busy<'_, T> {
    fn drop(&mut self) {
        self.0.lock().busy -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn who_waits_gets_what_others_put_off_and_ends_when_they_end() {
        let (backlog, stop, taken) = (Backlog::default(), Stop::default(), AtomicUsize::new(0));
        backlog.begin();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(item) = backlog.wait(&stop) {
                        let _busy = backlog.busy();
                        taken.fetch_add(item, Ordering::Relaxed);
                    }
                });
            }
            let busy = backlog.busy();
            for item in 1..=10 {
                backlog.push(0, item);
                std::thread::yield_now();
            }
            drop(busy);
        });
        assert_eq!(taken.into_inner(), 55);
        assert!(backlog.take().is_none());
    }

    #[test]
    fn the_costliest_comes_first_and_equals_in_their_order() {
        let backlog = Backlog::default();
        for cost in [3, 9, 1] {
            backlog.push(cost, cost);
        }
        backlog.push(3, 33);
        let all: Vec<u64> = std::iter::from_fn(|| backlog.take()).collect();
        assert_eq!(all, [9, 3, 33, 1]);
    }

    #[test]
    fn nobody_waits_for_what_never_comes() {
        let (backlog, stop) = (Backlog::<()>::default(), Stop::default());
        assert!(backlog.wait(&stop).is_none(), "nobody works");
        backlog.begin();
        stop.request();
        assert!(backlog.wait(&stop).is_none(), "it is time to stop");
    }
}
