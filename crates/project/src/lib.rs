//! Finds, builds and describes the user's Java project.
//!
//! [`discover`] finds the root of a Maven, Gradle or plain project from any folder inside it,
//! builds it once in its own tool and reads from that build what Braid needs to compile and test
//! by itself afterwards: roots, outputs, class paths, compiler options, and how the build tool
//! would have run the tests. `braid.toml` overrides whatever was found.
//!
//! The user's tree is never written to, except for `.braid/` and what the build tool itself
//! writes. This crate knows nothing of patches, verdicts or test frameworks' inner workings.

mod config;
mod discover;
mod doctor;
mod error;
mod filter;
mod frameworks;
mod freshness;
mod gradle;
mod jars;
mod jdk;
mod layout;
mod locate;
mod maven;
mod model;
mod options;
mod overrides;
mod plain;
mod reading;
mod snapshot;
mod state;
mod words;

pub use config::{
    BuildConfig, CONFIG_FILE, Config, FlakyPolicy, IgnoreConfig, KindChoice, ModuleConfig,
    MutateConfig, Profile, ProjectConfig, RunConfig, StrategyChoice, TestsConfig, init, schema,
};
pub use discover::{compiler_of, discover};
pub use doctor::{Finding, Severity, doctor};
pub use error::{BuildDiagnostic, ConfigError, ProjectError};
pub use filter::TestFilter;
pub use frameworks::{TestFramework, test_frameworks};
pub use jdk::Jdk;
pub use model::{Module, Project, ProjectKind};
pub use options::{ProgressSink, ProjectOptions};
