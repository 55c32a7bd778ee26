//! The façade: run a program or its tests for all configurations; plain data in and out.

use crate::boot::Config;
use crate::error::{Result, VmError};
use crate::junit::{Outcome, TestRun};
use crate::output::Stream;
use crate::program::End;
use crate::source::{JdkAndPath, jdk_version};
use crate::trap::Step;
use crate::vm::{Limits, Vm};
use braid_cond::{Cond, FeatureModel, Opt};
use std::path::PathBuf;
use std::rc::Rc;

/// What to run and over which options.
#[derive(Debug, Clone, Default)]
pub struct Vary {
    /// Home of the JDK whose class library is used.
    pub jdk: PathBuf,
    /// The program's classes.
    pub classpath: Vec<PathBuf>,
    /// Options that are `static boolean` fields: `a.b.C.field`.
    pub option_fields: Vec<String>,
    /// Take every `static boolean` field annotated `@Conditional` as an option.
    pub annotated: bool,
    /// Options that are system properties with the values `true` and `false`.
    pub option_properties: Vec<String>,
    /// Constraints between options, in a form that [`FeatureModel::read`] knows.
    pub feature_model: Option<String>,
    /// At most this many options on.
    pub degree: Option<usize>,
    /// Other system properties.
    pub properties: Vec<(String, String)>,
    /// Bounds.
    pub limits: Limits,
    /// Whether `assert` is on.
    pub assertions: bool,
}

/// A set of configurations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// A short formula over the options.
    pub formula: String,
    /// The smallest set of options that, on with all others off, meets it.
    pub smallest: Vec<String>,
    /// The options it depends on.
    pub interacting: Vec<String>,
    /// How many configurations meet it.
    pub configurations: String,
}

/// Something that holds in a set of configurations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditional<T> {
    /// The configurations.
    pub when: Condition,
    /// What holds there.
    pub value: T,
}

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// The stream.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// Figures of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VaryStats {
    /// Nodes of the diagrams at their peak.
    pub peak_nodes: usize,
    /// Contexts split.
    pub splits: u64,
    /// States merged.
    pub merges: u64,
    /// The most waiting states of one frame.
    pub peak_states: usize,
    /// Collections of the heap.
    pub collections: u64,
    /// Backward jumps and calls.
    pub steps: u64,
}

/// What a program did.
#[derive(Debug, Clone)]
pub struct ProgramReport {
    /// The options, in order.
    pub options: Vec<String>,
    /// How it ended, by condition.
    pub ends: Vec<Conditional<End>>,
    /// What it printed, in order, by condition.
    pub output: Vec<Conditional<Printed>>,
    /// Output and end of chosen configurations (see [`Vary::run_main_in`]).
    pub samples: Vec<Sample>,
    /// Figures.
    pub stats: VaryStats,
}

/// What one configuration did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The options that are on.
    pub on: Vec<String>,
    /// How it ended; `None` for a configuration outside the feature model.
    pub end: Option<End>,
    /// What it printed on standard output.
    pub out: String,
}

/// What a test did.
#[derive(Debug, Clone)]
pub struct TestReport {
    /// `Class#method` or `Class#method[n]`.
    pub name: String,
    /// Its outcomes by condition.
    pub outcomes: Vec<Conditional<Outcome>>,
}

/// What the tests did.
#[derive(Debug, Clone)]
pub struct TestsReport {
    /// The options, in order.
    pub options: Vec<String>,
    /// Results in the order of running.
    pub tests: Vec<TestReport>,
    /// Classes that could not be looked at, with the reason.
    pub problems: Vec<(String, String)>,
    /// Figures.
    pub stats: VaryStats,
}

/// The VM recurses on the native stack; its thread gets a large one, of which only what is used is touched.
const STACK: usize = 4 << 30;

impl Vary {
    /// Runs something on a thread with a large stack.
    fn on_thread<T: Send>(&self, run: impl FnOnce(&Vary) -> Result<T> + Send) -> Result<T> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || run(self))
                .map_err(|error| VmError::Usage(format!("cannot start a thread: {error}")))?;
            thread
                .join()
                .unwrap_or_else(|_| Err(VmError::Library("the VM stopped unexpectedly".into())))
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
            let ends = vm.run_program(main, args);
            let chunks = vm.output.take();
            let mut report = ProgramReport {
                options: vm
                    .options
                    .all
                    .iter()
                    .map(|(name, _)| name.clone())
                    .collect(),
                ends: Vec::new(),
                output: Vec::new(),
                samples: Vec::new(),
                stats: vm.vary_stats(),
            };
            for sample in samples {
                let on = |opt: Opt| {
                    vm.options
                        .all
                        .iter()
                        .any(|(name, o)| *o == opt && sample.contains(name))
                };
                let end = ends
                    .iter()
                    .find(|(cond, _)| vm.conds.eval(*cond, on))
                    .map(|(_, end)| end.clone());
                let out = crate::output::printed(&chunks, &vm.conds, Stream::Out, on);
                let out = String::from_utf8_lossy(&out).into_owned();
                report.samples.push(Sample {
                    on: sample.clone(),
                    end,
                    out,
                });
            }
            for (cond, end) in ends {
                report.ends.push(Conditional {
                    when: vm.condition(cond)?,
                    value: end,
                });
            }
            for chunk in chunks {
                let text = String::from_utf8_lossy(&chunk.bytes).into_owned();
                let value = Printed {
                    stream: chunk.stream,
                    text,
                };
                report.output.push(Conditional {
                    when: vm.condition(chunk.when)?,
                    value,
                });
            }
            Ok(report)
        })
    }

    /// Runs the tests of classes (all of the class path's if none are named) for all configurations.
    pub fn run_tests(&self, classes: &[String]) -> Result<TestsReport> {
        self.run_tests_matching(classes, |_| true)
    }

    /// Runs the tests whose `Class#method` is accepted.
    pub fn run_tests_matching(
        &self,
        classes: &[String],
        accept: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<TestsReport> {
        self.on_thread(|vary| {
            let mut vm = vary.start()?;
            let checkpoint = vm.checkpoint();
            let mut report = TestsReport {
                options: Vec::new(),
                tests: Vec::new(),
                problems: Vec::new(),
                stats: VaryStats::default(),
            };
            for class in classes {
                vm.reset(&checkpoint, &[]);
                let discovery = vm.discover(class);
                if let Some(problem) = discovery.problem {
                    report.problems.push((class.clone(), problem));
                }
                for test in discovery.tests {
                    if !accept(&format!("{}#{}", test.class, test.method)) {
                        continue;
                    }
                    vm.reset(&checkpoint, &[]);
                    for run in vm.run_test(&test) {
                        report.tests.push(vm.test_report(run)?);
                    }
                    vm.output.take();
                }
            }
            report.options = vm
                .options
                .all
                .iter()
                .map(|(name, _)| name.clone())
                .collect();
            report.stats = vm.vary_stats();
            Ok(report)
        })
    }

    /// A started VM with the options in place.
    fn start(&self) -> Result<Vm> {
        let java_version = jdk_version(&self.jdk).unwrap_or(17);
        let source = Rc::new(JdkAndPath::open(&self.jdk, java_version, &self.classpath)?);
        let mut fields = self.option_fields.clone();
        if self.annotated {
            fields.extend(crate::options::annotated_fields(&source)?);
        }
        let mut vm = Vm::start(Config {
            source,
            jdk_home: Some(self.jdk.clone()),
            java_version,
            limits: self.limits.clone(),
            properties: self.properties.clone(),
            assertions: self.assertions,
        })?;
        for field in fields {
            let (class, name) = field.rsplit_once('.').ok_or_else(|| {
                VmError::Usage(format!("{field} does not name a field (a.b.C.field)"))
            })?;
            vm.add_option_field(class, name)?;
        }
        for property in &self.option_properties {
            let opt = vm.add_option(property);
            vm.options.properties.push((property.clone(), opt));
        }
        vm.set_universe(self)?;
        Ok(vm)
    }
}

impl Vm {
    fn add_option(&mut self, name: &str) -> Opt {
        let opt = self.conds.option(name);
        self.options.all.push((name.to_owned(), opt));
        opt
    }

    fn add_option_field(&mut self, class: &str, name: &str) -> Result<()> {
        let internal = class.replace('.', "/");
        let id = match self.load(&internal) {
            Ok(id) => id,
            Err(_) => {
                return Err(VmError::Usage(format!(
                    "option {class}.{name}: no such class"
                )));
            }
        };
        let field = self.classes[id as usize]
            .fields
            .iter()
            .find(|field| &**self.symbols.text(field.name) == name);
        let usable = field.is_some_and(|field| {
            field.access.is_static()
                && field.kind == crate::value::Kind::Boolean
                && field.constant == 0
        });
        if !usable {
            let message = format!(
                "option {class}.{name}: not a static boolean field (a constant cannot vary: javac copies it)"
            );
            return Err(VmError::Usage(message));
        }
        let full = format!("{class}.{name}");
        let short = if self.options.all.iter().any(|(other, _)| other == name) {
            full
        } else {
            name.to_owned()
        };
        let opt = self.add_option(&short);
        self.options.fields.insert((internal, name.to_owned()), opt);
        Ok(())
    }

    fn set_universe(&mut self, vary: &Vary) -> Result<()> {
        let mut universe = Cond::TRUE;
        if let Some(text) = &vary.feature_model {
            let model = FeatureModel::read(text)
                .map_err(|error| VmError::Usage(format!("feature model: {error}")))?;
            universe = model.condition(&mut self.conds)?;
        }
        if let Some(degree) = vary.degree {
            let opts: Vec<Opt> = self.options.all.iter().map(|&(_, opt)| opt).collect();
            let bound = self.conds.at_most(&opts, degree)?;
            universe = self.conds.and(universe, bound)?;
        }
        if universe.is_false() {
            return Err(VmError::Usage(
                "no configuration meets the feature model".into(),
            ));
        }
        self.universe = universe;
        self.ctx = universe;
        for class in &mut self.classes {
            if class.init.begun.is_true() {
                class.permanent = true;
            }
        }
        self.set_option_properties()
            .map_err(|trap| VmError::Library(self.explain(trap)))
    }

    /// Option properties have a conditional value: the string "true" where the option is on, else "false".
    fn set_option_properties(&mut self) -> Step<()> {
        for (name, opt) in self.options.properties.clone() {
            let on = self.conds.on(opt);
            let (yes, no) = (
                u64::from(self.new_string("true")?),
                u64::from(self.new_string("false")?),
            );
            let value = self.select_slot(on, yes, no)?;
            let key = u64::from(self.new_string(&name)?);
            let descriptor = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;";
            self.call_static_named("java/lang/System", "setProperty", descriptor, &[key, value])?;
            self.options.values.push(value);
        }
        Ok(())
    }

    /// A condition as plain data.
    pub(crate) fn condition(&mut self, cond: Cond) -> Result<Condition> {
        let name = |vm: &Vm, opt: Opt| {
            vm.options
                .all
                .iter()
                .find(|(_, o)| *o == opt)
                .map_or_else(String::new, |(name, _)| name.clone())
        };
        let universe = self.universe;
        let inside = self.conds.and(cond, universe)?;
        let formula = self.conds.show_in(inside, universe)?;
        let simple = self.conds.simplify(inside, universe)?;
        let interacting = self
            .conds
            .support(simple)
            .into_iter()
            .map(|opt| name(self, opt))
            .collect();
        let smallest = self.conds.smallest(inside).unwrap_or_default();
        let smallest = smallest.into_iter().map(|opt| name(self, opt)).collect();
        let configurations = self.conds.count(inside).to_string();
        Ok(Condition {
            formula,
            smallest,
            interacting,
            configurations,
        })
    }

    fn test_report(&mut self, run: TestRun) -> Result<TestReport> {
        let mut outcomes = Vec::new();
        for (cond, outcome) in run.outcomes {
            outcomes.push(Conditional {
                when: self.condition(cond)?,
                value: outcome,
            });
        }
        Ok(TestReport {
            name: run.name,
            outcomes,
        })
    }

    fn vary_stats(&self) -> VaryStats {
        VaryStats {
            peak_nodes: self.conds.stats().peak_nodes,
            splits: self.counters.splits,
            merges: self.counters.merges,
            peak_states: self.counters.peak_states,
            collections: self.counters.collections,
            steps: self.limits.fuel.wrapping_sub(self.fuel),
        }
    }
}
