//! The façade of Braid: plain data in, verdicts out.
//!
//! [`validate`] takes a project and patches and gives each patch a [`Verdict`] with its evidence. It finds and
//! builds the project, records a baseline, hands the patches to a strategy on several worker slots,
//! writes everything into a run folder as it goes, and answers from the store what is known already.
//!
//! This crate knows nothing of terminals, report formats or command lines.

mod backlog;
mod baseline;
mod change;
mod dispatch;
mod early;
mod effect;
mod error;
mod expect;
mod fingerprint;
mod history;
mod idle;
mod info;
mod inputs;
mod jvms;
pub mod mutate;
mod plan;
mod prepare;
mod progress;
mod record;
mod recorder;
mod relief;
mod request;
mod scratch;
mod select;
mod setup;
mod starvation;
mod stop;
mod strategy;
mod summary;
mod survey;
pub mod text;
mod trial;
#[cfg(test)]
mod trial_tests;
mod validate;
pub mod vary;
mod verdict;
mod workspace;

pub use braid_store::RunState;
pub use braid_vvm::VmError;
pub use error::EngineError;
pub use history::{History, RunOverview, RunReport, Shown};
pub use info::RunInfo;
pub use progress::{Event, Progress, Silent};
pub use request::{
    FlakyPolicy, PatchRequest, ProjectRequest, RunOptions, Settings, StrategyKind, Technique,
    TimeoutRule, ValidateRequest, Work,
};
pub use stop::Stop;
pub use summary::{BaselineReport, NamedReason, Summary, Tally};
pub use validate::validate;
pub use verdict::{
    CrashReport, Decided, Evidence, LimitHit, PatchOrigin, SCHEMA_VERSION, Source,
    SourceDiagnostic, TestCounts, TestFailure, TickLimit, Timings, Verdict, VerdictKind,
};

/// Looking at projects without running anything.
pub mod project {
    pub use braid_project::{Finding, Severity, doctor, init, schema};
}
