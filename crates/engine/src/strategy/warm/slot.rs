//! One worker slot of a warm strategy: tries patches in warm JVMs, makes sure that those are still as new, and asks
//! fresh JVMs where warm ones must not decide.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use braid_exec::{Trial as WarmTrial, TrialUnit, WarmEnd, WarmOptions};
use braid_protocol::UnitId;
use braid_variants::FileState;

use crate::expect::Expectations;
use crate::jvms::Group;
use crate::plan::{self, Batch};
use crate::strategy::build::Making;
use crate::strategy::fresh::{self, Fresh};
use crate::strategy::warm::base::{Base, Shared, SharedJavac};
use crate::strategy::warm::facts::difference;
use crate::strategy::warm::jvms::{WarmJvms, WarmPool};
use crate::strategy::warm::overflow::{self, Overflow};
use crate::strategy::{Case, Deferred, Findings, Judgement};
use crate::trial::{Bad, Thoroughness, Trial};
use crate::{EngineError, FlakyPolicy, StrategyKind, Technique, VerdictKind, text};

/// How many verdicts wait for one look at whether the JVM is still as new.
const CANARY_EVERY: usize = 16;
/// A unit that takes so long without a patch is left to the confirmation of patches.
const LONG: Duration = Duration::from_secs(1);
/// With `--full` many tests of a patch may run out of stack; a fresh JVM is done sooner with more than these.
const MOST_OVERFLOWS: usize = 3;
/// How long a canary may take.
const CANARY_LIMIT: Duration = Duration::from_secs(60);

/// What came of a patch in a warm JVM.
pub(crate) enum Tried {
    /// Something speaks against it. The verdict holds if the JVM is still as new.
    Bad(Judgement, Vec<Culprit>),
    /// Nothing speaks against it.
    Good(Good),
    /// There is nothing to run.
    Settled(Judgement),
    /// Fresh JVMs have to decide.
    Doubt(Doubt),
}

/// Why fresh JVMs have to decide on a patch.
pub(crate) struct Doubt {
    why: String,
    /// The units that can see it, if that is known.
    units: Option<HashSet<UnitId>>,
}

impl Doubt {
    /// Any unit may see the patch.
    pub(crate) fn new(why: String) -> Self {
        Self { why, units: None }
    }

    fn defer(self, case: &Case) -> Deferred {
        let mut deferred = Deferred::new(case, self.why);
        deferred.units = self.units;
        deferred
    }
}

/// A patch that nothing speaks against in a warm JVM.
pub(crate) struct Good {
    pub(crate) seen: Judgement,
    /// The units that can see it.
    pub(super) units: HashSet<UnitId>,
    /// Its class files, if they are known, by their paths in the user's tree.
    pub(crate) classes: Option<Vec<(PathBuf, FileState)>>,
}

/// A unit that speaks against a patch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Culprit {
    module: String,
    unit: UnitId,
    /// The unit that ran just before it, which may have left something behind.
    before: Option<UnitId>,
}

/// What was seen of a patch in warm JVMs.
struct Seen<'t> {
    trial: Trial<'t>,
    /// Why it proves nothing, if so.
    doubt: Option<String>,
    overflows: Vec<Overflow>,
}

/// A verdict that waits for the next canary.
struct Pending<'c> {
    case: &'c Case,
    judgement: Judgement,
    culprits: Vec<Culprit>,
}

/// One worker slot.
pub(crate) struct WarmSlot<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) kind: StrategyKind,
    pub(crate) pool: WarmPool<'a>,
    fresh: Fresh<'a>,
    /// The unit with which the last patch's tests ended, by module.
    last: HashMap<String, UnitId>,
    /// JVMs in which one good patch after the other is confirmed.
    group: Group,
    /// Units that have to be confirmed in JVMs of their own.
    loners: HashSet<UnitId>,
}

impl<'a> WarmSlot<'a> {
    pub(crate) fn open(
        shared: &'a Shared<'a>,
        kind: StrategyKind,
        slot: usize,
    ) -> Result<Self, EngineError> {
        let context = shared.context;
        Ok(Self {
            shared,
            kind,
            pool: WarmPool::open(context.common(), context.workspace, &format!("warm-{slot}"))?,
            fresh: Fresh::open(context, &shared.expect, &slot.to_string())?,
            last: HashMap::new(),
            group: Group::default(),
            loners: HashSet::new(),
        })
    }

    /// Runs the units that can see a patch in warm JVMs, in which it is variant number `variant`.
    pub(crate) fn try_variant(
        &mut self,
        base: &Base,
        case: &Case,
        variant: u32,
        sees: &dyn Fn(&str, &UnitId) -> bool,
    ) -> Result<Tried, EngineError> {
        let context = self.shared.context;
        let start = Instant::now();
        let own = match fresh::own_expectations(context, case, None) {
            Ok(own) => own,
            Err(refused) => return Ok(Tried::Settled(*refused)),
        };
        let expect = own.as_ref().unwrap_or(&self.shared.expect);
        let mut batches = fresh::batches(context, context.baseline, expect, case);
        if batches.is_empty() {
            return Ok(Tried::Settled(fresh::unreached()));
        }
        let all: usize = batches.iter().map(|batch| batch.units.len()).sum();
        for batch in &mut batches {
            let module = batch.module.clone();
            let all = !context.settings.uses(Technique::Coverage);
            let wanted = |unit: &UnitId| all || expect.is_target(unit) || sees(&module, unit);
            batch.units.retain(wanted);
        }
        batches.retain(|batch| !batch.units.is_empty());
        let order: Vec<UnitId> = batches
            .iter()
            .flat_map(|batch| batch.units.clone())
            .collect();
        let relevant: HashSet<UnitId> = order.iter().cloned().collect();
        plan::keep(&mut batches, |unit| base.facts.trusts(unit));
        let mut run = batches.clone();
        plan::keep(&mut run, |unit| !self.waits(expect, unit));
        let mut seen = self.run_batches(base, expect, &run, variant)?;
        if self.has_passed_over(expect, &order, &seen.trial) {
            run = batches;
            seen = self.run_batches(base, expect, &run, variant)?;
        }
        let mut trial = seen.trial;
        let batches = run;
        trial.counts.planned = trial.counts.planned.max(relevant.len() as u64);
        let is_bad = !trial.bad.is_empty();
        let mut why = seen.doubt;
        if why.is_none() && is_bad {
            why = self.distrust(base, &order, &trial);
        }
        if why.is_none() && !self.is_certain(base, &trial, &seen.overflows, variant)? {
            why = Some("the stack ran out in the warm JVM".to_owned());
        }
        if let Some(why) = why {
            let units = Some(relevant);
            return Ok(Tried::Doubt(Doubt { why, units }));
        }
        let culprits = self.culprits(&batches, &trial);
        let fixed = fresh::fixed(&batches, expect);
        let mut judgement = Judgement::of_trial(trial, fixed);
        judgement.test_ms = start.elapsed().as_millis() as u64;
        judgement.strategy = Some(self.kind);
        judgement.notes.extend(note_of_unseen(all - order.len()));
        Ok(if is_bad {
            Tried::Bad(judgement, culprits)
        } else {
            Tried::Good(Good {
                seen: judgement,
                units: relevant,
                classes: None,
            })
        })
    }

    /// Runs units in warm JVMs.
    fn run_batches<'t>(
        &mut self,
        base: &Base,
        expect: &'t Expectations,
        batches: &[Batch],
        variant: u32,
    ) -> Result<Seen<'t>, EngineError>
    where
        'a: 't,
    {
        let context = self.shared.context;
        let how = Thoroughness {
            full: context.settings.full,
            retry: false,
        };
        let mut trial = Trial::new(expect, &context.times, how);
        let mut jvms = WarmJvms::new(&mut self.pool, &base.facts, &context.limits, variant);
        trial.run(batches, &mut jvms)?;
        Ok(Seen {
            doubt: jvms.doubt,
            overflows: jvms.overflows,
            trial,
        })
    }

    /// Whether each stack whose end speaks against a patch would come to its end in a plain JVM, too.
    fn is_certain(
        &mut self,
        base: &Base,
        trial: &Trial<'_>,
        overflows: &[Overflow],
        variant: u32,
    ) -> Result<bool, EngineError> {
        if !trial.bad.iter().any(is_overflow) {
            return Ok(true);
        }
        let limits = &self.shared.context.limits;
        let mut jvms = WarmJvms::new(&mut self.pool, &base.facts, limits, variant);
        let speaks = |overflow: &&Overflow| trial.culprits.contains(&overflow.ran.unit);
        let speaking: Vec<&Overflow> = overflows.iter().filter(speaks).collect();
        if speaking.is_empty() || speaking.len() > MOST_OVERFLOWS {
            return Ok(false);
        }
        for overflow in speaking {
            if !jvms.is_certain(overflow)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a unit takes so long that it is run only once for a patch without failure: where that is confirmed.
    fn waits(&self, expect: &Expectations, unit: &UnitId) -> bool {
        let context = self.shared.context;
        let settings = context.settings;
        let confirms = settings.uses(Technique::Confirm) && !settings.full;
        let time = context.times.get(unit);
        confirms && !expect.is_target(unit) && time.is_some_and(|&time| time >= LONG)
    }

    /// Whether a unit that waits would have come before the one that failed, and may have failed first.
    fn has_passed_over(&self, expect: &Expectations, order: &[UnitId], trial: &Trial<'_>) -> bool {
        let before = match trial.culprits.first() {
            Some(first) => order.iter().position(|unit| unit == first),
            None => None,
        };
        let before = &order[..before.unwrap_or(order.len())];
        !trial.bad.is_empty() && before.iter().any(|unit| self.waits(expect, unit))
    }

    /// The units that speak against a patch, with those that ran before them.
    fn culprits(&mut self, batches: &[Batch], trial: &Trial<'_>) -> Vec<Culprit> {
        let mut culprits = Vec::new();
        for batch in batches {
            let mut before = self.last.get(&batch.module).cloned();
            for unit in &batch.units {
                if trial.culprits.contains(unit) {
                    culprits.push(Culprit {
                        module: batch.module.clone(),
                        unit: unit.clone(),
                        before: before.clone(),
                    });
                }
                before = Some(unit.clone());
            }
        }
        if let Some(culprit) = culprits.last() {
            let last = (culprit.module.clone(), culprit.unit.clone());
            self.last.extend([last]);
        }
        culprits
    }

    /// Why a failure in the warm JVM does not settle the verdict, if so.
    fn distrust(&self, base: &Base, order: &[UnitId], trial: &Trial<'_>) -> Option<String> {
        let settings = self.shared.context.settings;
        if settings.flaky == FlakyPolicy::Retry {
            return Some("failing tests are to be run again in a fresh JVM".to_owned());
        }
        let first = trial.culprits.first()?;
        let at = order
            .iter()
            .position(|unit| unit == first)
            .unwrap_or(order.len());
        let before = if settings.full { order } else { &order[..at] };
        let other = before.iter().find(|unit| !base.facts.trusts(unit))?;
        let trouble = base
            .facts
            .of(other)
            .and_then(|facts| facts.trouble.as_deref());
        Some(format!(
            "{} needs a fresh JVM: {}",
            text::short_test(&other.0),
            trouble.unwrap_or("it is not known what it does in a warm one")
        ))
    }

    /// Decides on a patch that was put off.
    pub(crate) fn decide(&mut self, deferred: &Deferred) -> Result<Judgement, EngineError> {
        let mut judgement = self.in_fresh_jvms(&deferred.case, deferred.units.as_ref())?;
        judgement.reason.clone_from(&deferred.why);
        Ok(judgement)
    }

    /// Decides on a patch in fresh JVMs; `only` is what can see it.
    fn in_fresh_jvms(
        &mut self,
        case: &Case,
        only: Option<&HashSet<UnitId>>,
    ) -> Result<Judgement, EngineError> {
        let making = Making::Compile(&mut SharedJavac(self.shared));
        let mut judgement = self.fresh.judge(case, making, only, None)?;
        judgement.strategy = Some(StrategyKind::Plain);
        Ok(judgement)
    }

    /// Applies a patch plainly and has JVMs run it in which other patches were confirmed before. Only that it is good
    /// can be learnt so.
    fn in_group(&mut self, case: &Case, good: &Good) -> Result<Option<Judgement>, EngineError> {
        let units = &good.units;
        let grouping = self.shared.context.settings.uses(Technique::Grouping);
        if !grouping || !self.loners.is_disjoint(units) {
            return Ok(None);
        }
        let javac = &mut SharedJavac(self.shared);
        let making = match &good.classes {
            Some(classes) => Making::Ready(classes),
            None => Making::Compile(javac),
        };
        let group = Some(&mut self.group);
        let judgement = self.fresh.judge(case, making, Some(units), group)?;
        if judgement.kind == VerdictKind::Plausible {
            return Ok(Some(judgement));
        }
        // it may be the loader that these tests do not bear
        self.loners.extend(units.iter().cloned());
        Ok(None)
    }

    /// Confirms without weaving and resetting that a patch is good, as it was in a warm JVM.
    pub(super) fn confirm(
        &mut self,
        case: &Case,
        mut good: Good,
        how: &str,
    ) -> Result<Judgement, EngineError> {
        if !self.shared.context.settings.uses(Technique::Confirm) {
            good.seen.reason = how.to_owned();
            return Ok(good.seen);
        }
        let (mut judgement, confirmed) = match self.in_group(case, &good)? {
            Some(judgement) => (judgement, "confirmed in a fresh loader"),
            None => {
                let judgement = self.in_fresh_jvms(case, Some(&good.units))?;
                (judgement, "confirmed in a fresh JVM")
            }
        };
        judgement.compile_ms += good.seen.compile_ms;
        judgement.notes.append(&mut good.seen.notes);
        if judgement.kind == VerdictKind::Plausible {
            judgement.strategy = Some(self.kind);
            judgement.reason = format!("{how}; {confirmed}");
        } else {
            judgement.reason = format!("{how}, but not in a fresh JVM");
        }
        Ok(judgement)
    }

    /// Whether the warm JVMs still do with the unpatched program what they did at first: the tests that spoke against
    /// patches, each after the one that it came after.
    fn is_as_new(
        &mut self,
        base: &Base,
        culprits: &HashSet<&Culprit>,
    ) -> Result<bool, EngineError> {
        let mut by_module: BTreeMap<&str, Vec<TrialUnit>> = BTreeMap::new();
        for culprit in culprits {
            let units = by_module.entry(&culprit.module).or_default();
            let run = culprit.before.iter().chain([&culprit.unit]);
            units.extend(run.map(|unit| {
                TrialUnit {
                    unit: unit.clone(),
                    fuel: base
                        .facts
                        .of(unit)
                        .map(|facts| facts.ticks.saturating_mul(4) + 1_000_000),
                    wall: CANARY_LIMIT,
                    idle: CANARY_LIMIT,
                    stack_kb: None,
                }
            }));
        }
        let known = self.shared.context.baseline;
        for (module, units) in by_module {
            let trial = WarmTrial {
                variant: 0,
                units,
                stop_at_failure: false,
            };
            let options = WarmOptions {
                record: false,
                cancel: self.pool.cancel(),
            };
            let mut good = true;
            let end = self.pool.run(module, &[trial], &options, &mut |ran| {
                let mut all = known.units();
                let unit = all.find(|(_, unit)| unit.id == ran.unit);
                good &= unit.is_some_and(|(_, unit)| difference(unit, &ran).is_none());
                ControlFlow::Continue(())
            })?;
            match end {
                WarmEnd::Done if good => {}
                WarmEnd::Cancelled => return Err(EngineError::Interrupted),
                _ => return Ok(false),
            }
        }
        // files that a patch left behind would be seen by the next one
        Ok(!self.pool.restore()? || base.facts.writes_files)
    }
}

/// What to say of tests that were not run.
fn note_of_unseen(unseen: usize) -> Option<String> {
    let tests = text::count(unseen as u64, "test method");
    (unseen > 0).then(|| format!("{tests} that cannot reach what it changes: not run"))
}

/// Whether the stack ran out.
fn is_overflow(bad: &Bad) -> bool {
    matches!(bad, Bad::Failure(failure) if overflow::is_overflow(&failure.exception))
}

/// Verdicts of a warm JVM that wait for a canary.
#[derive(Default)]
pub(crate) struct Waiting<'c> {
    pending: Vec<Pending<'c>>,
    /// Places in the input of patches whose JVM was given up before it could be looked at again, for a second try.
    again: HashSet<u64>,
    /// Whether this is the second try: the JVM is looked at after each patch.
    second: bool,
}

impl<'c> Waiting<'c> {
    /// Takes in what came of a patch: what is sure is told, what is bad waits for the next canary, what is good is
    /// confirmed, and where there is doubt it is put off.
    pub(crate) fn take(
        &mut self,
        slot: &mut WarmSlot<'_>,
        base: &Base,
        (case, tried): (&'c Case, Tried),
        how: &str,
        findings: &mut dyn Findings,
    ) -> Result<(), EngineError> {
        match tried {
            Tried::Settled(judgement) => findings.judged(case, judgement),
            Tried::Doubt(doubt) => {
                self.push(slot, base, None, findings)?;
                self.settle(slot, base, findings)?;
                findings.deferred(doubt.defer(case));
            }
            Tried::Good(good) => {
                self.pass(slot, base, findings)?;
                findings.judged(case, slot.confirm(case, good, how)?);
            }
            Tried::Bad(mut judgement, culprits) => {
                how.clone_into(&mut judgement.reason);
                let verdict = Pending {
                    case,
                    judgement,
                    culprits,
                };
                self.push(slot, base, Some(verdict), findings)?;
            }
        }
        Ok(())
    }

    /// Takes note that a patch was tried against which nothing speaks.
    pub(super) fn pass(
        &mut self,
        slot: &mut WarmSlot<'_>,
        base: &Base,
        findings: &mut dyn Findings,
    ) -> Result<(), EngineError> {
        self.push(slot, base, None, findings)
    }

    /// Takes a verdict in; settles those that wait if there are enough, or if the JVM they come from is gone.
    fn push(
        &mut self,
        slot: &mut WarmSlot<'_>,
        base: &Base,
        verdict: Option<Pending<'c>>,
        findings: &mut dyn Findings,
    ) -> Result<(), EngineError> {
        let lost = slot.pool.has_lost();
        self.pending.extend(verdict);
        if lost && self.second {
            let why = "the warm JVM was given up before it could be looked at again";
            self.give_up(why, findings);
        } else if lost {
            let pending = self.pending.drain(..);
            self.again
                .extend(pending.map(|pending| pending.case.patch.seq));
        } else if self.pending.len() >= CANARY_EVERY || self.second || base.facts.writes_files {
            self.settle(slot, base, findings)?;
        }
        Ok(())
    }

    /// The patches to try once more, by their places in the input; none the second time.
    pub(crate) fn take_again(&mut self) -> Option<HashSet<u64>> {
        let again = std::mem::take(&mut self.again);
        let first = !std::mem::replace(&mut self.second, true);
        (first && !again.is_empty()).then_some(again)
    }

    /// Looks at the JVM, and lets the verdicts that wait pass or has fresh JVMs decide.
    pub(crate) fn settle(
        &mut self,
        slot: &mut WarmSlot<'_>,
        base: &Base,
        findings: &mut dyn Findings,
    ) -> Result<(), EngineError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let culprits: HashSet<&Culprit> = self
            .pending
            .iter()
            .flat_map(|pending| &pending.culprits)
            .collect();
        let look = slot.shared.context.settings.uses(Technique::Canary);
        let as_new = !look || slot.is_as_new(base, &culprits)?;
        drop(culprits);
        slot.pool.has_lost();
        if as_new {
            for pending in self.pending.drain(..) {
                findings.judged(pending.case, pending.judgement);
            }
        } else {
            slot.pool.end_all();
            slot.pool.has_lost();
            slot.pool.restore()?;
            self.give_up("the warm JVM was no longer as new", findings);
        }
        Ok(())
    }

    fn give_up(&mut self, why: &str, findings: &mut dyn Findings) {
        for pending in self.pending.drain(..) {
            findings.deferred(Deferred::new(pending.case, why));
        }
    }
}
