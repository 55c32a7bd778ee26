//! Patches: read from every form users have them in, and applied to a source tree.

mod apply;
mod diff;
mod error;
mod hash;
mod java;
mod notes;
mod patch;
mod path;
mod read;
mod render;
mod tree;

pub use apply::{Applied, ApplyOptions, apply, apply_with};
pub use diff::Diff;
pub use error::{ApplyError, PatchReadError, ReadProblem};
pub use hash::content_hash;
pub use notes::ApplyNote;
pub use patch::{
    Change, FileState, Format, MethodSource, Occurrence, Origin, Patch, PatchId, Position, Region,
    RegionSite, SearchReplace, SourceFile, TextEdit,
};
pub use path::{PathError, RelPath};
pub use read::{Input, Patches, ReadOptions, read};
pub use tree::{DirTree, JavaIndex, MemTree, SourceTree};
