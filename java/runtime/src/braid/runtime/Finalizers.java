package braid.runtime;

import java.lang.ref.Reference;
import java.lang.reflect.Field;

/** Whether the collector could make a finalizer of the program run. */
final class Finalizers {
    private static final Field FIRST = Internals.field("java.lang.ref.Finalizer", "unfinalized");
    private static final Field NEXT = Internals.field("java.lang.ref.Finalizer", "next");
    private static final Field LOCK = Internals.field("java.lang.ref.Finalizer", "lock");
    private static final String THREAD = "java.lang.ref.Finalizer$FinalizerThread";

    private Finalizers() {}

    static boolean mayRun() {
        Object lock = Internals.get(LOCK, null);
        if (FIRST == null || NEXT == null || lock == null) {
            return true;
        }
        synchronized (lock) {
            Object at = Internals.get(FIRST, null);
            while (at != null) {
                Object object = ((Reference<?>) at).get();
                if (object != null && object.getClass().getClassLoader() != null) {
                    return true;
                }
                at = Internals.get(NEXT, at);
            }
        }
        return isRunning();
    }

    /** Whether one runs right now. */
    private static boolean isRunning() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        Thread[] threads = new Thread[group.activeCount() + 32];
        int count = group.enumerate(threads, true);
        for (int i = 0; i < count; i++) {
            if (threads[i].getClass().getName().equals(THREAD) && !isIdle(threads[i])) {
                return true;
            }
        }
        return count == threads.length;
    }

    private static boolean isIdle(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            String type = frame.getClassName();
            if (!type.startsWith("java.") && !type.startsWith("jdk.")) {
                return false;
            }
        }
        return true;
    }
}
