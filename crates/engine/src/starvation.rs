//! How long a process had to wait for a processor.
//!
//! Limits are in wall-clock time. On a machine with more to do than processors, a harmless test can hit its limit
//! without having run for long; that must not become a verdict. The kernel counts for each thread how long it was
//! ready to run and did not (the second number of `schedstat`).

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
    /// When, and how long all threads together had waited by then.
    looks: Mutex<VecDeque<(Instant, Duration)>>,
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
        let Some(waited) = waited(pid) else { return };
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        // threads that ended take their waiting with them
        let waited = looks
            .back()
            .map_or(waited, |(_, before)| waited.max(*before));
        looks.push_back((Instant::now(), waited));
        if looks.len() > KEPT {
            looks.pop_front();
        }
    }

    /// The share of the last `window` in which the process waited for a processor, from 0 to 1.
    pub(crate) fn share(&self, window: Duration) -> f64 {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        share(&looks, window)
    }
}

fn share(looks: &VecDeque<(Instant, Duration)>, window: Duration) -> f64 {
    let Some((end, waited)) = looks.back() else {
        return 0.0;
    };
    let inside = looks
        .iter()
        .find(|(at, _)| end.duration_since(*at) <= window);
    let Some((start, before)) = inside else {
        return 0.0;
    };
    let elapsed = end.duration_since(*start).as_secs_f64();
    if elapsed == 0.0 {
        return 0.0;
    }
    ((*waited - *before).as_secs_f64() / elapsed).min(1.0)
}

/// How long the threads of a process have waited for a processor, all together. None where the system does not
/// tell.
fn waited(pid: u32) -> Option<Duration> {
    let mut total = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else {
            continue;
        };
        let nanos: Option<u64> = text
            .split(' ')
            .nth(1)
            .and_then(|number| number.parse().ok());
        total += nanos.unwrap_or(0);
    }
    Some(Duration::from_nanos(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_the_window() {
        let start = Instant::now();
        let at =
            |s: u64, waited: u64| (start + Duration::from_secs(s), Duration::from_secs(waited));
        let looks = VecDeque::from([at(0, 0), at(10, 0), at(12, 1), at(14, 3)]);
        assert_eq!(share(&looks, Duration::from_secs(4)), 0.75);
        assert_eq!(share(&looks, Duration::from_secs(60)), 3.0 / 14.0);
        assert_eq!(share(&VecDeque::new(), Duration::from_secs(4)), 0.0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_of_our_own_process() {
        assert!(waited(std::process::id()).is_some());
        let watch = Watch::default();
        assert_eq!(watch.during(std::process::id(), || 7), 7);
    }
}
