//! Worker JVMs for the modules of one copy of the project.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use braid_classpath::Jar;
use braid_compile::Tool;
use braid_exec::{
    Discovery, Event, ExecError, RunEnd, RunLimits, Selection, TagFilter, UnitId, Worker,
    WorkerSpec,
};
use braid_payload::Payload;
use braid_project::{Module, Project};

use crate::select::TestGlobs;
use crate::starvation::Watch;
use crate::strategy::javac_tool;
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
        let java = &self.project.java_of(module).home;
        let mut spec = WorkerSpec::new(java, &self.payload.runner, classpath, &cwd);
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

    /// How the compiler is started.
    pub(crate) fn javac_tool(&self) -> Tool {
        javac_tool(&self.project.jdk, self.payload)
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
    workers: HashMap<String, Served>,
    /// JVMs that serve one patch after the other; none if each patch has its own.
    group: Option<&'a mut Group>,
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
            group: None,
            starvation: Watch::default(),
            log: String::new(),
        }
    }

    /// Uses JVMs in which others were before, each in a loader of its own, and leaves them to those who come after.
    pub(crate) fn in_group(mut self, group: &'a mut Group) -> Self {
        self.group = Some(group);
        self
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
            let served = match &mut self.group {
                Some(group) => group.serve(module, spec)?,
                None => Served::first(Worker::start(&spec)?),
            };
            self.workers.insert(module.to_owned(), served);
        }
        let served = self.workers.get_mut(module).expect("inserted above");
        Ok(&mut served.worker)
    }

    /// Finds the units of a module, in this copy as it is now.
    pub(crate) fn discover(&mut self, name: &str) -> Result<Discovery, EngineError> {
        let module = self.common.module(name)?;
        let folder = self.slot.map(&module.test_classes);
        if !folder.is_dir() || module.tests_skipped.is_some() {
            return Ok(Discovery::default());
        }
        let all = braid_exec::class_names(&folder).map_err(EngineError::io("list", &folder))?;
        let globs = TestGlobs::new(&self.common.settings.only_tests)?;
        let wanted = |class: &String| {
            let file = folder.join(class.replace('.', "/") + ".class");
            module.tests.accepts_class(class) && (globs.may_accept(class) || may_be_suite(&file))
        };
        let classes: Vec<String> = all.into_iter().filter(wanted).collect();
        if classes.is_empty() {
            return Ok(Discovery::default());
        }
        let tags = TagFilter {
            include: groups(module.tests.groups.as_deref()),
            exclude: groups(module.tests.excluded_groups.as_deref()),
        };
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
        let Some(served) = self.workers.get(module) else {
            return;
        };
        let output = served.worker.output();
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
        on_event: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<RunEnd, EngineError> {
        self.worker(module)?;
        let served = self.workers.get_mut(module).expect("started above");
        let worker = &mut served.worker;
        let starvation = &self.starvation;
        let more = |had: Duration, limit| more_time(had, limit, starvation.share(had));
        let end = starvation.during(worker.pid(), || {
            worker.run_patiently(units, &self.limits, &more, on_event)
        });
        if self.common.stop.is_requested() {
            return Err(EngineError::Interrupted);
        }
        let end = end?;
        if end != RunEnd::Done {
            self.keep_output(module);
            self.workers.remove(module);
        }
        Ok(end)
    }

    fn end(&mut self, module: &str) {
        self.keep_output(module);
        if let (Some(served), Some(group)) = (self.workers.remove(module), &mut self.group) {
            group.put_back(module, served);
        }
    }
}

/// So many patches are served by one JVM: what it loads for each stays in memory.
const MOST_SERVED: u32 = 400;

/// JVMs that serve one patch after the other, by module. Test frameworks are loaded once; the program comes anew for
/// each patch, in a loader of its own, and a JVM in which tests left anything behind is given up.
#[derive(Default)]
pub(crate) struct Group {
    idle: HashMap<String, Served>,
    /// What of the class path belongs to test frameworks.
    frameworks: HashMap<PathBuf, bool>,
    /// Modules whose tests need a JVM of their own.
    unfit: HashSet<String>,
}

/// A JVM and how many patches it has served.
struct Served {
    worker: Worker,
    patches: u32,
}

impl Served {
    /// A new JVM, which serves its first patch.
    fn first(worker: Worker) -> Self {
        Self { worker, patches: 1 }
    }
}

impl Group {
    fn serve(&mut self, module: &str, mut spec: WorkerSpec) -> Result<Served, EngineError> {
        let whole = spec.clone();
        let entries = spec.classpath.into_iter();
        let (frameworks, program): (_, Vec<PathBuf>) =
            entries.partition(|entry| self.is_framework_jar(entry));
        spec.classpath = frameworks;
        if let Some(mut served) = self.idle.remove(module)
            && served.patches < MOST_SERVED
            && served.worker.renew(&program)?.is_none()
        {
            served.patches += 1;
            return Ok(served);
        }
        if !self.unfit.contains(module) {
            let mut worker = Worker::start(&spec)?;
            if worker.renew(&program)?.is_none() {
                return Ok(Served::first(worker));
            }
            self.unfit.insert(module.to_owned());
        }
        Ok(Served::first(Worker::start(&whole)?))
    }

    fn put_back(&mut self, module: &str, served: Served) {
        if !self.unfit.contains(module) {
            self.idle.insert(module.to_owned(), served);
        }
    }

    /// Whether all classes of a jar belong to a test framework.
    fn is_framework_jar(&mut self, path: &Path) -> bool {
        *self.frameworks.entry(path.to_owned()).or_insert_with(|| {
            let names = Jar::open(path).map_or_else(|_| Vec::new(), |jar| jar.class_names());
            let ours = |name: &String| is_framework(name) || name.ends_with("module-info");
            !names.is_empty() && names.iter().all(ours)
        })
    }
}

/// Whether a class may have tests of other classes: a suite, a factory, or anything with a runner of its own.
fn may_be_suite(file: &Path) -> bool {
    let Ok(bytes) = std::fs::read(file) else {
        return true;
    };
    let names = [
        &b"uite"[..],
        b"org/junit/runner/RunWith",
        b"org/testng/annotations/Factory",
    ];
    names
        .iter()
        .any(|name| memchr::memmem::find(&bytes, name).is_some())
}

/// Test frameworks run the program and are no part of it.
pub(crate) fn is_framework(class: &str) -> bool {
    let mut prefixes = braid_exec::FRAMEWORKS.iter();
    prefixes.any(|prefix| class.starts_with(prefix))
}

/// What had the processor for this part of its limit has had its chance.
const ENOUGH: f64 = 0.9;
/// Nothing gets more than so many times its limit.
const MOST_PATIENCE: u32 = 32;
/// Nothing gets less at a time.
const LEAST_MORE: Duration = Duration::from_millis(50);

/// How much longer something may take that had so much time and waited for a processor in this share of it.
fn more_time(had: Duration, limit: Duration, starved: f64) -> Duration {
    let effective = had.mul_f64(1.0 - starved);
    if effective >= limit.mul_f64(ENOUGH) || had >= limit * MOST_PATIENCE {
        return Duration::ZERO;
    }
    (limit - effective).max(LEAST_MORE)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_a_processor_is_made_up_for() {
        let s = Duration::from_secs;
        assert_eq!(more_time(s(10), s(10), 0.0), s(0));
        assert_eq!(more_time(s(10), s(10), 0.05), s(0), "it had its chance");
        assert_eq!(more_time(s(10), s(10), 0.5), s(5));
        assert_eq!(more_time(s(15), s(10), 0.5), Duration::from_millis(2500));
        assert_eq!(more_time(s(20), s(10), 0.5), s(0));
        assert_eq!(more_time(s(310), s(10), 1.0), s(10));
        assert_eq!(more_time(s(320), s(10), 1.0), s(0), "everything has an end");
    }
}
