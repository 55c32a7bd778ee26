package braid.runner.platform;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Set-up around all tests of a JVM. A project that has it (a {@code LauncherSessionListener}) has the
 * launcher on its class path; opening a session is all that is needed of it. The session stays open
 * as long as the JVM lives, or in a warm worker until the end of the run.
 */
public final class Sessions {
    private static final String LISTENERS =
            "META-INF/services/org.junit.platform.launcher.LauncherSessionListener";
    /** Looking for them takes as long as the class path. */
    public static final boolean HAS_LISTENERS =
            Sessions.class.getClassLoader().getResource(LISTENERS) != null;

    private static boolean tried;
    private static Object session;

    private Sessions() {}

    /** Opens a session once, if the project has listeners for it. */
    static synchronized void open() throws Throwable {
        if (tried || !HAS_LISTENERS) {
            return;
        }
        tried = true;
        ClassLoader loader = Sessions.class.getClassLoader();
        Method open;
        try {
            Class<?> factory =
                    Class.forName("org.junit.platform.launcher.core.LauncherFactory", true, loader);
            open = factory.getMethod("openSession");
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            // Without a launcher, or with one from before sessions, nobody calls the listeners.
            return;
        }
        try {
            session = open.invoke(null);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Closes the session; false if there is none. */
    static synchronized boolean close() throws Throwable {
        Object open = session;
        session = null;
        tried = false;
        if (open instanceof AutoCloseable) {
            ((AutoCloseable) open).close();
        }
        return open != null;
    }

    /** The session's store, if there is a session and it has one. */
    static synchronized Object store() {
        if (session == null) {
            return null;
        }
        try {
            Method store =
                    Class.forName("org.junit.platform.launcher.LauncherSession").getMethod("getStore");
            return store.invoke(session);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
