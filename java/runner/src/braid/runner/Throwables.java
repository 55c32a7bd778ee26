package braid.runner;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Texts about exceptions. Exceptions of tests are code of the project: their methods may throw, be
 * slow or return anything.
 */
final class Throwables {
    private static final int MESSAGE_CAP = 4_000;
    private static final int TRACE_CAP = 16_000;
    private static final int FRAMES_FIRST = 40;
    private static final int FRAMES_LAST = 10;
    private static final int CAUSES = 8;

    private static final String[] FRAMEWORK = {
        "org.junit.", "junit.", "org.testng.", "org.opentest4j.", "braid.runner."
    };
    private static final String[] JDK = {"java.", "jdk.", "sun.", "javax."};

    private Throwables() {}

    /** Whether an assertion has failed, as against any other error. */
    static boolean isAssertion(Throwable thrown) {
        for (Class<?> c = thrown.getClass(); c != null; c = c.getSuperclass()) {
            // The second is no AssertionError in JUnit 3.
            if (c == AssertionError.class
                    || c.getName().equals("junit.framework.AssertionFailedError")) {
                return true;
            }
        }
        return false;
    }

    /** The message, cut if it is long; null if there is none. */
    static String message(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null ? null : cut(message);
        } catch (Throwable e) {
            return "(getMessage() threw " + e.getClass().getName() + ")";
        }
    }

    static String cut(String text) {
        return cut(text, MESSAGE_CAP);
    }

    private static String cut(String text, int cap) {
        return text.length() <= cap ? text : text.substring(0, cap) + "...";
    }

    /** Class and message, with the causes. */
    static String summary(Throwable thrown) {
        StringBuilder out = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable t = thrown; t != null && seen.add(t) && seen.size() <= CAUSES; t = cause(t)) {
            out.append(seen.size() > 1 ? "; caused by " : "").append(head(t));
        }
        return out.toString();
    }

    /** The stack trace with causes, without frames of frameworks, cut if it is long. */
    static String trace(Throwable thrown) {
        StringBuilder out = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable t = thrown; t != null && seen.add(t) && seen.size() <= CAUSES; t = cause(t)) {
            out.append(seen.size() > 1 ? "Caused by: " : "").append(head(t)).append('\n');
            frames(t, out);
        }
        return cut(out.toString(), TRACE_CAP);
    }

    private static String head(Throwable t) {
        String message = message(t);
        return message == null ? t.getClass().getName() : t.getClass().getName() + ": " + message;
    }

    private static Throwable cause(Throwable t) {
        try {
            return t.getCause();
        } catch (Throwable e) {
            return null;
        }
    }

    private static void frames(Throwable t, StringBuilder out) {
        StackTraceElement[] frames;
        try {
            frames = t.getStackTrace();
        } catch (Throwable e) {
            return;
        }
        frames(frames, out);
    }

    /**
     * The frames that the program would have without weaving: not those of our runtime, and one instead of two for a
     * method with alternatives, which is called first and calls its alternative.
     */
    private static StackTraceElement[] asWritten(StackTraceElement[] frames) {
        List<StackTraceElement> written = new ArrayList<>(frames.length);
        StackTraceElement last = null;
        for (StackTraceElement frame : frames) {
            boolean chooses = last != null && frame.getLineNumber() < 0 && isSame(last, frame);
            last = null;
            if (chooses || frame.getClassName().startsWith("braid.runtime.")) {
                continue;
            }
            String method = frame.getMethodName();
            int mark = method.indexOf("$braid$");
            if (mark > 0) {
                String name = method.substring(0, mark);
                last = new StackTraceElement(frame.getClassName(), name, frame.getFileName(), frame.getLineNumber());
            }
            written.add(last == null ? frame : last);
        }
        return written.toArray(new StackTraceElement[0]);
    }

    private static boolean isSame(StackTraceElement a, StackTraceElement b) {
        return a.getClassName().equals(b.getClassName()) && a.getMethodName().equals(b.getMethodName());
    }

    /** Frames, one on each line, without those of frameworks and those that lead to them. */
    static void frames(StackTraceElement[] found, StringBuilder out) {
        StackTraceElement[] frames = asWritten(found);
        int end = frames.length;
        while (end > 0 && (startsWith(frames[end - 1], FRAMEWORK) || startsWith(frames[end - 1], JDK))) {
            end--;
        }
        if (end == 0) {
            end = frames.length;
        }
        for (int i = 0; i < end; i++) {
            if (i == FRAMES_FIRST && end > FRAMES_FIRST + FRAMES_LAST) {
                i = end - FRAMES_LAST;
                out.append("\t... ").append(i - FRAMES_FIRST).append(" more\n");
            }
            if (!startsWith(frames[i], FRAMEWORK)) {
                out.append("\tat ").append(frames[i]).append('\n');
            }
        }
    }

    private static boolean startsWith(StackTraceElement frame, String[] prefixes) {
        for (String prefix : prefixes) {
            if (frame.getClassName().startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
