package braid.runner.junit4;

import braid.runner.Reporter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.Ignore;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Reports what a runner does. */
final class Listener extends RunListener {
    private final Tree tree;
    private final Reporter reporter;
    private final Set<String> wanted;
    private final Map<Description, Tree.Leaf> running = new HashMap<>();
    private final Map<Description, Failure> failures = new HashMap<>();
    private final Map<Description, Failure> assumptions = new HashMap<>();
    private final Map<String, Integer> finished = new HashMap<>();

    Listener(Tree tree, Reporter reporter, Set<String> wanted) {
        this.tree = tree;
        this.reporter = reporter;
        this.wanted = wanted;
    }

    @Override
    public synchronized void testStarted(Description description) {
        Tree.Leaf leaf = tree.nextLeafOf(description);
        if (leaf != null) {
            running.put(description, leaf);
            reporter.start(leaf.unit, leaf.id);
        }
    }

    /** A test may fail more than once (in its body and in its tear-down); the first one counts. */
    @Override
    public synchronized void testFailure(Failure failure) {
        Description description = failure.getDescription();
        if (running.containsKey(description)) {
            failures.putIfAbsent(description, failure);
            return;
        }
        Collection<String> below =
                tree.isBroken() ? new ArrayList<>(wanted) : tree.below(description);
        reporter.failAll(below, failure.getException());
    }

    @Override
    public synchronized void testAssumptionFailure(Failure failure) {
        Description description = failure.getDescription();
        if (running.containsKey(description)) {
            assumptions.putIfAbsent(description, failure);
        } else {
            reporter.skipAll(tree.below(description), failure.getException().getMessage());
        }
    }

    @Override
    public synchronized void testFinished(Description description) {
        Tree.Leaf leaf = running.remove(description);
        Failure failure = failures.remove(description);
        Failure assumption = assumptions.remove(description);
        if (leaf == null) {
            return;
        }
        if (failure != null) {
            failed(leaf, failure.getException());
        } else if (assumption != null) {
            reporter.skip(leaf.unit, leaf.id, assumption.getException().getMessage());
        } else {
            reporter.pass(leaf.unit, leaf.id);
        }
        count(leaf);
    }

    private void failed(Tree.Leaf leaf, Throwable thrown) {
        reporter.fail(leaf.unit, leaf.id, thrown);
        if (tree.isBroken()) {
            List<String> others = new ArrayList<>(wanted);
            others.removeAll(tree.ids());
            reporter.failAll(others, thrown);
        }
    }

    @Override
    public synchronized void testIgnored(Description description) {
        Ignore ignore = description.getAnnotation(Ignore.class);
        String reason = ignore == null ? "" : ignore.value();
        Tree.Leaf leaf = tree.nextLeafOf(description);
        if (leaf == null) {
            reporter.skipAll(tree.below(description), reason);
            return;
        }
        reporter.skip(leaf.unit, leaf.id, reason);
        count(leaf);
    }

    private void count(Tree.Leaf leaf) {
        int count = finished.merge(leaf.unit, 1, Integer::sum);
        if (count == tree.countLeaves(leaf.unit)) {
            reporter.done(leaf.unit);
        }
    }
}
