//! The command line.

use std::path::PathBuf;

use braid_engine::{
    FlakyPolicy, PatchRequest, ProjectRequest, RunOptions, StrategyKind, Technique, TimeoutRule,
};
use braid_report::Format;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::exit;
use crate::mutate::MutateFormatName;

/// Runs many variants of one Java program together.
#[derive(Debug, Parser)]
#[command(name = "braid", version, about, after_help = exit::HELP, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge patches: apply, compile and test each one, and say what came of it
    Validate(Box<ValidateArgs>),
    /// Change the program in many small ways and see which changes no test notices
    Mutate(Box<crate::mutate::MutateArgs>),
    /// Write a mutant of a run into the source tree
    Apply(crate::mutate::ApplyArgs),
    /// Make one run of the parts that `mutate --shard` made
    Merge(crate::mutate::MergeArgs),
    /// Run a main class or the tests for every combination of options, all at once
    Vary(Box<crate::vary::VaryArgs>),
    /// Judge the patches of a bundled example project and print the table
    Demo(DemoArgs),
    /// Say what was found of the project, the JDK and the build tool, and what is wrong
    Doctor(ProjectArgs),
    /// Write a commented braid.toml for the project
    Init(InitArgs),
    /// Show one patch or mutant of a run: verdict, evidence, diff
    Show(ShowArgs),
    /// Write the report of a run again, in any format
    Report(ReportArgs),
    /// List the runs of the project
    Runs(ProjectDir),
    /// Write completions for a shell to standard output
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Where the project is.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProjectDir {
    /// A folder inside the project
    #[arg(short = 'C', long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
}

/// Where the project is and how to build it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct ProjectArgs {
    #[command(flatten)]
    pub dir: ProjectDir,
    /// The JDK to compile and run with
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,
    /// The JDK or JRE to run tests with, if it is another than that of the compiler
    #[arg(long, value_name = "DIR")]
    pub java: Option<PathBuf>,
    /// Profile of braid.toml
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Another file than the project's braid.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Only these modules
    #[arg(long = "module", value_name = "NAME")]
    pub modules: Vec<String>,
    /// Source folder, for a project without a build tool
    #[arg(long = "source", value_name = "DIR")]
    pub sources: Vec<PathBuf>,
    /// Test source folder, for a project without a build tool
    #[arg(long = "tests", value_name = "DIR")]
    pub tests: Vec<PathBuf>,
    /// Jar or folder of the class path, for a project without a build tool
    #[arg(long, value_name = "PATH")]
    pub classpath: Vec<PathBuf>,
    /// Use what was built before, unless it is stale
    #[arg(long)]
    pub no_build: bool,
    /// Keep the build tool off the network
    #[arg(long)]
    pub offline: bool,
}

impl ProjectArgs {
    pub(crate) fn request(&self) -> ProjectRequest {
        let split = |paths: &[PathBuf]| paths.iter().flat_map(std::env::split_paths).collect();
        ProjectRequest {
            dir: self.dir.project.clone(),
            jdk: self.jdk.clone(),
            java: self.java.clone(),
            profile: self.profile.clone(),
            config: self.config.clone(),
            sources: self.sources.clone(),
            tests: self.tests.clone(),
            classpath: split(&self.classpath),
            modules: self.modules.clone(),
            no_build: self.no_build,
            offline: self.offline,
        }
    }
}

/// Judge patches: apply, compile and test each one, and say what came of it.
///
/// Patches are read from files and folders, or from standard input with `-`. The format is found out by
/// itself: unified and git diffs, JSON lines, patched source files, class files, ExpressAPR and SWE-bench
/// files.
///
/// The unpatched program is built and tested first. A patch is `plausible` if all tests that failed now
/// pass and no test that passed fails. Results are kept in .braid/ in the project; nothing else there is
/// written.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct ValidateArgs {
    /// Files and folders with patches; `-` for standard input
    #[arg(
        value_name = "PATCHES",
        required_unless_present = "resume",
        conflicts_with = "resume"
    )]
    pub patches: Vec<PathBuf>,
    /// Continue a run that was stopped: the latest, or the one with this number. Its patches and settings
    /// stay as they were
    #[arg(long, value_name = "RUN", num_args = 0..=1)]
    pub resume: Option<Option<u32>>,
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub project: ProjectArgs,
}

/// Which patches and tests.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct SelectArgs {
    /// Judge only patches whose id fits this glob
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Judge only the first N patches
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Run only tests that fit one of these globs, such as `*Parser*,FooTest#bar`
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub only_tests: Vec<String>,
    /// A test that has to pass, in place of those that fail without a patch: `FooTest#bar`, `FooTest`
    #[arg(long, value_name = "TEST", value_delimiter = ',')]
    pub failing: Vec<String>,
    /// Judge patches that change test files too; otherwise they are `unsupported`
    #[arg(long)]
    pub allow_test_edits: bool,
}

impl SelectArgs {
    pub(crate) fn patches(&self, inputs: &[PathBuf]) -> PatchRequest {
        PatchRequest {
            inputs: inputs.to_vec(),
            only: self.only.clone(),
            limit: self.limit,
        }
    }
}

/// How to run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Running")]
pub(crate) struct RunArgs {
    /// Patches judged at the same time [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: Option<u16>,
    /// How long a test may take: a multiple of its usual time plus a constant [default: 10x+5s]
    #[arg(long, value_name = "LIMIT")]
    pub timeout: Option<TimeoutRule>,
    /// Heap of each JVM that runs tests, in MiB [default: 1024]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(16..=1_048_576))]
    pub heap: Option<u64>,
    /// Run all tests, even after the first failure
    #[arg(long)]
    pub full: bool,
    /// What to do with tests that are not steady [default: skip]
    #[arg(long, value_enum)]
    pub flaky: Option<Flaky>,
    /// How patches are judged [default: woven]
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Do without a technique of the strategy, to see what it is worth (may be repeated)
    #[arg(long, value_enum, value_name = "TECHNIQUE")]
    pub without: Vec<Without>,
    /// Neither ask nor fill the store of earlier results
    #[arg(long)]
    pub no_cache: bool,
}

impl RunArgs {
    pub(crate) fn options(&self, select: &SelectArgs) -> RunOptions {
        RunOptions {
            jobs: self.jobs.map(usize::from),
            heap_mb: self.heap,
            timeout: self.timeout,
            flaky: self.flaky.map(Into::into),
            strategy: self.strategy.map(Into::into),
            without: self.without.iter().copied().map(Into::into).collect(),
            full: self.full.then_some(true),
            allow_test_edits: select.allow_test_edits.then_some(true),
            failing: select.failing.clone(),
            only_tests: select.only_tests.clone(),
        }
    }
}

/// What to do with tests that are not steady.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Flaky {
    /// Refuse to start if tests differ between two runs of the unpatched program
    Fail,
    /// Leave out tests that differ between two runs of the unpatched program
    Skip,
    /// Leave nothing out; run a failing test again in a fresh JVM before believing it
    Retry,
}

impl From<Flaky> for FlakyPolicy {
    fn from(flaky: Flaky) -> Self {
        match flaky {
            Flaky::Fail => Self::Fail,
            Flaky::Skip => Self::Skip,
            Flaky::Retry => Self::Retry,
        }
    }
}

/// How patches are judged.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Strategy {
    /// A private copy, a fresh compiler and a fresh JVM for each patch: slow, and the measure of the others
    Plain,
    /// Each patch compiled alone, its classes swapped into warm JVMs
    Hotswap,
    /// All patches compiled together and woven into one program, which warm JVMs run
    Woven,
}

impl From<Strategy> for StrategyKind {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Plain => Self::Plain,
            Strategy::Hotswap => Self::Hotswap,
            Strategy::Woven => Self::Woven,
        }
    }
}

/// What warm strategies can do without.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Without {
    /// Compile each patch alone
    Bulk,
    /// Run all tests, also those that do not reach what a patch changes
    Coverage,
    /// Judge each patch, also if it comes out as the same code as another
    Sharing,
    /// Do not look now and then whether a warm JVM is still as new
    Canary,
    /// Do not confirm plausible patches without weaving
    Confirm,
    /// Confirm each plausible patch in a JVM of its own, not many in one, each in a loader of its own
    Grouping,
    /// Have their framework run all tests in warm JVMs, also those that could simply be called
    Direct,
    /// Run each test of the unpatched program in a fresh JVM and in a warm one, also those that no patch reaches
    Once,
    /// Confirm each plausible patch with all tests that reach it, also with long ones that cannot notice it
    Scouting,
}

impl From<Without> for Technique {
    fn from(without: Without) -> Self {
        match without {
            Without::Bulk => Self::Bulk,
            Without::Coverage => Self::Coverage,
            Without::Sharing => Self::Sharing,
            Without::Canary => Self::Canary,
            Without::Confirm => Self::Confirm,
            Without::Grouping => Self::Grouping,
            Without::Direct => Self::Direct,
            Without::Once => Self::Once,
            Without::Scouting => Self::Scouting,
        }
    }
}

/// What to write where.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The form of the report
    #[arg(long, value_enum, default_value_t = FormatName::Table)]
    pub format: FormatName,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress on standard error, only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Rows for people
    #[default]
    Table,
    /// One JSON object
    Json,
    /// One JSON object a line; while judging, each verdict as soon as it is known
    Jsonl,
    /// JUnit XML: a test case for each patch
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub annotations
    Github,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Table => Self::Table,
            FormatName::Json => Self::Json,
            FormatName::Jsonl => Self::Jsonl,
            FormatName::Junit => Self::Junit,
            FormatName::Sarif => Self::Sarif,
            FormatName::Github => Self::Github,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Where to put the example project [default: a new temporary folder]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub dir: ProjectDir,
    /// Overwrite an existing braid.toml
    #[arg(long)]
    pub force: bool,
    /// Print the JSON Schema of braid.toml instead
    #[arg(long)]
    pub schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The patch's id, or the start of it; the mutant's id, or a part of it
    #[arg(value_name = "ID")]
    pub id: String,
    /// The run's number [default: the latest]
    #[arg(long, value_name = "N")]
    pub run: Option<u32>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub dir: ProjectDir,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run's number [default: the latest]
    #[arg(long, value_name = "N")]
    pub run: Option<u32>,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Table)]
    pub format: ReportFormat,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub dir: ProjectDir,
}

/// The form of a report of either job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    #[value(alias = "summary")]
    Table,
    /// One JSON object; of mutants, that of mutation-testing-elements
    Json,
    /// One JSON object a line
    Jsonl,
    /// JUnit XML
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub annotations
    Github,
    /// One HTML file (mutants only)
    Html,
    /// PIT's mutations.xml (mutants only)
    Pit,
}

impl ReportFormat {
    /// The form of a report on patches, if there is one.
    pub(crate) fn of_patches(self) -> Option<FormatName> {
        Some(match self {
            Self::Table => FormatName::Table,
            Self::Json => FormatName::Json,
            Self::Jsonl => FormatName::Jsonl,
            Self::Junit => FormatName::Junit,
            Self::Sarif => FormatName::Sarif,
            Self::Github => FormatName::Github,
            Self::Html | Self::Pit => return None,
        })
    }

    /// The form of a report on mutants.
    pub(crate) fn of_mutants(self) -> MutateFormatName {
        match self {
            Self::Table => MutateFormatName::Summary,
            Self::Json => MutateFormatName::Json,
            Self::Jsonl => MutateFormatName::Jsonl,
            Self::Junit => MutateFormatName::Junit,
            Self::Sarif => MutateFormatName::Sarif,
            Self::Github => MutateFormatName::Github,
            Self::Html => MutateFormatName::Html,
            Self::Pit => MutateFormatName::Pit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn resume_takes_a_number_or_none_and_no_patches() {
        let resume = |args: &[&str]| {
            let cli = Cli::try_parse_from([&["braid", "validate"], args].concat());
            match cli.map(|cli| cli.command) {
                Ok(Command::Validate(args)) => Ok(args.resume),
                Ok(_) => panic!("another command"),
                Err(error) => Err(error.kind()),
            }
        };
        assert_eq!(resume(&["--resume"]), Ok(Some(None)));
        assert_eq!(resume(&["--resume", "3"]), Ok(Some(Some(3))));
        assert_eq!(resume(&["p.diff"]), Ok(None));
        assert!(resume(&["p.diff", "--resume", "3"]).is_err());
        assert!(resume(&[]).is_err());
    }
}
