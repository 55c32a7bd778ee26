package braid.runner;

import braid.runner.direct.Direct;
import braid.runner.direct.Directs;
import braid.runner.junit3.JUnit3;
import braid.runner.junit4.JUnit4;
import braid.runner.platform.Platform;
import braid.runner.testng.TestNg;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The frameworks on the class path, in the order in which they are offered a class: engines of the
 * JUnit Platform, TestNG, then JUnit 4 (which runs JUnit 3 classes too) or JUnit 3. A class belongs
 * to the first that finds tests in it.
 *
 * <p>The Platform's vintage engine is not used: it does nothing but call JUnit 4, which we do
 * ourselves, so that ids do not depend on whether a project has it.
 */
final class Frameworks {
    private final List<Framework> present;
    private final Map<Class<?>, Framework> owners = new IdentityHashMap<>();
    private Directs directs = new Directs();

    /** Whether simple tests run without their framework. */
    private final boolean direct;

    private Frameworks(List<Framework> present, boolean direct) {
        this.present = present;
        this.direct = direct;
    }

    static Frameworks present(boolean direct) {
        List<Framework> present = new ArrayList<>();
        if (exists("org.junit.platform.engine.TestEngine")) {
            present.addAll(Platform.engines());
        }
        if (exists("org.testng.TestNG")) {
            present.add(new TestNg());
        }
        if (exists("org.junit.runner.Request")) {
            present.add(new JUnit4());
        } else if (exists("junit.framework.TestCase")) {
            present.add(new JUnit3());
        }
        return new Frameworks(present, direct);
    }

    private static boolean exists(String name) {
        try {
            Program.load(name);
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** The units of a class; none if it is no test class. */
    List<Unit> find(Class<?> type) throws Throwable {
        link(type);
        for (Framework framework : present) {
            List<Unit> units = framework.find(type);
            if (!units.isEmpty()) {
                owners.put(type, framework);
                return units;
            }
        }
        return Collections.emptyList();
    }

    /** The framework that a class belongs to; null if it is no test class. */
    Framework of(Class<?> type) throws Throwable {
        Framework known = owners.get(type);
        if (known != null) {
            return known;
        }
        link(type);
        for (Framework framework : present) {
            if (framework.owns(type)) {
                owners.put(type, framework);
                return framework;
            }
        }
        return null;
    }

    /** Runs a batch that may be a single test; that is done without its framework if it is simple. */
    void runOne(Batch batch, Reporter reporter) throws Throwable {
        Direct simple = direct ? batch.direct(directs) : null;
        if (simple == null) {
            batch.run(reporter);
        } else {
            simple.run(reporter);
        }
    }

    /** Forgets the classes seen so far. */
    void forget() {
        owners.clear();
        directs = new Directs();
    }

    /** Ends what frameworks keep open between runs. */
    void close() throws Throwable {
        for (Framework framework : present) {
            framework.close();
        }
    }

    /** Throws now what some frameworks would swallow: types in signatures that cannot be loaded. */
    private static void link(Class<?> type) {
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            c.getDeclaredMethods();
        }
        type.getDeclaredClasses();
    }
}
