package braid.runner.junit4;

import braid.runner.Framework;
import braid.runner.Group;
import braid.runner.NotFound;
import braid.runner.Reporter;
import braid.runner.Unit;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.RunNotifier;

/** JUnit 4 with all its runners; runs JUnit 3 classes too, as JUnit 4 does. */
public final class JUnit4 implements Framework {
    @Override
    public String name() {
        return "junit4";
    }

    @Override
    public List<Unit> find(Class<?> type) {
        return owns(type) ? new Tree(type).units(name()) : Collections.emptyList();
    }

    /** Whether JUnit would take the class for a test; its own runners complain about others. */
    @Override
    public boolean owns(Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers()) || type.isInterface()) {
            return false;
        }
        // A non-static inner class is run by the runner of its outer class, if at all.
        if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
            return false;
        }
        return type.isAnnotationPresent(RunWith.class)
                || isTestCase(type)
                || hasSuite(type)
                || hasTests(type);
    }

    private static boolean isTestCase(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals("junit.framework.TestCase")) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasSuite(Class<?> type) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals("suite")
                    && method.getParameterCount() == 0
                    && Modifier.isStatic(method.getModifiers())
                    && method.getReturnType().getName().startsWith("junit.framework.")) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasTests(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void run(List<Group> groups, Reporter reporter) {
        for (Group group : groups) {
            run(group, reporter);
        }
    }

    private static void run(Group group, Reporter reporter) {
        Tree tree = new Tree(group.type);
        Listener listener = new Listener(tree, reporter, group.units);
        List<String> missing = new ArrayList<>(group.units);
        missing.removeAll(tree.ids());
        if (!missing.isEmpty() && !tree.isBroken()) {
            for (String unit : missing) {
                reporter.failAll(
                        Collections.singletonList(unit), new NotFound("no such test: " + unit));
            }
        }
        boolean all = group.units.containsAll(tree.ids());
        if (all || tree.isBroken() || filter(tree, group)) {
            RunNotifier notifier = new RunNotifier();
            notifier.addListener(listener);
            tree.runner().run(notifier);
        }
        reporter.finishAll(group.units);
    }

    /** Takes out the other units, if the runner can do that; false if nothing is left. */
    private static boolean filter(Tree tree, Group group) {
        Filter wanted =
                new Filter() {
                    @Override
                    public boolean shouldRun(Description description) {
                        Tree.Leaf leaf = tree.leafOf(description);
                        if (leaf != null) {
                            return group.units.contains(leaf.unit);
                        }
                        return description.getChildren().stream().anyMatch(this::shouldRun);
                    }

                    @Override
                    public String describe() {
                        return "selected tests";
                    }
                };
        try {
            wanted.apply(tree.runner());
            return true;
        } catch (NoTestsRemainException e) {
            return false;
        }
    }
}
