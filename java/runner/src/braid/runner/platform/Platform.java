package braid.runner.platform;

import braid.runner.Framework;
import braid.runner.Group;
import braid.runner.NotFound;
import braid.runner.Reporter;
import braid.runner.Unit;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.junit.platform.engine.TestEngine;

/**
 * An engine of the JUnit Platform, called directly. The launcher is not needed: build tools bring
 * their own, so the class path of a project often has none, while the interface between launcher
 * and engines is on every class path that has an engine.
 */
public final class Platform implements Framework {
    private final TestEngine engine;

    private Platform(TestEngine engine) {
        this.engine = engine;
    }

    /** The engines on the class path, apart from those that only call others. */
    public static List<Framework> engines() {
        List<Framework> engines = new ArrayList<>();
        Iterator<TestEngine> found = ServiceLoader.load(TestEngine.class).iterator();
        while (true) {
            try {
                if (!found.hasNext()) {
                    return engines;
                }
                TestEngine engine = found.next();
                String id = engine.getId();
                if (!id.equals("junit-vintage") && !id.equals("junit-platform-suite")) {
                    engines.add(new Platform(engine));
                }
            } catch (ServiceConfigurationError e) {
                // An engine that does not load cannot run tests in any other way either.
            }
        }
    }

    @Override
    public String name() {
        return engine.getId();
    }

    @Override
    public boolean runsClassesTogether() {
        return true;
    }

    @Override
    public List<Unit> find(Class<?> type) throws Throwable {
        Tree tree = Tree.discover(engine, Collections.singletonList(type));
        if (tree.isEmpty() && tree.problem() != null) {
            throw tree.problem();
        }
        return tree.units(name());
    }

    /** Looks for Jupiter's own annotations first, which spares searching the class twice. */
    @Override
    public boolean owns(Class<?> type) throws Throwable {
        if (name().equals("junit-jupiter")) {
            for (Method method : type.getDeclaredMethods()) {
                for (Annotation annotation : method.getDeclaredAnnotations()) {
                    if (annotation.annotationType().getName().equals("org.junit.jupiter.api.Test")) {
                        return true;
                    }
                }
            }
        }
        return Framework.super.owns(type);
    }

    @Override
    public void run(List<Group> groups, Reporter reporter) throws Throwable {
        List<Class<?>> types = new ArrayList<>();
        List<String> wanted = new ArrayList<>();
        for (Group group : groups) {
            types.add(group.type);
            wanted.addAll(group.units);
        }
        Tree tree = wanted.size() == 1 ? single(types.get(0), wanted.get(0)) : null;
        if (tree == null) {
            tree = Tree.discover(engine, types);
        }
        for (String unit : wanted) {
            if (!tree.has(unit)) {
                Throwable cause = tree.problem();
                cause = cause == null ? new NotFound("no such test: " + unit) : cause;
                reporter.failAll(Collections.singletonList(unit), cause);
            }
        }
        if (tree.keep(wanted)) {
            Requests.execute(engine, tree.root(), new Listener(tree, reporter));
        }
    }

    /** Quicker than the whole class; null if it cannot be done. Other engines may know no methods. */
    private Tree single(Class<?> type, String unit) {
        return name().equals("junit-jupiter") ? Tree.discover(engine, type, unit) : null;
    }

    @Override
    public void close() throws Throwable {
        Requests.close();
    }
}
