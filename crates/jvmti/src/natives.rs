//! The native methods of `braid.runtime.Native`, bound when the JVM is up.

use std::{
    ffi::{CStr, c_void},
    ptr,
};

use jvmti_bindings::sys::{
    jni::{self, JNIEnv, jclass, jint, jobject, jobjectArray},
    jvmti::{self, jvmtiEnv},
};

use crate::start::started;

const CLASS: &CStr = c"braid/runtime/Native";

/// JVMTI's `VMInit`. A JVM without our runtime on its boot class path just has no natives.
pub(crate) unsafe extern "system" fn vm_init(
    _jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _thread: jobject,
) {
    let methods = [
        native(
            c"stop",
            c"(Ljava/lang/Thread;Ljava/lang/Throwable;)I",
            stop as *mut c_void,
        ),
        native(
            c"redefine",
            c"([Ljava/lang/Class;[[B)I",
            redefine as *mut c_void,
        ),
    ];
    // SAFETY: `env` is this thread's JNI environment; names and signatures are NUL-terminated and match
    // the Java declarations; the function pointers have the JNI calling convention.
    unsafe {
        let functions = &**env;
        let class = (functions.FindClass)(env, CLASS.as_ptr());
        if class.is_null() {
            (functions.ExceptionClear)(env);
            return;
        }
        (functions.RegisterNatives)(env, class, methods.as_ptr(), methods.len() as jint);
        (functions.ExceptionClear)(env);
    }
}

fn native(name: &'static CStr, signature: &'static CStr, at: *mut c_void) -> jni::JNINativeMethod {
    jni::JNINativeMethod {
        name: name.as_ptr(),
        signature: signature.as_ptr(),
        fnPtr: at,
    }
}

/// `static native int stop(Thread thread, Throwable why)`: a JVMTI error number, 0 on success.
unsafe extern "system" fn stop(
    _env: *mut JNIEnv,
    _class: jclass,
    thread: jobject,
    why: jobject,
) -> jint {
    let Some((env, functions)) = started().map(|s| s.jvmti()) else {
        return -1;
    };
    let Some(stop_thread) = functions.StopThread else {
        return -1;
    };
    // SAFETY: a live environment and two local references of the caller's.
    unsafe { stop_thread(env, thread, why) }.raw()
}

/// `static native int redefine(Class<?>[] classes, byte[][] bytes)`: a JVMTI error number, 0 on success.
unsafe extern "system" fn redefine(
    env: *mut JNIEnv,
    _class: jclass,
    classes: jobjectArray,
    contents: jobjectArray,
) -> jint {
    let Some((jvmti, functions)) = started().map(|s| s.jvmti()) else {
        return -1;
    };
    let Some(redefine_classes) = functions.RedefineClasses else {
        return -1;
    };
    // SAFETY: `env` is this thread's JNI environment and both arrays are live local references; the Java
    // side has checked that they are of the same length and hold no nulls.
    let (held, definitions) = unsafe { definitions(env, classes, contents) };
    // SAFETY: the definitions point into `held`, which lives until the call has returned.
    let error = unsafe { redefine_classes(jvmti, definitions.len() as jint, definitions.as_ptr()) };
    drop(held);
    error.raw()
}

/// Copies the class files out of the Java arrays.
///
/// # Safety
/// `env` must be the current thread's environment, the arrays live, of one length, without nulls.
unsafe fn definitions(
    env: *mut JNIEnv,
    classes: jobjectArray,
    contents: jobjectArray,
) -> (Vec<Vec<u8>>, Vec<jvmti::jvmtiClassDefinition>) {
    let mut held: Vec<Vec<u8>> = Vec::new();
    let mut definitions = Vec::new();
    // SAFETY: the caller's promise covers every call here.
    unsafe {
        let functions = &**env;
        for i in 0..(functions.GetArrayLength)(env, contents) {
            let array = (functions.GetObjectArrayElement)(env, contents, i);
            let length = (functions.GetArrayLength)(env, array);
            let mut bytes = vec![0u8; usize::try_from(length).unwrap_or(0)];
            (functions.GetByteArrayRegion)(env, array, 0, length, bytes.as_mut_ptr().cast());
            definitions.push(jvmti::jvmtiClassDefinition {
                klass: (functions.GetObjectArrayElement)(env, classes, i),
                class_byte_count: length,
                class_bytes: if bytes.is_empty() {
                    ptr::null()
                } else {
                    bytes.as_ptr()
                },
            });
            held.push(bytes);
        }
    }
    (held, definitions)
}
