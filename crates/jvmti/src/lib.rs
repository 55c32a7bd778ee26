//! Agents inside a JVM, behind a safe interface: all unsafe code of the project is in this crate.
//!
//! An agent is a value that sees every class before the JVM defines it ([`Agent::class_loading`]). A cdylib names
//! the function that makes it with [`agent_main!`]; the Java side of the agent is the class
//! `braid.runtime.Native`, whose native methods are bound here when the JVM is up.
//!
//! Nothing unwinds into the JVM: a panic in an agent leaves the class as it was and is told on standard error.

#![allow(unsafe_code, reason = "the one crate that talks to the JVM")]

mod hook;
mod natives;
mod start;
mod vm;

pub use start::{on_load, raw};

/// A class on its way into the JVM.
#[derive(Debug, Clone, Copy)]
pub struct ClassLoading<'a> {
    /// Its binary name (`a/b/C`), absent for a class defined without one.
    pub name: Option<&'a str>,
    /// The class file as loaded, or as an earlier agent left it.
    pub bytes: &'a [u8],
    /// Whether the boot loader or the platform loader defines it: a class of the JDK.
    pub by_jdk_loader: bool,
    /// Whether a loaded class is being redefined.
    pub redefined: bool,
}

/// What an agent does.
pub trait Agent: Send + Sync + 'static {
    /// Sees a class before it is defined, on any thread, and may give other bytes for it.
    ///
    /// The classes that the JVM loads before it is up are not shown.
    fn class_loading(&self, class: &ClassLoading<'_>) -> Option<Vec<u8>>;

    /// What the agent has to tell since the last call, one line each.
    fn notes(&self) -> Option<String> {
        None
    }
}

/// Exports the entry point of an agent library: `agent_main!(make)` with
/// `fn make(options: &str) -> Result<Box<dyn Agent>, String>`.
#[macro_export]
macro_rules! agent_main {
    ($make:path) => {
        /// The JVM calls this once, before it runs anything.
        ///
        /// # Safety
        /// Only a JVM may call this, with its own pointers.
        #[allow(unsafe_code, reason = "the entry point a JVM looks up by name")]
        #[unsafe(no_mangle)]
        pub unsafe extern "system" fn Agent_OnLoad(
            vm: *mut $crate::raw::JavaVM,
            options: *const ::std::ffi::c_char,
            _reserved: *mut ::std::ffi::c_void,
        ) -> i32 {
            // SAFETY: by this function's own contract.
            unsafe { $crate::on_load(vm, options, $make) }
        }
    };
}
