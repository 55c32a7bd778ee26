package braid.runner.junit3;

import braid.runner.Framework;
import braid.runner.Group;
import braid.runner.NotFound;
import braid.runner.Reporter;
import braid.runner.Unit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/**
 * JUnit 3 by itself. A decorated suite cannot be taken apart: it runs as a whole, and only what was
 * asked for is reported.
 */
public final class JUnit3 implements Framework {
    @Override
    public String name() {
        return "junit3";
    }

    @Override
    public List<Unit> find(Class<?> type) throws Throwable {
        List<Unit> units = new ArrayList<>();
        if (owns(type)) {
            for (String id : byId(type, suite(type)).keySet()) {
                units.add(new Unit(id, name(), Collections.emptySet()));
            }
        }
        return units;
    }

    @Override
    public boolean owns(Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers()) || !Modifier.isPublic(type.getModifiers())) {
            return false;
        }
        return TestCase.class.isAssignableFrom(type) || suiteMethod(type) != null;
    }

    private static Method suiteMethod(Class<?> type) {
        try {
            Method method = type.getMethod("suite");
            boolean fits = Modifier.isStatic(method.getModifiers());
            return fits && Test.class.isAssignableFrom(method.getReturnType()) ? method : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static Test suite(Class<?> type) throws Throwable {
        Method method = suiteMethod(type);
        if (method == null) {
            return new TestSuite(type);
        }
        try {
            return (Test) method.invoke(null);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The test cases of a suite by unit id; equal names are numbered. */
    private static Map<String, Test> byId(Class<?> type, Test suite) {
        List<Test> tests = new ArrayList<>();
        flatten(suite, tests);
        Map<String, Test> byId = new LinkedHashMap<>();
        for (Test test : tests) {
            String base = id(type, test);
            String id = base;
            for (int i = 2; byId.containsKey(id); i++) {
                id = base + "~" + i;
            }
            if (!test.getClass().getName().startsWith("junit.framework.TestSuite")) {
                byId.put(id, test);
            }
        }
        return byId;
    }

    private static String id(Class<?> type, Test test) {
        String name = test instanceof TestCase ? ((TestCase) test).getName() : test.toString();
        String owner = test.getClass().getName();
        if (owner.equals(type.getName()) || new JUnit3().owns(test.getClass())) {
            return owner + "#" + name;
        }
        return type.getName() + "#" + owner + "." + name;
    }

    private static void flatten(Test test, List<Test> tests) {
        if (test instanceof TestSuite) {
            Enumeration<?> children = ((TestSuite) test).tests();
            while (children.hasMoreElements()) {
                flatten((Test) children.nextElement(), tests);
            }
        } else {
            tests.add(test);
        }
    }

    @Override
    public void run(List<Group> groups, Reporter reporter) throws Throwable {
        for (Group group : groups) {
            Map<String, Test> byId = byId(group.type, suite(group.type));
            for (String id : group.units) {
                Test test = byId.get(id);
                if (test == null) {
                    Throwable missing = new NotFound("no such test: " + id);
                    reporter.failAll(Collections.singletonList(id), missing);
                } else {
                    run(id, test, reporter);
                }
            }
            reporter.finishAll(group.units);
        }
    }

    private static void run(String id, Test test, Reporter reporter) {
        TestResult result = new TestResult();
        result.addListener(new Listener(id, test, reporter));
        reporter.open(id);
        test.run(result);
        reporter.done(id);
    }

    /** Reports one test, or all tests within a decorated one as leaves of it. */
    private static final class Listener implements TestListener {
        private final String unit;
        private final Test whole;
        private final Reporter reporter;
        private final Map<Test, Throwable> failures = new IdentityHashMap<>();
        private final Map<Test, String> leaves = new IdentityHashMap<>();

        Listener(String unit, Test whole, Reporter reporter) {
            this.unit = unit;
            this.whole = whole;
            this.reporter = reporter;
        }

        @Override
        public void startTest(Test test) {
            String leaf = test == whole ? unit : unit + "[" + leaves.size() + "]";
            leaves.put(test, leaf);
            reporter.start(unit, leaf);
        }

        @Override
        public void addError(Test test, Throwable error) {
            if (leaves.containsKey(test)) {
                failures.putIfAbsent(test, error);
            } else {
                reporter.fail(unit, unit, error);
            }
        }

        @Override
        public void addFailure(Test test, AssertionFailedError error) {
            addError(test, error);
        }

        @Override
        public void endTest(Test test) {
            Throwable failure = failures.get(test);
            if (failure == null) {
                reporter.pass(unit, leaves.get(test));
            } else {
                reporter.fail(unit, leaves.get(test), failure);
            }
        }
    }
}
