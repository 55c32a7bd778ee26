//! The plain strategy: a private copy, a fresh compiler and fresh JVMs for each patch. Slow and obviously right;
//! the oracle of all others.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use braid_compile::{Plain as PlainJavac, Tool};
use braid_exec::{ExecError, Timeout};
use braid_protocol::UnitId;

use crate::baseline::{Baseline, Before, UnitBaseline};
use crate::change;
use crate::expect::{Expectations, Targets};
use crate::jvms::SlotJvms;
use crate::plan::{self, Reach};
use crate::strategy::build::{Built, build};
use crate::strategy::{Case, Context, Judge, Judgement, Strategy};
use crate::trial::{Bad, Thoroughness, Trial, crash_report, limit_hit, not_run};
use crate::workspace::Slot;
use crate::{EngineError, FlakyPolicy, StrategyKind, VerdictKind};

/// How long the compiler may take for a patch.
const COMPILE_LIMIT: Duration = Duration::from_secs(180);

/// The plain strategy.
pub(crate) struct Plain<'a> {
    context: &'a Context<'a>,
    /// What is expected of patches that name no tests.
    expect: Expectations,
}

impl<'a> Plain<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        let targets = context.targets.clone();
        let expect = Expectations::new(context.baseline, targets, context.settings.flaky);
        Self { context, expect }
    }
}

impl Strategy for Plain<'_> {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Plain
    }

    fn open(&self, slot: usize) -> Result<Box<dyn Judge + '_>, EngineError> {
        let slot = self.context.workspace.slot(&slot.to_string())?;
        let mut tool = Tool::new(
            &self.context.project.jdk.home,
            &self.context.payload.compiler,
        );
        tool.timeout = COMPILE_LIMIT;
        Ok(Box::new(PlainSlot {
            strategy: self,
            slot,
            javac: PlainJavac::new(tool),
        }))
    }
}

struct PlainSlot<'a> {
    strategy: &'a Plain<'a>,
    slot: Slot,
    javac: PlainJavac,
}

impl Judge for PlainSlot<'_> {
    fn judge(
        &mut self,
        cases: &[Case],
        emit: &mut dyn FnMut(&Case, Judgement),
    ) -> Result<(), EngineError> {
        for case in cases {
            let judgement = self.judge_one(case);
            self.slot.restore()?;
            emit(case, judgement?);
        }
        Ok(())
    }
}

impl PlainSlot<'_> {
    fn judge_one(&mut self, case: &Case) -> Result<Judgement, EngineError> {
        let context = self.strategy.context;
        let start = Instant::now();
        let built = build(context, &mut self.javac, &mut self.slot, case)?;
        let compile_ms = start.elapsed().as_millis() as u64;
        let start = Instant::now();
        let mut judgement = match built {
            Built::Errors(errors) => Judgement::compile_error(errors),
            Built::TimedOut(limit) => Judgement::compile_timeout(limit),
            Built::Done { tests_compiled } => self.run_tests(case, tests_compiled.iter())?,
        };
        judgement.compile_ms = compile_ms;
        judgement.test_ms = match judgement.tests.planned {
            0 => 0,
            _ => start.elapsed().as_millis() as u64,
        };
        judgement.reason = "asked for".to_owned();
        Ok(judgement)
    }

    fn run_tests<'m>(
        &mut self,
        case: &Case,
        changed_tests: impl Iterator<Item = &'m String>,
    ) -> Result<Judgement, EngineError> {
        let context = self.strategy.context;
        let otherwise = plan::unknown_limit(&context.settings.timeout);
        let limits = context.limits.clone();
        let mut jvms = SlotJvms::new(context.common(), &self.slot, limits, otherwise);
        let mut amended: Option<Baseline> = None;
        for module in changed_tests {
            let found = match jvms.discover(module) {
                Ok(found) => found,
                Err(error) => return discovery_failed(error),
            };
            let baseline = amended.get_or_insert_with(|| context.baseline.clone());
            amend(baseline, module, found);
        }
        let baseline = amended.as_ref().unwrap_or(context.baseline);
        let own = match self.own_expectations(case, amended.as_ref()) {
            Ok(own) => own,
            Err(refused) => return Ok(*refused),
        };
        let expect = own.as_ref().unwrap_or(&self.strategy.expect);
        let modules = change::reach(context.project, &case.change);
        let reach = Reach {
            modules: &modules,
            packages: &case.change.packages,
        };
        let batches = plan::order(baseline, expect, &reach);
        if batches.is_empty() {
            let why = "no test of the project can reach what the patch changes";
            return Ok(Judgement::refused(VerdictKind::Unsupported, why.to_owned()));
        }
        let how = Thoroughness {
            full: context.settings.full,
            retry: context.settings.flaky == FlakyPolicy::Retry,
        };
        let mut trial = Trial::new(expect, &context.times, how);
        trial.run(&batches, &mut jvms)?;
        let fixed = batches
            .iter()
            .flat_map(|batch| &batch.units)
            .flat_map(|unit| expect.must_pass(unit))
            .filter(|leaf| expect.failed_before(leaf))
            .count();
        let mut judgement = Judgement::of_trial(trial, fixed as u64);
        judgement.log = std::mem::take(&mut jvms.log);
        Ok(judgement)
    }

    /// Expectations of a patch that names its tests, or changes tests (`amended` is the baseline with its tests). A
    /// test that has to pass and is not there settles the matter.
    fn own_expectations(
        &self,
        case: &Case,
        amended: Option<&Baseline>,
    ) -> Result<Option<Expectations>, Box<Judgement>> {
        let context = self.strategy.context;
        let settings = context.settings;
        let names = if settings.failing.is_empty() {
            &case.failing
        } else {
            &settings.failing
        };
        let by_patch = settings.failing.is_empty() && !names.is_empty();
        if !by_patch && amended.is_none() {
            return Ok(None);
        }
        let baseline = amended.unwrap_or(context.baseline);
        let (targets, missing) = if names.is_empty() {
            let targets = Targets::of_baseline(baseline);
            (targets, removed_targets(context.baseline, baseline))
        } else {
            Targets::named(names, baseline)
        };
        match (missing.as_slice(), amended) {
            ([], _) => Ok(Some(Expectations::new(baseline, targets, settings.flaky))),
            ([first, ..], Some(_)) => {
                let why = "had to pass, but the patched program has no such test";
                let failure = not_run(first, names.is_empty(), why);
                Err(Box::new(Judgement::of_bad(&Bad::Failure(failure))))
            }
            (missing, None) => {
                let names = missing.join(", ");
                let why = format!("names failing tests that the project does not have: {names}");
                Err(Box::new(Judgement::refused(VerdictKind::Unsupported, why)))
            }
        }
    }
}

/// Failing tests of the baseline that a patch of tests takes away.
fn removed_targets(before: &Baseline, after: &Baseline) -> Vec<String> {
    let kept: HashSet<&UnitId> = after.units().map(|(_, unit)| &unit.id).collect();
    let gone = before.units().filter(|(_, unit)| !kept.contains(&unit.id));
    gone.filter(|(_, unit)| unit.has(Before::Fails))
        .map(|(_, unit)| unit.id.0.clone())
        .collect()
}

/// A patch of tests with which the tests cannot even be found, because the JVM ends or hangs meanwhile.
fn discovery_failed(error: EngineError) -> Result<Judgement, EngineError> {
    match error {
        EngineError::Exec(ExecError::DiscoveryCrashed(crash)) => {
            Ok(Judgement::of_bad(&Bad::Crash(crash_report(&crash))))
        }
        EngineError::Exec(ExecError::DiscoveryTimeout { limit, stack }) => {
            let (unit, leaf) = (None, None);
            let timeout = Timeout {
                unit,
                leaf,
                limit,
                stack,
            };
            Ok(Judgement::of_bad(&Bad::Timeout(limit_hit(timeout, None))))
        }
        error => Err(error),
    }
}

/// The baseline of a module whose tests a patch changes: tests that are gone go, tests that are new come.
fn amend(baseline: &mut Baseline, module: &str, found: braid_exec::Discovery) {
    let Some(module) = baseline.modules.iter_mut().find(|m| m.name == module) else {
        return;
    };
    let mut known: HashMap<_, _> = module
        .units
        .drain(..)
        .map(|unit| (unit.id.clone(), unit))
        .collect();
    module.units = found
        .units
        .into_iter()
        .map(|unit| {
            known
                .remove(&unit.id)
                .unwrap_or_else(|| UnitBaseline::new(unit.id))
        })
        .collect();
}
