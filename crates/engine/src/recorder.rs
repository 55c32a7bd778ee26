//! Writes verdicts down as they come: run folder, store, progress, duplicates.

use std::collections::HashMap;

use braid_store::{Cache, Key, Run, StoreError};

use crate::prepare::Settled;
use crate::strategy::{Case, Judgement, PatchInfo};
use crate::verdict::{Decided, Source, Timings};
use crate::{EngineError, Event, Progress, StrategyKind, Tally, Verdict, text};

/// Takes down every verdict of a run.
pub(crate) struct Recorder<'a> {
    run: &'a mut Run,
    cache: &'a Cache,
    progress: &'a mut dyn Progress,
    strategy: StrategyKind,
    seen: HashMap<Key, Seen>,
    /// What was decided, earlier parts of a resumed run included.
    pub tally: Tally,
    done: u64,
    total: u64,
    cache_failed: bool,
}

/// A case that came up before.
enum Seen {
    /// It is being judged; these wait for it.
    Pending(Vec<Waiting>),
    /// Its verdict is in the run folder at this offset.
    Done(u64),
}

/// A patch that does the same as another one.
struct Waiting {
    patch: PatchInfo,
    diff: String,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        run: &'a mut Run,
        cache: &'a Cache,
        progress: &'a mut dyn Progress,
        strategy: StrategyKind,
        tally: Tally,
        total: u64,
    ) -> Self {
        let done = tally.total();
        let seen = HashMap::new();
        Self {
            run,
            cache,
            progress,
            strategy,
            seen,
            tally,
            done,
            total,
            cache_failed: false,
        }
    }

    /// Tells the user something.
    pub(crate) fn warn(&mut self, message: &str) {
        self.progress.event(&Event::Warning(message));
    }

    /// Settles a case that needs no judging, because the store knows it or another patch does the same. Gives it
    /// back if it has to be judged.
    pub(crate) fn admit(&mut self, case: Box<Case>) -> Result<Option<Box<Case>>, EngineError> {
        match self.seen.get_mut(&case.key) {
            Some(Seen::Pending(waiting)) => {
                waiting.push(Waiting {
                    patch: case.patch,
                    diff: case.effect.diff,
                });
                return Ok(None);
            }
            Some(Seen::Done(offset)) => {
                let first: Verdict = self.run.read_at(*offset)?;
                self.duplicate(case.patch, &case.effect.diff, &first)?;
                return Ok(None);
            }
            None => {}
        }
        let stored = match self.cache.get::<Judgement>(&case.key) {
            Ok(stored) => stored,
            Err(error) => {
                self.cache_trouble(&error);
                None
            }
        };
        let Some(judgement) = stored else {
            self.seen.insert(case.key, Seen::Pending(Vec::new()));
            return Ok(Some(case));
        };
        let key = case.key;
        let offset = self.write(
            case.patch,
            judgement,
            Source::Store,
            None,
            Some(&case.effect.diff),
        )?;
        self.seen.insert(key, Seen::Done(offset));
        Ok(None)
    }

    /// Takes down a verdict that needed no strategy.
    pub(crate) fn settled(&mut self, settled: Settled) -> Result<(), EngineError> {
        let Settled {
            patch,
            judgement,
            diff,
        } = settled;
        self.write(patch, judgement, Source::Run, None, diff.as_deref())
            .map(|_| ())
    }

    /// Takes down what a strategy found, and the verdicts of all patches that wait for it.
    pub(crate) fn judged(
        &mut self,
        case: &Case,
        judgement: Judgement,
        keep: bool,
    ) -> Result<(), EngineError> {
        if keep && let Err(error) = self.cache.put(&case.key, &judgement) {
            self.cache_trouble(&error);
        }
        let diff = Some(case.effect.diff.as_str());
        let offset = self.write(case.patch.clone(), judgement, Source::Run, None, diff)?;
        let before = self.seen.insert(case.key, Seen::Done(offset));
        if let Some(Seen::Pending(waiting)) = before
            && !waiting.is_empty()
        {
            let first: Verdict = self.run.read_at(offset)?;
            for Waiting { patch, diff } in waiting {
                self.duplicate(patch, &diff, &first)?;
            }
        }
        Ok(())
    }

    fn duplicate(
        &mut self,
        patch: PatchInfo,
        diff: &str,
        first: &Verdict,
    ) -> Result<(), EngineError> {
        let own = first
            .notes
            .iter()
            .filter(|note| !patch.notes.contains(note))
            .cloned();
        let judgement = Judgement {
            kind: first.verdict,
            summary: first.summary.clone(),
            evidence: first.evidence.clone(),
            tests: first.tests,
            compile_ms: 0,
            test_ms: 0,
            strategy: Some(first.decided.strategy),
            reason: first.decided.reason.clone(),
            notes: own.collect(),
            log: String::new(),
        };
        let same_as = Some(first.id.clone());
        self.write(patch, judgement, Source::Duplicate, same_as, Some(diff))
            .map(|_| ())
    }

    /// Log and diff first, the line last: a line stands for a patch that is completely taken down.
    fn write(
        &mut self,
        patch: PatchInfo,
        judgement: Judgement,
        source: Source,
        same_as: Option<String>,
        diff: Option<&str>,
    ) -> Result<u64, EngineError> {
        let log = judgement.log.clone();
        let verdict = self.verdict(patch, judgement, source, same_as);
        if let Some(diff) = diff {
            self.run.write_diff(&verdict.id, diff)?;
        }
        self.run.write_log(&verdict.id, &log_text(&verdict, &log))?;
        let offset = self.run.append(&verdict)?;
        self.tally.add(&verdict);
        self.done += 1;
        let event = Event::Judged {
            verdict: &verdict,
            done: self.done,
            total: self.total,
        };
        self.progress.event(&event);
        Ok(offset)
    }

    fn verdict(
        &self,
        patch: PatchInfo,
        judgement: Judgement,
        source: Source,
        same_as: Option<String>,
    ) -> Verdict {
        let (compile_ms, test_ms) = match source {
            Source::Run => (judgement.compile_ms, judgement.test_ms),
            Source::Store | Source::Duplicate => (0, 0),
        };
        let mut notes = patch.notes;
        notes.extend(judgement.notes);
        Verdict {
            id: patch.id,
            seq: patch.seq,
            verdict: judgement.kind,
            summary: judgement.summary,
            evidence: judgement.evidence,
            tests: judgement.tests,
            timings: Timings {
                apply_ms: patch.apply_ms,
                compile_ms,
                test_ms,
                total_ms: patch.apply_ms + compile_ms + test_ms,
            },
            decided: Decided {
                strategy: judgement.strategy.unwrap_or(self.strategy),
                reason: judgement.reason,
                source,
                same_as,
            },
            origin: patch.origin,
            files: patch.files,
            notes,
            content: patch.content,
        }
    }

    fn cache_trouble(&mut self, error: &StoreError) {
        if !self.cache_failed {
            self.cache_failed = true;
            self.warn(&format!("{error}; going on without stored results"));
        }
    }
}

/// The story of one patch, for people.
fn log_text(verdict: &Verdict, log: &str) -> String {
    let mut out = format!("{}: {}\n{}\n", verdict.id, verdict.verdict, verdict.summary);
    let evidence = &verdict.evidence;
    for diagnostic in &evidence.diagnostics {
        let place = format!(
            "{}:{}:{}",
            diagnostic.file, diagnostic.line, diagnostic.column
        );
        out.push_str(&format!("\n{place}: {}\n", diagnostic.message));
    }
    for failure in &evidence.failures {
        let message = failure.message.as_deref().unwrap_or_default();
        out.push_str(&format!(
            "\n{}\n{}: {message}\n",
            failure.test, failure.exception
        ));
        out.push_str(&format!("{}\n", failure.trace));
    }
    if let Some(limit) = &evidence.limit {
        out.push_str(&format!(
            "\n{}\n",
            limit.stack.as_deref().unwrap_or("(no stack)")
        ));
    }
    if let Some(crash) = &evidence.crash {
        out.push_str(&format!("\n{}\n{}\n", crash.cause, crash.detail));
    }
    for note in &verdict.notes {
        out.push_str(&format!("note: {}\n", text::one_line(note)));
    }
    if !log.is_empty() {
        out.push_str(&format!("\n{log}"));
    }
    out
}
