//! `mutate`: which changes to the program would no test notice?
//!
//! Mutants are made in bytecode, woven into one program and run in warm JVMs, each only by the tests that reach it.
//! What warm JVMs must not decide, fresh ones do; see [`crate`] for the parts shared with `validate`.

mod changed;
mod find;
mod history;
mod job;
mod model;
mod plainly;
mod reach;
mod request;
mod run;
mod scout;
mod select;
mod slot;
mod source;
mod trying;
pub(crate) mod weaving;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use braid_mutators::OperatorSet;
use braid_project::Project;
use braid_store::{Run, RunState};

use changed::ChangedLines;
use find::{Found, Search};
use reach::Units;
use run::{Known, Mutants, Taker};
use select::Wanted;

use crate::expect::{Expectations, Targets};
use crate::history::History;
use crate::setup::{BASELINE_FILE, Setup, check_stop, discover, write_json};
use crate::strategy::{Ahead, Shared};
use crate::{EngineError, Event, Progress, ProjectRequest, SCHEMA_VERSION, Settings, StrategyKind};

pub use history::{Kept, MutateReport, merge};
pub use model::{
    Decision, How, MutantResult, MutantTally, MutateSummary, NotMade, Phase, SourcePlace, Status,
    TestInfo,
};
pub use request::{
    ListedMutant, Listing, MutateInfo, MutateRequest, MutateWork, OperatorInfo, Sample, Selection,
    Shard, Thresholds, When, operator_sets, operators,
};
pub use source::{apply, diff};

/// The job's name in `run.json`.
pub(crate) const JOB: &str = "mutate";

/// Runs mutants and writes a run folder. What was decided before an error or an interruption is kept there.
pub fn mutate(
    request: &MutateRequest,
    progress: &mut dyn Progress,
) -> Result<MutateSummary, EngineError> {
    let mut clock = Clock::new();
    let plan = Plan::make(request)?;
    progress.event(&Event::Step("building the project"));
    let project = discover(&plan.project, request.no_cache, progress)?;
    clock.lap("building and reading the project");
    check_stop(&request.stop)?;
    progress.event(&Event::Step("making mutants"));
    let (found, operators) = find(&project, &plan.selection)?;
    clock.lap("making mutants");
    let settings = plan.settings(request, &project);
    let left_out: Vec<PathBuf> = plan.selection.in_diff.iter().cloned().collect();
    let setup = Setup::open(project, settings, &left_out, request.no_cache, progress)?;
    if let Some((number, info, _)) = &plan.resume {
        setup.check_unchanged(*number, &info.fingerprint)?;
    }
    clock.lap("copying the project");
    let session = Session {
        request,
        plan: &plan,
        setup: &setup,
        found: &found,
        operators: operators.iter().map(|one| one.id.to_owned()).collect(),
    };
    session.run(clock, progress)
}

/// The mutants that a request would run, and what was left out. Nothing is run.
pub fn list(request: &MutateRequest, progress: &mut dyn Progress) -> Result<Listing, EngineError> {
    let plan = Plan::make(request)?;
    progress.event(&Event::Step("building the project"));
    let project = discover(&plan.project, request.no_cache, progress)?;
    let (found, _) = find(&project, &plan.selection)?;
    let mutants = found.candidates.iter().map(|candidate| ListedMutant {
        id: candidate.mutant.id.0.clone(),
        class: candidate.class(),
        method: candidate.mutant.method.clone(),
        operator: candidate.mutant.operator.to_owned(),
        file: candidate.file.clone(),
        line: candidate.mutant.line,
        description: candidate.mutant.description.clone(),
    });
    Ok(Listing {
        mutants: mutants.collect(),
        not_made: found.not_made,
    })
}

/// What is to be done, known before the project is built.
struct Plan {
    project: ProjectRequest,
    selection: Selection,
    resume: Option<(u32, MutateInfo, History)>,
}

impl Plan {
    fn make(request: &MutateRequest) -> Result<Self, EngineError> {
        match &request.work {
            MutateWork::Start(selection) => {
                let mut selection = Selection::clone(selection);
                keep_input(&mut selection, &request.project.dir)?;
                Ok(Self {
                    project: request.project.clone(),
                    selection,
                    resume: None,
                })
            }
            MutateWork::Resume(number) => {
                let history = History::find(&request.project.dir)?;
                let number = history.number(*number)?;
                let info = history.mutate_info(number)?;
                let project = ProjectRequest {
                    dir: info.root.clone(),
                    ..info.project.clone()
                };
                Ok(Self {
                    project,
                    selection: info.selection.clone(),
                    resume: Some((number, info, history)),
                })
            }
        }
    }

    fn settings(&self, request: &MutateRequest, project: &Project) -> Settings {
        match &self.resume {
            Some((_, info, _)) => Settings {
                jobs: request.options.jobs.unwrap_or(info.settings.jobs),
                ..info.settings.clone()
            },
            None => Settings::resolve(&request.options, &project.config.run),
        }
    }

    fn resumed_dir(&self) -> Option<PathBuf> {
        let (number, _, history) = self.resume.as_ref()?;
        Some(history.runs().path(*number))
    }
}

/// Keeps a diff from standard input in a file, for a run that is resumed.
fn keep_input(selection: &mut Selection, dir: &Path) -> Result<(), EngineError> {
    if selection.in_diff.as_deref() != Some(Path::new("-")) {
        return Ok(());
    }
    let spool = History::find(dir)?.braid_dir().join("spool");
    std::fs::create_dir_all(&spool).map_err(EngineError::io("create", &spool))?;
    let file = spool.join(format!("in-{}.diff", std::process::id()));
    let mut text = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut text);
    read.map_err(EngineError::io("read", Path::new("-")))?;
    std::fs::write(&file, text).map_err(EngineError::io("write", &file))?;
    selection.in_diff = Some(file);
    Ok(())
}

/// The mutants of a selection, in the order of the program.
fn find(project: &Project, selection: &Selection) -> Result<(Found, OperatorSet), EngineError> {
    let config = &project.config.mutate;
    let names = selection
        .operators
        .as_deref()
        .or(config.operators.as_deref());
    let operators = OperatorSet::named(names.unwrap_or("default"))
        .map_err(|error| EngineError::Input(error.to_string()))?;
    let changed = match (&selection.in_diff, &selection.since) {
        (Some(file), _) => Some(ChangedLines::read(file)?),
        (None, Some(revision)) => Some(ChangedLines::since(&project.root, revision)?),
        (None, None) => None,
    };
    let search = Search {
        project,
        operators: operators.clone(),
        wanted: &Wanted::new(selection, config)?,
        changed: changed.as_ref(),
        filters: !selection.no_filters,
    };
    let mut found = search.run()?;
    if let Some(sample) = selection.sample {
        select::sample(&mut found.candidates, sample);
    }
    if let Some(shard) = selection.shard {
        select::shard(&mut found.candidates, shard);
    }
    Ok((found, operators))
}

/// A project with its mutants, about to be run.
struct Session<'a> {
    request: &'a MutateRequest,
    plan: &'a Plan,
    setup: &'a Setup,
    found: &'a Found,
    operators: Vec<String>,
}

impl Session<'_> {
    fn run(
        &self,
        mut clock: Clock,
        progress: &mut dyn Progress,
    ) -> Result<MutateSummary, EngineError> {
        let (setup, stop) = (self.setup, &self.request.stop);
        let resumed = self.plan.resumed_dir();
        let known = setup.baseline(resumed.as_deref(), stop, progress, None, &mut || ())?;
        let report = setup.check_baseline(&known, progress)?;
        let baseline = &known.baseline;
        let context = setup.context(baseline, Targets::default(), stop);
        let expect = Expectations::new(baseline, Targets::default(), setup.settings.flaky);
        let shared = Shared::new(
            &context,
            (&setup.cache, &setup.baseline_key()),
            known.base,
            Ahead::default(),
        );
        let base = shared.base()?;
        clock.lap("testing the original in fresh and in warm JVMs");
        let units = Units::new(baseline, &expect, &base);
        let candidates = &self.found.candidates;
        let plain = setup.settings.strategy == StrategyKind::Plain;
        let reaching = candidates.iter().map(|one| match plain {
            true => (0..units.all.len() as u32).collect(),
            false => units.reaching(&base, &one.mutant),
        });
        let reaching: Vec<Vec<u32>> = reaching.collect();
        let tests = units.infos(&base, |unit| source::test_file(&setup.project, unit));
        let (mut run, known, tally) = self.folder(baseline, tests)?;
        let (number, dir) = (run.number(), run.dir().to_owned());
        let total = candidates.len() as u64;
        progress.event(&Event::Mutants {
            run: number,
            total,
            done: tally.total(),
        });
        let mutants = Mutants {
            context: &context,
            expect: &expect,
            base: &base,
            units: &units,
            candidates,
            reaching: &reaching,
            full: self.plan.selection.full_matrix,
            scouting: self.request.scouting,
        };
        let mut taker = Taker {
            run: &mut run,
            progress,
            tally,
            total,
            test_us: vec![0; units.all.len()],
        };
        let outcome = mutants.run(&known, &mut taker);
        clock.lap("running mutants");
        let (tally, test_us) = (taker.tally, taker.test_us);
        let complete = outcome.is_ok() && tally.total() >= total;
        let state = match complete {
            true => RunState::Complete,
            false => RunState::Interrupted,
        };
        let summary = MutateSummary {
            run: number,
            dir,
            state,
            total,
            tally,
            baseline: report,
            elapsed_ms: clock.elapsed_ms(),
            phases: clock.phases,
        };
        let written = history::write_kept(&summary, test_us).and_then(|()| Ok(run.finish(state)?));
        match outcome {
            Err(EngineError::Interrupted) | Ok(()) => written?,
            Err(error) => return Err(error),
        }
        Ok(summary)
    }

    /// The run folder: a new one, or the one to go on with and what is in it.
    fn folder(
        &self,
        baseline: &crate::baseline::Baseline,
        tests: Vec<TestInfo>,
    ) -> Result<(Run, Known, MutantTally), EngineError> {
        if let Some((number, _, history)) = &self.plan.resume {
            let run = history.runs().resume(*number)?;
            let (mut known, mut tally) = (Known::new(), MutantTally::default());
            history.mutate_report(*number)?.for_each(|result| {
                tally.add(&result);
                let mut killers = result.killed_by.iter();
                let killers = killers
                    .by_ref()
                    .chain(&result.timeout_by)
                    .chain(&result.error_by);
                let first = killers.min().copied();
                known.insert(result.id, first);
                Ok(())
            })?;
            return Ok((run, known, tally));
        }
        let runs = braid_store::Runs::new(&self.setup.project.braid_dir());
        let run = runs.create(&self.info(tests))?;
        write_json(&run.dir().join(BASELINE_FILE), baseline)?;
        write_json(
            &run.dir().join(history::NOT_MADE_FILE),
            &self.found.not_made,
        )?;
        Ok((run, Known::new(), MutantTally::default()))
    }

    fn info(&self, tests: Vec<TestInfo>) -> MutateInfo {
        let since_1970 = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut project = self.plan.project.clone();
        project.dir = absolute(&project.dir);
        let mut selection = self.plan.selection.clone();
        selection.in_diff = selection.in_diff.as_deref().map(absolute);
        MutateInfo {
            job: JOB.to_owned(),
            schema_version: SCHEMA_VERSION,
            braid_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_s: since_1970.as_secs(),
            root: self.setup.project.root.clone(),
            kind: self.setup.project.kind.to_string(),
            jdk: self.setup.project.jdk.full_version.clone(),
            project,
            selection,
            operators: self.operators.clone(),
            settings: self.setup.settings.clone(),
            fingerprint: self.setup.fingerprint.hex(),
            total: self.found.candidates.len() as u64,
            thresholds: Thresholds {
                min_score: self.setup.project.config.mutate.min_score,
                max_survived: self.setup.project.config.mutate.max_survived,
            },
            tests,
        }
    }
}

/// Measures the parts of a run.
struct Clock {
    start: Instant,
    last: Instant,
    phases: Vec<Phase>,
}

impl Clock {
    fn new() -> Self {
        let start = Instant::now();
        Self {
            start,
            last: start,
            phases: Vec::new(),
        }
    }

    fn lap(&mut self, name: &str) {
        let ms = self.last.elapsed().as_millis() as u64;
        self.last = Instant::now();
        self.phases.push(Phase {
            name: name.to_owned(),
            ms,
        });
    }

    fn elapsed_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }
}
