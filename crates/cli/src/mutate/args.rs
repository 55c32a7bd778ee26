//! The command lines of `mutate`, `apply` and `merge`.

use std::path::PathBuf;

use braid_engine::mutate::{
    MutateReport, MutateRequest, MutateWork, Sample, Selection, Shard, Thresholds, When,
};
use braid_engine::{RunOptions, Stop, StrategyKind};
use braid_report::mutate::MutateFormat;
use clap::{Args, ValueEnum};

use crate::args::{Flaky, ProjectArgs, ProjectDir};

/// Change the program in many small ways and see which changes no test notices.
///
/// Mutants are made in the compiled classes of the project, woven into one program and run in warm JVMs,
/// each only by the tests that reach it. A mutant that all of them pass on has survived: a change that the
/// tests do not notice.
///
/// Results are kept in .braid/ in the project; nothing else there is written. The report is in the run's
/// folder as report.html and report.json.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct MutateArgs {
    /// Continue a run that was stopped: the latest, or the one with this number. Its selection and settings
    /// stay as they were
    #[arg(long, value_name = "RUN", num_args = 0..=1)]
    pub resume: Option<Option<u32>>,
    /// List the mutants and run nothing
    #[arg(long)]
    pub list: bool,
    /// List what is left out and why, and run nothing
    #[arg(long)]
    pub explain: bool,
    /// List the operators and the sets of them
    #[arg(long)]
    pub list_operators: bool,
    #[command(flatten)]
    pub select: MutantArgs,
    #[command(flatten)]
    pub run: MutateRunArgs,
    #[command(flatten)]
    pub output: MutateOutputArgs,
    #[command(flatten)]
    pub project: ProjectArgs,
}

/// Which mutants and tests.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct MutantArgs {
    /// Operators and sets of them, such as `strong,-math`; PIT's names are known [default: default]
    #[arg(long, visible_alias = "mutators", value_name = "LIST")]
    pub operators: Option<String>,
    /// Only classes that fit this glob, such as `com.x.*` or `Foo`
    #[arg(
        long = "classes",
        visible_alias = "target-classes",
        value_name = "GLOB",
        value_delimiter = ','
    )]
    pub classes: Vec<String>,
    /// No classes that fit this glob
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub exclude_classes: Vec<String>,
    /// Only methods that fit this glob, such as `parse*` or `Foo#parse`
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// No methods that fit this glob
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub exclude_methods: Vec<String>,
    /// Only mutants whose id fits this glob
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Run only tests that fit one of these globs, such as `*Parser*,FooTest#bar`
    #[arg(
        long,
        visible_alias = "target-tests",
        value_name = "GLOB",
        value_delimiter = ','
    )]
    pub only_tests: Vec<String>,
    /// Only lines that this diff adds or changes; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "since")]
    pub in_diff: Option<PathBuf>,
    /// Only lines that changed since this revision of git
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Only so many mutants, always the same ones: `500` or `10%`
    #[arg(long, value_name = "N")]
    pub sample: Option<Sample>,
    /// Only part K of N; put the parts together with `braid merge`
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Leave nothing out as junk: compiler-made code, logging, generated code
    #[arg(long)]
    pub no_filters: bool,
}

/// How to run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct MutateRunArgs {
    /// JVMs at the same time [default: one for each core]
    #[arg(short, long, visible_alias = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: Option<u16>,
    /// Which tests run on a mutant
    #[arg(long, value_enum, default_value_t = Matrix::First)]
    pub matrix: Matrix,
    /// Heap of each JVM that runs tests, in MiB [default: 1024]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(16..=1_048_576))]
    pub heap: Option<u64>,
    /// How mutants are run
    #[arg(long, value_enum, default_value_t = MutateStrategy::Woven)]
    pub strategy: MutateStrategy,
    /// Whether to find out first which tests cannot notice a mutant, because nothing has another value in them
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Scouting::Auto)]
    pub scouting: Scouting,
    /// What to do with tests that are not steady [default: skip]
    #[arg(long, value_enum)]
    pub flaky: Option<Flaky>,
    /// Neither ask nor fill the store of earlier results
    #[arg(long)]
    pub no_cache: bool,
}

/// Which tests run on a mutant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Matrix {
    /// Until the first that notices it
    #[default]
    First,
    /// All that reach it
    Full,
}

/// How mutants are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MutateStrategy {
    /// Each alone in a fresh JVM, by all tests: slow, and the measure of the other
    Plain,
    /// All woven into one program, which warm JVMs run, each by the tests that reach it
    #[default]
    Woven,
}

/// Whether to find out first which tests cannot notice a mutant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scouting {
    /// If it is likely to save time
    #[default]
    Auto,
    /// Always
    Always,
    /// Run all tests that reach a mutant
    Never,
}

impl From<Scouting> for When {
    fn from(scouting: Scouting) -> Self {
        match scouting {
            Scouting::Auto => Self::Auto,
            Scouting::Always => Self::Always,
            Scouting::Never => Self::Never,
        }
    }
}

/// What to write where.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct MutateOutputArgs {
    /// The form of the report
    #[arg(long, value_enum, default_value_t = MutateFormatName::Summary)]
    pub format: MutateFormatName,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Open the HTML report in the browser when all is done
    #[arg(long)]
    pub open: bool,
    /// Say where the time went, by phase, test and mutant
    #[arg(long)]
    pub explain_time: bool,
    /// Exit with code 2 if the tests notice less than this share of the mutants, in percent
    #[arg(long, visible_alias = "mutation-threshold", value_name = "PERCENT")]
    pub min_score: Option<f64>,
    /// Exit with code 2 if more mutants survive
    #[arg(long, value_name = "N")]
    pub max_survived: Option<u64>,
    /// No progress on standard error, only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// The form of a report on mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MutateFormatName {
    /// What no test notices, and the score, for people
    #[default]
    Summary,
    /// The JSON of mutation-testing-elements
    Json,
    /// One JSON object a line, in Braid's own form
    Jsonl,
    /// One HTML file that needs nothing else
    Html,
    /// PIT's mutations.xml
    Pit,
    /// JUnit XML: a test case for each mutant
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub annotations
    Github,
}

impl From<MutateFormatName> for MutateFormat {
    fn from(name: MutateFormatName) -> Self {
        match name {
            MutateFormatName::Summary => Self::Summary,
            MutateFormatName::Json => Self::Json,
            MutateFormatName::Jsonl => Self::Jsonl,
            MutateFormatName::Html => Self::Html,
            MutateFormatName::Pit => Self::Pit,
            MutateFormatName::Junit => Self::Junit,
            MutateFormatName::Sarif => Self::Sarif,
            MutateFormatName::Github => Self::Github,
        }
    }
}

/// The text for `--help`.
const HELP: &str = "Exit codes:
  0    the run is complete and within its thresholds
  1    the command line or an input is wrong
  2    the score is below --min-score, or more mutants survive than --max-survived
  4    the project cannot be used: no JDK, it does not build, it has no usable tests
  70   something else failed, such as a full disk
  130  stopped by Ctrl-C; what was run is kept (see --resume)";

/// Writes a mutant into the source tree.
#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// The mutant's id, or a part of it
    #[arg(value_name = "ID")]
    pub id: String,
    /// The run's number [default: the latest]
    #[arg(long, value_name = "N")]
    pub run: Option<u32>,
    /// Print the change as a diff and write nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub dir: ProjectDir,
}

/// Makes one run of the parts that `--shard` made.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The folders of the runs, such as `.braid/runs/1`, of this project or copies of it
    #[arg(value_name = "RUN_DIR", required = true)]
    pub parts: Vec<PathBuf>,
    #[command(flatten)]
    pub output: MutateOutputArgs,
    #[command(flatten)]
    pub dir: ProjectDir,
}

impl MutateOutputArgs {
    /// The command line's thresholds, else those of `braid.toml`.
    pub(crate) fn thresholds(&self, report: &MutateReport) -> Thresholds {
        let configured = report.info.thresholds;
        Thresholds {
            min_score: self.min_score.or(configured.min_score),
            max_survived: self.max_survived.or(configured.max_survived),
        }
    }
}

impl MutateArgs {
    pub(crate) fn request(&self) -> MutateRequest {
        let select = &self.select;
        let selection = Selection {
            operators: select.operators.clone(),
            classes: select.classes.clone(),
            exclude_classes: select.exclude_classes.clone(),
            methods: select.methods.clone(),
            exclude_methods: select.exclude_methods.clone(),
            ids: select.only.clone(),
            in_diff: select.in_diff.clone(),
            since: select.since.clone(),
            sample: select.sample,
            shard: select.shard,
            full_matrix: self.run.matrix == Matrix::Full,
            no_filters: select.no_filters,
        };
        MutateRequest {
            project: self.project.request(),
            work: match self.resume {
                Some(number) => MutateWork::Resume(number),
                None => MutateWork::Start(Box::new(selection)),
            },
            options: RunOptions {
                jobs: self.run.jobs.map(usize::from),
                heap_mb: self.run.heap,
                flaky: self.run.flaky.map(Into::into),
                strategy: Some(match self.run.strategy {
                    MutateStrategy::Plain => StrategyKind::Plain,
                    MutateStrategy::Woven => StrategyKind::Woven,
                }),
                only_tests: select.only_tests.clone(),
                ..RunOptions::default()
            },
            scouting: self.run.scouting.into(),
            no_cache: self.run.no_cache,
            stop: Stop::default(),
        }
    }
}
