//! Worker JVMs for the modules of one copy of the project.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use braid_exec::{
    Discovery, Event, ExecError, RunEnd, RunLimits, Selection, TagFilter, UnitId, Worker,
    WorkerSpec,
};
use braid_payload::Payload;
use braid_project::{Module, Project};

use crate::select::TestGlobs;
use crate::starvation::Watch;
use crate::trial::Jvms;
use crate::workspace::Slot;
use crate::{EngineError, Settings, Stop};

/// How long the search for tests may take.
const DISCOVERY_LIMIT: Duration = Duration::from_secs(300);
/// How much of a JVM's output goes into a patch's log.
const LOGGED_OUTPUT: usize = 32 * 1024;

/// What all workers have in common.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    /// The project as it is in the user's tree.
    pub project: &'a Project,
    /// Braid's own jars.
    pub payload: &'a Payload,
    /// How to run.
    pub settings: &'a Settings,
    /// When to stop.
    pub stop: &'a Stop,
    /// Where workers make their temporary folders.
    pub temp_root: &'a PathBuf,
}

impl Common<'_> {
    /// The worker of a module in one copy of the project.
    pub(crate) fn spec(&self, module: &Module, slot: &Slot) -> WorkerSpec {
        let root = &self.project.root;
        let classpath = module
            .test_classpath
            .iter()
            .map(|path| slot.map(path))
            .collect();
        let cwd = slot.map(&module.test_cwd);
        let jdk = &self.project.jdk.home;
        let mut spec = WorkerSpec::new(jdk, &self.payload.runner, classpath, &cwd);
        let text = |value: &String| slot.map_text(value, root);
        spec.jvm_args = module.jvm_args.iter().map(text).collect();
        let values = |map: &BTreeMap<String, String>| {
            map.iter()
                .map(|(name, value)| (name.clone(), text(value)))
                .collect()
        };
        spec.system_properties = values(&module.system_properties);
        spec.env = values(&module.env);
        spec.env_removed.clone_from(&module.env_removed);
        spec.heap_mb = u32::try_from(self.settings.heap_mb).ok();
        spec.temp_root = Some(self.temp_root.clone());
        spec
    }

    /// A module by its name.
    pub(crate) fn module(&self, name: &str) -> Result<&Module, EngineError> {
        self.project
            .module(name)
            .ok_or_else(|| EngineError::Baseline(format!("module {name} is gone")))
    }
}

/// The JVMs that work on one copy, by module.
pub(crate) struct SlotJvms<'a> {
    common: Common<'a>,
    slot: &'a Slot,
    limits: RunLimits,
    workers: HashMap<String, Worker>,
    starvation: Watch,
    /// What the JVMs wrote, for the log.
    pub log: String,
}

impl<'a> SlotJvms<'a> {
    /// No JVM is started yet. Units not in `limits` get `otherwise`.
    pub(crate) fn new(
        common: Common<'a>,
        slot: &'a Slot,
        limits: HashMap<UnitId, Duration>,
        otherwise: Duration,
    ) -> Self {
        let limits = RunLimits {
            timeout: otherwise,
            unit_timeouts: limits,
            cancel: common.stop.cancel().clone(),
        };
        Self {
            common,
            slot,
            limits,
            workers: HashMap::new(),
            starvation: Watch::default(),
            log: String::new(),
        }
    }

    /// Gives a unit another limit.
    pub(crate) fn set_limit(&mut self, unit: UnitId, limit: Duration) {
        self.limits.unit_timeouts.insert(unit, limit);
    }

    fn worker(&mut self, module: &str) -> Result<&mut Worker, EngineError> {
        if !self.workers.contains_key(module) {
            let spec = self.common.spec(self.common.module(module)?, self.slot);
            if self.common.stop.is_requested() {
                return Err(EngineError::Interrupted);
            }
            let worker = Worker::start(&spec)?;
            self.workers.insert(module.to_owned(), worker);
        }
        Ok(self.workers.get_mut(module).expect("inserted above"))
    }

    /// Finds the units of a module, in this copy as it is now.
    pub(crate) fn discover(&mut self, name: &str) -> Result<Discovery, EngineError> {
        let module = self.common.module(name)?;
        let folder = self.slot.map(&module.test_classes);
        if !folder.is_dir() || module.tests_skipped.is_some() {
            return Ok(Discovery::default());
        }
        let all = braid_exec::class_names(&folder).map_err(EngineError::io("list", &folder))?;
        let classes: Vec<String> = all
            .into_iter()
            .filter(|class| module.tests.accepts_class(class))
            .collect();
        if classes.is_empty() {
            return Ok(Discovery::default());
        }
        let tags = TagFilter {
            include: groups(module.tests.groups.as_deref()),
            exclude: groups(module.tests.excluded_groups.as_deref()),
        };
        let globs = TestGlobs::new(&self.common.settings.only_tests)?;
        let cancel = self.common.stop.cancel().clone();
        let worker = self.worker(name)?;
        let selection = Selection { classes, tags };
        let mut found = worker
            .discover(&selection, DISCOVERY_LIMIT, &cancel)
            .map_err(|error| match error {
                ExecError::Cancelled => EngineError::Interrupted,
                error => error.into(),
            })?;
        found.units.retain(|unit| globs.accept(&unit.id));
        Ok(found)
    }

    fn keep_output(&mut self, module: &str) {
        let Some(worker) = self.workers.get(module) else {
            return;
        };
        let output = worker.output();
        for (name, text) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !text.trim().is_empty() {
                self.log
                    .push_str(&format!("--- {name} of the JVM of {module}\n"));
                self.log.push_str(tail(text, LOGGED_OUTPUT));
                self.log.push('\n');
            }
        }
    }
}

impl Jvms for SlotJvms<'_> {
    fn run(
        &mut self,
        module: &str,
        units: &[UnitId],
        patience: u32,
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, EngineError> {
        self.worker(module)?;
        let worker = self.workers.get_mut(module).expect("started above");
        let longer = (patience > 1).then(|| patient(&self.limits, units, patience));
        let limits = longer.as_ref().unwrap_or(&self.limits);
        let pid = worker.pid();
        let end = self
            .starvation
            .during(pid, || worker.run(units, limits, on_event));
        if self.common.stop.is_requested() {
            return Err(EngineError::Interrupted);
        }
        let end = end?;
        if end != RunEnd::Done {
            self.end(module);
        }
        Ok(end)
    }

    fn effective(&self, window: Duration) -> Duration {
        window.mul_f64(1.0 - self.starvation.share(window))
    }

    fn end(&mut self, module: &str) {
        self.keep_output(module);
        self.workers.remove(module);
    }
}

/// Limits so many times as long.
fn patient(limits: &RunLimits, units: &[UnitId], times: u32) -> RunLimits {
    let own = units
        .iter()
        .map(|unit| (unit.clone(), limits.of(unit) * times));
    RunLimits {
        timeout: limits.timeout * times,
        unit_timeouts: own.collect(),
        cancel: limits.cancel.clone(),
    }
}

/// Surefire's groups: several are separated by commas.
fn groups(text: Option<&str>) -> Vec<String> {
    let parts = text.unwrap_or_default().split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The last `cap` bytes of a text, at a character's boundary.
fn tail(text: &str, cap: usize) -> &str {
    let mut start = text.len().saturating_sub(cap);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}
