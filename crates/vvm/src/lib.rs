//! A variational JVM: runs a Java program once for every combination of Boolean options.
//!
//! The VM interprets the bytecode of the program and of the JDK's own class library. A value that differs
//! between configurations is a *choice* over conditions; execution splits at a branch on such a value and comes
//! together again as early as possible. Without options it is an ordinary, fairly quick interpreter.
//!
//! | module | what it is about |
//! | --- | --- |
//! | [`value`], [`heap`] | slots, objects |
//! | [`code`] | methods in register form |
//! | [`class`] | loading, layout, resolution |
//! | `interp` | the loop, states of a frame, calls, exceptions, initialisation |
//! | `natives`, `indy` | what the JDK expects of a VM |
//!
//! The crate knows nothing of other JVMs or of processes.

mod boot;
mod boxing;
mod choice;
pub mod class;
pub mod code;
pub mod descriptor;
mod error;
mod exceptions;
mod files;
mod fuel;
mod gc;
pub mod heap;
mod indy;
mod interp;
pub mod junit;
mod natives;
mod options;
mod output;
mod program;
mod reset;
pub mod source;
mod strings;
mod symbol;
pub(crate) mod trace;
mod trap;
pub mod value;
pub mod vary;
mod vm;

/// The oldest JDK whose class library the VM was checked with.
pub const OLDEST_JDK: u32 = 17;
/// The newest JDK whose class library the VM was checked with.
pub const NEWEST_JDK: u32 = 25;

pub use boot::Config;
pub use error::{Result, VmError};
pub use options::WovenChoice;
pub use output::{Chunk, Stream, printed};
pub use program::End;
pub use reset::Checkpoint;
pub use vary::Vary;
pub use vm::{Counters, Limits, Vm};
