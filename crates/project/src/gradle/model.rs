//! What the init script writes down.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The format this code reads; the script writes the same number.
pub(super) const FORMAT: u32 = 1;

/// The whole build.
#[derive(Debug, Deserialize)]
pub(super) struct GradleModel {
    pub(super) format: u32,
    pub(super) gradle: String,
    pub(super) projects: Vec<GradleProject>,
}

/// One Java project.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GradleProject {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) dir: PathBuf,
    pub(super) build_dir: PathBuf,
    pub(super) build_file: PathBuf,
    /// The jar that other projects see this one as.
    pub(super) archive: Option<PathBuf>,
    pub(super) sources: Vec<PathBuf>,
    pub(super) resources: Vec<PathBuf>,
    pub(super) test_sources: Vec<PathBuf>,
    pub(super) test_resources: Vec<PathBuf>,
    /// The folders of classes and resources that go into the jar.
    pub(super) outputs: Vec<PathBuf>,
    pub(super) compile: Option<CompileTask>,
    pub(super) test_compile: Option<CompileTask>,
    pub(super) tests: Option<TestTask>,
}

/// How javac was called.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompileTask {
    pub(super) output: PathBuf,
    pub(super) classpath: Vec<PathBuf>,
    pub(super) encoding: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) release: Option<String>,
    pub(super) source: Option<String>,
    pub(super) target: Option<String>,
    pub(super) processor_path: Vec<PathBuf>,
    pub(super) excludes: Vec<String>,
}

/// How the tests would have run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestTask {
    pub(super) enabled: bool,
    pub(super) classpath: Vec<PathBuf>,
    pub(super) classes_dirs: Vec<PathBuf>,
    pub(super) includes: Vec<String>,
    pub(super) excludes: Vec<String>,
    pub(super) filter_includes: Vec<String>,
    pub(super) filter_excludes: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) excluded_groups: Vec<String>,
    /// The launcher.
    #[serde(default)]
    pub(super) java: Option<PathBuf>,
    pub(super) jvm_args: Vec<String>,
    pub(super) system_properties: BTreeMap<String, String>,
    pub(super) environment: BTreeMap<String, Option<String>>,
    pub(super) environment_removed: Vec<String>,
    pub(super) working_dir: PathBuf,
}
