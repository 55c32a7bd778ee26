//! The editable code model and the writer.

mod code;
mod decode;
mod editor;
mod import;
mod insn;
mod layout;
mod members;
mod pool;
mod read;
mod write;

pub use code::{Code, CodeTarget, CodeTypeAnnotation, Line, LocalVar, TryRange};
pub use editor::{Editor, Frames, ReadParts, Workspace};
pub use import::Importer;
pub use insn::{Cases, Insn, Label, Switch};
pub use members::new_class;
pub use pool::PoolBuilder;
