//! The moment when the JVM is up: natives are bound, the platform loader is known, class loads are shown.

use std::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use jvmti_bindings::sys::{
    jni::{JNIEnv, jobject},
    jvmti::{self, jvmtiEnv},
};

use crate::{
    natives,
    start::{enable, started},
};

/// A global reference to the platform class loader, once it is known.
static PLATFORM: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// JVMTI's `VMInit`.
pub(crate) unsafe extern "system" fn vm_init(
    _jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _thread: jobject,
) {
    // SAFETY: `env` is this thread's JNI environment.
    unsafe {
        natives::bind(env);
        PLATFORM.store(platform_loader(env).cast(), Ordering::Release);
    }
    let Some((env, functions)) = started().map(|s| s.jvmti()) else {
        return;
    };
    if let Err(reason) = enable(env, functions, jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK) {
        eprintln!("braid agent: {reason}");
    }
}

/// A global reference to `ClassLoader.getPlatformClassLoader()`; null if there is none.
///
/// # Safety
/// `env` must be the current thread's JNI environment.
unsafe fn platform_loader(env: *mut JNIEnv) -> jobject {
    // SAFETY: by the caller `env` is this thread's; names are NUL-terminated; each result is looked at
    // before it is used.
    unsafe {
        let functions = &**env;
        let class = (functions.FindClass)(env, c"java/lang/ClassLoader".as_ptr());
        if class.is_null() {
            (functions.ExceptionClear)(env);
            return ptr::null_mut();
        }
        let method = (functions.GetStaticMethodID)(
            env,
            class,
            c"getPlatformClassLoader".as_ptr(),
            c"()Ljava/lang/ClassLoader;".as_ptr(),
        );
        if method.is_null() {
            (functions.ExceptionClear)(env);
            return ptr::null_mut();
        }
        let loader = (functions.CallStaticObjectMethodA)(env, class, method, ptr::null());
        (functions.ExceptionClear)(env);
        if loader.is_null() {
            return ptr::null_mut();
        }
        (functions.NewGlobalRef)(env, loader)
    }
}

/// Whether a loader is the platform class loader.
pub(crate) fn is_platform_loader(env: *mut JNIEnv, loader: jobject) -> bool {
    let platform: jobject = PLATFORM.load(Ordering::Acquire).cast();
    if platform.is_null() || env.is_null() {
        return false;
    }
    // SAFETY: the JVM calls the hook with this thread's environment and a live reference; ours is global.
    unsafe { ((**env).IsSameObject)(env, platform, loader) != 0 }
}
