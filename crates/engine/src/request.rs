//! What the caller asks for, and the settings that come of it and of `braid.toml`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use braid_project::{ProjectOptions, RunConfig};
use serde::{Deserialize, Serialize};

use crate::Stop;

/// Everything `validate` needs to know.
#[derive(Clone, Debug)]
pub struct ValidateRequest {
    /// Where the project is and how to build it.
    pub project: ProjectRequest,
    /// What to do with which patches.
    pub work: Work,
    /// What the caller sets; the rest comes from `braid.toml` or the defaults.
    pub options: RunOptions,
    /// Neither ask nor fill the store.
    pub no_cache: bool,
    /// Set by the caller to end the run early.
    pub stop: Stop,
}

/// What to do with which patches.
#[derive(Clone, Debug)]
pub enum Work {
    /// A new run over these patches.
    Start(PatchRequest),
    /// An earlier run, to its end; the last one where no number is given.
    Resume(Option<u32>),
}

/// Which patches to judge.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PatchRequest {
    /// Files and folders; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// Judge only patches whose id fits one of these globs.
    #[serde(default)]
    pub only: Vec<String>,
    /// Judge only this many.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// Where the project is and how to build it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectRequest {
    /// A folder inside the project.
    pub dir: PathBuf,
    /// The JDK to use.
    pub jdk: Option<PathBuf>,
    /// The JVM that runs tests, if it is another one.
    pub java: Option<PathBuf>,
    /// The profile of `braid.toml`.
    pub profile: Option<String>,
    /// Another file than `braid.toml`.
    pub config: Option<PathBuf>,
    /// Explicit source roots.
    pub sources: Vec<PathBuf>,
    /// Explicit test roots.
    pub tests: Vec<PathBuf>,
    /// Explicit class path.
    pub classpath: Vec<PathBuf>,
    /// Only these modules.
    pub modules: Vec<String>,
    /// Use what was built before.
    pub no_build: bool,
    /// Keep the build tool off the network.
    pub offline: bool,
}

impl ProjectRequest {
    /// The same in the words of the project crate.
    pub fn options(&self) -> ProjectOptions {
        ProjectOptions {
            jdk: self.jdk.clone(),
            java: self.java.clone(),
            profile: self.profile.clone(),
            config: self.config.clone(),
            sources: self.sources.clone(),
            tests: self.tests.clone(),
            classpath: self.classpath.clone(),
            modules: self.modules.clone(),
            no_build: self.no_build,
            offline: self.offline,
            ..ProjectOptions::default()
        }
    }
}

/// Settings of one run as far as the caller gives them.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Workers at once.
    pub jobs: Option<usize>,
    /// Heap of a worker JVM.
    pub heap_mb: Option<u64>,
    /// How long a test may take.
    pub timeout: Option<TimeoutRule>,
    /// What to do with unsteady tests.
    pub flaky: Option<FlakyPolicy>,
    /// How patches are judged.
    pub strategy: Option<StrategyKind>,
    /// What the strategy does without.
    pub without: Vec<Technique>,
    /// Run all tests, even after a failure.
    pub full: Option<bool>,
    /// Accept patches that change tests.
    pub allow_test_edits: Option<bool>,
    /// The tests that have to pass, in place of those that fail in the baseline.
    pub failing: Vec<String>,
    /// Run only tests that fit one of these globs.
    pub only_tests: Vec<String>,
}

/// The settings of one run, complete. All of it but `jobs` can change a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Workers at once.
    pub jobs: usize,
    /// Heap of a worker JVM.
    pub heap_mb: u64,
    /// How long a test may take.
    pub timeout: TimeoutRule,
    /// What to do with unsteady tests.
    pub flaky: FlakyPolicy,
    /// How patches are judged.
    pub strategy: StrategyKind,
    /// What the strategy does without.
    #[serde(default)]
    pub without: Vec<Technique>,
    /// Run all tests, even after a failure.
    pub full: bool,
    /// Accept patches that change tests.
    pub allow_test_edits: bool,
    /// The tests that have to pass; empty for those that fail in the baseline.
    pub failing: Vec<String>,
    /// Run only tests that fit one of these globs; empty for all.
    pub only_tests: Vec<String>,
}

/// The heap of a worker JVM unless said otherwise.
const DEFAULT_HEAP_MB: u64 = 1024;

impl Settings {
    /// Whether the strategy uses a technique.
    pub fn uses(&self, technique: Technique) -> bool {
        !self.without.contains(&technique)
    }

    /// What the caller sets, else what `braid.toml` says, else the defaults.
    pub fn resolve(options: &RunOptions, config: &RunConfig) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let configured_timeout = TimeoutRule {
            factor: config.timeout_factor.unwrap_or(TimeoutRule::DEFAULT.factor),
            constant_ms: config
                .timeout_constant_ms
                .unwrap_or(TimeoutRule::DEFAULT.constant_ms),
        };
        let failing = if options.failing.is_empty() {
            config.failing.clone().unwrap_or_default()
        } else {
            options.failing.clone()
        };
        Self {
            jobs: options.jobs.or(config.jobs).unwrap_or(cores).max(1),
            heap_mb: options
                .heap_mb
                .or(config.heap_mb)
                .unwrap_or(DEFAULT_HEAP_MB),
            timeout: options.timeout.unwrap_or(configured_timeout),
            flaky: options
                .flaky
                .or(config.flaky.map(Into::into))
                .unwrap_or_default(),
            strategy: options.strategy.unwrap_or_default(),
            without: options.without.clone(),
            full: options.full.or(config.full).unwrap_or(false),
            allow_test_edits: options
                .allow_test_edits
                .or(config.allow_test_edits)
                .unwrap_or(false),
            failing,
            only_tests: options.only_tests.clone(),
        }
    }
}

/// How patches are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StrategyKind {
    /// A private copy, a fresh compiler and a fresh JVM for each patch.
    Plain,
    /// Classes replaced in warm JVMs, patch by patch.
    Hotswap,
    /// All patches woven into one program, run in warm JVMs.
    #[default]
    Woven,
}

impl StrategyKind {
    /// Every strategy there is.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Hotswap, Self::Woven];

    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Hotswap => "hotswap",
            Self::Woven => "woven",
        }
    }
}

/// Something that makes warm strategies fast or sure, and that they can do without, so that its share can be
/// measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Technique {
    /// Compiling all patches of a module together.
    Bulk,
    /// Running only the tests that reach what a patch changes.
    Coverage,
    /// Judging patches that come out as the same code once.
    Sharing,
    /// Running the unpatched program now and then to see that a warm JVM is still as new.
    Canary,
    /// Confirming plausible patches without weaving.
    Confirm,
    /// Confirming many of them in one JVM, each in a loader of its own.
    Grouping,
    /// Calling simple tests without their framework in warm JVMs.
    Direct,
    /// Running tests that no patch reaches once only, in a warm JVM.
    Once,
    /// Not confirming patches with long tests that cannot notice them.
    Scouting,
}

impl fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What to do with tests whose outcome is not steady.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlakyPolicy {
    /// Refuse to start where the two runs of the baseline differ.
    Fail,
    /// Leave out tests that differ between the two runs of the baseline.
    #[default]
    Skip,
    /// Leave nothing out; run every failing test again in a fresh JVM before believing it.
    Retry,
}

impl From<braid_project::FlakyPolicy> for FlakyPolicy {
    fn from(policy: braid_project::FlakyPolicy) -> Self {
        match policy {
            braid_project::FlakyPolicy::Fail => Self::Fail,
            braid_project::FlakyPolicy::Skip => Self::Skip,
            braid_project::FlakyPolicy::Retry => Self::Retry,
        }
    }
}

/// How long a test may take: a multiple of its time in the baseline plus a constant. Written `10x+5s`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeoutRule {
    /// The multiple.
    pub factor: f64,
    /// The constant, which also covers class loading and a busy machine.
    pub constant_ms: u64,
}

impl TimeoutRule {
    /// Generous, because a wrong verdict is worse than a slow one.
    pub const DEFAULT: Self = Self {
        factor: 10.0,
        constant_ms: 5_000,
    };

    /// The limit of a test that takes `baseline` on the unpatched program.
    pub fn limit(&self, baseline: Duration) -> Duration {
        let limit_ms = baseline.as_secs_f64() * 1_000.0 * self.factor + self.constant_ms as f64;
        Duration::from_millis(limit_ms.min(86_400_000.0) as u64)
    }
}

impl fmt::Display for TimeoutRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x+{}ms", self.factor, self.constant_ms)
    }
}

impl FromStr for TimeoutRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a time limit; write for instance `10x+5s`, `30s` or `4x+500ms`"
            )
        };
        let mut rule = Self {
            factor: 0.0,
            constant_ms: 0,
        };
        for part in text.split('+').map(str::trim) {
            if let Some(factor) = part.strip_suffix('x') {
                rule.factor = factor.parse().map_err(|_| wrong())?;
            } else {
                rule.constant_ms = parse_ms(part).ok_or_else(wrong)?;
            }
        }
        let usable = rule.factor.is_finite()
            && rule.factor >= 0.0
            && (rule.factor >= 1.0 || rule.constant_ms > 0);
        if usable { Ok(rule) } else { Err(wrong()) }
    }
}

/// `500ms`, `5s`, `2m`, or seconds as a bare number.
fn parse_ms(text: &str) -> Option<u64> {
    let (number, unit_ms) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1.0)
    } else if let Some(number) = text.strip_suffix('s') {
        (number, 1_000.0)
    } else if let Some(number) = text.strip_suffix('m') {
        (number, 60_000.0)
    } else {
        (text, 1_000.0)
    };
    let value: f64 = number.trim().parse().ok()?;
    let ms = value * unit_ms;
    (ms.is_finite() && (0.0..=86_400_000.0).contains(&ms)).then_some(ms as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limits_are_read_in_several_forms() {
        let rule = |text: &str| text.parse::<TimeoutRule>();
        assert_eq!(
            rule("10x+5s"),
            Ok(TimeoutRule {
                factor: 10.0,
                constant_ms: 5_000
            })
        );
        assert_eq!(
            rule("500ms + 1.5x"),
            Ok(TimeoutRule {
                factor: 1.5,
                constant_ms: 500
            })
        );
        assert_eq!(
            rule("2m"),
            Ok(TimeoutRule {
                factor: 0.0,
                constant_ms: 120_000
            })
        );
        assert_eq!(
            rule("30"),
            Ok(TimeoutRule {
                factor: 0.0,
                constant_ms: 30_000
            })
        );
        for wrong in [
            "", "x", "-1s", "0.5x", "nanx", "10y", "0s", "infx", "1e300s",
        ] {
            assert!(rule(wrong).unwrap_err().contains("10x+5s"), "{wrong}");
        }
        let default = TimeoutRule::DEFAULT;
        assert_eq!(rule(&default.to_string()), Ok(default));
    }

    #[test]
    fn a_limit_is_a_multiple_plus_a_constant() {
        let rule = TimeoutRule {
            factor: 10.0,
            constant_ms: 5_000,
        };
        assert_eq!(
            rule.limit(Duration::from_millis(200)),
            Duration::from_secs(7)
        );
        let huge = TimeoutRule {
            factor: 1e30,
            constant_ms: 0,
        };
        assert_eq!(
            huge.limit(Duration::from_secs(1)),
            Duration::from_secs(86_400)
        );
    }

    #[test]
    fn the_caller_wins_over_the_file_and_the_file_over_the_defaults() {
        let config = RunConfig {
            jobs: Some(3),
            heap_mb: Some(64),
            timeout_factor: Some(2.0),
            flaky: Some(braid_project::FlakyPolicy::Retry),
            ..RunConfig::default()
        };
        let options = RunOptions {
            jobs: Some(7),
            ..RunOptions::default()
        };
        let settings = Settings::resolve(&options, &config);
        assert_eq!((settings.jobs, settings.heap_mb), (7, 64));
        assert_eq!(
            settings.timeout,
            TimeoutRule {
                factor: 2.0,
                constant_ms: 5_000
            }
        );
        assert_eq!(settings.flaky, FlakyPolicy::Retry);
        assert!(!settings.full);
    }
}
