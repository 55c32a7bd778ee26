//! Whether processors have nothing to do while JVMs wait, as in tests that sleep.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::starvation::times;

/// So much of a processor has to be free.
const FREE: f64 = 0.6;
/// Where threads wait for a processor for a larger part of the time, others use what is free.
const WAITED: f64 = 0.2;

/// What processes have spent so far.
#[derive(Clone, Copy, Default)]
struct Spent {
    running: Duration,
    /// Ready to run, without a processor.
    waiting: Duration,
}

/// Looks at the processes that this one has started.
pub(crate) struct Idle {
    processors: usize,
    last: Mutex<Option<(Instant, Spent)>>,
}

impl Idle {
    /// `processors` are at our disposal.
    pub(crate) fn new(processors: usize) -> Self {
        Self {
            processors,
            last: Mutex::default(),
        }
    }

    /// Whether one more may start: most of a processor was free since the last look, which was so long ago at least. Of
    /// several who ask one is told so. Never where the system does not tell.
    pub(crate) fn has_room(&self, window: Duration) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if last.is_some_and(|(at, _)| now.duration_since(at) < window) {
            return false;
        }
        let Some(spent) = spent_by_children() else {
            return false;
        };
        let before = last.replace((now, spent));
        before.is_some_and(|(at, before)| {
            let share = |now: Duration, then: Duration, elapsed: Duration| {
                now.saturating_sub(then).as_secs_f64() / elapsed.as_secs_f64()
            };
            let elapsed = now.duration_since(at);
            let used = share(spent.running, before.running, elapsed);
            let waited = share(spent.waiting, before.waiting, elapsed);
            // a process that ended takes its times with it
            let same = spent.running >= before.running && spent.waiting >= before.waiting;
            same && used <= self.processors as f64 - FREE && waited <= WAITED
        })
    }
}

/// What all processes have spent that this one has started and that are still there.
fn spent_by_children() -> Option<Spent> {
    let own = std::process::id();
    let mut spent = Spent::default();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let Some(pid) = pid.filter(|pid| parent(*pid) == Some(own)) else {
            continue;
        };
        let (running, waiting) = times(pid).unwrap_or_default();
        spent.running += running;
        spent.waiting += waiting;
    }
    Some(spent)
}

/// The process that started another one.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // behind the name, which may hold anything: state, parent
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_first_look_knows_nothing_and_the_next_comes_later() {
        let (idle, window) = (Idle::new(1_000), Duration::from_millis(300));
        assert!(!idle.has_room(window));
        assert!(!idle.has_room(window));
        std::thread::sleep(window);
        assert!(!idle.has_room(window * 2), "it is too early");
        assert!(idle.has_room(window));
        assert!(!idle.has_room(window), "only one is told");
    }

    #[test]
    fn the_system_knows_who_started_us() {
        assert_eq!(
            parent(std::process::id()),
            Some(std::os::unix::process::parent_id())
        );
    }
}
