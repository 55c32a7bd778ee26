//! The tests of the unpatched program in warm JVMs, as they were seen there, each once and alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use braid_exec::{Ran, Trial, TrialUnit, WarmEnd, WarmOptions};
use braid_project::{Module, Project};
use braid_protocol::{LeafId, UnitEnd, UnitId};

use crate::EngineError;
use crate::baseline::{Baseline, ModuleBaseline};
use crate::jvms::Common;
use crate::record::UNIT_LIMIT;
use crate::select::TestGlobs;
use crate::strategy::warm::facts::difference;
use crate::strategy::warm::jvms::WarmPool;
use crate::strategy::warm::pile::{Begin, Pile};
use crate::strategy::warm::program::{Prepared, Program};
use crate::strategy::warm::suite::Suite;
use crate::strategy::warm::waits;
use crate::workspace::Workspace;

/// How long all threads of a test may be blocked on the unpatched program.
const IDLE: Duration = Duration::from_secs(20);

/// What is left has to take so long in a fresh JVM for another warm one to be started for it.
const WORTH_HELP: Duration = Duration::from_secs(3);

/// So long units are run before anybody asks what became of them.
const STINT: Duration = Duration::from_millis(500);

/// The slower compiler has a core of its own if there are so many.
const MANY_CORES: usize = 4;
/// So many test classes run for minutes, by rule of thumb.
const MANY_CLASSES: usize = 100;

/// What was seen of the tests of all modules.
pub(crate) struct Sightings<'a> {
    pool: WarmPool<'a>,
    /// By module; modules without tests are left out.
    pub modules: BTreeMap<String, Seen>,
    /// Whether the tests leave files behind in the project.
    pub writes_files: bool,
}

/// What was seen of one module's tests.
pub(crate) struct Seen {
    /// What they run.
    pub program: Program,
    /// What became of them.
    pub units: HashMap<UnitId, Sight>,
    /// Those of which only is known which methods they reach.
    pub coarse: HashSet<UnitId>,
}

/// What was seen of one unit.
pub(crate) enum Sight {
    /// It ran, and the methods that it reaches were recorded.
    Ran(Box<Ran>),
    /// It did not come to its end.
    Trouble(&'static str),
}

impl Sight {
    /// The run that came to its end, if there is one.
    pub(crate) fn ran(&self) -> Option<&Ran> {
        match self {
            Self::Ran(ran) => Some(ran),
            Self::Trouble(_) => None,
        }
    }

    /// Whether it did not come to its end, or a leaf of it failed.
    pub(crate) fn has_failed(&self) -> bool {
        let failed = |ran: &Ran| {
            ran.end != UnitEnd::Finished || ran.leaves.iter().any(|leaf| leaf.outcome.is_failed())
        };
        self.ran().is_none_or(failed)
    }
}

/// A module's units, in the order in which they are to run.
pub(crate) type Units = (String, Vec<UnitId>);

/// The units of a module.
pub(crate) fn units_of(module: &ModuleBaseline) -> Units {
    let units = module.units.iter().map(|unit| unit.id.clone());
    (module.name.clone(), units.collect())
}

impl<'a> Sightings<'a> {
    /// Runs units of modules, in their order. They come by way of a pile, from which others may take some. With a `light` look
    /// only is found out which methods they reach, and what comes of them.
    pub(crate) fn watch(
        common: Common<'a>,
        workspace: &Workspace,
        modules: impl Iterator<Item = Units>,
        pile: &Pile,
        light: bool,
    ) -> Result<Self, EngineError> {
        let _open = pile.open();
        let mut pool = WarmPool::open(common, workspace, "warm-baseline")?;
        let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
        let mut last = None;
        let mut suite = None;
        // the first JVM starts before anybody knows what it has to do
        let mut ready = match first_with_tests(common.project) {
            Some(module) => {
                let ready = prepare(common, workspace, &mut pool, module, light)?;
                pool.start(&module.name)?;
                suite = Some((module.name.clone(), suite_of(workspace, module)));
                Some((module.name.clone(), ready))
            }
            None => None,
        };
        for (name, units) in modules {
            if units.is_empty() {
                continue;
            }
            if let Some(last) = last.replace(name.clone()) {
                pool.end(&last);
            }
            let (program, files) = match ready.take() {
                Some((module, ready)) if module == name => ready,
                other => {
                    if let Some((module, _)) = other {
                        pool.end(&module);
                    }
                    prepare(common, workspace, &mut pool, common.module(&name)?, light)?
                }
            };
            let suite = match suite.take() {
                Some((module, suite)) if module == name => suite,
                _ => suite_of(workspace, common.module(&name)?),
            };
            pile.lay(&name, files, waits::split(&suite, &program, units));
            work_off(&mut pool, &name, pile)?;
            let units = pile.clear();
            let coarse = match light {
                true => units.keys().cloned().collect(),
                false => HashSet::new(),
            };
            let of_module = Seen {
                program,
                units,
                coarse,
            };
            seen.insert(name, of_module);
        }
        let writes_files = pool.restore()?;
        Ok(Self {
            pool,
            modules: seen,
            writes_files,
        })
    }

    /// Looks at units once more, in detail; in two JVMs if that takes long.
    pub(crate) fn look_closer(
        &mut self,
        common: Common<'a>,
        workspace: &Workspace,
        units: &HashSet<UnitId>,
    ) -> Result<(), EngineError> {
        let mut other = WarmPool::open(common, workspace, "warm-baseline-closely")?;
        for (name, seen) in &mut self.modules {
            let ids = seen.coarse.iter().filter(|unit| units.contains(*unit));
            let mut ids: Vec<UnitId> = ids.cloned().collect();
            if ids.is_empty() {
                continue;
            }
            ids.sort();
            let ran = ids.iter().filter_map(|id| seen.units[id].ran());
            let long = ran.map(|ran| ran.duration).sum::<Duration>() >= WORTH_HELP;
            let rest = match long {
                true => ids.split_off(ids.len() / 2),
                false => Vec::new(),
            };
            let files = close_look(common, name, &seen.program)?;
            let (own, other, theirs) = (&mut self.pool, &mut other, files.clone());
            let (mine, theirs) = std::thread::scope(|scope| {
                let theirs = scope.spawn(|| closely(other, name, theirs, rest));
                let mine = closely(own, name, files, ids);
                let theirs = theirs.join();
                let theirs = theirs.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                (mine, theirs)
            });
            for closer in [mine?, theirs?] {
                seen.coarse.retain(|unit| !closer.contains_key(unit));
                seen.units.extend(closer);
            }
        }
        self.writes_files |= self.pool.restore()? | other.restore()?;
        Ok(())
    }

    /// The units that were not seen to do what this baseline says.
    pub(crate) fn differing(&self, baseline: &Baseline) -> HashSet<UnitId> {
        let differs = |(module, unit): &(&str, &crate::baseline::UnitBaseline)| {
            let seen = self.modules.get(*module);
            match seen.and_then(|seen| seen.units.get(&unit.id)) {
                Some(Sight::Ran(ran)) => difference(unit, ran).is_some(),
                _ => true,
            }
        };
        let units = baseline.units().filter(differs);
        units.map(|(_, unit)| unit.id.clone()).collect()
    }

    /// Runs the units some more times that were not seen to do what this baseline says, and gives the leaves that come
    /// out now one way and now the other: the same test in the same JVM should do the same.
    pub(crate) fn unsteady(&mut self, baseline: &Baseline) -> Result<HashSet<LeafId>, EngineError> {
        let differing = self.differing(baseline);
        let mut unsteady = HashSet::new();
        for (module, seen) in &self.modules {
            let again = |(unit, sight): (&UnitId, &'_ Sight)| match sight {
                Sight::Ran(ran) if differing.contains(unit) => Some(Box::clone(ran)),
                _ => None,
            };
            let first: Vec<Box<Ran>> = seen.units.iter().filter_map(again).collect();
            if !first.is_empty() {
                unsteady.extend(look_again(&mut self.pool, module, &first)?);
            }
        }
        self.pool.end_all();
        self.pool.restore()?;
        Ok(unsteady)
    }

    /// What the tests of each module run.
    pub(crate) fn into_programs(self) -> BTreeMap<String, Program> {
        let modules = self.modules.into_iter();
        modules.map(|(name, seen)| (name, seen.program)).collect()
    }
}

fn first_with_tests(project: &Project) -> Option<&Module> {
    let mut modules = project.modules.iter();
    modules.find(|module| module.test_classes.is_dir())
}

/// What the test classes of a module say.
fn suite_of(workspace: &Workspace, module: &Module) -> Suite {
    Suite::read(&workspace.map(&module.test_classes))
}

/// Reads the program of a module's tests, for a JVM that records what they reach.
fn prepare(
    common: Common<'_>,
    workspace: &Workspace,
    pool: &mut WarmPool<'_>,
    module: &Module,
    light: bool,
) -> Result<(Program, Prepared), EngineError> {
    let program = Program::read(common.project, workspace, module)?;
    let dir = common.temp_root.join("recording").join(&module.name);
    let mut files = program.write_recording(&dir, light)?;
    files.brief = is_brief(common, module, light)?;
    pool.prepare(&module.name, files.clone());
    Ok((program, files))
}

/// What a JVM needs for a look at all that can be seen of a module's units.
pub(super) fn close_look(
    common: Common<'_>,
    module: &str,
    program: &Program,
) -> Result<Prepared, EngineError> {
    let dir = common.temp_root.join("recording-closely").join(module);
    let mut files = program.write_recording(&dir, false)?;
    files.brief = true;
    Ok(files)
}

/// Runs units of a module, with such a look.
pub(super) fn closely(
    pool: &mut WarmPool<'_>,
    module: &str,
    files: Prepared,
    units: Vec<UnitId>,
) -> Result<HashMap<UnitId, Sight>, EngineError> {
    pool.end(module);
    pool.prepare(module, files);
    let seen = watch_module(pool, module, units)?;
    pool.end(module);
    Ok(seen)
}

/// Somebody who takes part in running a pile's units.
pub(crate) struct Helper<'a, 'r> {
    common: Common<'a>,
    workspace: &'r Workspace,
    pile: &'r Pile,
    pool: Option<WarmPool<'a>>,
    /// The module whose units were run last.
    module: String,
}

impl<'a, 'r> Helper<'a, 'r> {
    pub(crate) fn new(common: Common<'a>, workspace: &'r Workspace, pile: &'r Pile) -> Self {
        Self {
            common,
            workspace,
            pile,
            pool: None,
            module: String::new(),
        }
    }

    /// Waits until so much is left that another JVM is worth starting, going by how long units take, and runs some; false if there
    /// is nothing more to do.
    pub(crate) fn help(&mut self, cost: impl Fn(&UnitId) -> Duration) -> Result<bool, EngineError> {
        let enough = |module: &str| match module == self.module {
            true => Duration::ZERO,
            false => WORTH_HELP,
        };
        let Some((module, files)) = self.pile.join(&cost, enough) else {
            return Ok(false);
        };
        let pool = match &mut self.pool {
            Some(pool) => pool,
            none => none.insert(WarmPool::open(
                self.common,
                self.workspace,
                "warm-baseline-help",
            )?),
        };
        if self.module != module {
            pool.end(&self.module);
            pool.prepare(&module, files);
            self.module.clone_from(&module);
        }
        work_off_for(pool, &module, self.pile, (Begin::Waiting, STINT))?;
        Ok(true)
    }

    /// True if files were left behind.
    pub(crate) fn end(mut self) -> Result<bool, EngineError> {
        self.pool.as_mut().map_or(Ok(false), |pool| {
            pool.end_all();
            pool.restore()
        })
    }
}

/// Runs units of a pile until none are left.
fn work_off(pool: &mut WarmPool<'_>, module: &str, pile: &Pile) -> Result<(), EngineError> {
    work_off_for(pool, module, pile, (Begin::Waiting, Duration::MAX))
}

/// Runs units of a pile until none are left, or time is up.
pub(super) fn work_off_for(
    pool: &mut WarmPool<'_>,
    module: &str,
    pile: &Pile,
    (begin, time): (Begin, Duration),
) -> Result<(), EngineError> {
    let start = Instant::now();
    while let Some(handful) = pile.take(begin) {
        pile.saw(watch_module(pool, module, handful.units.clone())?);
        if start.elapsed() >= time {
            break;
        }
    }
    Ok(())
}

/// Whether a module's tests, each run once, are likely to be over before the slower compiler has paid: there are few, or
/// little is in their way, and no core is to spare for it.
fn is_brief(common: Common<'_>, module: &Module, light: bool) -> Result<bool, EngineError> {
    if common.settings.jobs >= MANY_CORES {
        return Ok(false);
    }
    if light {
        return Ok(true);
    }
    let globs = TestGlobs::new(&common.settings.only_tests)?;
    let classes = module.test_class_names().into_iter();
    let chosen = classes.filter(|class| globs.accept(&UnitId(class.clone())));
    Ok(chosen.count() < MANY_CLASSES)
}

/// Runs a module's units, in as many JVMs as it takes.
fn watch_module(
    pool: &mut WarmPool<'_>,
    module: &str,
    mut left: Vec<UnitId>,
) -> Result<HashMap<UnitId, Sight>, EngineError> {
    let mut seen = HashMap::new();
    while !left.is_empty() {
        let trial = Trial {
            variant: 0,
            units: left.iter().map(unlimited).collect(),
            stop_at_failure: false,
        };
        let options = WarmOptions {
            record: true,
            cancel: pool.cancel(),
        };
        let end = pool.run(module, &[trial], &options, &mut |ran: Ran| {
            seen.insert(ran.unit.clone(), Sight::Ran(Box::new(ran)));
            ControlFlow::Continue(())
        })?;
        let (culprit, why) = match end {
            WarmEnd::Done | WarmEnd::Stopped | WarmEnd::Tainted { .. } => (None, ""),
            WarmEnd::Cancelled => return Err(EngineError::Interrupted),
            WarmEnd::Timeout { unit, .. } => (Some(unit), "does not end in a warm JVM"),
            WarmEnd::Crashed { crash, .. } => (crash.unit.clone(), "ends the warm JVM"),
        };
        if let Some(unit) = culprit {
            seen.insert(unit, Sight::Trouble(why));
        }
        let before = left.len();
        left.retain(|unit| !seen.contains_key(unit));
        if left.len() == before {
            break; // nothing moved: going on would go on for ever
        }
    }
    Ok(seen)
}

/// Runs units twice, one after the other, and compares their leaves with those of the first time.
fn look_again(
    pool: &mut WarmPool<'_>,
    module: &str,
    first: &[Box<Ran>],
) -> Result<HashSet<LeafId>, EngineError> {
    let twice = first.iter().flat_map(|ran| [&ran.unit, &ran.unit]);
    let trial = Trial {
        variant: 0,
        units: twice.map(unlimited).collect(),
        stop_at_failure: false,
    };
    let options = WarmOptions {
        record: false,
        cancel: pool.cancel(),
    };
    let known: HashMap<&LeafId, bool> = first
        .iter()
        .flat_map(|ran| &ran.leaves)
        .map(|leaf| (&leaf.id, leaf.outcome.is_failed()))
        .collect();
    let mut unsteady = HashSet::new();
    // a JVM that ends meanwhile has shown what it could
    pool.run(module, &[trial], &options, &mut |ran: Ran| {
        for leaf in ran.leaves {
            if known.get(&leaf.id) != Some(&leaf.outcome.is_failed()) {
                unsteady.insert(leaf.id);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(unsteady)
}

fn unlimited(unit: &UnitId) -> TrialUnit {
    TrialUnit {
        unit: unit.clone(),
        fuel: None,
        wall: UNIT_LIMIT,
        idle: IDLE,
        stack_kb: None,
    }
}
