//! `validate`: from a project and patches to verdicts.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use braid_project::Project;
use braid_store::{Run, RunState, StoreError};
use braid_variants::DirTree;

use crate::baseline::Baseline;
use crate::dispatch::{self, Done, Source, count, dispatch};
use crate::early::Early;
use crate::expect::Targets;
use crate::history::{History, Kept, SUMMARY_FILE};
use crate::inputs::Inputs;
use crate::prepare::{Prepared, Preparer};
use crate::recorder::Recorder;
use crate::select::Globs;
use crate::setup::{BASELINE_FILE, Known, Setup, check_stop, discover, write_json};
use crate::strategy::{Ahead, Case, Hotswap, Plain, Shared, Strategy, Woven, refine};
use crate::survey::{Survey, Surveyed, Surveying};
use crate::{
    EngineError, Event, FlakyPolicy, Progress, ProjectRequest, RunInfo, Settings, StrategyKind,
    Summary, Tally, Technique, ValidateRequest, Verdict, Work,
};

/// So many patches at most are compiled before the baseline is known.
const AHEAD: usize = 6_000;
/// With more patches it takes too long to find out what they change before they are judged.
const MOST_SURVEYED: u64 = 20_000;

/// Judges patches and writes a run folder. What was decided before an error or an interruption is kept there.
pub fn validate(
    request: &ValidateRequest,
    progress: &mut dyn Progress,
) -> Result<Summary, EngineError> {
    let start = Instant::now();
    let plan = Plan::make(request)?;
    progress.event(&Event::Step("building the project"));
    let early = is_wanted_early(request).then(|| Early::start(&plan.project));
    let project = discover(&plan.project, request.no_cache, progress)?;
    check_stop(&request.stop)?;
    let mut session = Session::open(request, plan, project, progress)?;
    let resumed = session.resumed_dir();
    let (known, ahead) = session.baseline(resumed.as_deref(), early, progress)?;
    let report = session.setup.check_baseline(&known, progress)?;
    let (mut run, done, tally) = session.run(&known.baseline, progress)?;
    let dir = run.dir().to_owned();
    let started = Event::Started {
        run: run.number(),
        dir: &dir,
        total: session.total,
        done: tally.total(),
    };
    progress.event(&started);
    let (tally, outcome) = session.judge((known, ahead), &mut run, &done, tally, progress);
    let complete = outcome.is_ok() && tally.total() >= session.total;
    let state = if complete {
        RunState::Complete
    } else {
        RunState::Interrupted
    };
    let summary = Summary {
        run: run.number(),
        dir,
        state,
        total: session.total,
        tally,
        baseline: report,
        elapsed_ms: start.elapsed().as_millis() as u64,
    };
    let written = write_summary(&summary).and_then(|()| Ok(run.finish(state)?));
    outcome.and(written)?;
    Ok(summary)
}

/// Whether a compiler may be started before it is known what the project wants: if a core has nothing to do, and all
/// patches are to be compiled by it.
fn is_wanted_early(request: &ValidateRequest) -> bool {
    let options = &request.options;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plainly = options.strategy == Some(StrategyKind::Plain);
    cores > 1 && options.jobs != Some(1) && !plainly
}

fn write_summary(summary: &Summary) -> Result<(), EngineError> {
    let kept = Kept {
        baseline: summary.baseline.clone(),
        elapsed_ms: summary.elapsed_ms,
    };
    write_json(&summary.dir.join(SUMMARY_FILE), &kept)
}

/// What is to be done, known before the project is built.
struct Plan {
    project: ProjectRequest,
    inputs: Inputs,
    resume: Option<(u32, RunInfo, History)>,
}

impl Plan {
    fn make(request: &ValidateRequest) -> Result<Self, EngineError> {
        let history = History::find(&request.project.dir)?;
        match &request.work {
            Work::Start(patches) => {
                let inputs = Inputs::open(patches, &history.braid_dir().join("spool"))?;
                let mut all = inputs.patches(&request.project.dir);
                if all.next().is_none() {
                    return Err(no_patches(&patches.inputs));
                }
                Ok(Self {
                    project: request.project.clone(),
                    inputs,
                    resume: None,
                })
            }
            Work::Resume(number) => {
                let number = history.number(*number)?;
                let info: RunInfo = history.runs().info(number)?;
                let inputs = Inputs::reopen(&info.patches)?;
                let project = ProjectRequest {
                    dir: info.root.clone(),
                    ..info.project.clone()
                };
                Ok(Self {
                    project,
                    inputs,
                    resume: Some((number, info, history)),
                })
            }
        }
    }
}

fn no_patches(inputs: &[PathBuf]) -> EngineError {
    let names: Vec<String> = inputs
        .iter()
        .map(|input| input.display().to_string())
        .collect();
    EngineError::Input(format!("there are no patches in {}", names.join(", ")))
}

/// A project that is built, with everything needed to judge patches of it.
struct Session<'a> {
    request: &'a ValidateRequest,
    project_request: ProjectRequest,
    inputs: Inputs,
    resume: Option<(u32, RunInfo, History)>,
    setup: Setup,
    total: u64,
}

impl<'a> Session<'a> {
    fn open(
        request: &'a ValidateRequest,
        plan: Plan,
        project: Project,
        progress: &mut dyn Progress,
    ) -> Result<Self, EngineError> {
        let settings = match &plan.resume {
            Some((_, info, _)) => {
                let jobs = request.options.jobs.unwrap_or(info.settings.jobs);
                Settings {
                    jobs,
                    ..info.settings.clone()
                }
            }
            None => Settings::resolve(&request.options, &project.config.run),
        };
        progress.event(&Event::Step("reading the patches"));
        let patches = plan.inputs.patches(&project.root);
        let total = count(patches, &plan.inputs.request, &request.stop)?;
        if total == 0 {
            return Err(EngineError::Input("no patch fits --only".to_owned()));
        }
        let left_out = plan.inputs.inside(&project.root);
        let setup = Setup::open(project, settings, &left_out, request.no_cache, progress)?;
        if let Some((number, info, _)) = &plan.resume {
            setup.check_unchanged(*number, &info.fingerprint)?;
        }
        Ok(Self {
            request,
            project_request: plan.project,
            inputs: plan.inputs,
            resume: plan.resume,
            setup,
            total,
        })
    }

    /// The folder of the run that is resumed.
    fn resumed_dir(&self) -> Option<PathBuf> {
        let (number, _, history) = self.resume.as_ref()?;
        Some(history.runs().path(*number))
    }

    /// The baseline, and what was compiled while it was recorded.
    fn baseline(
        &self,
        resumed: Option<&Path>,
        early: Option<Early>,
        progress: &mut dyn Progress,
    ) -> Result<(Known, Ahead), EngineError> {
        let (setup, stop) = (&self.setup, &self.request.stop);
        let enough = AtomicBool::new(false);
        let wanted = setup.settings.strategy != StrategyKind::Plain && setup.settings.jobs > 1;
        let mut early = early.filter(|_| wanted);
        let survey = Surveyed::new();
        let surveyed = self.spares_tests().then_some(&survey);
        let (known, ahead) = std::thread::scope(|scope| {
            let mut compiling = None;
            let known = setup.baseline(resumed, stop, progress, surveyed, &mut || {
                let early = early.take();
                let (enough, survey) = (&enough, &survey);
                compiling =
                    wanted.then(|| scope.spawn(move || self.look_ahead(early, survey, enough)));
            });
            enough.store(true, Ordering::Relaxed);
            let ahead = match compiling {
                Some(compiling) => compiling
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                None => Ahead::idle(early),
            };
            Ok::<_, EngineError>((known?, ahead))
        })?;
        Ok((self.refined(known, progress)?, ahead))
    }

    /// Whether tests that no patch reaches need no fresh JVM.
    fn spares_tests(&self) -> bool {
        let settings = &self.setup.settings;
        let techniques = [Technique::Once, Technique::Coverage, Technique::Confirm];
        settings.strategy != StrategyKind::Plain
            && settings.jobs > 1
            && settings.flaky != FlakyPolicy::Fail
            && settings.failing.is_empty()
            && self.total <= MOST_SURVEYED
            && techniques.iter().all(|one| settings.uses(*one))
    }

    /// A stored baseline in which all tests that patches reach were run in fresh JVMs.
    fn refined(&self, known: Known, progress: &mut dyn Progress) -> Result<Known, EngineError> {
        if !known.from_store || !self.spares_tests() {
            return Ok(known);
        }
        let (setup, stop) = (&self.setup, &self.request.stop);
        let refined = refine(
            setup.common(stop),
            &setup.workspace,
            (&setup.cache, &setup.baseline_key()),
            known.baseline,
            &|| self.survey().1,
            &mut |line| progress.event(&Event::Detail(line)),
        );
        match refined.map_err(|error| stop.excuse(error))? {
            Some(baseline) => Ok(Known {
                baseline,
                from_store: true,
                base: None,
            }),
            None => setup.recorded(stop, progress, None, &mut || ()),
        }
    }

    /// Finds out what patches change, and compiles the first of them until it is `enough`, in the compiler that all of them
    /// share.
    fn look_ahead(&self, early: Option<Early>, survey: &Surveyed, enough: &AtomicBool) -> Ahead {
        let setup = &self.setup;
        let settings = &setup.settings;
        let surveying = Surveying(survey);
        let (mut cases, found) = self.survey();
        surveying.end(found);
        if settings.strategy != StrategyKind::Woven || !settings.uses(Technique::Bulk) {
            cases.clear();
        }
        let common = setup.common(&self.request.stop);
        Ahead::compile(common, &setup.workspace, early, &cases, enough)
    }

    /// The first patches that are to be judged, without those that cannot be; and what all of them change.
    fn survey(&self) -> (Vec<Case>, Survey) {
        let (setup, request) = (&self.setup, &self.inputs.request);
        let tree = DirTree::new(setup.workspace.root());
        let (Ok(tree), Ok(only)) = (tree, Globs::new(&request.only)) else {
            return (Vec::new(), Survey::blind()); // whoever needs them finds out again
        };
        let (spares, mut survey) = (self.spares_tests(), Survey::default());
        let mut cases = Vec::new();
        let preparer = self.preparer(&tree);
        let patches = self.inputs.patches(&setup.project.root).flatten();
        let wanted = patches.filter(|patch| only.accept(&patch.id.0));
        let limit = request.limit.map_or(usize::MAX, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        });
        for patch in wanted.take(limit) {
            if cases.len() >= AHEAD && !spares {
                break;
            }
            let Prepared::Case(case) = preparer.prepare(0, &patch) else {
                continue;
            };
            if spares {
                survey.add(&case, &setup.project, &setup.workspace);
            }
            if cases.len() < AHEAD {
                cases.push(*case);
            }
        }
        (cases, survey)
    }

    fn preparer<'t>(&'t self, tree: &'t DirTree) -> Preparer<'t> {
        Preparer {
            project: &self.setup.project,
            settings: &self.setup.settings,
            tree,
            fingerprint: self.setup.fingerprint,
        }
    }

    /// The run folder: a new one, or the one to go on with and what is in it.
    fn run(
        &mut self,
        baseline: &Baseline,
        progress: &mut dyn Progress,
    ) -> Result<(Run, Done, Tally), EngineError> {
        if let Some((number, _, history)) = &self.resume {
            let run = history.runs().resume(*number)?;
            let index = history
                .runs()
                .verdicts(*number, |verdict: &Verdict| verdict.seq)?;
            let (mut done, mut tally) = (Done::new(), Tally::default());
            index.for_each(|verdict: Verdict| {
                tally.add(&verdict);
                done.insert(verdict.id, verdict.content);
                Ok::<(), StoreError>(())
            })?;
            return Ok((run, done, tally));
        }
        let setup = &self.setup;
        let runs = braid_store::Runs::new(&setup.project.braid_dir());
        let info = |inputs: &Inputs| {
            RunInfo::new(
                &setup.project,
                &self.project_request,
                &inputs.request,
                &setup.settings,
                &setup.fingerprint,
                self.total,
            )
        };
        let run = runs.create(&info(&self.inputs))?;
        self.inputs.move_to(run.dir())?;
        run.write_info(&info(&self.inputs))?;
        write_json(&run.dir().join(BASELINE_FILE), baseline)?;
        if !setup.cache.is_enabled() && !self.request.no_cache {
            progress.event(&Event::Detail("without stored results"));
        }
        Ok((run, Done::new(), Tally::default()))
    }

    /// Judges what is left to judge.
    fn judge(
        &self,
        (known, ahead): (Known, Ahead),
        run: &mut Run,
        done: &Done,
        tally: Tally,
        progress: &mut dyn Progress,
    ) -> (Tally, Result<(), EngineError>) {
        let kept = tally.clone();
        let (setup, stop) = (&self.setup, &self.request.stop);
        let root = setup.workspace.root();
        let Known { baseline, base, .. } = known;
        let prepared = self.targets(&baseline, progress).and_then(|targets| {
            let tree = DirTree::new(root).map_err(EngineError::io("read", root))?;
            let context = setup.context(&baseline, targets, stop);
            Ok((context, tree, Globs::new(&self.inputs.request.only)?))
        });
        let (context, tree, only) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return (kept, Err(error)),
        };
        let (key, cache) = (setup.baseline_key(), &setup.cache);
        let shared =
            || Shared::new(&context, (cache, &key), base, ahead).coarse(self.spares_tests());
        let strategy: Box<dyn Strategy + '_> = match setup.settings.strategy {
            StrategyKind::Plain => Box::new(Plain::new(&context)),
            StrategyKind::Hotswap => Box::new(Hotswap::new(shared())),
            StrategyKind::Woven => Box::new(Woven::new(shared(), self.total)),
        };
        let preparer = self.preparer(&tree);
        let open = || self.inputs.patches(&setup.project.root);
        let source = Source {
            open: &open,
            only: &only,
            limit: self.inputs.request.limit.unwrap_or(u64::MAX),
            done,
            seq: 0,
        };
        let kind = strategy.kind();
        let recorder = Recorder::new(run, cache, progress, kind, tally, self.total);
        let work = dispatch::Work {
            preparer: &preparer,
            strategy: &*strategy,
            stop,
        };
        dispatch(source, &work, recorder, setup.settings.jobs)
    }

    /// The tests that have to pass unless a patch names others.
    fn targets(
        &self,
        baseline: &Baseline,
        progress: &mut dyn Progress,
    ) -> Result<Targets, EngineError> {
        let settings = &self.setup.settings;
        if settings.failing.is_empty() {
            return Ok(Targets::of_baseline(baseline));
        }
        let (targets, unknown) = Targets::named(&settings.failing, baseline);
        let why = format!("there is no test {}", unknown.join(", "));
        match unknown.as_slice() {
            [] => Ok(targets),
            // a patch may bring them
            _ if settings.allow_test_edits => {
                progress.event(&Event::Warning(&why));
                Ok(targets)
            }
            _ => Err(EngineError::Input(why + " in the project (see --failing)")),
        }
    }
}
