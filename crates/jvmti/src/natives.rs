//! The native methods of `braid.runtime.Native`, bound when the JVM is up.

use std::{
    ffi::{CStr, CString, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

use jvmti_bindings::sys::{
    jni::{self, JNIEnv, jboolean, jclass, jint, jobject, jobjectArray, jstring},
    jvmti,
};

use crate::start::started;
use crate::vm::is_platform_loader;

const CLASS: &CStr = c"braid/runtime/Native";

/// Binds the methods. A JVM without our runtime on its boot class path just has no natives.
///
/// # Safety
/// `env` must be the current thread's JNI environment.
pub(crate) unsafe fn bind(env: *mut JNIEnv) {
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
        native(
            c"open",
            c"(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/Class;)I",
            open as *mut c_void,
        ),
        native(
            c"initialised",
            c"(Ljava/lang/Class;)Z",
            initialised as *mut c_void,
        ),
        native(c"broken", c"()Ljava/lang/String;", broken as *mut c_void),
        native(c"notes", c"()Ljava/lang/String;", notes as *mut c_void),
    ];
    // SAFETY: by the caller `env` is this thread's; names and signatures are NUL-terminated and match
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

/// `static native int open(Class<?> inside, String packageName, Class<?> to)`: a JVMTI error number.
unsafe extern "system" fn open(
    env: *mut JNIEnv,
    _class: jclass,
    inside: jclass,
    package: jstring,
    to: jclass,
) -> jint {
    let Some((jvmti, functions)) = started().map(|s| s.jvmti()) else {
        return -1;
    };
    let Some(add_opens) = functions.AddModuleOpens else {
        return -1;
    };
    // SAFETY: `env` is this thread's JNI environment and all references are the caller's, not null; the
    // characters live until they are released; JNI 9 has `GetModule`, and `on_load` has asked for JVMTI 11.
    unsafe {
        let jni = &**env;
        let characters = (jni.GetStringUTFChars)(env, package, ptr::null_mut());
        if characters.is_null() {
            return -1;
        }
        let (module, to) = ((jni.GetModule)(env, inside), (jni.GetModule)(env, to));
        let error = add_opens(jvmti, module, characters, to);
        (jni.ReleaseStringUTFChars)(env, package, characters);
        error.raw()
    }
}

/// `static native boolean initialised(Class<?> type)`.
unsafe extern "system" fn initialised(_env: *mut JNIEnv, _class: jclass, of: jclass) -> jboolean {
    let Some((jvmti, functions)) = started().map(|s| s.jvmti()) else {
        return 0;
    };
    let Some(get) = functions.GetClassStatus else {
        return 0;
    };
    let mut status = 0;
    // SAFETY: a live environment, a live reference of the caller's and a place for the answer.
    let error = unsafe { get(jvmti, of, &mut status) };
    let known = error == jvmti::jvmtiError::NONE;
    jboolean::from(known && status & jvmti::JVMTI_CLASS_STATUS_INITIALIZED != 0)
}

/// `static native String broken()`.
unsafe extern "system" fn broken(env: *mut JNIEnv, _class: jclass) -> jstring {
    let Some((jvmti, functions)) = started().map(|s| s.jvmti()) else {
        return ptr::null_mut();
    };
    let (Some(loaded), Some(status_of), Some(loader_of), Some(signature_of), Some(give_back)) = (
        functions.GetLoadedClasses,
        functions.GetClassStatus,
        functions.GetClassLoader,
        functions.GetClassSignature,
        functions.Deallocate,
    ) else {
        return ptr::null_mut();
    };
    let (mut count, mut classes) = (0, ptr::null_mut());
    let mut found: jstring = ptr::null_mut();
    // SAFETY: live environments and places for the answers; what JVMTI hands out (an array of `count` references,
    // a NUL-terminated text) is used before it is given back, each reference once.
    unsafe {
        if loaded(jvmti, &mut count, &mut classes) != jvmti::jvmtiError::NONE {
            return ptr::null_mut();
        }
        for at in 0..usize::try_from(count).unwrap_or(0) {
            let class = *classes.add(at);
            let (mut status, mut loader, mut name) = (0, ptr::null_mut(), ptr::null_mut());
            if found.is_null()
                && status_of(jvmti, class, &mut status) == jvmti::jvmtiError::NONE
                && status & jvmti::JVMTI_CLASS_STATUS_ERROR != 0
                && loader_of(jvmti, class, &mut loader) == jvmti::jvmtiError::NONE
                && (loader.is_null() || is_platform_loader(env, loader))
                && signature_of(jvmti, class, &mut name, ptr::null_mut()) == jvmti::jvmtiError::NONE
            {
                found = ((**env).NewStringUTF)(env, name);
                give_back(jvmti, name.cast());
            }
            ((**env).DeleteLocalRef)(env, class);
        }
        give_back(jvmti, classes.cast());
    }
    found
}

/// `static native String notes()`.
unsafe extern "system" fn notes(env: *mut JNIEnv, _class: jclass) -> jstring {
    let text = started().and_then(|started| {
        catch_unwind(AssertUnwindSafe(|| started.agent.notes()))
            .ok()
            .flatten()
    });
    let Some(text) = text else {
        return ptr::null_mut();
    };
    // JNI wants its own kind of UTF-8; notes are for people, so other characters may go.
    let plain: Vec<u8> = text
        .chars()
        .map(|c| {
            if c.is_ascii() && c != '\0' {
                c as u8
            } else {
                b'?'
            }
        })
        .collect();
    let Ok(plain) = CString::new(plain) else {
        return ptr::null_mut();
    };
    // SAFETY: `env` is this thread's JNI environment; the text is NUL-terminated and copied.
    unsafe { ((**env).NewStringUTF)(env, plain.as_ptr()) }
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
