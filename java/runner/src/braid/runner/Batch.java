package braid.runner;

import braid.runner.direct.Direct;
import braid.runner.direct.Directs;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Groups that one framework runs in one go; or units that cannot run, with the reason. */
final class Batch {
    final Framework framework;
    final List<Group> groups = new ArrayList<>();
    private final Set<String> units = new LinkedHashSet<>();
    private final Throwable problem;

    Batch(Framework framework) {
        this.framework = framework;
        this.problem = null;
    }

    Batch(Throwable problem) {
        this.framework = null;
        this.problem = problem;
    }

    void add(Class<?> type, String unit) {
        if (groups.isEmpty() || groups.get(groups.size() - 1).type != type) {
            groups.add(new Group(type));
        }
        groups.get(groups.size() - 1).units.add(unit);
        units.add(unit);
    }

    /** A unit that cannot run. */
    void add(String unit) {
        units.add(unit);
    }

    /** Whether a unit of this class can join: its class is the last one, or has not come before. */
    boolean takes(Class<?> type, Framework other) {
        if (framework != other || other == null) {
            return false;
        }
        if (groups.get(groups.size() - 1).type == type) {
            return true;
        }
        return framework.runsClassesTogether() && groups.stream().noneMatch(g -> g.type == type);
    }

    Set<String> units() {
        return units;
    }

    /** The only test, if it can be run without the framework; null otherwise. */
    Direct direct(Directs directs) {
        if (framework == null || units.size() != 1) {
            return null;
        }
        return directs.find(framework.name(), groups.get(0).type, units.iterator().next());
    }

    void run(Reporter reporter) throws Throwable {
        if (problem != null) {
            throw problem;
        }
        framework.run(groups, reporter);
    }
}
