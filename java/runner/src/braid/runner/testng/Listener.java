package braid.runner.testng;

import braid.runner.Group;
import braid.runner.Reporter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.IConfigurationListener;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;

/**
 * Reports what TestNG does. TestNG skips tests whose set-up has failed; here they fail with the cause,
 * so that a broken set-up is never taken for tests that need not run.
 */
final class Listener implements ITestListener, IConfigurationListener {
    private final Reporter reporter;
    private final Map<String, Set<String>> unitsByClass = new LinkedHashMap<>();
    private final Map<String, Integer> invocations = new HashMap<>();
    private final Map<ITestResult, String> leaves = new IdentityHashMap<>();
    private Throwable brokenSetUp;

    Listener(Reporter reporter, List<Group> groups) {
        this.reporter = reporter;
        for (Group group : groups) {
            unitsByClass.put(group.type.getName(), group.units);
        }
    }

    private static String unit(ITestResult result) {
        return result.getTestClass().getName() + "#" + result.getMethod().getMethodName();
    }

    private String leaf(ITestResult result) {
        return leaves.computeIfAbsent(
                result,
                r -> {
                    String unit = unit(r);
                    int index = invocations.merge(unit, 1, Integer::sum) - 1;
                    boolean several =
                            index > 0
                                    || r.getParameters().length > 0
                                    || r.getMethod().getInvocationCount() > 1;
                    return several ? unit + "[" + index + "]" : unit;
                });
    }

    @Override
    public synchronized void onTestStart(ITestResult result) {
        reporter.start(unit(result), leaf(result));
    }

    @Override
    public synchronized void onTestSuccess(ITestResult result) {
        reporter.pass(unit(result), leaf(result));
    }

    @Override
    public synchronized void onTestFailure(ITestResult result) {
        Throwable thrown = result.getThrowable();
        reporter.fail(unit(result), leaf(result), thrown == null ? new AssertionError() : thrown);
    }

    @Override
    public synchronized void onTestSkipped(ITestResult result) {
        Throwable thrown = result.getThrowable();
        if (brokenSetUp != null) {
            reporter.fail(unit(result), leaf(result), brokenSetUp);
        } else {
            String reason = thrown == null ? "" : String.valueOf(thrown.getMessage());
            reporter.skip(unit(result), leaf(result), reason);
        }
    }

    @Override
    public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        onTestSuccess(result);
    }

    @Override
    public void onStart(ITestContext context) {}

    @Override
    public void onFinish(ITestContext context) {}

    @Override
    public void onConfigurationSuccess(ITestResult result) {}

    @Override
    public void onConfigurationSkip(ITestResult result) {}

    @Override
    public synchronized void onConfigurationFailure(ITestResult result) {
        Throwable thrown = result.getThrowable();
        thrown = thrown == null ? new AssertionError() : thrown;
        ITestNGMethod method = result.getMethod();
        if (method.isAfterClassConfiguration() || method.isAfterMethodConfiguration()) {
            reporter.failAll(begun(result.getTestClass().getName()), thrown);
        } else if (method.isAfterTestConfiguration() || method.isAfterSuiteConfiguration()) {
            unitsByClass.keySet().forEach(name -> reporter.failAll(begun(name), result.getThrowable()));
        }
        if (brokenSetUp == null) {
            brokenSetUp = thrown;
        }
    }

    /** The units of a class that have begun: a tear-down counts for the last of those. */
    private List<String> begun(String name) {
        List<String> begun = new ArrayList<>();
        for (String unit : unitsByClass.getOrDefault(name, java.util.Collections.emptySet())) {
            if (invocations.containsKey(unit)) {
                begun.add(unit);
            }
        }
        return begun;
    }

    /** Tells the end of all units: methods of one unit may run far apart. */
    void end() {
        unitsByClass.values().forEach(reporter::finishAll);
    }
}
