//! Patches in a private copy of the project and in fresh JVMs: what the plain strategy does with every patch, and
//! the others with those they cannot or must not decide.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Instant;

use braid_exec::{ExecError, Timeout};
use braid_protocol::UnitId;

use crate::baseline::{Baseline, Before, UnitBaseline};
use crate::change;
use crate::expect::{Expectations, Targets};
use crate::jvms::{Group, SlotJvms};
use crate::plan::{self, Batch, Reach};
use crate::strategy::build::{Built, Making, make};
use crate::strategy::{Case, Context, Judgement};
use crate::trial::{Bad, Thoroughness, Trial, crash_report, limit_hit, not_run};
use crate::workspace::Slot;
use crate::{EngineError, FlakyPolicy, VerdictKind};

/// A private copy of the project with fresh JVMs for each patch.
pub(crate) struct Fresh<'a> {
    context: &'a Context<'a>,
    /// What is expected of patches that name no tests.
    expect: &'a Expectations,
    slot: Slot,
}

impl<'a> Fresh<'a> {
    /// Sets up a copy of the project for worker slot `name`.
    pub(crate) fn open(
        context: &'a Context<'a>,
        expect: &'a Expectations,
        name: &str,
    ) -> Result<Self, EngineError> {
        let slot = context.workspace.slot(name)?;
        Ok(Self {
            context,
            expect,
            slot,
        })
    }

    /// Judges a patch by what it does to `only` these units, or to all that can see it, in JVMs of its own or in those
    /// of a group. The copy is pristine again afterwards.
    pub(crate) fn judge(
        &mut self,
        case: &Case,
        making: Making<'_>,
        only: Option<&HashSet<UnitId>>,
        group: Option<&mut Group>,
    ) -> Result<Judgement, EngineError> {
        let judgement = self.build_and_run(case, making, only, group);
        self.slot.restore()?;
        judgement
    }

    fn build_and_run(
        &mut self,
        case: &Case,
        making: Making<'_>,
        only: Option<&HashSet<UnitId>>,
        group: Option<&mut Group>,
    ) -> Result<Judgement, EngineError> {
        let start = Instant::now();
        let built = make(self.context, making, &mut self.slot, case)?;
        let compile_ms = start.elapsed().as_millis() as u64;
        let start = Instant::now();
        let mut judgement = match built {
            Built::Errors(errors) => Judgement::compile_error(errors),
            Built::TimedOut(limit) => Judgement::compile_timeout(limit),
            Built::Done { tests_compiled } => self.run_tests(case, &tests_compiled, only, group)?,
        };
        judgement.compile_ms = compile_ms;
        judgement.test_ms = match judgement.tests.planned {
            0 => 0,
            _ => start.elapsed().as_millis() as u64,
        };
        Ok(judgement)
    }

    fn run_tests(
        &mut self,
        case: &Case,
        changed_tests: &BTreeSet<String>,
        only: Option<&HashSet<UnitId>>,
        group: Option<&mut Group>,
    ) -> Result<Judgement, EngineError> {
        let context = self.context;
        let otherwise = plan::unknown_limit(&context.settings.timeout);
        let limits = context.limits.clone();
        let mut jvms = SlotJvms::new(context.common(), &self.slot, limits, otherwise);
        if let Some(group) = group {
            jvms = jvms.in_group(group);
        }
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
        let own = match own_expectations(context, case, amended.as_ref()) {
            Ok(own) => own,
            Err(refused) => return Ok(*refused),
        };
        let expect = own.as_ref().unwrap_or(self.expect);
        let mut batches = batches(context, baseline, expect, case);
        if batches.is_empty() {
            return Ok(unreached());
        }
        if let Some(only) = only {
            plan::keep(&mut batches, |unit| only.contains(unit));
        }
        let how = thoroughness(context);
        let mut trial = Trial::new(expect, &context.times, how);
        trial.run(&batches, &mut jvms)?;
        let fixed = fixed(&batches, expect);
        let mut judgement = Judgement::of_trial(trial, fixed);
        judgement.log = std::mem::take(&mut jvms.log);
        Ok(judgement)
    }
}

/// The units that a patch's tests come to, in order.
pub(crate) fn batches(
    context: &Context<'_>,
    baseline: &Baseline,
    expect: &Expectations,
    case: &Case,
) -> Vec<Batch> {
    let modules = change::reach(context.project, &case.change);
    let reach = Reach {
        modules: &modules,
        packages: &case.change.packages,
    };
    plan::order(baseline, expect, &reach)
}

/// The verdict of a patch that no test can see.
pub(crate) fn unreached() -> Judgement {
    let why = "no test of the project can reach what the patch changes";
    Judgement::refused(VerdictKind::Unsupported, why.to_owned())
}

/// How thorough trials are under these settings.
pub(crate) fn thoroughness(context: &Context<'_>) -> Thoroughness {
    Thoroughness {
        full: context.settings.full,
        retry: context.settings.flaky == FlakyPolicy::Retry,
    }
}

/// How many leaves of these units failed before and have to pass.
pub(crate) fn fixed(batches: &[Batch], expect: &Expectations) -> u64 {
    let units = batches.iter().flat_map(|batch| &batch.units);
    units
        .flat_map(|unit| expect.must_pass(unit))
        .filter(|leaf| expect.failed_before(leaf))
        .count() as u64
}

/// Expectations of a patch that names its tests, or changes tests (`amended` is the baseline with its tests). A
/// test that has to pass and is not there settles the matter.
pub(crate) fn own_expectations(
    context: &Context<'_>,
    case: &Case,
    amended: Option<&Baseline>,
) -> Result<Option<Expectations>, Box<Judgement>> {
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
