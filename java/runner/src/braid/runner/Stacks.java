package braid.runner;

import java.util.Map;

/** Where threads are. */
final class Stacks {
    private static final int CAP = 64_000;

    private Stacks() {}

    /** All threads of the program, {@code first} before the others. */
    static String dump(Thread first) {
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        StringBuilder out = new StringBuilder();
        print(first, all.remove(first), out);
        for (Map.Entry<Thread, StackTraceElement[]> entry : all.entrySet()) {
            if (!entry.getKey().getName().startsWith("braid-") && out.length() < CAP) {
                print(entry.getKey(), entry.getValue(), out);
            }
        }
        return out.toString();
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
        int shown = frames == null ? 0 : Math.min(frames.length, 60);
        for (int i = 0; i < shown; i++) {
            out.append("\tat ").append(frames[i]).append('\n');
        }
    }
}
