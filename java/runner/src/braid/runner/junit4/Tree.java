package braid.runner.junit4;

import braid.runner.Unit;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.experimental.categories.Category;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;

/**
 * The tests of one class as its runner describes them. Leaves of one method, for example the same
 * method with several parameters, belong to one unit and are numbered from 0 in the runner's order;
 * their display names may differ from JVM to JVM.
 */
final class Tree {
    /** One test, or one invocation of a parameterised test. */
    static final class Leaf {
        final String unit;
        String id;

        Leaf(String unit) {
            this.unit = unit;
        }
    }

    /** What runners call a test that stands for a class they cannot run. */
    private static final String BROKEN = "initializationError";

    private final Class<?> type;
    private final boolean topmost;
    private final Runner runner;
    private final Map<String, List<Leaf>> units = new LinkedHashMap<>();
    private final Map<String, Set<String>> tags = new HashMap<>();
    /** Several leaves may have equal descriptions. */
    private final Map<Description, List<Leaf>> leaves = new HashMap<>();
    private final Map<Class<?>, Set<String>> others = new HashMap<>();
    private boolean broken;

    Tree(Class<?> type) {
        this(type, true);
    }

    private Tree(Class<?> type, boolean topmost) {
        this.type = type;
        this.topmost = topmost;
        this.runner = Request.aClass(type).getRunner();
        Description root = runner.getDescription();
        collect(root, null, categories(root));
        number();
    }

    Runner runner() {
        return runner;
    }

    /** Whether the runner could not be made; running it says why. */
    boolean isBroken() {
        return broken;
    }

    Set<String> ids() {
        return units.keySet();
    }

    List<Unit> units(String framework) {
        List<Unit> list = new ArrayList<>();
        units.keySet().forEach(id -> list.add(new Unit(id, framework, tags.get(id))));
        return list;
    }

    private void collect(Description description, Description parent, Set<String> inherited) {
        if (!description.isTest()) {
            Set<String> below = new LinkedHashSet<>(inherited);
            below.addAll(categories(description));
            for (Description child : description.getChildren()) {
                collect(child, description, below);
            }
            return;
        }
        String method = description.getMethodName();
        String owner = description.getClassName();
        // A class without tests, or ignored; or the warning of JUnit 3 that it found none.
        if (method == null || owner.startsWith("junit.framework.")) {
            return;
        }
        broken |= method.equals(BROKEN);
        String base = baseName(description, parent, method);
        String unit = owner.equals(type.getName()) ? owner + "#" + base : foreign(owner, base);
        Leaf leaf = new Leaf(unit);
        leaf.id = base.equals(method) ? unit : null;
        units.computeIfAbsent(unit, u -> new ArrayList<>()).add(leaf);
        leaves.computeIfAbsent(description, d -> new ArrayList<>()).add(leaf);
        Set<String> all = tags.computeIfAbsent(unit, u -> new LinkedHashSet<>(inherited));
        all.addAll(categories(description));
    }

    /**
     * A test of another class, in a suite. If that class can run by itself the unit is named as there,
     * otherwise after the suite.
     */
    private String foreign(String owner, String method) {
        try {
            Class<?> other = Class.forName(owner, false, type.getClassLoader());
            String id = owner + "#" + method;
            if (topmost && new JUnit4().owns(other) && idsOf(other).contains(id)) {
                return id;
            }
        } catch (ClassNotFoundException | LinkageError e) {
            // Named after the suite.
        }
        return type.getName() + "#" + owner + "." + method;
    }

    private Set<String> idsOf(Class<?> other) {
        return others.computeIfAbsent(other, o -> new Tree(o, false).ids());
    }

    /** The method without what a runner for parameters adds to its name. */
    private static String baseName(Description leaf, Description parent, String method) {
        String above = parent == null ? "" : parent.getDisplayName();
        if (above.startsWith("[") && method.endsWith(above) && method.length() > above.length()) {
            return method.substring(0, method.length() - above.length());
        }
        int bracket = method.indexOf('[');
        if (bracket > 0 && method.endsWith("]")) {
            return method.substring(0, bracket);
        }
        // Some runners make a suite of each method.
        boolean methodSuite = parent != null && parent.getMethodName() != null;
        return methodSuite ? parent.getMethodName() : method;
    }

    private void number() {
        for (Map.Entry<String, List<Leaf>> unit : units.entrySet()) {
            List<Leaf> all = unit.getValue();
            for (int i = 0; i < all.size(); i++) {
                if (all.size() > 1 || all.get(i).id == null) {
                    all.get(i).id = unit.getKey() + "[" + i + "]";
                }
            }
        }
    }

    private static Set<String> categories(Description description) {
        Set<String> names = new LinkedHashSet<>();
        for (Annotation annotation : description.getAnnotations()) {
            if (annotation instanceof Category) {
                for (Class<?> category : ((Category) annotation).value()) {
                    addNames(category, names);
                }
            }
        }
        return names;
    }

    /** A category counts as all of its supertypes, and may be named without its package. */
    private static void addNames(Class<?> category, Set<String> names) {
        if (category == null || category == Object.class) {
            return;
        }
        names.add(category.getName());
        names.add(category.getSimpleName());
        addNames(category.getSuperclass(), names);
        for (Class<?> above : category.getInterfaces()) {
            addNames(above, names);
        }
    }

    /** The leaf of a description; null if it is none, or one that was not announced. */
    Leaf leafOf(Description description) {
        List<Leaf> equal = leaves.get(description);
        return equal == null ? null : equal.get(0);
    }

    /** The same, but of several with equal descriptions each is returned once. */
    Leaf nextLeafOf(Description description) {
        List<Leaf> equal = leaves.get(description);
        if (equal == null) {
            return null;
        }
        return equal.size() > 1 ? equal.remove(0) : equal.get(0);
    }

    /** The units below a description; all if it was not announced. */
    Collection<String> below(Description description) {
        Set<String> ids = new LinkedHashSet<>();
        addBelow(description, ids);
        return ids.isEmpty() ? Collections.unmodifiableSet(units.keySet()) : ids;
    }

    private void addBelow(Description description, Set<String> ids) {
        List<Leaf> equal = leaves.get(description);
        if (equal != null) {
            equal.forEach(leaf -> ids.add(leaf.unit));
        }
        description.getChildren().forEach(child -> addBelow(child, ids));
    }

    int countLeaves(String unit) {
        List<Leaf> all = units.get(unit);
        return all == null ? 0 : all.size();
    }
}
