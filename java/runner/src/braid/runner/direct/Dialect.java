package braid.runner.direct;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** What frameworks call the things that simple tests are made of. */
enum Dialect {
    JUPITER(
            "org.junit.jupiter.api.",
            new String[] {"BeforeAll", "BeforeEach", "AfterEach", "AfterAll"},
            new String[] {"DisplayName", "DisplayNameGeneration", "Order", "Tag", "Tags", "TestMethodOrder"}),
    JUNIT4(
            "org.junit.",
            new String[] {"BeforeClass", "Before", "After", "AfterClass"},
            new String[] {"FixMethodOrder", "experimental.categories.Category"});

    /** Exceptions that mean that a test does not apply. */
    private static final Set<String> ASSUMPTIONS =
            new HashSet<>(
                    Arrays.asList(
                            "org.opentest4j.TestAbortedException",
                            "org.junit.internal.AssumptionViolatedException"));

    final String test;
    final String beforeAll;
    final String before;
    final String after;
    final String afterAll;
    /** Annotations that do not change how a test runs. */
    private final Set<String> harmless = new HashSet<>();

    Dialect(String prefix, String[] around, String[] harmless) {
        test = prefix + "Test";
        beforeAll = prefix + around[0];
        before = prefix + around[1];
        after = prefix + around[2];
        afterAll = prefix + around[3];
        for (String name : harmless) {
            this.harmless.add(prefix + name);
        }
        for (String name : around) {
            this.harmless.add(prefix + name);
        }
        this.harmless.add(test);
    }

    /** That of a framework; null if it has none. */
    static Dialect of(String framework) {
        switch (framework) {
            case "junit-jupiter":
                return JUPITER;
            case "junit4":
                return JUNIT4;
            default:
                return null;
        }
    }

    /** Whether an annotation means nothing but what is called and when. */
    boolean isHarmless(Class<?> annotation) {
        return harmless.contains(annotation.getName());
    }

    /** Whether an exception means that the test does not apply. */
    boolean isAssumption(Throwable thrown) {
        for (Class<?> c = thrown.getClass(); c != null; c = c.getSuperclass()) {
            if (ASSUMPTIONS.contains(c.getName())) {
                return true;
            }
        }
        return false;
    }
}
