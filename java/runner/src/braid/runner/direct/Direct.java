package braid.runner.direct;

import braid.runner.Reporter;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * A test that is simply called, with its set-up and tear-down, as its framework would do it. A framework
 * takes longer to find out that there is nothing more to do than most tests take.
 */
public final class Direct {
    private final Shape shape;
    private final String unit;
    private final Method test;
    /** What the test has to throw, in JUnit 4; null if nothing. */
    private final Class<?> expected;

    private Direct(Shape shape, String unit, Method test, Class<?> expected) {
        this.shape = shape;
        this.unit = unit;
        this.test = test;
        this.expected = expected;
    }

    /** Null if the annotation asks for more than calling the method. */
    static Direct of(Shape shape, String unit, Method test, Annotation annotation) {
        if (shape.dialect == Dialect.JUPITER) {
            return new Direct(shape, unit, test, null);
        }
        try {
            Class<?> kind = annotation.annotationType();
            Object limit = kind.getMethod("timeout").invoke(annotation);
            Class<?> expected = (Class<?>) kind.getMethod("expected").invoke(annotation);
            boolean none = expected.getName().equals("org.junit.Test$None");
            return limit.equals(0L) ? new Direct(shape, unit, test, none ? null : expected) : null;
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Runs the test and reports on it. */
    public void run(Reporter reporter) throws Throwable {
        Collection<String> below = Collections.singletonList(unit);
        Errors errors = new Errors(shape.dialect);
        callAll(shape.beforeAll, null, errors);
        if (errors.isEmpty()) {
            runTest(reporter);
        }
        for (Method method : shape.afterAll) {
            attempt(method, null, errors);
        }
        if (errors.isAssumption()) {
            reporter.skipAll(below, errors.first().getMessage());
        } else if (!errors.isEmpty()) {
            reporter.failAll(below, errors.first());
        }
        reporter.finishAll(below);
    }

    private void runTest(Reporter reporter) throws Throwable {
        reporter.start(unit, unit);
        Errors errors = new Errors(shape.dialect);
        try {
            Object instance = shape.constructor.newInstance();
            callAll(shape.before, instance, errors);
            if (errors.isEmpty()) {
                callTest(instance, errors);
            }
            for (Method method : shape.after) {
                attempt(method, instance, errors);
            }
        } catch (InvocationTargetException e) {
            errors.add(e.getCause());
        }
        if (errors.isEmpty()) {
            reporter.pass(unit, unit);
        } else if (errors.isAssumption()) {
            reporter.skip(unit, unit, errors.first().getMessage());
        } else {
            reporter.fail(unit, unit, errors.first());
        }
        reporter.done(unit);
    }

    private void callTest(Object instance, Errors errors) throws Throwable {
        if (expected == null) {
            attempt(test, instance, errors);
            return;
        }
        Errors thrown = new Errors(shape.dialect);
        attempt(test, instance, thrown);
        if (thrown.isEmpty()) {
            errors.add(new AssertionError("Expected exception: " + expected.getName()));
        } else if (!expected.isInstance(thrown.first())) {
            Throwable other = thrown.first();
            String text = "Unexpected exception, expected<%s> but was<%s>";
            text = String.format(text, expected.getName(), other.getClass().getName());
            errors.add(thrown.isAssumption() ? other : new Exception(text, other));
        }
    }

    private static void callAll(List<Method> methods, Object instance, Errors errors)
            throws Throwable {
        for (Method method : methods) {
            if (errors.isEmpty()) {
                attempt(method, instance, errors);
            }
        }
    }

    private static void attempt(Method method, Object instance, Errors errors) throws Throwable {
        try {
            method.invoke(instance);
        } catch (InvocationTargetException e) {
            errors.add(e.getCause());
        }
    }

    /** What went wrong, in order, as the framework would tell it. */
    private static final class Errors {
        private final Dialect dialect;
        private final List<Throwable> all = new ArrayList<>();

        Errors(Dialect dialect) {
            this.dialect = dialect;
        }

        boolean isEmpty() {
            return all.isEmpty();
        }

        /** Jupiter lets a failure win over an assumption; JUnit 4 tells the first. */
        Throwable first() {
            if (dialect == Dialect.JUPITER) {
                for (Throwable one : all) {
                    if (!dialect.isAssumption(one)) {
                        return one;
                    }
                }
            }
            return all.get(0);
        }

        boolean isAssumption() {
            boolean only = dialect == Dialect.JUPITER || all.size() == 1;
            return !isEmpty() && only && dialect.isAssumption(first());
        }

        void add(Throwable thrown) throws Throwable {
            if (dialect == Dialect.JUPITER && thrown instanceof OutOfMemoryError) {
                throw thrown;
            }
            all.add(thrown);
        }
    }
}
