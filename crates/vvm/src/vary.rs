//! The façade: run a program or its tests for all configurations; plain data in and out.

mod report;
mod setup;
mod suite;

use crate::boot::Config;
use crate::error::{Result, VmError};
use crate::junit::{Outcome, TestMethod, TestRun};
use crate::options::WovenChoice;
use crate::output::{Chunk, Stream};
use crate::program::{End, join_equal};
use crate::reset::Checkpoint;
use crate::source::{JdkAndPath, jdk_version};
use crate::vm::{Limits, Vm};
use braid_cond::{Cond, Opt};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

pub use report::{
    ClassProblem, Condition, Conditional, Printed, ProgramReport, Sample, TestReport, TestsReport,
    TraceReport, Traced, VaryStats,
};

/// What to run and over which options.
#[derive(Debug, Clone, Default)]
pub struct Vary {
    /// Home of the JDK whose class library is used.
    pub jdk: PathBuf,
    /// The program's classes.
    pub classpath: Vec<PathBuf>,
    /// Options that are `static boolean` fields: `a.b.C.field`.
    pub option_fields: Vec<String>,
    /// Options that were woven into the program.
    pub choices: Vec<WovenChoice>,
    /// Classes, by name (`a/b/C`), that the class path has otherwise or not at all.
    pub instead: BTreeMap<String, Arc<[u8]>>,
    /// Take every `static boolean` field annotated `@Conditional` as an option.
    pub annotated: bool,
    /// Options that are system properties with the values `true` and `false`.
    pub option_properties: Vec<String>,
    /// Constraints between options, in a form that [`FeatureModel::read`](braid_cond::FeatureModel::read) knows.
    pub feature_model: Option<String>,
    /// At most this many options on.
    pub degree: Option<usize>,
    /// Other system properties.
    pub properties: Vec<(String, String)>,
    /// Bounds.
    pub limits: Limits,
    /// Whether `assert` is on.
    pub assertions: bool,
    /// Bound the fuel of a test by this many times what it needs with all options off.
    pub fuel_factor: Option<u64>,
    /// Find out what a test needs by running it with all options off first, always. The slow twin of granting fuel
    /// as the test goes on; the outcomes are the same.
    pub baseline_first: bool,
    /// Split the options into this many groups and look only at configurations within one group.
    pub partitions: Option<usize>,
    /// An exception in part of the configurations ends them, as unknown, instead of being followed.
    pub fast: bool,
    /// A variable to watch: `name`, `Class.name` or `Class.method:name`.
    pub trace: Option<String>,
    /// Configurations (lists of options that are on) whose outcome of each test is looked up.
    pub samples: Vec<Vec<String>>,
    /// Count the alternatives of values.
    pub measure: bool,
    /// Run tests on this many threads, each with a VM (and so a heap) of its own; 0 is one.
    pub threads: usize,
}

/// The VM recurses on the native stack; its thread gets a large one, of which only what is used is touched.
const STACK: usize = 4 << 30;

/// Something that should not happen did.
fn stopped() -> VmError {
    VmError::Library("the VM stopped unexpectedly".into())
}

impl Vary {
    /// Runs something on a thread with a large stack.
    fn on_thread<T: Send>(&self, run: impl FnOnce(&Vary) -> Result<T> + Send) -> Result<T> {
        std::thread::scope(|scope| {
            let thread = self.big_thread(scope, || run(self))?;
            thread.join().unwrap_or_else(|_| Err(stopped()))
        })
    }

    /// Runs `main` for all configurations.
    pub fn run_main(&self, main: &str, args: &[String]) -> Result<ProgramReport> {
        self.run_main_in(main, args, &[])
    }

    /// The same, and takes out what the given configurations (lists of options that are on) did.
    pub fn run_main_in(
        &self,
        main: &str,
        args: &[String],
        samples: &[Vec<String>],
    ) -> Result<ProgramReport> {
        self.on_thread(|vary| {
            let mut vm = vary.start()?;
            let spaces = vm.spaces(vary)?;
            let whole = vm.universe;
            let checkpoint = vm.checkpoint();
            let (mut ends, mut chunks): (Vec<(Cond, End)>, Vec<Chunk>) = (Vec::new(), Vec::new());
            for (index, &space) in spaces.iter().enumerate() {
                if index > 0 {
                    let mut keep: Vec<Cond> = spaces.clone();
                    keep.push(whole);
                    keep.extend(ends.iter().map(|(cond, _)| *cond));
                    keep.extend(chunks.iter().map(|chunk| chunk.when));
                    vm.reset(&checkpoint, &keep);
                }
                vm.enter(space);
                ends.extend(vm.run_program(main, args));
                chunks.extend(vm.output.take());
            }
            vm.enter(whole);
            let ends = join_equal(&mut vm.conds, ends);
            let samples = samples
                .iter()
                .map(|on| vm.sample(on, &ends, &chunks))
                .collect();
            vm.program_report(ends, chunks, samples)
        })
    }

    /// Runs the tests of classes for all configurations.
    pub fn run_tests(&self, classes: &[String]) -> Result<TestsReport> {
        self.run_tests_matching(classes, |_| true)
    }

    /// Runs the tests whose `Class#method` is accepted.
    pub fn run_tests_matching(
        &self,
        classes: &[String],
        accept: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<TestsReport> {
        self.each_test(classes, accept, |_| {})
    }

    /// One test in every part of the space, each from a fresh state.
    fn run_test(
        &self,
        vm: &mut Vm,
        test: &TestMethod,
        (whole, spaces): (Cond, &[Cond]),
        checkpoint: &Checkpoint,
    ) -> Result<Vec<TestRun>> {
        let Some(factor) = self.fuel_factor else {
            return self.run_in(vm, test, (whole, spaces), checkpoint);
        };
        let baseline = vm.baseline(whole)?;
        if !self.baseline_first {
            vm.grant_by(baseline, factor);
            let runs = self.run_in(vm, test, (whole, spaces), checkpoint);
            if vm.grant_sufficed() {
                return runs;
            }
            vm.trace.seen.clear();
            vm.output.take();
        }
        let fuel = vm.limits.fuel;
        vm.limits.fuel = self.baseline_fuel(vm, test, (whole, spaces), checkpoint, factor)?;
        let runs = self.run_in(vm, test, (whole, spaces), checkpoint);
        vm.limits.fuel = fuel;
        runs
    }

    /// One test in every part of the space, with the fuel that is set.
    fn run_in(
        &self,
        vm: &mut Vm,
        test: &TestMethod,
        (whole, spaces): (Cond, &[Cond]),
        checkpoint: &Checkpoint,
    ) -> Result<Vec<TestRun>> {
        let mut all: Vec<TestRun> = Vec::new();
        let mut open: Vec<Cond> = spaces.iter().rev().copied().collect();
        while let Some(space) = open.pop() {
            let mut keep = spaces.to_vec();
            keep.extend_from_slice(&open);
            keep.extend([whole, space]);
            keep.extend(all.iter().flat_map(|run| run.outcomes.iter().map(|o| o.0)));
            keep.extend(vm.trace.seen.iter().map(|seen| seen.1));
            vm.enter(whole);
            vm.reset(checkpoint, &keep);
            vm.enter(space);
            let seen = vm.trace.seen.len();
            let runs = match vm.run_test(test) {
                Ok(runs) => runs,
                Err(parts) => {
                    vm.trace.seen.truncate(seen);
                    open.extend(parts.into_iter().rev());
                    continue;
                }
            };
            for run in runs {
                match all.iter_mut().find(|other| other.name == run.name) {
                    Some(other) => add_outcomes(vm, other, run.outcomes)?,
                    None => all.push(run),
                }
            }
        }
        vm.enter(whole);
        Ok(all)
    }

    /// Fuel from a run of the baseline.
    fn baseline_fuel(
        &self,
        vm: &mut Vm,
        test: &TestMethod,
        (whole, spaces): (Cond, &[Cond]),
        checkpoint: &Checkpoint,
        factor: u64,
    ) -> Result<u64> {
        let baseline = vm.baseline(whole)?;
        let mut keep = spaces.to_vec();
        keep.extend([whole, baseline]);
        vm.reset(checkpoint, &keep);
        vm.enter(baseline);
        let before = vm.vary_stats().steps;
        // One configuration: nothing to split.
        let _ = vm.run_test(test);
        vm.output.take();
        let used = vm.vary_stats().steps - before;
        vm.trace.seen.clear();
        vm.enter(whole);
        let bound = used.saturating_mul(factor).max(crate::fuel::LEAST);
        Ok(bound.min(vm.limits.fuel))
    }

    /// Whether the program's class path or the JDK has a class (name with dots).
    pub fn has_class(&self, name: &str) -> bool {
        self.classes_named(&[name])
            .is_ok_and(|found| !found.is_empty())
    }

    /// Those of the named classes (with dots) that there are, by name with slashes.
    pub fn classes_named<S: AsRef<str>>(&self, names: &[S]) -> Result<BTreeMap<String, Arc<[u8]>>> {
        use crate::source::ClassSource;
        let version = jdk_version(&self.jdk).unwrap_or(17);
        let source = JdkAndPath::open(&self.jdk, version, &self.classpath)?;
        let names = names.iter().map(|name| name.as_ref().replace('.', "/"));
        let found = names.filter_map(|name| {
            let (bytes, _) = source.class(&name)?;
            Some((name, bytes))
        });
        Ok(found.collect())
    }

    /// The classes below some entries of the class path, names with dots, sorted.
    pub fn classes_of(&self, entries: &[PathBuf]) -> Result<Vec<String>> {
        let version = jdk_version(&self.jdk).unwrap_or(17);
        let source = JdkAndPath::open(&self.jdk, version, entries)?;
        let mut names = source.program_classes()?;
        names
            .iter_mut()
            .for_each(|name| *name = name.replace('/', "."));
        names.sort();
        Ok(names)
    }

    /// A started VM with the options in place.
    fn start(&self) -> Result<Vm> {
        let java_version = jdk_version(&self.jdk).unwrap_or(17);
        let source = JdkAndPath::open(&self.jdk, java_version, &self.classpath)?;
        let source = Rc::new(source.with(self.instead.clone()));
        let mut fields = self.option_fields.clone();
        if self.annotated {
            fields.extend(crate::options::annotated_fields(&source)?);
            fields.sort();
        }
        let mut seen = std::collections::HashSet::new();
        fields.retain(|field| seen.insert(field.clone()));
        let mut vm = Vm::start(Config {
            source,
            jdk_home: Some(self.jdk.clone()),
            java_version,
            limits: self.limits.clone(),
            properties: self.properties.clone(),
            assertions: self.assertions,
        })?;
        vm.fast = self.fast;
        vm.measure = self.measure;
        vm.trace.watch = self.trace.as_deref().map(crate::trace::Watch::parse);
        for field in fields {
            let (class, name) = field.rsplit_once('.').ok_or_else(|| {
                VmError::Usage(format!("{field} does not name a field (a.b.C.field)"))
            })?;
            vm.add_option_field(class, name)?;
        }
        for woven in &self.choices {
            vm.add_choice(woven)?;
        }
        for property in &self.option_properties {
            vm.add_option_property(property);
        }
        vm.set_universe(self)?;
        Ok(vm)
    }
}

/// Adds the outcomes of another part of the space; equal ones become one.
fn add_outcomes(vm: &mut Vm, run: &mut TestRun, more: Vec<(Cond, Outcome)>) -> Result<()> {
    for (cond, outcome) in more {
        match run.outcomes.iter_mut().find(|(_, other)| *other == outcome) {
            Some((old, _)) => *old = vm.conds.or(*old, cond)?,
            None => run.outcomes.push((cond, outcome)),
        }
    }
    Ok(())
}

impl Vm {
    /// The configuration with as few options on as the feature model allows.
    fn baseline(&mut self, whole: Cond) -> Result<Cond> {
        let on = self.conds.smallest(whole).unwrap_or_default();
        let all: Vec<Opt> = self.options.all.iter().map(|&(_, opt)| opt).collect();
        let mut single = Cond::TRUE;
        for opt in all {
            let literal = if on.contains(&opt) {
                self.conds.on(opt)
            } else {
                self.conds.off(opt)
            };
            single = self.conds.and(single, literal)?;
        }
        Ok(single)
    }

    /// What one configuration did.
    fn sample(&self, sample: &[String], ends: &[(Cond, End)], chunks: &[Chunk]) -> Sample {
        let on = |opt: Opt| self.is_on(opt, sample);
        let end = ends.iter().find(|(cond, _)| self.conds.eval(*cond, on));
        let out = crate::output::printed(chunks, &self.conds, Stream::Out, on);
        Sample {
            on: sample.to_vec(),
            end: end.map(|(_, end)| end.clone()),
            out: String::from_utf8_lossy(&out).into_owned(),
        }
    }

    fn program_report(
        &mut self,
        ends: Vec<(Cond, End)>,
        chunks: Vec<Chunk>,
        samples: Vec<Sample>,
    ) -> Result<ProgramReport> {
        let mut report = ProgramReport {
            options: self.option_names(),
            meanings: BTreeMap::new(),
            left_out: Vec::new(),
            features: self.options.foreign.clone(),
            configurations: self.count(self.universe),
            ends: Vec::new(),
            output: Vec::new(),
            samples,
            trace: self.take_trace()?,
            stats: self.vary_stats(),
        };
        for (cond, value) in ends {
            let when = self.condition(cond)?;
            report.ends.push(Conditional { when, value });
        }
        for chunk in chunks {
            let value = Printed {
                stream: chunk.stream,
                text: String::from_utf8_lossy(&chunk.bytes).into_owned(),
            };
            let when = self.condition(chunk.when)?;
            report.output.push(Conditional { when, value });
        }
        Ok(report)
    }
}
