//! How long a process had to wait for a processor.
//!
//! Limits are in wall-clock time. On a machine with more to do than processors, a harmless test can hit its limit
//! without having run for long; that must not become a verdict. The kernel counts for each thread how long it ran, and
//! how long it was ready to run and did not (the first two numbers of `schedstat`). Threads that wait because others of
//! their own process run are no reason for patience.

use std::collections::VecDeque;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a process is looked at.
const EVERY: Duration = Duration::from_millis(100);
/// How many looks are kept: ten minutes.
const KEPT: usize = 6_000;

/// Looks at a process while something else waits for it.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    done: AtomicBool,
    looks: Mutex<VecDeque<Look>>,
}

/// What was seen of a process.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    /// How long its threads had run by then, all together.
    ran: Duration,
    /// How long they had waited for a processor.
    waited: Duration,
}

impl Watch {
    /// Runs `work` while the process `pid` is looked at from another thread.
    pub(crate) fn during<T>(&self, pid: u32, work: impl FnOnce() -> T) -> T {
        self.done.store(false, Ordering::SeqCst);
        self.looks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        std::thread::scope(|scope| {
            let looker = scope.spawn(|| {
                while !self.done.load(Ordering::SeqCst) {
                    self.look(pid);
                    std::thread::park_timeout(EVERY);
                }
            });
            let result = work();
            self.done.store(true, Ordering::SeqCst);
            looker.thread().unpark();
            result
        })
    }

    fn look(&self, pid: u32) {
        let Some((mut ran, mut waited)) = times(pid) else {
            return;
        };
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        // threads that ended take their times with them
        if let Some(before) = looks.back() {
            ran = ran.max(before.ran);
            waited = waited.max(before.waited);
        }
        let at = Instant::now();
        looks.push_back(Look { at, ran, waited });
        if looks.len() > KEPT {
            looks.pop_front();
        }
    }

    /// The share of the last `window` in which the process waited for a processor, from 0 to 1.
    pub(crate) fn share(&self, window: Duration) -> f64 {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        share(&looks, window, cores)
    }
}

fn share(looks: &VecDeque<Look>, window: Duration, cores: usize) -> f64 {
    let Some(end) = looks.back() else {
        return 0.0;
    };
    let inside = looks
        .iter()
        .find(|look| end.at.duration_since(look.at) <= window);
    let Some(start) = inside else {
        return 0.0;
    };
    let elapsed = end.at.duration_since(start.at).as_secs_f64();
    if elapsed == 0.0 {
        return 0.0;
    }
    let waited = (end.waited - start.waited).as_secs_f64() / elapsed;
    let used = (end.ran - start.ran).as_secs_f64() / elapsed / cores as f64;
    waited.min(1.0 - used).clamp(0.0, 1.0)
}

/// How long the threads of a process have run, and have waited for a processor, all together. None where the system
/// does not tell.
pub(crate) fn times(pid: u32) -> Option<(Duration, Duration)> {
    let (mut ran, mut waited) = (0, 0);
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else {
            continue;
        };
        let mut nanos = text.split(' ').map_while(|number| number.parse().ok());
        ran += nanos.next().unwrap_or(0);
        waited += nanos.next().unwrap_or(0);
    }
    Some((Duration::from_nanos(ran), Duration::from_nanos(waited)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_the_window() {
        let start = Instant::now();
        let at = |s: u64, waited: u64| Look {
            at: start + Duration::from_secs(s),
            ran: Duration::ZERO,
            waited: Duration::from_secs(waited),
        };
        let looks = VecDeque::from([at(0, 0), at(10, 0), at(12, 1), at(14, 3)]);
        assert_eq!(share(&looks, Duration::from_secs(4), 2), 0.75);
        assert_eq!(share(&looks, Duration::from_secs(60), 2), 3.0 / 14.0);
        assert_eq!(share(&VecDeque::new(), Duration::from_secs(4), 2), 0.0);
    }

    #[test]
    fn threads_that_wait_for_each_other_have_no_want() {
        let start = Instant::now();
        let at = |s: u64, ran: u64, waited: u64| Look {
            at: start + Duration::from_secs(s),
            ran: Duration::from_secs(ran),
            waited: Duration::from_secs(waited),
        };
        let window = Duration::from_secs(10);
        let share = |ran, waited| {
            share(
                &VecDeque::from([at(0, 0, 0), at(10, ran, waited)]),
                window,
                2,
            )
        };
        assert_eq!(share(20, 480), 0.0, "fifty threads have both cores");
        assert_eq!(share(10, 490), 0.5, "they have one of two");
        assert_eq!(share(5, 5), 0.5, "one thread has half a core");
        assert_eq!(share(10, 0), 0.0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_of_our_own_process() {
        assert!(times(std::process::id()).is_some());
        let watch = Watch::default();
        assert_eq!(watch.during(std::process::id(), || 7), 7);
    }
}
