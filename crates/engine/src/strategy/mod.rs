//! Ways to judge patches. Each is exchangeable for every other: only time and memory may differ, never a verdict.

mod build;
mod fresh;
mod judgement;
mod plain;
pub(crate) mod warm;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use braid_payload::Payload;
use braid_project::Project;
use braid_protocol::UnitId;
use braid_store::Key;

use crate::baseline::Baseline;
use crate::change::Change;
use crate::effect::Effect;
use crate::expect::{Expectations, Targets};
use crate::jvms::Common;
use crate::workspace::Workspace;
use crate::{EngineError, PatchOrigin, Settings, Stop, StrategyKind};

pub(crate) use judgement::Judgement;
pub(crate) use plain::{Plain, javac_tool};
pub(crate) use warm::{Ahead, Base, Hotswap, Shared, Woven, record, refine};

/// A way to judge patches.
pub(crate) trait Strategy: Sync {
    /// Which one it is.
    fn kind(&self) -> StrategyKind;

    /// How many patches it wants to judge together.
    fn batch(&self) -> usize {
        1
    }

    /// Sets up one worker slot. Slots work at the same time, each on its own thread.
    fn open(&self, slot: usize) -> Result<Box<dyn Judge + '_>, EngineError>;
}

/// One worker slot of a strategy.
pub(crate) trait Judge {
    /// Judges patches and hands over each judgement as soon as it is known. After an error the slot is in the
    /// state of a new one, and cases of which nothing was found may be tried again.
    fn judge(&mut self, cases: &[Case], findings: &mut dyn Findings) -> Result<(), EngineError>;

    /// Judges a patch that was put off, by any slot of the strategy.
    fn decide(&mut self, deferred: &Deferred) -> Result<Judgement, EngineError>;
}

/// Takes what a slot finds out about patches.
pub(crate) trait Findings {
    /// What came of a patch.
    fn judged(&mut self, case: &Case, judgement: Judgement);

    /// A patch that fresh JVMs have to decide on, which any slot can do that has time.
    fn deferred(&mut self, deferred: Deferred);
}

/// A patch that fresh JVMs have to decide on.
#[derive(Debug)]
pub(crate) struct Deferred {
    /// The patch.
    pub case: Case,
    /// Patches that come out as the same code.
    pub twins: Vec<Case>,
    /// Why.
    pub why: String,
    /// The units that can see it, if that is known.
    pub units: Option<HashSet<UnitId>>,
}

impl Deferred {
    /// A patch without twins that any unit may see.
    pub(crate) fn new(case: &Case, why: impl Into<String>) -> Self {
        Self {
            case: case.clone(),
            twins: Vec::new(),
            why: why.into(),
            units: None,
        }
    }

    /// The patch and those that come out as the same code, with the judgement of each.
    pub(crate) fn share(&self, judgement: &Judgement) -> impl Iterator<Item = (&Case, Judgement)> {
        let twins = self.twins.iter();
        let twins = twins.map(|twin| (twin, judgement.for_twin_of(&self.case)));
        std::iter::once((&self.case, judgement.clone())).chain(twins)
    }
}

/// What every strategy knows.
pub(crate) struct Context<'a> {
    /// The project, with paths of the user's tree.
    pub project: &'a Project,
    /// Braid's own jars.
    pub payload: &'a Payload,
    /// How to run.
    pub settings: &'a Settings,
    /// Copies of the project.
    pub workspace: &'a Workspace,
    /// The unpatched program.
    pub baseline: &'a Baseline,
    /// How long each unit takes on the unpatched program, where it ended.
    pub times: HashMap<UnitId, Duration>,
    /// How long each unit may take.
    pub limits: HashMap<UnitId, Duration>,
    /// What has to pass unless a patch says otherwise.
    pub targets: Targets,
    /// Where workers make their temporary folders.
    pub temp_root: PathBuf,
    /// When to stop.
    pub stop: &'a Stop,
}

impl Context<'_> {
    /// What is expected of patches that name no tests.
    pub(crate) fn expectations(&self) -> Expectations {
        Expectations::new(self.baseline, self.targets.clone(), self.settings.flaky)
    }

    /// What all workers have in common.
    pub(crate) fn common(&self) -> Common<'_> {
        Common {
            project: self.project,
            payload: self.payload,
            settings: self.settings,
            stop: self.stop,
            temp_root: &self.temp_root,
        }
    }
}

/// A patch that applies, ready to be judged.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Who it is.
    pub patch: PatchInfo,
    /// What it leaves behind.
    pub effect: Effect,
    /// The same, sorted by what has to be done.
    pub change: Change,
    /// The tests that it names as failing, in place of the baseline's.
    pub failing: Vec<String>,
    /// Same program, same effect, same tests: same key.
    pub key: Key,
}

/// Who a patch is, whatever came of it.
#[derive(Clone, Debug)]
pub(crate) struct PatchInfo {
    /// Its name.
    pub id: String,
    /// Its place in the input, from 0.
    pub seq: u64,
    /// Where it came from.
    pub origin: PatchOrigin,
    /// Hash of its content.
    pub content: String,
    /// The files it changes.
    pub files: Vec<String>,
    /// What had to be forgiven to apply it.
    pub notes: Vec<String>,
    /// How long applying took.
    pub apply_ms: u64,
}
