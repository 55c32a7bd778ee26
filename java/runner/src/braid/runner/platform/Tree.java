package braid.runner.platform;

import braid.runner.Unit;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/**
 * The tests that an engine has found. A unit is the topmost descriptor that stands for a method, or a
 * test that does not stand for one.
 */
final class Tree {
    private final TestDescriptor root;
    private final Throwable problem;
    /** In the engine's order. */
    private final Map<String, TestDescriptor> units = new LinkedHashMap<>();
    private final Map<String, String> idsByKey = new HashMap<>();
    private final Map<String, Map<String, Integer>> ordinals = new HashMap<>();

    private Tree(TestDescriptor root, Throwable problem) {
        this.root = root;
        this.problem = problem;
        List<TestDescriptor> found = new ArrayList<>();
        collect(root, found);
        name(found);
    }

    static Tree discover(TestEngine engine, List<Class<?>> types) {
        return discover(engine, new Request(types));
    }

    private static Tree discover(TestEngine engine, Request request) {
        TestDescriptor root = engine.discover(request, UniqueId.forEngine(engine.getId()));
        return new Tree(root, request.problem());
    }

    /**
     * The tree of a single unit, which spares searching the rest of its class; null if the unit is not
     * simply the only method of its name.
     */
    static Tree discover(TestEngine engine, Class<?> type, String unit) {
        String name = unit.substring(unit.indexOf('#') + 1);
        Method only = Methods.only(type, name);
        if (only == null) {
            return null;
        }
        Tree tree = discover(engine, new Request(type, only));
        return tree.units.size() == 1 && tree.has(unit) ? tree : null;
    }

    TestDescriptor root() {
        return root;
    }

    /** What went wrong in the search; null if nothing did. */
    Throwable problem() {
        return problem;
    }

    boolean isEmpty() {
        return units.isEmpty();
    }

    boolean has(String unit) {
        return units.containsKey(unit);
    }

    List<Unit> units(String framework) {
        List<Unit> list = new ArrayList<>();
        units.forEach((id, descriptor) -> list.add(new Unit(id, framework, tags(descriptor))));
        return list;
    }

    private static Set<String> tags(TestDescriptor descriptor) {
        Set<String> tags = new LinkedHashSet<>();
        // Jupiter hands the tags of a class down to its methods.
        for (TestTag tag : descriptor.getTags()) {
            tags.add(tag.getName());
        }
        return tags;
    }

    private static void collect(TestDescriptor descriptor, List<TestDescriptor> found) {
        if (descriptor.getSource().orElse(null) instanceof MethodSource
                || (descriptor.isTest() && descriptor.getChildren().isEmpty())) {
            found.add(descriptor);
            return;
        }
        for (TestDescriptor child : descriptor.getChildren()) {
            collect(child, found);
        }
    }

    /** Gives each unit an id: with parameter types, then numbers, only where needed. */
    private void name(List<TestDescriptor> found) {
        Map<String, Integer> uses = new HashMap<>();
        for (TestDescriptor descriptor : found) {
            uses.merge(shortId(descriptor), 1, Integer::sum);
        }
        for (TestDescriptor descriptor : found) {
            String base = shortId(descriptor);
            if (uses.get(base) > 1) {
                base += parameterTypes(descriptor);
            }
            String id = base;
            for (int i = 2; units.containsKey(id); i++) {
                id = base + "~" + i;
            }
            units.put(id, descriptor);
            idsByKey.put(key(descriptor), id);
        }
    }

    private static String shortId(TestDescriptor descriptor) {
        TestSource source = descriptor.getSource().orElse(null);
        if (source instanceof MethodSource) {
            MethodSource method = (MethodSource) source;
            return method.getClassName() + "#" + method.getMethodName();
        }
        List<UniqueId.Segment> segments = descriptor.getUniqueId().getSegments();
        return className(descriptor) + "#" + segments.get(segments.size() - 1).getValue();
    }

    private static String className(TestDescriptor descriptor) {
        for (TestDescriptor d = descriptor; d != null; d = d.getParent().orElse(null)) {
            TestSource source = d.getSource().orElse(null);
            if (source instanceof ClassSource) {
                return ((ClassSource) source).getClassName();
            }
        }
        return "";
    }

    private static String parameterTypes(TestDescriptor descriptor) {
        TestSource source = descriptor.getSource().orElse(null);
        if (!(source instanceof MethodSource)) {
            return "";
        }
        String types = ((MethodSource) source).getMethodParameterTypes();
        return "(" + (types == null ? "" : types.replace(" ", "")) + ")";
    }

    /** The unique id, the same for all invocations of a class. */
    private static String key(TestDescriptor descriptor) {
        StringBuilder key = new StringBuilder();
        for (UniqueId.Segment segment : descriptor.getUniqueId().getSegments()) {
            if (!segment.getType().equals("class-template-invocation")) {
                key.append('/').append(segment.getType()).append(':').append(segment.getValue());
            }
        }
        return key.toString();
    }

    /** The unit that a descriptor is or belongs to; null if it stands above units. */
    String unitOf(TestDescriptor descriptor) {
        for (TestDescriptor d = descriptor; d != null; d = d.getParent().orElse(null)) {
            String unit = idsByKey.get(key(d));
            if (unit != null) {
                return unit;
            }
        }
        return null;
    }

    boolean isUnit(TestDescriptor descriptor) {
        return idsByKey.containsKey(key(descriptor));
    }

    /** Whether the unit runs once for each invocation of a class. */
    static boolean isRepeated(TestDescriptor descriptor) {
        return descriptor.getUniqueId().getSegments().stream()
                .anyMatch(segment -> segment.getType().equals("class-template-invocation"));
    }

    /** The unit's id, with the number of the invocation at each level. */
    String leafOf(String unit, TestDescriptor descriptor) {
        int unitDepth = units.get(unit).getUniqueId().getSegments().size();
        StringBuilder leaf = new StringBuilder(unit);
        String path = "";
        int depth = 0;
        for (UniqueId.Segment segment : descriptor.getUniqueId().getSegments()) {
            boolean invocation = segment.getType().equals("class-template-invocation");
            if (!invocation) {
                depth++;
            }
            if (invocation || depth > unitDepth) {
                leaf.append('[').append(number(path, segment.getValue())).append(']');
            }
            path += "/" + segment.getValue();
        }
        return leaf.toString();
    }

    private String number(String path, String value) {
        if (value.matches("#\\d+")) {
            return value.substring(1);
        }
        Map<String, Integer> siblings = ordinals.computeIfAbsent(path, p -> new HashMap<>());
        Integer number = siblings.computeIfAbsent(value, v -> siblings.size() + 1);
        return number.toString();
    }

    /** The units at or below a descriptor. */
    List<String> below(TestDescriptor descriptor) {
        List<String> ids = new ArrayList<>();
        String prefix = key(descriptor);
        units.forEach(
                (id, unit) -> {
                    String key = key(unit);
                    if (key.equals(prefix) || key.startsWith(prefix + "/")) {
                        ids.add(id);
                    }
                });
        return ids;
    }

    /** Takes out all other units, and what stands above none that is left; false if none is. */
    boolean keep(Collection<String> wanted) {
        Set<TestDescriptor> kept = new HashSet<>();
        for (String unit : wanted) {
            TestDescriptor descriptor = units.get(unit);
            while (descriptor != null && kept.add(descriptor)) {
                descriptor = descriptor.getParent().orElse(null);
            }
        }
        units.keySet().retainAll(wanted);
        idsByKey.values().retainAll(units.keySet());
        prune(root, kept);
        // Engines expect this: a class with parameters takes note of its tests then.
        root.accept(TestDescriptor::prune);
        return !units.isEmpty();
    }

    private void prune(TestDescriptor descriptor, Set<TestDescriptor> kept) {
        for (TestDescriptor child : new ArrayList<>(descriptor.getChildren())) {
            if (!kept.contains(child)) {
                child.removeFromHierarchy();
            } else if (!units.containsValue(child)) {
                prune(child, kept);
            }
        }
    }
}
