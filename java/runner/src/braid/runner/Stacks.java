package braid.runner;

import java.util.Map;

/** Where threads are, and how deep they can go. */
final class Stacks {
    private static final int CAP = 64_000;

    /** More than twice what a call of {@link #descend} needs when interpreted, and ten times what it needs at least. */
    private static final int CALL_BYTES = 256;

    private Stacks() {}

    /**
     * Whether the calling thread has a stack of about this size, which a JVM need not give. It is at least a tenth of
     * the size if this is true.
     */
    static boolean hold(long bytes) {
        try {
            return descend(bytes / CALL_BYTES) >= 0;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    private static long descend(long calls) {
        return calls == 0 ? 0 : descend(calls - 1) + 1;
    }

    /** All threads of the program, {@code first} before the others. */
    static String dump(Thread first) {
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        StringBuilder out = new StringBuilder();
        print(first, all.remove(first), out);
        for (Map.Entry<Thread, StackTraceElement[]> entry : all.entrySet()) {
            if (!isOurs(entry.getKey()) && out.length() < CAP) {
                print(entry.getKey(), entry.getValue(), out);
            }
        }
        return out.toString();
    }

    /** Whether a thread belongs to the JVM or the runner. */
    private static boolean isOurs(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return thread.getName().startsWith("braid-")
                || group == null
                || group.getName().equals("system")
                || group.getName().equals("InnocuousThreadGroup");
    }

    /** The thread that has called {@code System.exit}; empty if there is none. */
    static String exitCaller() {
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            for (StackTraceElement frame : entry.getValue()) {
                if (frame.getClassName().equals("java.lang.Runtime")
                        && frame.getMethodName().equals("exit")) {
                    StringBuilder out = new StringBuilder();
                    print(entry.getKey(), entry.getValue(), out);
                    return out.toString();
                }
            }
        }
        return "";
    }

    private static void print(Thread thread, StackTraceElement[] frames, StringBuilder out) {
        out.append('"').append(thread.getName()).append("\" ").append(thread.getState()).append('\n');
        if (frames != null) {
            Throwables.frames(frames, out);
        }
    }
}
