//! Results that outlive a process: a database of results by content key, and one folder a run.
//!
//! Two things are kept apart on purpose. The [`Cache`] answers "has this been judged before?"; losing it
//! costs time only, so every trouble with it is a warning. A [`Run`] folder is the record of one run;
//! trouble with it is an error, because a verdict that was not written down would be judged again.
//!
//! This crate knows nothing of patches, verdicts or Java: it stores any serde value.

mod cache;
mod error;
mod key;
mod lines;
mod names;
mod run;
mod runs;

pub use cache::{Cache, CacheOpened};
pub use error::StoreError;
pub use key::{Key, KeyBuilder, hash_file};
pub use lines::{LineIndex, read_lines};
pub use names::file_stem;
pub use run::Run;
pub use runs::{RunState, Runs};
