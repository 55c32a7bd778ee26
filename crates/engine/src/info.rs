//! `run.json`: what a run was asked to do, enough to continue it.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use braid_project::Project;
use braid_store::Key;
use serde::{Deserialize, Serialize};

use crate::{PatchRequest, ProjectRequest, SCHEMA_VERSION, Settings};

/// The record of a run's request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// The version of this form.
    pub schema_version: u32,
    /// The version of Braid.
    pub braid_version: String,
    /// When the run began, in seconds since 1970.
    pub started_unix_s: u64,
    /// The project's root.
    pub root: PathBuf,
    /// What builds it: `Maven`, `Gradle` and so on.
    pub kind: String,
    /// The JDK's version.
    pub jdk: String,
    /// How to find it again.
    pub project: ProjectRequest,
    /// Which patches; standard input is kept in the run folder.
    pub patches: PatchRequest,
    /// The settings.
    pub settings: Settings,
    /// The unpatched program's fingerprint.
    pub fingerprint: String,
    /// How many patches there are.
    pub total: u64,
}

impl RunInfo {
    pub(crate) fn new(
        project: &Project,
        request: &ProjectRequest,
        patches: &PatchRequest,
        settings: &Settings,
        fingerprint: &Key,
        total: u64,
    ) -> Self {
        let since_1970 = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let mut patches = patches.clone();
        for input in &mut patches.inputs {
            if input != Path::new("-") {
                *input = absolute(input);
            }
        }
        let mut request = request.clone();
        request.dir = absolute(&request.dir);
        Self {
            schema_version: SCHEMA_VERSION,
            braid_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_s: since_1970.as_secs(),
            root: project.root.clone(),
            kind: project.kind.to_string(),
            jdk: project.jdk.full_version.clone(),
            project: request,
            patches,
            settings: settings.clone(),
            fingerprint: fingerprint.hex(),
            total,
        }
    }
}
