//! What a run over all configurations found, as plain data.

use crate::junit::Outcome;
use crate::output::Stream;
use crate::program::End;
use serde::Serialize;
use std::collections::BTreeMap;

/// A set of configurations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conditional<T> {
    /// The configurations.
    pub when: Condition,
    /// What holds there.
    #[serde(flatten)]
    pub value: T,
}

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// The stream.
    pub stream: Stream,
    /// The text.
    pub text: String,
}

/// A value that the watched variable was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Traced {
    /// The variable, with its class if it is a field.
    pub variable: String,
    /// The method that stores it.
    pub method: String,
    /// The source line, if the class file has lines.
    pub line: Option<u32>,
    /// The value, nearly as Java's source would write it.
    pub value: String,
}

/// Everything that was seen of the watched variable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TraceReport {
    /// The values in the order of the stores.
    pub values: Vec<Conditional<Traced>>,
    /// Stores beyond the number that is kept.
    pub dropped: u64,
}

/// Figures of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VaryStats {
    /// Nodes of the diagrams at their peak.
    pub peak_nodes: usize,
    /// The most alternatives of one value; 0 if they were not counted.
    pub peak_choices: usize,
    /// Contexts split.
    pub splits: u64,
    /// States merged.
    pub merges: u64,
    /// The most waiting states of one frame.
    pub peak_states: usize,
    /// Collections of the heap.
    pub collections: u64,
    /// Most bytes of the heap in use.
    pub peak_heap: u64,
    /// Backward jumps and calls, of all states together.
    pub steps: u64,
    /// The same of the longest way through each test or program, which no configuration exceeds: what a plain run of the
    /// longest configuration would take at most.
    pub longest: u64,
}

/// What a program did.
#[derive(Debug, Clone, Serialize)]
pub struct ProgramReport {
    /// The options, in order.
    pub options: Vec<String>,
    /// What options stand for, where their names do not say.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub meanings: BTreeMap<String, String>,
    /// Mutants that are no option, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Features of the model that are no option of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// How many configurations there are.
    pub configurations: String,
    /// How it ended, by condition.
    pub ends: Vec<Conditional<End>>,
    /// What it printed, in order, by condition.
    pub output: Vec<Conditional<Printed>>,
    /// Output and end of chosen configurations (see [`Vary::run_main_in`](crate::Vary::run_main_in)).
    pub samples: Vec<Sample>,
    /// What was seen of the watched variable.
    pub trace: TraceReport,
    /// Figures.
    pub stats: VaryStats,
}

/// What one configuration did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// The options that are on.
    pub on: Vec<String>,
    /// How it ended; `None` for a configuration outside the feature model.
    pub end: Option<End>,
    /// What it printed on standard output.
    pub out: String,
}

/// What a test did.
#[derive(Debug, Clone, Serialize)]
pub struct TestReport {
    /// `Class#method` or `Class#method[n]`.
    pub name: String,
    /// How many configurations it was run for: those of its module.
    pub configurations: String,
    /// Its outcomes by condition.
    pub outcomes: Vec<Conditional<Outcome>>,
    /// For each configuration asked for, the index of its outcome; `None` outside the feature model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sampled: Vec<Option<usize>>,
    /// What was seen of the watched variable.
    #[serde(skip_serializing_if = "is_empty")]
    pub trace: TraceReport,
}

fn is_empty(trace: &TraceReport) -> bool {
    trace.values.is_empty()
}

/// A class whose tests could not be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassProblem {
    /// The class.
    pub class: String,
    /// Why.
    pub problem: String,
}

/// What the tests did.
#[derive(Debug, Clone, Serialize)]
pub struct TestsReport {
    /// The options, in order.
    pub options: Vec<String>,
    /// What options stand for, where their names do not say.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub meanings: BTreeMap<String, String>,
    /// Mutants that are no option, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Features of the model that are no option of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// How many configurations there are; with several modules, those of the one that has most.
    pub configurations: String,
    /// Results in the order of running.
    pub tests: Vec<TestReport>,
    /// Classes that could not be looked at, with the reason.
    pub problems: Vec<ClassProblem>,
    /// Figures.
    pub stats: VaryStats,
}

impl TestsReport {
    /// Adds what was found in another module.
    pub fn add(&mut self, other: TestsReport) {
        self.tests.extend(other.tests);
        self.problems.extend(other.problems);
        for option in other.options {
            if !self.options.contains(&option) {
                self.options.push(option);
            }
        }
        let (own, others) = (&self.configurations, &other.configurations);
        if (others.len(), others) > (own.len(), own) {
            self.configurations = other.configurations;
        }
        self.meanings.extend(other.meanings);
        self.left_out.extend(other.left_out);
        self.features.retain(|name| other.features.contains(name));
        let (all, more) = (&mut self.stats, &other.stats);
        all.peak_nodes = all.peak_nodes.max(more.peak_nodes);
        all.peak_choices = all.peak_choices.max(more.peak_choices);
        all.peak_states = all.peak_states.max(more.peak_states);
        all.peak_heap = all.peak_heap.max(more.peak_heap);
        all.splits += more.splits;
        all.merges += more.merges;
        all.collections += more.collections;
        all.steps += more.steps;
        all.longest += more.longest;
    }
}
