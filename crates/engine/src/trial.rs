//! One patch's tests, run and compared with what is expected.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::time::Duration;

use braid_exec::{Crash, CrashKind, Event, RunEnd, Timeout};
use braid_protocol::{Failure, LeafId, Outcome, UnitId};

use crate::expect::{Expect, Expectations};
use crate::plan::Batch;
use crate::verdict::{CrashReport, LimitHit, TestCounts, TestFailure};
use crate::{EngineError, text};

/// JVMs that run the tests of one patch, one for each module.
pub(crate) trait Jvms {
    /// Runs units of a module in its JVM, which is started if there is none.
    fn run(
        &mut self,
        module: &str,
        units: &[UnitId],
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, EngineError>;

    /// Ends a module's JVM; the next run starts another.
    fn end(&mut self, module: &str);

    /// What to tell of a limit that was hit; `baseline` is how long the unit takes on the unpatched program.
    fn limit_hit(&self, timeout: Timeout, baseline: Option<Duration>) -> LimitHit {
        limit_hit(timeout, baseline)
    }
}

/// Something that speaks against a patch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bad {
    /// A test fails.
    Failure(TestFailure),
    /// A test does not end.
    Timeout(LimitHit),
    /// The JVM ended.
    Crash(CrashReport),
}

/// How thorough a trial is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thoroughness {
    /// Go on after something bad.
    pub full: bool,
    /// Run a bad unit again in a fresh JVM before believing it.
    pub retry: bool,
}

/// What came of a patch's tests so far.
pub(crate) struct Trial<'a> {
    expect: &'a Expectations,
    baseline: &'a HashMap<UnitId, Duration>,
    how: Thoroughness,
    /// What speaks against the patch, in order.
    pub bad: Vec<Bad>,
    /// The units of what is bad, as far as they are known.
    pub culprits: Vec<UnitId>,
    /// What was bad at first and not when run again.
    pub unsteady: Vec<Bad>,
    /// What was run.
    pub counts: TestCounts,
}

impl<'a> Trial<'a> {
    /// A trial in which nothing was run yet. `baseline` has each unit's time on the unpatched program.
    pub(crate) fn new(
        expect: &'a Expectations,
        baseline: &'a HashMap<UnitId, Duration>,
        how: Thoroughness,
    ) -> Self {
        let counts = TestCounts::default();
        Self {
            expect,
            baseline,
            how,
            bad: Vec::new(),
            culprits: Vec::new(),
            unsteady: Vec::new(),
            counts,
        }
    }

    /// Runs the batches until something bad happens, or to the end.
    pub(crate) fn run(&mut self, plan: &[Batch], jvms: &mut dyn Jvms) -> Result<(), EngineError> {
        self.counts.planned = plan.iter().map(|batch| batch.units.len() as u64).sum();
        for (index, batch) in plan.iter().enumerate() {
            self.run_batch(batch, jvms)?;
            if self.is_over() {
                return Ok(());
            }
            if !plan[index + 1..]
                .iter()
                .any(|later| later.module == batch.module)
            {
                jvms.end(&batch.module);
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        !self.how.full && !self.bad.is_empty()
    }

    /// Runs a batch, in several JVMs where one comes to its end before the batch does.
    fn run_batch(&mut self, batch: &Batch, jvms: &mut dyn Jvms) -> Result<(), EngineError> {
        let mut remaining = batch.units.clone();
        while !remaining.is_empty() {
            let mut watch = Watch::new(self.expect, !self.how.full);
            let end = jvms.run(&batch.module, &remaining, &mut |event| watch.event(event))?;
            self.count(&watch);
            let mut bad = std::mem::take(&mut watch.bad);
            match end {
                RunEnd::Done => remaining.clear(),
                RunEnd::Cancelled => return Err(EngineError::Interrupted),
                RunEnd::Stopped => {}
                RunEnd::Timeout(timeout) => {
                    let unit = timeout.unit.clone();
                    let baseline = unit.as_ref().and_then(|unit| self.baseline.get(unit));
                    let hit = jvms.limit_hit(timeout, baseline.copied());
                    bad.push((unit, Bad::Timeout(hit)));
                }
                RunEnd::Crashed(crash) => {
                    let unit = crash.unit.clone();
                    bad.push((unit, Bad::Crash(crash_report(&crash))));
                }
            }
            let left = remaining.len();
            remaining.retain(|unit| {
                let is_bad = bad
                    .iter()
                    .any(|(culprit, _)| culprit.as_ref() == Some(unit));
                !watch.finished.contains(unit) && !is_bad
            });
            if remaining.len() == left && left > 0 {
                // nobody knows whose fault it is: going on could go on for ever
                remaining.clear();
            }
            self.weigh(&batch.module, bad, jvms)?;
            if self.is_over() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn count(&mut self, watch: &Watch<'_>) {
        self.counts.run += watch.finished.len() as u64;
        self.counts.passed += watch.passed;
        self.counts.failed += watch.failed;
        self.counts.skipped += watch.skipped;
    }

    /// Believes what is bad, or runs it again first.
    fn weigh(
        &mut self,
        module: &str,
        bad: Vec<(Option<UnitId>, Bad)>,
        jvms: &mut dyn Jvms,
    ) -> Result<(), EngineError> {
        let mut again: HashMap<UnitId, bool> = HashMap::new();
        for (unit, what) in bad {
            let passes = match &unit {
                Some(unit) if self.how.retry => match again.get(unit) {
                    Some(passes) => *passes,
                    None => {
                        let passes = self.passes_again(module, unit, jvms)?;
                        again.insert(unit.clone(), passes);
                        passes
                    }
                },
                _ => false,
            };
            if passes {
                self.unsteady.push(what);
            } else {
                self.bad.push(what);
                self.culprits.extend(unit);
            }
        }
        Ok(())
    }

    /// Whether a unit is good when it is run alone in a fresh JVM.
    fn passes_again(
        &self,
        module: &str,
        unit: &UnitId,
        jvms: &mut dyn Jvms,
    ) -> Result<bool, EngineError> {
        jvms.end(module);
        let mut watch = Watch::new(self.expect, true);
        let units = std::slice::from_ref(unit);
        let end = jvms.run(module, units, &mut |event| watch.event(event))?;
        jvms.end(module);
        match end {
            RunEnd::Cancelled => Err(EngineError::Interrupted),
            RunEnd::Done => Ok(watch.bad.is_empty()),
            _ => Ok(false),
        }
    }
}

/// A limit that was hit; `baseline` is how long the unit takes on the unpatched program.
pub(crate) fn limit_hit(timeout: Timeout, baseline: Option<Duration>) -> LimitHit {
    let leaf = timeout.leaf.map(|leaf| leaf.0);
    LimitHit {
        what: "test".to_owned(),
        limit_ms: timeout.limit.as_millis() as u64,
        test: leaf.or(timeout.unit.map(|unit| unit.0)),
        baseline_ms: baseline.map(|elapsed| elapsed.as_millis() as u64),
        stack: timeout.stack,
        ticks: None,
        for_good: false,
    }
}

/// Follows one JVM's run.
struct Watch<'a> {
    expect: &'a Expectations,
    stop_at_bad: bool,
    bad: Vec<(Option<UnitId>, Bad)>,
    finished: BTreeSet<UnitId>,
    /// What the leaves of unfinished units came to.
    seen: HashMap<UnitId, HashMap<LeafId, Seen>>,
    passed: u64,
    failed: u64,
    skipped: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Passed,
    Failed,
    Skipped,
}

impl<'a> Watch<'a> {
    fn new(expect: &'a Expectations, stop_at_bad: bool) -> Self {
        Self {
            expect,
            stop_at_bad,
            bad: Vec::new(),
            finished: BTreeSet::new(),
            seen: HashMap::new(),
            passed: 0,
            failed: 0,
            skipped: 0,
        }
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        match event {
            Event::LeafFinished {
                unit,
                leaf,
                outcome,
                ..
            } => self.leaf(unit, leaf, outcome),
            Event::UnitFinished { unit, .. } => self.unit(unit),
            Event::UnitStarted { .. } | Event::LeafStarted { .. } => {}
        }
        if self.stop_at_bad && !self.bad.is_empty() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn leaf(&mut self, unit: &UnitId, leaf: &LeafId, outcome: &Outcome) {
        let seen = match outcome {
            Outcome::Passed => {
                self.passed += 1;
                Seen::Passed
            }
            Outcome::Skipped { .. } => {
                self.skipped += 1;
                Seen::Skipped
            }
            Outcome::Failed(failure) => {
                self.failed += 1;
                if self.expect.of(unit, leaf) != Expect::Free {
                    let failed_before = self.expect.failed_before(leaf);
                    let failure = test_failure(&leaf.0, failed_before, failure);
                    self.bad.push((Some(unit.clone()), Bad::Failure(failure)));
                }
                Seen::Failed
            }
        };
        let leaves = self.seen.entry(unit.clone()).or_default();
        let entry = leaves.entry(leaf.clone()).or_insert(seen);
        if *entry != Seen::Failed {
            *entry = seen;
        }
    }

    /// At a unit's end, every leaf that had to pass must have done so.
    fn unit(&mut self, unit: &UnitId) {
        self.finished.insert(unit.clone());
        let leaves = self.seen.remove(unit).unwrap_or_default();
        let all_good = leaves.values().any(|seen| *seen == Seen::Passed)
            && leaves.values().all(|seen| *seen != Seen::Failed);
        for leaf in self.expect.must_pass(unit) {
            let why = match leaves.get(leaf) {
                Some(Seen::Passed | Seen::Failed) => continue, // good, or counted already
                Some(Seen::Skipped) => "had to pass, but was skipped",
                // set-up or tear-down that failed before is not reported when it works
                None if all_good && (leaf.0 == unit.0 || leaf.0.ends_with("[class]")) => continue,
                None => "had to pass, but did not run",
            };
            let failed_before = self.expect.failed_before(leaf);
            let failure = not_run(&leaf.0, failed_before, why);
            self.bad.push((Some(unit.clone()), Bad::Failure(failure)));
        }
    }
}

fn test_failure(test: &str, failed_before: bool, failure: &Failure) -> TestFailure {
    TestFailure {
        test: test.to_owned(),
        failed_before,
        assertion: failure.assertion,
        exception: failure.exception.clone(),
        message: failure.message.clone(),
        trace: failure.trace.clone(),
    }
}

/// A test that had to pass and was not run.
pub(crate) fn not_run(test: &str, failed_before: bool, why: &str) -> TestFailure {
    TestFailure {
        test: test.to_owned(),
        failed_before,
        assertion: false,
        exception: String::new(),
        message: Some(why.to_owned()),
        trace: String::new(),
    }
}

pub(crate) fn crash_report(crash: &Crash) -> CrashReport {
    let exit_code = match crash.kind {
        CrashKind::Exit { code } => Some(code),
        _ => None,
    };
    let cause = match (crash.kind, &crash.stack) {
        (CrashKind::Exit { code }, Some(_)) => format!("System.exit({code})"),
        (CrashKind::Exit { code }, None) => format!("the JVM ended with exit code {code}"),
        (CrashKind::Signal { number }, _) => format!("the JVM was killed by signal {number}"),
        (CrashKind::OutOfMemory, _) => "the JVM ran out of memory".to_owned(),
        (CrashKind::JvmError, _) => "an error inside the JVM".to_owned(),
        (CrashKind::Disconnected, _) => "the JVM closed its connection".to_owned(),
    };
    let leaf = crash.leaf.as_ref().map(|leaf| leaf.0.clone());
    let report = crash
        .hs_err
        .as_ref()
        .map(|report| report.lines().take(40).collect::<Vec<_>>());
    let detail = crash
        .stack
        .clone()
        .or(report.map(|lines| lines.join("\n")))
        .unwrap_or_else(|| crash.stderr.clone());
    CrashReport {
        test: leaf.or(crash.unit.as_ref().map(|unit| unit.0.clone())),
        cause,
        exit_code,
        detail,
    }
}

impl Bad {
    /// In one line.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Failure(failure) => failure_summary(failure),
            Self::Timeout(limit) => {
                let test = text::short_test(limit.test.as_deref().unwrap_or("a test"));
                format!("{test} {}", limit.line())
            }
            Self::Crash(crash) => match &crash.test {
                Some(test) => format!("{} in {}", crash.cause, text::short_test(test)),
                None => crash.cause.clone(),
            },
        }
    }
}

fn failure_summary(failure: &TestFailure) -> String {
    let message = text::one_line(failure.message.as_deref().unwrap_or_default());
    let test = text::short_test(&failure.test);
    match (text::simple_name(&failure.exception), message.as_str()) {
        ("", message) => format!("{test}: {message}"),
        (exception, "") => format!("{test}: {exception}"),
        (_, message) if failure.assertion => format!("{test}: {message}"),
        (exception, message) => format!("{test}: {exception}: {message}"),
    }
}
