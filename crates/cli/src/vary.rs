//! `braid vary`: one run for every combination of options.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use braid_engine::EngineError;
use braid_engine::vary::{
    End, Limits, Outcome, Subject, TestReport, Vary, VaryReport, VaryRequest, vary as run,
};
use braid_report::{Style, VaryText, vary_json, vary_text};
use clap::Args;

use crate::args::ProjectArgs;
use crate::exit::Exit;

/// Run a main class or the tests for every combination of options, all at once.
///
/// Options are `static boolean` fields (`--option a.b.C.field`), every such field annotated
/// `@Conditional` (the default where nothing is named), or system properties (`--property name`) that are
/// `true` or `false`. The program runs once in Braid's own virtual machine; values that differ between
/// configurations are kept apart by condition.
///
/// What that machine does not support is reported as `unknown` with the reason, for the configurations
/// concerned only.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct VaryArgs {
    /// Run this main class instead of the tests
    #[arg(long, value_name = "CLASS")]
    pub main: Option<String>,
    /// Arguments of the main class
    #[arg(value_name = "ARGS", requires = "main", last = true)]
    pub args: Vec<String>,
    /// Run only tests that fit one of these globs, such as `*Parser*,FooTest#bar`
    #[arg(
        long,
        value_name = "GLOB",
        value_delimiter = ',',
        conflicts_with = "main"
    )]
    pub only_tests: Vec<String>,
    #[command(flatten)]
    pub space: SpaceArgs,
    /// Follow a variable: `name`, `Class.name` or `Class.method:name`
    #[arg(long, value_name = "VAR")]
    pub trace: Option<String>,
    /// Show figures of the run: steps, states, alternatives, nodes, heap
    #[arg(long)]
    pub stats: bool,
    /// Name tests that pass in every configuration as well
    #[arg(long)]
    pub passing: bool,
    /// Write one JSON object
    #[arg(long)]
    pub json: bool,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Compiled classes to use as they are, in place of a project
    #[arg(long, value_name = "PATH")]
    pub cp: Vec<PathBuf>,
    #[command(flatten)]
    pub project: ProjectArgs,
}

/// The options and the bounds.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options and bounds")]
pub(crate) struct SpaceArgs {
    /// An option: a static boolean field
    #[arg(short = 'O', long = "option", value_name = "A.B.C.FIELD")]
    pub options: Vec<String>,
    /// An option: a system property
    #[arg(long = "property", value_name = "NAME")]
    pub properties: Vec<String>,
    /// Take every static boolean field annotated @Conditional as an option
    #[arg(long)]
    pub annotated: bool,
    /// Options: every mutant of the classes that fit this glob, such as `com.x.Parser`
    #[arg(long, value_name = "GLOB")]
    pub mutants: Vec<String>,
    /// Constraints between options: a file of `rule` lines, or DIMACS
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// At most this many options on
    #[arg(long, value_name = "N")]
    pub degree: Option<usize>,
    /// Split the options into N groups; only options of one group are on together
    #[arg(long, value_name = "N")]
    pub partitions: Option<usize>,
    /// Give up configurations in which an exception is thrown while others go on
    #[arg(long)]
    pub fast: bool,
    /// Calls and backward jumps of one configuration before it counts as endless
    #[arg(long, value_name = "N")]
    pub fuel: Option<u64>,
    /// The same as a multiple of what the test needs with all options off
    #[arg(long, value_name = "N")]
    pub fuel_factor: Option<u64>,
    /// Tests run at the same time, each in a virtual machine of its own [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: Option<u16>,
    /// Heap of each virtual machine, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(16..=16_384))]
    pub heap: Option<u64>,
    /// Set a system property of the program
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<String>,
    /// Java's assertions are on, as they are for tests unless told otherwise
    #[arg(long, visible_alias = "ea", conflicts_with = "no_assertions")]
    pub assertions: bool,
    /// Java's assertions are off, as they are for a main class unless told otherwise
    #[arg(long)]
    pub no_assertions: bool,
}

/// How much longer than without mutants a test may run, unless told otherwise.
const MUTANT_FUEL: u64 = 20;

/// The text for `--help`.
const HELP: &str = "Exit codes:
  0    no configuration fails
  1    the command line or an input is wrong
  2    some configuration fails
  3    none fails, but some could not be decided
  4    the project cannot be used
  70   something else failed";

pub(crate) fn vary(args: &VaryArgs) -> Result<Exit, EngineError> {
    let request = VaryRequest {
        project: args.project.request(),
        classpath: args.cp.iter().flat_map(std::env::split_paths).collect(),
        subject: match &args.main {
            Some(class) => Subject::Main(class.clone(), args.args.clone()),
            None => Subject::Tests(args.only_tests.clone()),
        },
        mutants: args.space.mutants.clone(),
        space: args.space()?,
    };
    let report = run(&request, |_: &TestReport| {})?;
    let what = VaryText {
        passing: args.passing,
        stats: args.stats,
    };
    match &args.output {
        None => {
            let stdout = io::stdout();
            let style = Style::of(&stdout);
            write(&report, args.json, what, &style, &mut stdout.lock())
        }
        Some(path) => {
            let failed = |source| EngineError::Io {
                what: "write",
                path: path.clone(),
                source,
            };
            let mut file = io::BufWriter::new(fs::File::create(path).map_err(failed)?);
            write(&report, args.json, what, &Style::PLAIN, &mut file).and_then(|()| file.flush())
        }
    }
    .map_err(EngineError::Output)?;
    Ok(exit_of(&report))
}

impl VaryArgs {
    fn space(&self) -> Result<Vary, EngineError> {
        let space = &self.space;
        let mutants = !space.mutants.is_empty();
        let named = mutants || !space.options.is_empty() || !space.properties.is_empty();
        // A mutant that loops is common; how long the test takes without is a fair measure.
        let factor = (mutants && space.fuel.is_none()).then_some(MUTANT_FUEL);
        let mut limits = Limits::default();
        if let Some(fuel) = space.fuel {
            limits.fuel = fuel.max(1);
        }
        if let Some(heap) = space.heap {
            limits.heap = (heap as usize) << 20;
        }
        let feature_model = match &space.model {
            Some(path) => Some(fs::read_to_string(path).map_err(|source| EngineError::Io {
                what: "read",
                path: path.clone(),
                source,
            })?),
            None => None,
        };
        let mut properties = Vec::new();
        for define in &space.define {
            let Some((name, value)) = define.split_once('=') else {
                let why = format!("-D {define}: expected NAME=VALUE");
                return Err(EngineError::Input(why));
            };
            properties.push((name.to_owned(), value.to_owned()));
        }
        Ok(Vary {
            option_fields: space.options.clone(),
            annotated: space.annotated || !named,
            option_properties: space.properties.clone(),
            feature_model,
            degree: space.degree,
            properties,
            limits,
            // As `java` and as the build tools have it.
            assertions: space.assertions || (self.main.is_none() && !space.no_assertions),
            fuel_factor: space.fuel_factor.or(factor),
            partitions: space.partitions,
            fast: space.fast,
            trace: self.trace.clone(),
            measure: self.stats,
            threads: space.jobs.map_or(0, usize::from),
            ..Vary::default()
        })
    }
}

fn write(
    report: &VaryReport,
    json: bool,
    what: VaryText,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if json {
        vary_json(report, out)
    } else {
        vary_text(report, what, style, out)
    }
}

fn exit_of(report: &VaryReport) -> Exit {
    let (mut fails, mut unknown) = (false, false);
    match report {
        VaryReport::Program(report) => {
            unknown |= !report.left_out.is_empty();
            for end in &report.ends {
                match end.value {
                    End::Returned | End::Exited(0) => {}
                    End::Unknown(_) => unknown = true,
                    End::Exited(_) | End::Threw(..) | End::Endless => fails = true,
                }
            }
        }
        VaryReport::Tests(report) => {
            unknown |= !report.problems.is_empty() || !report.left_out.is_empty();
            for outcome in report.tests.iter().flat_map(|test| &test.outcomes) {
                match outcome.value {
                    Outcome::Passed | Outcome::Skipped(_) => {}
                    Outcome::Unknown(_) => unknown = true,
                    Outcome::Failed(..) | Outcome::Endless => fails = true,
                }
            }
        }
    }
    if fails {
        Exit::NonePlausible
    } else if unknown {
        Exit::Undecided
    } else {
        Exit::Found
    }
}
