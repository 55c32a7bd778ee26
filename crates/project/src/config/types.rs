//! The shape of `braid.toml`. The comments here become the descriptions in its JSON Schema.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Configuration of Braid for one project. Everything is optional: what is not said here is found
/// out from the project's own build.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[schemars(title = "braid.toml")]
pub struct Config {
    /// What the project consists of.
    pub project: ProjectConfig,
    /// How the project's own tool builds it.
    pub build: BuildConfig,
    /// Which tests there are and how they run.
    pub tests: TestsConfig,
    /// How Braid runs variants.
    pub run: RunConfig,
    /// What `braid mutate` mutates.
    pub mutate: MutateConfig,
    /// Overrides for single modules, by name.
    pub module: BTreeMap<String, ModuleConfig>,
    /// Named sets of settings, laid over the rest with `--profile NAME`.
    pub profile: BTreeMap<String, Profile>,
}

/// Settings that are laid over the rest when the profile is chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Profile {
    /// What the project consists of.
    pub project: ProjectConfig,
    /// How the project's own tool builds it.
    pub build: BuildConfig,
    /// Which tests there are and how they run.
    pub tests: TestsConfig,
    /// How Braid runs variants.
    pub run: RunConfig,
    /// What `braid mutate` mutates.
    pub mutate: MutateConfig,
    /// Overrides for single modules, by name.
    pub module: BTreeMap<String, ModuleConfig>,
}

/// What the project consists of. Paths are relative to the folder of `braid.toml`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ProjectConfig {
    /// What builds the project.
    pub kind: Option<KindChoice>,
    /// The home folder of the JDK to use.
    pub jdk: Option<PathBuf>,
    /// Only these modules, by name or folder.
    pub modules: Option<Vec<String>>,
    /// Source roots.
    pub sources: Option<Vec<PathBuf>>,
    /// Test source roots.
    pub test_sources: Option<Vec<PathBuf>>,
    /// Resource roots.
    pub resources: Option<Vec<PathBuf>>,
    /// Test resource roots.
    pub test_resources: Option<Vec<PathBuf>>,
    /// Class path for sources and tests; an entry may end in `*.jar`.
    pub classpath: Option<Vec<PathBuf>>,
    /// Class path for tests only, after `classpath`.
    pub test_classpath: Option<Vec<PathBuf>>,
    /// Encoding of the sources.
    pub encoding: Option<String>,
    /// Options for javac, for instance `["--release", "11"]`.
    pub javac_args: Option<Vec<String>>,
    /// Whether annotation processors run.
    pub annotation_processors: Option<bool>,
}

/// What builds a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KindChoice {
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// Braid itself, from folders and jars.
    Plain,
}

/// How the project's own tool builds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BuildConfig {
    /// The build tool to call instead of the wrapper or the installed one, with leading arguments.
    pub command: Option<Vec<String>>,
    /// More arguments for the build tool, for instance `["-Pfast"]`.
    pub args: Option<Vec<String>>,
    /// The Maven phases or Gradle tasks that build everything, for instance `["test"]`.
    pub goals: Option<Vec<String>>,
    /// Keep the build tool off the network.
    pub offline: Option<bool>,
    /// Do not build: use what was built before, unless it is stale.
    pub skip: Option<bool>,
    /// When to give up on the build, in seconds.
    pub timeout_s: Option<u64>,
}

/// Which tests there are and how they run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TestsConfig {
    /// Test classes to run, as Surefire patterns (`**/*Test.java`, `com.x.FooTest`, `%regex[...]`).
    pub include: Option<Vec<String>>,
    /// Test classes not to run.
    pub exclude: Option<Vec<String>>,
    /// Groups, tags or categories to run.
    pub groups: Option<String>,
    /// Groups, tags or categories not to run.
    pub exclude_groups: Option<String>,
    /// The home folder of the JVM that runs the tests, if it is not the JDK that compiles; it needs no compiler.
    pub java: Option<PathBuf>,
    /// Options of the JVM that runs the tests; they replace those of the build tool.
    pub jvm_args: Option<Vec<String>>,
    /// System properties, beside those of the build tool.
    pub system_properties: Option<BTreeMap<String, String>>,
    /// Environment variables, beside the inherited ones.
    pub env: Option<BTreeMap<String, String>>,
    /// The folder that tests run in.
    pub cwd: Option<PathBuf>,
}

/// How Braid runs variants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RunConfig {
    /// How many workers run at once; by default one for each core.
    #[schemars(range(min = 1))]
    pub jobs: Option<usize>,
    /// Heap of each worker JVM, in MiB.
    #[schemars(range(min = 16))]
    pub heap_mb: Option<u64>,
    /// A test may take this many times its time in the baseline.
    #[schemars(range(min = 1.0))]
    pub timeout_factor: Option<f64>,
    /// A test may take this much longer than that, in milliseconds.
    pub timeout_constant_ms: Option<u64>,
    /// What to do with tests that differ between the two baseline runs.
    pub flaky: Option<FlakyPolicy>,
    /// How variants are run.
    pub strategy: Option<StrategyChoice>,
    /// Run all tests, even after the first failure.
    pub full: Option<bool>,
    /// Accept patches that change test files.
    pub allow_test_edits: Option<bool>,
    /// The tests that a patch must make pass, instead of those that fail in the baseline.
    pub failing: Option<Vec<String>>,
    /// Where copies of the project are while a run lasts; by default in memory if there is plenty, otherwise in
    /// `.braid`.
    pub work_dir: Option<PathBuf>,
}

/// What `braid mutate` mutates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MutateConfig {
    /// Operators and sets of them, separated by commas: `default`, `strong,-math`.
    pub operators: Option<String>,
    /// Only classes that fit one of these globs.
    pub classes: Option<Vec<String>>,
    /// No classes that fit one of these globs.
    pub exclude_classes: Option<Vec<String>>,
    /// No methods that fit one of these globs: `toString`, `Foo#bar*`.
    pub exclude_methods: Option<Vec<String>>,
    /// The least share of mutants, in percent, that the tests must notice.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub min_score: Option<f64>,
    /// The most mutants that may survive.
    pub max_survived: Option<u64>,
    /// Mutants that are left alone.
    pub ignore: Option<Vec<IgnoreConfig>>,
}

/// Mutants that are left alone: those that fit everything that is said here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct IgnoreConfig {
    /// Globs of classes.
    pub classes: Option<Vec<String>>,
    /// Globs of methods.
    pub methods: Option<Vec<String>>,
    /// Operators and sets of them, separated by commas.
    pub operators: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// What to do with tests that differ between the two baseline runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlakyPolicy {
    /// Stop with an error.
    Fail,
    /// Leave them out.
    Skip,
    /// Run them again when they fail.
    Retry,
}

/// How variants are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyChoice {
    /// Braid chooses.
    Auto,
    /// A fresh copy, a fresh compiler and a fresh JVM for each variant.
    Plain,
}

/// Overrides for one module.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ModuleConfig {
    /// Source roots, relative to the folder of `braid.toml`.
    pub sources: Option<Vec<PathBuf>>,
    /// Test source roots.
    pub test_sources: Option<Vec<PathBuf>>,
    /// Resource roots.
    pub resources: Option<Vec<PathBuf>>,
    /// Test resource roots.
    pub test_resources: Option<Vec<PathBuf>>,
    /// More class path entries for sources and tests, after those that were found.
    pub classpath: Option<Vec<PathBuf>>,
    /// More class path entries for tests only.
    pub test_classpath: Option<Vec<PathBuf>>,
    /// Encoding of the sources.
    pub encoding: Option<String>,
    /// Options for javac.
    pub javac_args: Option<Vec<String>>,
    /// Whether annotation processors run.
    pub annotation_processors: Option<bool>,
    /// Whether the module's tests are left out.
    pub skip_tests: Option<bool>,
    /// Which tests there are and how they run.
    pub tests: TestsConfig,
}
