package braid.runner.platform;

import braid.runner.Reporter;
import java.util.List;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;

/** Reports what an engine does. */
final class Listener implements EngineExecutionListener {
    private final Tree tree;
    private final Reporter reporter;

    Listener(Tree tree, Reporter reporter) {
        this.tree = tree;
        this.reporter = reporter;
    }

    @Override
    public void dynamicTestRegistered(TestDescriptor descriptor) {}

    @Override
    public void reportingEntryPublished(TestDescriptor descriptor, ReportEntry entry) {}

    @Override
    public void executionSkipped(TestDescriptor descriptor, String reason) {
        String unit = tree.unitOf(descriptor);
        if (unit == null) {
            reporter.skipAll(tree.below(descriptor), reason);
            return;
        }
        reporter.skip(unit, tree.leafOf(unit, descriptor), reason);
        end(unit, descriptor);
    }

    @Override
    public void executionStarted(TestDescriptor descriptor) {
        String unit = tree.unitOf(descriptor);
        if (unit == null) {
            return;
        }
        if (descriptor.isTest()) {
            reporter.start(unit, tree.leafOf(unit, descriptor));
        } else {
            reporter.open(unit);
        }
    }

    @Override
    public void executionFinished(TestDescriptor descriptor, TestExecutionResult result) {
        String unit = tree.unitOf(descriptor);
        Throwable thrown = result.getThrowable().orElse(null);
        if (unit == null) {
            containerFinished(tree.below(descriptor), descriptor, result.getStatus(), thrown);
            return;
        }
        String leaf = tree.leafOf(unit, descriptor);
        switch (result.getStatus()) {
            case FAILED:
                reporter.fail(unit, leaf, thrown == null ? new AssertionError() : thrown);
                break;
            case ABORTED:
                reporter.skip(unit, leaf, reason(thrown));
                break;
            default:
                if (descriptor.isTest()) {
                    reporter.pass(unit, leaf);
                }
        }
        end(unit, descriptor);
    }

    private void end(String unit, TestDescriptor descriptor) {
        if (tree.isUnit(descriptor) && !Tree.isRepeated(descriptor)) {
            reporter.done(unit);
        }
    }

    private void containerFinished(
            List<String> below,
            TestDescriptor descriptor,
            TestExecutionResult.Status status,
            Throwable thrown) {
        if (status == TestExecutionResult.Status.FAILED) {
            reporter.failAll(below, thrown == null ? new AssertionError() : thrown);
        } else if (status == TestExecutionResult.Status.ABORTED) {
            reporter.skipAll(below, reason(thrown));
        }
        if (!Tree.isRepeated(descriptor)) {
            reporter.finishAll(below);
        }
    }

    private static String reason(Throwable thrown) {
        return thrown == null ? "" : thrown.getMessage();
    }
}
