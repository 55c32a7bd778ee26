//! Mutants alone in fresh JVMs: the class with just the mutant is written to disk and run plainly. Slow, and the
//! measure of everything else.

use std::time::Duration;

use braid_protocol::UnitId;
use braid_variants::FileState;

use super::find::Candidate;
use super::reach::Units;
use super::trying::Cell;
use crate::expect::Expectations;
use crate::jvms::SlotJvms;
use crate::plan::{self, Batch};
use crate::strategy::Context;
use crate::trial::{Bad, Thoroughness, Trial};
use crate::workspace::Slot;
use crate::{EngineError, text};

/// A private copy of the project with fresh JVMs for each mutant.
pub(crate) struct Plainly<'a> {
    context: &'a Context<'a>,
    expect: &'a Expectations,
    name: String,
    /// Made when the first mutant needs it: most runs have none that does.
    slot: Option<Slot>,
}

impl<'a> Plainly<'a> {
    /// For worker slot `name`; nothing is copied yet.
    pub(crate) fn new(context: &'a Context<'a>, expect: &'a Expectations, name: String) -> Self {
        Self {
            context,
            expect,
            name,
            slot: None,
        }
    }

    /// Runs units on a mutant, until one notices it unless `full`. Gives the cells of those that were run; the copy
    /// is pristine again afterwards.
    pub(crate) fn run(
        &mut self,
        candidate: &Candidate,
        units: &Units,
        numbers: &[u32],
        full: bool,
    ) -> Result<Vec<(u32, Cell)>, EngineError> {
        let mut slot = match self.slot.take() {
            Some(slot) => slot,
            None => self.context.workspace.slot(&self.name)?,
        };
        let ran = self
            .put(&mut slot, candidate)
            .and_then(|()| self.test(&slot, units, numbers, full));
        slot.restore()?;
        self.slot = Some(slot);
        ran
    }

    fn put(&self, slot: &mut Slot, candidate: &Candidate) -> Result<(), EngineError> {
        let module = self.context.project.module(&candidate.module);
        let Some(module) = module else {
            let why = format!("module {} is gone", candidate.module);
            return Err(EngineError::Baseline(why));
        };
        let bytes = candidate.alone()?;
        let file = module
            .classes
            .join(format!("{}.class", candidate.mutant.class));
        slot.put(&file, &FileState::Write(bytes))
    }

    fn test(
        &self,
        slot: &Slot,
        units: &Units,
        numbers: &[u32],
        full: bool,
    ) -> Result<Vec<(u32, Cell)>, EngineError> {
        let context = self.context;
        let otherwise = plan::unknown_limit(&context.settings.timeout);
        let limits = context.limits.clone();
        let mut jvms = SlotJvms::new(context.common(), slot, limits, otherwise);
        let how = Thoroughness { full, retry: false };
        let mut trial = Trial::new(self.expect, &context.times, how);
        trial.run(&batches(units, numbers), &mut jvms)?;
        let mut cells: Vec<(u32, Cell)> = Vec::new();
        for bad in &trial.bad {
            let unit = unit_of(bad).and_then(|test| units.numbers.get(&test).copied());
            // a JVM that ends between tests is the fault of the first that was to run
            let Some(number) = unit.or(numbers.first().copied()) else {
                continue;
            };
            if cells.iter().all(|(known, _)| *known != number) {
                cells.push((number, cell(bad)));
            }
        }
        if cells.is_empty() || full {
            for number in numbers {
                if cells.iter().all(|(known, _)| known != number) {
                    cells.push((*number, Cell::Passed));
                }
            }
        }
        Ok(cells)
    }
}

/// The unit of the test that something bad happened in.
fn unit_of(bad: &Bad) -> Option<UnitId> {
    let test = match bad {
        Bad::Failure(failure) => Some(&failure.test),
        Bad::Timeout(limit) => limit.test.as_ref(),
        Bad::Crash(crash) => crash.test.as_ref(),
    }?;
    let bare = test.strip_suffix("[class]").unwrap_or(test);
    let unit = match (bare.rfind('['), bare.ends_with(']')) {
        (Some(at), true) => &bare[..at],
        _ => bare,
    };
    Some(unit.into())
}

fn cell(bad: &Bad) -> Cell {
    let line = text::one_line(&bad.line());
    match bad {
        Bad::Failure(failure) if is_memory(&failure.exception) => Cell::Error(line),
        Bad::Crash(crash) if crash.cause.contains("memory") => Cell::Error(line),
        Bad::Failure(_) | Bad::Crash(_) => Cell::Killed(line),
        Bad::Timeout(_) => Cell::Timeout(line),
    }
}

/// Whether a test failed for want of memory.
pub(crate) fn is_memory(exception: &str) -> bool {
    exception == "java.lang.OutOfMemoryError"
}

/// Units in their order, those of one module together as long as they follow each other.
fn batches(units: &Units, numbers: &[u32]) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for number in numbers {
        let unit = units.get(*number);
        match batches.last_mut() {
            Some(last) if last.module == unit.module => last.units.push(unit.id.clone()),
            _ => batches.push(Batch {
                module: unit.module.clone(),
                units: vec![unit.id.clone()],
            }),
        }
    }
    batches
}

/// The time that one mutant may take in fresh JVMs is bounded by its tests' own limits.
pub(crate) fn wall_limit(context: &Context<'_>, unit: &UnitId) -> Duration {
    let own = context.limits.get(unit).copied();
    own.unwrap_or(Duration::from_secs(10)) * 4
}
