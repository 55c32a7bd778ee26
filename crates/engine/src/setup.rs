//! What every run over a project begins with: the project is found and built, copied, and its tests are known.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use braid_payload::Payload;
use braid_project::{Project, ProjectOptions};
use braid_store::{Cache, Key, StoreError};

use crate::baseline::Baseline;
use crate::expect::Targets;
use crate::scratch::Scratch;
use crate::strategy::{self, Base, Context};
use crate::survey::Surveyed;
use crate::workspace::Workspace;
use crate::{
    BaselineReport, EngineError, Event, FlakyPolicy, Progress, ProjectRequest, Settings, Stop,
    StrategyKind, fingerprint, plan, record, text,
};

/// The baseline in a run folder.
pub(crate) const BASELINE_FILE: &str = "baseline.json";

/// What is known of the unpatched program.
pub(crate) struct Known {
    pub baseline: Baseline,
    pub from_store: bool,
    /// What its tests do in warm JVMs, if that was recorded just now.
    pub base: Option<Base>,
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

/// A project that is built and copied, and how to run it.
pub(crate) struct Setup {
    pub project: Project,
    pub payload: Payload,
    pub settings: Settings,
    pub workspace: Workspace,
    /// Removed after the workspace, which is in it.
    pub scratch: Scratch,
    pub cache: Cache,
    pub fingerprint: Key,
}

impl Setup {
    /// Copies a project. `left_out` are files and folders below its root that are no part of the program.
    pub(crate) fn open(
        project: Project,
        settings: Settings,
        left_out: &[PathBuf],
        no_cache: bool,
        progress: &mut dyn Progress,
    ) -> Result<Self, EngineError> {
        let braid_dir = project.braid_dir();
        let payload = braid_payload::unpack(&braid_dir.join("lib"))?;
        progress.event(&Event::Step("copying the project"));
        let scratch = Scratch::open(&project, &settings)?;
        let own = scratch.inside(&project);
        let left_out: Vec<PathBuf> = left_out.iter().cloned().chain(own).collect();
        let fingerprint = fingerprint::project(&project, &payload, &left_out)?;
        let workspace = Workspace::create(&project, scratch.dir(), &left_out)?;
        let cache = open_cache(no_cache, &braid_dir, progress);
        Ok(Self {
            project,
            payload,
            settings,
            workspace,
            scratch,
            cache,
            fingerprint,
        })
    }

    /// The key of the baseline in the store.
    pub(crate) fn baseline_key(&self) -> Key {
        fingerprint::baseline(&self.fingerprint, &self.settings)
    }

    /// The baseline: that in the folder of the run being resumed, or of the store, or recorded now, after `beside` has
    /// started what can be done beside that. If it is said what patches change, tests that do not reach it may have been run
    /// once only.
    pub(crate) fn baseline(
        &self,
        resumed: Option<&Path>,
        stop: &Stop,
        progress: &mut dyn Progress,
        survey: Option<&Surveyed>,
        beside: &mut dyn FnMut(),
    ) -> Result<Known, EngineError> {
        let kept = resumed
            .and_then(|dir| serde_json::from_slice(&fs::read(dir.join(BASELINE_FILE)).ok()?).ok());
        let serves = |baseline: &Baseline| survey.is_some() || !baseline.has_once();
        if let Some(baseline) = kept.filter(serves) {
            return Ok(Known::stored(baseline));
        }
        let key = self.baseline_key();
        if let Ok(Some(baseline)) = self.cache.get::<Baseline>(&key)
            && serves(&baseline)
        {
            return Ok(Known::stored(baseline));
        }
        self.recorded(stop, progress, survey, beside)
    }

    /// The baseline, recorded now.
    pub(crate) fn recorded(
        &self,
        stop: &Stop,
        progress: &mut dyn Progress,
        survey: Option<&Surveyed>,
        beside: &mut dyn FnMut(),
    ) -> Result<Known, EngineError> {
        let key = self.baseline_key();
        progress.event(&Event::Step("running the tests of the unpatched program"));
        beside();
        let common = self.common(stop);
        let detail = &mut |line: &str| progress.event(&Event::Detail(line));
        let (baseline, base) = if self.settings.strategy == StrategyKind::Plain {
            let slot = self.workspace.slot("baseline")?;
            let baseline = record::record(common, slot, detail);
            (baseline.map_err(|error| stop.excuse(error))?, None)
        } else {
            let recorded = strategy::record(common, &self.workspace, survey, detail);
            let (baseline, base) = recorded.map_err(|error| stop.excuse(error))?;
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

    /// What to tell about the baseline, if it can serve.
    pub(crate) fn check_baseline(
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

    /// What all workers have in common.
    pub(crate) fn common<'s>(&'s self, stop: &'s Stop) -> crate::jvms::Common<'s> {
        crate::jvms::Common {
            project: &self.project,
            payload: &self.payload,
            settings: &self.settings,
            stop,
            temp_root: self.scratch.dir(),
        }
    }

    /// What strategies know.
    pub(crate) fn context<'s>(
        &'s self,
        baseline: &'s Baseline,
        targets: Targets,
        stop: &'s Stop,
    ) -> Context<'s> {
        let times = baseline
            .units()
            .filter_map(|(_, unit)| Some((unit.id.clone(), unit.elapsed()?)))
            .collect();
        Context {
            project: &self.project,
            payload: &self.payload,
            settings: &self.settings,
            workspace: &self.workspace,
            baseline,
            times,
            limits: plan::limits(baseline, &self.settings.timeout),
            targets,
            temp_root: self.scratch.dir().clone(),
            stop,
        }
    }

    /// Results of a run that is resumed hold for the same program only.
    pub(crate) fn check_unchanged(&self, run: u32, fingerprint: &str) -> Result<(), EngineError> {
        if self.fingerprint.hex() == fingerprint {
            return Ok(());
        }
        Err(EngineError::Input(format!(
            "the project (or Braid, or the JDK) has changed since run {run}, so its verdicts cannot be \
             mixed with new ones; start a new run"
        )))
    }
}

/// Writes a value as one JSON file.
pub(crate) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), EngineError> {
    let text = serde_json::to_vec(value).map_err(|source| StoreError::Format {
        path: path.to_owned(),
        source,
    })?;
    fs::write(path, text).map_err(EngineError::io("write", path))
}

/// An error if the caller asked to stop.
pub(crate) fn check_stop(stop: &Stop) -> Result<(), EngineError> {
    if stop.is_requested() {
        Err(EngineError::Interrupted)
    } else {
        Ok(())
    }
}

/// Finds and builds the project, passing on what it says meanwhile.
pub(crate) fn discover(
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
