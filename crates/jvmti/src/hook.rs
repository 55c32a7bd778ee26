//! The class-load event.

use std::{
    ffi::{CStr, c_char, c_uchar},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
};

use jvmti_bindings::sys::{
    jni::{JNIEnv, jclass, jint, jobject},
    jvmti::{self, jvmtiEnv},
};

use crate::{ClassLoading, start::started, vm};

/// JVMTI's `ClassFileLoadHook`.
#[allow(clippy::too_many_arguments, reason = "the signature is JVMTI's")]
pub(crate) unsafe extern "system" fn class_file_load(
    _jvmti: *mut jvmtiEnv,
    jni: *mut JNIEnv,
    class_being_redefined: jclass,
    loader: jobject,
    name: *const c_char,
    _protection_domain: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    let Some(started) = started() else { return };
    let Ok(length) = usize::try_from(length) else {
        return;
    };
    // SAFETY: the JVM gives `length` bytes at `data`, unchanged during the call.
    let bytes = unsafe { slice::from_raw_parts(data, length) };
    let name = if name.is_null() {
        None
    } else {
        // SAFETY: a NUL-terminated string of the JVM's, alive during the call.
        unsafe { CStr::from_ptr(name) }.to_str().ok()
    };
    let class = ClassLoading {
        name,
        bytes,
        by_jdk_loader: loader.is_null() || vm::is_platform_loader(jni, loader),
        redefined: !class_being_redefined.is_null(),
    };
    match catch_unwind(AssertUnwindSafe(|| started.agent.class_loading(&class))) {
        Ok(Some(replacement)) => {
            if let Some((at, count)) = hand_over(&replacement) {
                // SAFETY: both are valid places for the answer during the call.
                unsafe {
                    *new_data = at;
                    *new_length = count;
                }
            }
        }
        Ok(None) => {}
        Err(_) => eprintln!(
            "braid agent: internal error on class {}",
            name.unwrap_or("(no name)")
        ),
    }
}

/// Copies bytes into memory that the JVM will free. `None` if it has none to give.
fn hand_over(bytes: &[u8]) -> Option<(*mut c_uchar, jint)> {
    let count = jint::try_from(bytes.len()).ok()?;
    let (env, functions) = started()?.jvmti();
    let mut place: *mut c_uchar = ptr::null_mut();
    // SAFETY: a live environment; `place` receives the address of `count` bytes.
    let error = unsafe { functions.Allocate?(env, count.into(), &mut place) };
    if error != jvmti::jvmtiError::NONE || place.is_null() {
        return None;
    }
    // SAFETY: `place` has room for `bytes.len()` bytes and overlaps nothing of ours.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
    Some((place, count))
}
