//! Many jobs over a few slots.

use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};

use crate::cancel::Cancel;

/// Runs `jobs` on `slots` threads and shows each result to `on_result` as it comes, on the calling
/// thread.
///
/// Each thread makes itself a slot first (its sandbox, say) with `set_up`; if none can, the first
/// error is returned, otherwise the others do the work. Jobs are taken from the iterator one at a
/// time, so it may be endless or slow. When `cancel` is set, no further job is begun.
pub fn run_jobs<J, S, R, E>(
    slots: usize,
    jobs: impl Iterator<Item = J> + Send,
    set_up: impl Fn(usize) -> Result<S, E> + Sync,
    work: impl Fn(&mut S, J) -> R + Sync,
    mut on_result: impl FnMut(R),
    cancel: &Cancel,
) -> Result<(), E>
where
    R: Send,
    E: Send,
{
    let jobs = Mutex::new(jobs.fuse());
    let (sender, results) = channel();
    let slots = slots.max(1);
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let serve = |index: usize, sender: std::sync::mpsc::Sender<R>| -> Result<(), E> {
        let mut slot = set_up(index)?;
        while !cancel.is_cancelled()
            && let Some(job) = next()
        {
            if sender.send(work(&mut slot, job)).is_err() {
                break;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..slots)
            .map(|index| {
                let (sender, serve) = (sender.clone(), &serve);
                scope.spawn(move || serve(index, sender))
            })
            .collect();
        drop(sender);
        results.iter().for_each(&mut on_result);
        let mut errors = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => errors.push(error),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        match errors.into_iter().next() {
            // Somebody has done the work, unless every slot has failed.
            Some(error) if next_is_left(&jobs, cancel) => Err(error),
            _ => Ok(()),
        }
    })
}

fn next_is_left<J>(jobs: &Mutex<impl Iterator<Item = J>>, cancel: &Cancel) -> bool {
    !cancel.is_cancelled()
        && jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
            .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never(_: usize) -> Result<(), String> {
        Err("no slot".to_owned())
    }

    #[test]
    fn every_job_is_done_once_on_its_slot() {
        let mut results = Vec::new();
        let set_up = |index| Ok::<usize, String>(index);
        let work = |slot: &mut usize, job: u32| (*slot < 3, job * 2);
        run_jobs(3, 0..100, set_up, work, |r| results.push(r), &Cancel::new()).unwrap();
        results.sort_unstable();
        let expected: Vec<_> = (0..100).map(|job| (true, job * 2)).collect();
        assert_eq!(results, expected);
    }

    #[test]
    fn no_job_begins_after_cancelling() {
        let cancel = Cancel::new();
        let mut count = 0;
        let work = |(): &mut (), job: u32| {
            if job == 5 {
                cancel.cancel();
            }
        };
        run_jobs(
            1,
            0..,
            |_| Ok::<(), String>(()),
            work,
            |()| count += 1,
            &cancel,
        )
        .unwrap();
        assert_eq!(count, 6);
    }

    #[test]
    fn an_error_counts_only_if_no_slot_can_do_the_work() {
        let work = |(): &mut (), _: u32| ();
        let cancel = Cancel::new();
        assert_eq!(
            run_jobs(2, 0..3, never, work, |()| (), &cancel),
            Err("no slot".to_owned())
        );
        let one = |index| if index == 0 { Ok(()) } else { never(index) };
        assert_eq!(run_jobs(2, 0..3, one, work, |()| (), &cancel), Ok(()));
    }
}
