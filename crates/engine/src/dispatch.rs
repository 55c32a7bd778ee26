//! Hands patches to worker slots and verdicts to the recorder.

use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use braid_exec::run_jobs;
use braid_variants::{Patch, PatchId, PatchReadError, Patches};

use crate::backlog::Backlog;
use crate::prepare::{Prepared, Preparer, content_of};
use crate::recorder::Recorder;
use crate::select::Globs;
use crate::strategy::{Case, Deferred, Findings, Judge, Judgement, Strategy};
use crate::{EngineError, PatchRequest, Stop, Tally, VerdictKind};

/// What of a run was done before: the content of each patch that has a verdict, by id.
pub(crate) type Done = HashMap<String, String>;

/// A patch as it was read.
type ReadPatch = Result<Patch, PatchReadError>;

/// How many patches are read ahead of the workers; they may be large.
const READ_AHEAD: usize = 2;

/// Who does the work.
pub(crate) struct Work<'a> {
    /// Makes cases of patches.
    pub preparer: &'a Preparer<'a>,
    /// Judges them.
    pub strategy: &'a dyn Strategy,
    /// When to stop.
    pub stop: &'a Stop,
}

/// Judges all patches in `jobs` slots. What was recorded before an error stays.
pub(crate) fn dispatch(
    source: Source<'_>,
    work: &Work<'_>,
    recorder: Recorder<'_>,
    jobs: usize,
) -> (Tally, Result<(), EngineError>) {
    let Work {
        preparer,
        strategy,
        stop,
    } = *work;
    let shared = Shared {
        recorder: Mutex::new(recorder),
        backlog: Backlog::default(),
        error: Mutex::new(None),
        stop,
    };
    let outcome = std::thread::scope(|scope| {
        let (sender, patches) = sync_channel(READ_AHEAD);
        let open = source.open;
        // ends when all are read, or when nobody wants more
        scope.spawn(move || open().any(|patch| sender.send(patch).is_err()));
        let batch = strategy.batch();
        let cases = Cases {
            source,
            patches,
            preparer,
            shared: &shared,
            batch,
        };
        run_jobs(
            jobs,
            cases,
            |slot| {
                strategy.open(slot).map(|judge| Worker {
                    judge,
                    strategy,
                    slot,
                })
            },
            |worker, job| {
                let _busy = shared.backlog.busy();
                shared.note(worker.serve(job, &shared));
            },
            |()| (),
            stop.cancel(),
        )
    });
    let error = shared
        .error
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let recorder = shared
        .recorder
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    (recorder.tally, error.map_or(outcome, Err))
}

/// What all threads share.
struct Shared<'a, 'r> {
    recorder: Mutex<Recorder<'r>>,
    backlog: Backlog<Deferred>,
    error: Mutex<Option<EngineError>>,
    stop: &'a Stop,
}

impl<'r> Shared<'_, 'r> {
    fn recorder(&self) -> MutexGuard<'_, Recorder<'r>> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first error ends the run.
    fn note(&self, result: Result<(), EngineError>) {
        if let Err(error) = result.map_err(|error| self.stop.excuse(error)) {
            if !matches!(error, EngineError::Interrupted) {
                let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            }
            self.stop.request();
        }
    }
}

/// The patches to judge.
pub(crate) struct Source<'a> {
    /// Gives all patches of the inputs.
    pub open: &'a (dyn Fn() -> Patches + Sync),
    /// Which of them.
    pub only: &'a Globs,
    /// How many at most.
    pub limit: u64,
    /// Which have a verdict already.
    pub done: &'a Done,
    /// The place of the next one.
    pub seq: u64,
}

/// Counts the patches that a request selects.
pub(crate) fn count(
    patches: Patches,
    request: &PatchRequest,
    stop: &Stop,
) -> Result<u64, EngineError> {
    let only = Globs::new(&request.only)?;
    let limit = request.limit.unwrap_or(u64::MAX);
    let mut total = 0;
    for patch in patches {
        if stop.is_requested() {
            return Err(EngineError::Interrupted);
        }
        if only.accept(&id_of(&patch).0) {
            total += 1;
        }
        if total >= limit {
            break;
        }
    }
    Ok(total)
}

fn id_of(patch: &ReadPatch) -> &PatchId {
    match patch {
        Ok(patch) => &patch.id,
        Err(error) => &error.id,
    }
}

/// What a slot does next.
enum Job {
    /// Patches to judge together.
    Batch(Vec<Case>),
    /// A patch that a slot put off.
    Deferred(Box<Deferred>),
}

/// The iterator that worker threads take their work from. Patches that need no strategy are settled on the
/// way.
struct Cases<'a, 's, 'r> {
    source: Source<'a>,
    patches: Receiver<ReadPatch>,
    preparer: &'a Preparer<'a>,
    shared: &'a Shared<'s, 'r>,
    batch: usize,
}

impl Iterator for Cases<'_, '_, '_> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let backlog = &self.shared.backlog;
        if let Some(deferred) = backlog.take() {
            return Some(Job::Deferred(Box::new(deferred)));
        }
        match self.next_batch() {
            Some(cases) => {
                backlog.begin();
                Some(Job::Batch(cases))
            }
            None => {
                let deferred = backlog.wait(self.shared.stop);
                deferred.map(|deferred| Job::Deferred(Box::new(deferred)))
            }
        }
    }
}

impl Cases<'_, '_, '_> {
    fn next_batch(&mut self) -> Option<Vec<Case>> {
        let mut cases = Vec::new();
        while cases.len() < self.batch && !self.shared.stop.is_requested() {
            match self.next_case() {
                Ok(Some(Some(case))) => cases.push(*case),
                Ok(Some(None)) => {}
                Ok(None) => break,
                Err(error) => {
                    self.shared.note(Err(error));
                    break;
                }
            }
        }
        (!cases.is_empty()).then_some(cases)
    }

    /// The next patch: none at the end, an inner none where it needs no judging.
    fn next_case(&mut self) -> Result<Option<Option<Box<Case>>>, EngineError> {
        if self.source.seq >= self.source.limit {
            return Ok(None);
        }
        let Ok(patch) = self.patches.recv() else {
            return Ok(None);
        };
        if !self.source.only.accept(&id_of(&patch).0) {
            return Ok(Some(None));
        }
        let seq = self.source.seq;
        self.source.seq += 1;
        let prepared = match &patch {
            Ok(patch) => {
                if self.is_done(&patch.id.0, &content_of(patch)) {
                    return Ok(Some(None));
                }
                self.preparer.prepare(seq, patch)
            }
            Err(error) => {
                let prepared = self.preparer.unreadable(seq, error);
                if let Prepared::Settled(settled) = &prepared
                    && self.is_done(&settled.patch.id, &settled.patch.content)
                {
                    return Ok(Some(None));
                }
                prepared
            }
        };
        let mut recorder = self.shared.recorder();
        match prepared {
            Prepared::Case(case) => recorder.admit(case).map(Some),
            Prepared::Settled(settled) => {
                recorder.settled(*settled)?;
                Ok(Some(None))
            }
        }
    }

    fn is_done(&self, id: &str, content: &str) -> bool {
        self.source.done.get(id).is_some_and(|done| done == content)
    }
}

/// Takes down what a slot finds out about a batch.
struct Found<'s, 'a, 'r> {
    shared: &'s Shared<'a, 'r>,
    /// The places in the input of patches that need no further attempt.
    known: HashSet<u64>,
    failure: Option<EngineError>,
}

impl Findings for Found<'_, '_, '_> {
    fn judged(&mut self, case: &Case, judgement: Judgement) {
        self.known.insert(case.patch.seq);
        if let Err(error) = self.shared.recorder().judged(case, judgement, true) {
            self.failure.get_or_insert(error);
        }
    }

    fn deferred(&mut self, deferred: Deferred) {
        self.known.insert(deferred.case.patch.seq);
        self.known
            .extend(deferred.twins.iter().map(|twin| twin.patch.seq));
        self.shared.backlog.push(0, deferred);
    }
}

/// One slot with its thread.
struct Worker<'a> {
    judge: Box<dyn Judge + 'a>,
    strategy: &'a dyn Strategy,
    slot: usize,
}

impl Worker<'_> {
    /// Does a job; what fails for a reason of the machine is tried once more in a new slot.
    fn serve(&mut self, job: Job, shared: &Shared<'_, '_>) -> Result<(), EngineError> {
        match job {
            Job::Batch(cases) => self.serve_batch(cases, shared),
            Job::Deferred(deferred) => self.serve_deferred(&deferred, shared),
        }
    }

    fn serve_batch(
        &mut self,
        mut left: Vec<Case>,
        shared: &Shared<'_, '_>,
    ) -> Result<(), EngineError> {
        for attempt in 0..2 {
            let mut found = Found {
                shared,
                known: HashSet::new(),
                failure: None,
            };
            let outcome = self.judge.judge(&left, &mut found);
            if let Some(error) = found.failure {
                return Err(error);
            }
            left.retain(|case| !found.known.contains(&case.patch.seq));
            match outcome {
                Ok(()) => return Ok(()),
                Err(error) => self.recover(attempt, error, &left, shared)?,
            }
        }
        Ok(())
    }

    fn serve_deferred(
        &mut self,
        deferred: &Deferred,
        shared: &Shared<'_, '_>,
    ) -> Result<(), EngineError> {
        let twins = deferred.twins.iter();
        let cases: Vec<Case> = std::iter::once(&deferred.case)
            .chain(twins)
            .cloned()
            .collect();
        for attempt in 0..2 {
            match self.judge.decide(deferred) {
                Ok(judgement) => {
                    for (case, judgement) in deferred.share(&judgement) {
                        shared.recorder().judged(case, judgement, true)?;
                    }
                    return Ok(());
                }
                Err(error) => self.recover(attempt, error, &cases, shared)?,
            }
        }
        Ok(())
    }

    /// Gets ready for a second attempt after the first, and gives up after the second.
    fn recover(
        &mut self,
        attempt: u32,
        error: EngineError,
        left: &[Case],
        shared: &Shared<'_, '_>,
    ) -> Result<(), EngineError> {
        if shared.stop.is_requested() || is_fatal(&error) {
            return Err(error);
        }
        match attempt {
            0 => self.renew(),
            _ => give_up(left, &error, shared),
        }
    }

    fn renew(&mut self) -> Result<(), EngineError> {
        // the slot's folder is in use: the new one needs another
        self.slot += 1_000;
        self.judge = self.strategy.open(self.slot)?;
        Ok(())
    }
}

/// Whether there is no use in going on with other patches.
fn is_fatal(error: &EngineError) -> bool {
    let full = |io: &std::io::Error| {
        matches!(
            io.kind(),
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
        )
    };
    match error {
        EngineError::Interrupted | EngineError::Store(_) => true,
        EngineError::Exec(braid_exec::ExecError::Io { source, .. }) => full(source),
        EngineError::Io { source, .. } => full(source),
        _ => false,
    }
}

/// Two attempts in two slots failed for reasons that are not the patch's: say so, and keep it out of the store.
fn give_up(left: &[Case], error: &EngineError, shared: &Shared<'_, '_>) -> Result<(), EngineError> {
    for case in left {
        let why = format!("could not be judged: {error}");
        let judgement = Judgement::refused(VerdictKind::Unsupported, why);
        shared.recorder().judged(case, judgement, false)?;
    }
    Ok(())
}
