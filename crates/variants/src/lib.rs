//! Patches: read from every form users have them in, and applied to a source tree.
//!
//! [`read`] turns files, folders and standard input into [`Patch`]es, one at a time, whatever their
//! format (the documentation of the module `read` lists them and defines the JSON forms). [`apply`]
//! says what a patch makes of the files of a [`SourceTree`]: new contents, compiled classes, notes
//! on everything that was guessed or forgiven, and a canonical diff.
//!
//! What this crate must not know: how anything is compiled or run, and which files are tests. It
//! never writes a file.
//!
//! Two rules hold everywhere. A patch that could mean two things is refused with both, because a
//! change at a wrong place would be judged as if it were right. And bytes that a patch does not
//! touch stay as they are, in whatever encoding and with whatever line endings.
//!
//! ```
//! use braid_variants::{Input, MemTree, ReadOptions, apply, read};
//!
//! let tree = MemTree::new([("src/main/java/x/A.java", "package x; class A { int f() { return 1; } }")])?;
//! let json = r#"{"id": "two", "method": {"class": "x.A", "signature": "f()", "source": "int f() { return 2; }"}}"#;
//! let input = Input::Bytes { name: "patches.jsonl".into(), data: json.into() };
//! for patch in read(&[input], &ReadOptions::default()) {
//!     let applied = apply(&patch?, &tree)?;
//!     assert!(applied.diff.contains("+package x; class A { int f() { return 2; } }"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
