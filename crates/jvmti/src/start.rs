//! From `Agent_OnLoad` to a JVM that calls the agent.

use std::{
    ffi::{CStr, c_char, c_void},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::OnceLock,
};

use jvmti_bindings::sys::{jni, jvmti};

use crate::{Agent, hook, vm};

/// The raw types that the entry point's signature needs.
pub mod raw {
    pub use jvmti_bindings::sys::jni::JavaVM;
}

/// The environment of the one agent in this library.
pub(crate) struct Started {
    pub(crate) agent: Box<dyn Agent>,
    env: *mut jvmti::jvmtiEnv,
}

// SAFETY: a JVMTI environment may be used from any thread (JVMTI specification, "Environments"); the agent is
// `Send + Sync` by its trait.
unsafe impl Send for Started {}
// SAFETY: as above.
unsafe impl Sync for Started {}

static STARTED: OnceLock<Started> = OnceLock::new();

pub(crate) fn started() -> Option<&'static Started> {
    STARTED.get()
}

impl Started {
    /// The environment and its function table.
    pub(crate) fn jvmti(&self) -> (*mut jvmti::jvmtiEnv, &'static jvmti::jvmtiInterface_1_) {
        // SAFETY: `env` came from `GetEnv`; the table it points to lives as long as the JVM.
        (self.env, unsafe {
            &**self.env.cast::<*const jvmti::jvmtiInterface_1_>()
        })
    }
}

/// What `Agent_OnLoad` does: makes the agent from its options and asks the JVM for the events it needs.
/// Returns 0, or 1 after saying on standard error why the agent cannot start (the JVM then ends).
///
/// # Safety
/// Only for [`agent_main!`](crate::agent_main): `vm` and `options` must be what the JVM passes to `Agent_OnLoad`.
pub unsafe fn on_load(
    vm: *mut raw::JavaVM,
    options: *const c_char,
    make: fn(&str) -> Result<Box<dyn Agent>, String>,
) -> i32 {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let text = if options.is_null() {
            ""
        } else {
            // SAFETY: the JVM passes a NUL-terminated string that outlives the call.
            unsafe { CStr::from_ptr(options) }
                .to_str()
                .map_err(|_| "the options are not UTF-8".to_string())?
        };
        start(vm, make(text)?)
    }));
    match outcome {
        Ok(Ok(())) => 0,
        Ok(Err(reason)) => {
            eprintln!("braid agent: {reason}");
            1
        }
        Err(_) => {
            eprintln!("braid agent: internal error while starting");
            1
        }
    }
}

fn start(vm: *mut raw::JavaVM, agent: Box<dyn Agent>) -> Result<(), String> {
    let mut env: *mut c_void = ptr::null_mut();
    // SAFETY: `vm` is the JVM's own pointer, passed to `Agent_OnLoad`; `env` is a valid place for the answer.
    let status = unsafe { ((**vm).GetEnv)(vm, &mut env, jvmti::JVMTI_VERSION_11) };
    if status != 0 || env.is_null() {
        return Err(format!("this JVM offers no JVMTI 11 (status {status})"));
    }
    let started = Started {
        agent,
        env: env.cast(),
    };
    let (env, functions) = started.jvmti();
    if STARTED.set(started).is_err() {
        return Err("the agent is loaded twice".into());
    }

    let mut capabilities = jvmti::jvmtiCapabilities::default();
    capabilities.set_can_redefine_classes(true);
    capabilities.set_can_signal_thread(true);
    let add = functions
        .AddCapabilities
        .ok_or("AddCapabilities is missing")?;
    // SAFETY: `env` is a live environment in the OnLoad phase; the struct is valid for the call.
    checked("AddCapabilities", unsafe { add(env, &capabilities) })?;

    let mut callbacks = jvmti::jvmtiEventCallbacks::default();
    callbacks.VMInit = Some(vm::vm_init);
    callbacks.ClassFileLoadHook = Some(hook::class_file_load);
    let size = i32::try_from(mem::size_of_val(&callbacks)).map_err(|e| e.to_string())?;
    let set = functions
        .SetEventCallbacks
        .ok_or("SetEventCallbacks is missing")?;
    // SAFETY: the JVM copies the callbacks during the call; their signatures are JVMTI's.
    checked("SetEventCallbacks", unsafe { set(env, &callbacks, size) })?;
    // The class-load event is asked for when the JVM is up: for the hundreds of classes of the JDK before
    // that, the JVM would have to find their class files just to show them.
    enable(env, functions, jvmti::JVMTI_EVENT_VM_INIT)
}

/// Asks for an event on all threads.
pub(crate) fn enable(
    env: *mut jvmti::jvmtiEnv,
    functions: &jvmti::jvmtiInterface_1_,
    event: u32,
) -> Result<(), String> {
    let enable = functions
        .SetEventNotificationMode
        .ok_or("SetEventNotificationMode is missing")?;
    // SAFETY: a live environment; a null thread enables the event for all threads.
    checked("SetEventNotificationMode", unsafe {
        enable(
            env,
            jvmti::JVMTI_ENABLE,
            event,
            ptr::null_mut::<c_void>() as jni::jobject,
        )
    })
}

fn checked(what: &str, error: jvmti::jvmtiError) -> Result<(), String> {
    if error == jvmti::jvmtiError::NONE {
        Ok(())
    } else {
        Err(format!("{what} failed with {error:?}"))
    }
}
