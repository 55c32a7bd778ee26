//! `validate`: from a project and patches to verdicts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use braid_payload::Payload;
use braid_project::{Project, ProjectOptions};
use braid_store::{Cache, Key, Run, RunState, StoreError};
use braid_variants::DirTree;

use crate::baseline::Baseline;
use crate::dispatch::{self, Done, Source, count, dispatch};
use crate::expect::Targets;
use crate::history::{History, Kept, SUMMARY_FILE};
use crate::inputs::Inputs;
use crate::prepare::Preparer;
use crate::recorder::Recorder;
use crate::select::Globs;
use crate::strategy::{self, Base, Context, Hotswap, Plain, Shared, Strategy, Woven};
use crate::workspace::Workspace;
use crate::{
    BaselineReport, EngineError, Event, FlakyPolicy, Progress, ProjectRequest, RunInfo, Settings,
    Stop, StrategyKind, Summary, Tally, ValidateRequest, Verdict, Work, fingerprint, plan, record,
    text,
};

/// Judges patches and writes a run folder. What was decided before an error or an interruption is kept there.
pub fn validate(
    request: &ValidateRequest,
    progress: &mut dyn Progress,
) -> Result<Summary, EngineError> {
    let start = Instant::now();
    let plan = Plan::make(request)?;
    progress.event(&Event::Step("building the project"));
    let project = discover(&plan.project, request.no_cache, progress)?;
    check_stop(&request.stop)?;
    let mut session = Session::open(request, plan, project, progress)?;
    let known = session.baseline(progress)?;
    let report = session.check_baseline(&known, progress)?;
    let (mut run, done, tally) = session.run(&known.baseline, progress)?;
    let dir = run.dir().to_owned();
    let started = Event::Started {
        run: run.number(),
        dir: &dir,
        total: session.total,
        done: tally.total(),
    };
    progress.event(&started);
    let (tally, outcome) = session.judge(known, &mut run, &done, tally, progress);
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

fn write_summary(summary: &Summary) -> Result<(), EngineError> {
    let kept = Kept {
        baseline: summary.baseline.clone(),
        elapsed_ms: summary.elapsed_ms,
    };
    write_json(&summary.dir.join(SUMMARY_FILE), &kept)
}

fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), EngineError> {
    let text = serde_json::to_vec(value).map_err(|source| StoreError::Format {
        path: path.to_owned(),
        source,
    })?;
    fs::write(path, text).map_err(EngineError::io("write", path))
}

fn check_stop(stop: &Stop) -> Result<(), EngineError> {
    if stop.is_requested() {
        Err(EngineError::Interrupted)
    } else {
        Ok(())
    }
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

/// Finds and builds the project, passing on what it says meanwhile.
fn discover(
    request: &ProjectRequest,
    no_cache: bool,
    progress: &mut dyn Progress,
) -> Result<Project, EngineError> {
    let lines = Arc::new(Mutex::new(Vec::<String>::new()));
    let sink = Arc::clone(&lines);
    let say = move |line: &str| {
        sink.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line.to_owned());
    };
    let options = ProjectOptions {
        no_cache,
        progress: Some(Arc::new(say)),
        ..request.options()
    };
    let built = std::thread::scope(|scope| {
        let building = scope.spawn(|| braid_project::discover(&request.dir, &options));
        while !building.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(50));
            for line in lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .drain(..)
            {
                progress.event(&Event::Detail(&line));
            }
        }
        building
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    let project = built?;
    project.require_tests()?;
    for warning in &project.warnings {
        progress.event(&Event::Warning(warning));
    }
    Ok(project)
}

/// What is known of the unpatched program.
struct Known {
    baseline: Baseline,
    from_store: bool,
    /// What its tests do in warm JVMs, if that was recorded just now.
    base: Option<Base>,
}

impl Known {
    fn stored(baseline: Baseline) -> Self {
        Self {
            baseline,
            from_store: true,
            base: None,
        }
    }
}

/// A project that is built, with everything needed to judge patches of it.
struct Session<'a> {
    request: &'a ValidateRequest,
    project_request: ProjectRequest,
    inputs: Inputs,
    resume: Option<(u32, RunInfo, History)>,
    project: Project,
    payload: Payload,
    settings: Settings,
    workspace: Workspace,
    work_dir: PathBuf,
    cache: Cache,
    fingerprint: Key,
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
        let braid_dir = project.braid_dir();
        let payload = braid_payload::unpack(&braid_dir.join("lib"))?;
        progress.event(&Event::Step("reading the patches"));
        let patches = plan.inputs.patches(&project.root);
        let total = count(patches, &plan.inputs.request, &request.stop)?;
        if total == 0 {
            return Err(EngineError::Input("no patch fits --only".to_owned()));
        }
        progress.event(&Event::Step("copying the project"));
        let left_out = plan.inputs.inside(&project.root);
        let fingerprint = fingerprint::project(&project, &payload, &left_out)?;
        check_unchanged(plan.resume.as_ref(), &fingerprint)?;
        let work_dir = work_dir(&braid_dir)?;
        let workspace = Workspace::create(&project, &work_dir, &left_out)?;
        let cache = open_cache(request.no_cache, &braid_dir, progress);
        Ok(Self {
            request,
            project_request: plan.project,
            inputs: plan.inputs,
            resume: plan.resume,
            project,
            payload,
            settings,
            workspace,
            work_dir,
            cache,
            fingerprint,
            total,
        })
    }

    fn common(&self) -> crate::jvms::Common<'_> {
        crate::jvms::Common {
            project: &self.project,
            payload: &self.payload,
            settings: &self.settings,
            stop: &self.request.stop,
            temp_root: &self.work_dir,
        }
    }

    /// The baseline: that of the run being resumed, or of the store, or recorded now.
    fn baseline(&self, progress: &mut dyn Progress) -> Result<Known, EngineError> {
        let kept = self.resume.as_ref().and_then(|(number, _, history)| {
            let path = history.runs().path(*number).join(BASELINE_FILE);
            serde_json::from_slice(&fs::read(path).ok()?).ok()
        });
        if let Some(baseline) = kept {
            return Ok(Known::stored(baseline));
        }
        let key = fingerprint::baseline(&self.fingerprint, &self.settings);
        if let Ok(Some(baseline)) = self.cache.get::<Baseline>(&key) {
            return Ok(Known::stored(baseline));
        }
        progress.event(&Event::Step(
            "running the tests of the unpatched program, twice",
        ));
        let common = self.common();
        let detail = &mut |line: &str| progress.event(&Event::Detail(line));
        let (baseline, base) = if self.settings.strategy == StrategyKind::Plain {
            let slot = self.workspace.slot("baseline")?;
            (record::record(common, slot, detail)?, None)
        } else {
            let (baseline, base) = strategy::record(common, &self.workspace, detail)?;
            base.store(&self.cache, &key);
            (baseline, Some(base))
        };
        if self
            .cache
            .put(&key, &baseline)
            .and_then(|()| self.cache.sync())
            .is_err()
        {
            progress.event(&Event::Warning("the baseline could not be stored"));
        }
        Ok(Known {
            baseline,
            from_store: false,
            base,
        })
    }

    /// What to tell about the baseline, and whether it can serve.
    fn check_baseline(
        &self,
        known: &Known,
        progress: &mut dyn Progress,
    ) -> Result<BaselineReport, EngineError> {
        record::check(&known.baseline, &self.settings.only_tests)?;
        let report = known.baseline.report(known.from_store);
        progress.event(&Event::Baseline(&report));
        if self.settings.flaky == FlakyPolicy::Fail && !report.flaky.is_empty() {
            let names: Vec<&str> = report.flaky.iter().map(|f| f.name.as_str()).collect();
            return Err(EngineError::Baseline(format!(
                "{} between two runs of the unpatched program: {}",
                text::count(names.len() as u64, "test") + " differed",
                names.join(", ")
            )));
        }
        Ok(report)
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
        let runs = braid_store::Runs::new(&self.project.braid_dir());
        let info = |inputs: &Inputs| {
            RunInfo::new(
                &self.project,
                &self.project_request,
                &inputs.request,
                &self.settings,
                &self.fingerprint,
                self.total,
            )
        };
        let run = runs.create(&info(&self.inputs))?;
        self.inputs.move_to(run.dir())?;
        run.write_info(&info(&self.inputs))?;
        write_json(&run.dir().join(BASELINE_FILE), baseline)?;
        if !self.cache.is_enabled() && !self.request.no_cache {
            progress.event(&Event::Detail("without stored results"));
        }
        Ok((run, Done::new(), Tally::default()))
    }

    /// Judges what is left to judge.
    fn judge(
        &self,
        known: Known,
        run: &mut Run,
        done: &Done,
        tally: Tally,
        progress: &mut dyn Progress,
    ) -> (Tally, Result<(), EngineError>) {
        let kept = tally.clone();
        let Known { baseline, base, .. } = known;
        let prepared = self.context(&baseline, progress).and_then(|context| {
            let tree = DirTree::new(self.workspace.root())
                .map_err(EngineError::io("read", self.workspace.root()))?;
            Ok((context, tree, Globs::new(&self.inputs.request.only)?))
        });
        let (context, tree, only) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return (kept, Err(error)),
        };
        let key = fingerprint::baseline(&self.fingerprint, &self.settings);
        let shared = || Shared::new(&context, &self.cache, &key, base);
        let strategy: Box<dyn Strategy + '_> = match self.settings.strategy {
            StrategyKind::Plain => Box::new(Plain::new(&context)),
            StrategyKind::Hotswap => Box::new(Hotswap::new(shared())),
            StrategyKind::Woven => Box::new(Woven::new(shared(), self.total)),
        };
        let preparer = Preparer {
            project: &self.project,
            settings: &self.settings,
            tree: &tree,
            fingerprint: self.fingerprint,
        };
        let open = || self.inputs.patches(&self.project.root);
        let source = Source {
            open: &open,
            only: &only,
            limit: self.inputs.request.limit.unwrap_or(u64::MAX),
            done,
            seq: 0,
        };
        let kind = strategy.kind();
        let recorder = Recorder::new(run, &self.cache, progress, kind, tally, self.total);
        let stop = &self.request.stop;
        let work = dispatch::Work {
            preparer: &preparer,
            strategy: &*strategy,
            stop,
        };
        dispatch(source, &work, recorder, self.settings.jobs)
    }

    fn context<'s>(
        &'s self,
        baseline: &'s Baseline,
        progress: &mut dyn Progress,
    ) -> Result<Context<'s>, EngineError> {
        let times = baseline
            .units()
            .filter_map(|(_, unit)| Some((unit.id.clone(), unit.elapsed()?)))
            .collect();
        Ok(Context {
            project: &self.project,
            payload: &self.payload,
            settings: &self.settings,
            workspace: &self.workspace,
            baseline,
            times,
            limits: plan::limits(baseline, &self.settings.timeout),
            targets: self.targets(baseline, progress)?,
            temp_root: self.work_dir.clone(),
            stop: &self.request.stop,
        })
    }

    /// The tests that have to pass unless a patch names others.
    fn targets(
        &self,
        baseline: &Baseline,
        progress: &mut dyn Progress,
    ) -> Result<Targets, EngineError> {
        if self.settings.failing.is_empty() {
            return Ok(Targets::of_baseline(baseline));
        }
        let (targets, unknown) = Targets::named(&self.settings.failing, baseline);
        let why = format!("there is no test {}", unknown.join(", "));
        match unknown.as_slice() {
            [] => Ok(targets),
            // a patch may bring them
            _ if self.settings.allow_test_edits => {
                progress.event(&Event::Warning(&why));
                Ok(targets)
            }
            _ => Err(EngineError::Input(why + " in the project (see --failing)")),
        }
    }
}

const BASELINE_FILE: &str = "baseline.json";

fn check_unchanged(
    resume: Option<&(u32, RunInfo, History)>,
    fingerprint: &Key,
) -> Result<(), EngineError> {
    match resume {
        Some((number, info, _)) if info.fingerprint != fingerprint.hex() => {
            Err(EngineError::Input(format!(
                "the project (or Braid, or the JDK) has changed since run {number}, so its verdicts \
                 cannot be mixed with new ones; start a new run"
            )))
        }
        _ => Ok(()),
    }
}

fn open_cache(no_cache: bool, braid_dir: &Path, progress: &mut dyn Progress) -> Cache {
    if no_cache {
        return Cache::disabled();
    }
    let opened = Cache::open(&braid_dir.join("store.redb"));
    if let Some(warning) = &opened.warning {
        progress.event(&Event::Warning(warning));
    }
    opened.cache
}

/// A fresh folder for copies of the project. What earlier processes left behind is removed, unless they still
/// run.
fn work_dir(braid_dir: &Path) -> Result<PathBuf, EngineError> {
    let parent = braid_dir.join("work");
    fs::create_dir_all(&parent).map_err(EngineError::io("create", &parent))?;
    for entry in fs::read_dir(&parent).into_iter().flatten().flatten() {
        let owner = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok());
        if owner.is_none_or(|pid| !is_running(pid)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let dir = parent.join(std::process::id().to_string());
    fs::create_dir_all(&dir).map_err(EngineError::io("create", &dir))?;
    Ok(dir)
}

/// Whether a process of this number runs; where that cannot be told, yes.
fn is_running(pid: u32) -> bool {
    let proc = Path::new("/proc");
    !proc.join("self").exists() || proc.join(pid.to_string()).exists()
}
