package braid.runner.direct;

import braid.runner.platform.Sessions;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** The tests that can simply be called, as far as they were asked for. */
public final class Directs {
    private final Map<Class<?>, Shape> shapes = new IdentityHashMap<>();
    private final Map<String, Direct> tests = new HashMap<>();
    /** Configuration may ask for anything. */
    private static final class Configuration {
        /** Looking for it takes as long as the class path. */
        static final boolean EXISTS = isConfigured();
    }

    private static boolean isConfigured() {
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith("junit.")) {
                return true;
            }
        }
        ClassLoader loader = Directs.class.getClassLoader();
        return Sessions.HAS_LISTENERS || loader.getResource("junit-platform.properties") != null;
    }

    /** The test of a class that belongs to a framework; null if the framework has to run it. */
    public Direct find(String framework, Class<?> type, String unit) {
        if (tests.containsKey(unit)) {
            return tests.get(unit);
        }
        Dialect dialect = Dialect.of(framework);
        Direct found = null;
        if (dialect != null && !Configuration.EXISTS) {
            try {
                found = shapes.computeIfAbsent(type, t -> new Shape(dialect, t)).test(unit);
            } catch (LinkageError | RuntimeException e) {
                // The framework shall say what is wrong.
            }
        }
        tests.put(unit, found);
        return found;
    }
}
