package braid.runner;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.HashSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;

/**
 * The state of the JVM that all programs in it share, to find out whether one has changed it. Properties of their own
 * are taken away again.
 */
final class Traces {
    /** What begins so is for the JDK, which may have read it once and for all. */
    private static final String[] OF_JDK = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "user.", "file.", "os.", "line.", "path.", "native.",
        "stdout.", "stderr.", "stdin.", "http.", "https.", "ftp.", "socks", "networkaddress.", "org.xml.", "org.w3c.", "org.jcp.",
    };

    private final Locale[] locales = locales();
    private final TimeZone zone = TimeZone.getDefault();
    /** After the time zone, which is kept in a property too once it is asked for. */
    private final Properties properties = (Properties) System.getProperties().clone();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Set<Thread> threads = threads();

    /** What is another than at first; null if nothing is. */
    String left() {
        forgetOwnProperties();
        if (!System.getProperties().equals(properties)) {
            return "system properties are changed";
        }
        if (!java.util.Arrays.equals(locales, locales()) || !zone.equals(TimeZone.getDefault())) {
            return "the locale or the time zone is changed";
        }
        if (in != System.in || out != System.out || err != System.err) {
            return "the standard streams are changed";
        }
        if (Thread.getDefaultUncaughtExceptionHandler() != null) {
            return "there is a handler for uncaught exceptions";
        }
        if (!threads.containsAll(threads())) {
            return "there are other threads";
        }
        return null;
    }

    private void forgetOwnProperties() {
        for (Object key : System.getProperties().keySet().toArray()) {
            boolean isOwn = key instanceof String && !properties.containsKey(key) && !isOfJdk((String) key);
            if (isOwn) {
                System.getProperties().remove(key);
            }
        }
    }

    private static boolean isOfJdk(String name) {
        for (String start : OF_JDK) {
            if (name.startsWith(start)) {
                return true;
            }
        }
        return false;
    }

    private static Locale[] locales() {
        return new Locale[] {
            Locale.getDefault(),
            Locale.getDefault(Locale.Category.DISPLAY),
            Locale.getDefault(Locale.Category.FORMAT)
        };
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }
}
