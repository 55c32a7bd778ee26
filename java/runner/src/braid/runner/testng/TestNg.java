package braid.runner.testng;

import braid.runner.Framework;
import braid.runner.Group;
import braid.runner.NotFound;
import braid.runner.Reporter;
import braid.runner.Unit;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.ITestNGListener;
import org.testng.TestNG;
import org.testng.annotations.Test;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * TestNG. Tests are found by their annotations, since TestNG has no search without running. All
 * overloads of a name are one unit, because TestNG selects by name. Classes that stand next to
 * each other run as one suite.
 */
public final class TestNg implements Framework {
    @Override
    public String name() {
        return "testng";
    }

    @Override
    public boolean runsClassesTogether() {
        return true;
    }

    @Override
    public List<Unit> find(Class<?> type) {
        Map<String, Unit> units = new LinkedHashMap<>();
        if (!Modifier.isAbstract(type.getModifiers()) && !type.isInterface()) {
            Test onClass = onClass(type);
            for (Method method : methods(type)) {
                Test onMethod = method.getAnnotation(Test.class);
                if (isTest(method, onMethod, onClass)) {
                    Set<String> groups = new LinkedHashSet<>();
                    groups.addAll(groups(onClass));
                    groups.addAll(groups(onMethod));
                    String id = type.getName() + "#" + method.getName();
                    units.putIfAbsent(id, new Unit(id, name(), groups));
                }
            }
        }
        return new ArrayList<>(units.values());
    }

    /** The annotation of the class or the nearest superclass that has one. */
    private static Test onClass(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Test test = c.getAnnotation(Test.class);
            if (test != null) {
                return test;
            }
        }
        return null;
    }

    /** Methods with inherited ones, superclasses first, each name and signature once. */
    private static List<Method> methods(Class<?> type) {
        Map<String, Method> methods = new LinkedHashMap<>();
        List<Class<?>> line = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            line.add(0, c);
        }
        for (Class<?> c : line) {
            Method[] declared = c.getDeclaredMethods();
            // The order of reflection may differ from JVM to JVM.
            Arrays.sort(declared, (a, b) -> a.toString().compareTo(b.toString()));
            for (Method method : declared) {
                String key = method.getName() + Arrays.toString(method.getParameterTypes());
                if (!method.isSynthetic() && !method.isBridge()) {
                    methods.put(key, method);
                }
            }
        }
        return new ArrayList<>(methods.values());
    }

    private static boolean isTest(Method method, Test onMethod, Test onClass) {
        if (onMethod != null) {
            return onMethod.enabled() && (onClass == null || onClass.enabled());
        }
        return onClass != null
                && onClass.enabled()
                && Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && method.getReturnType() == void.class
                && !hasOtherRole(method);
    }

    /** Set-up, tear-down, data providers and factories carry other annotations of TestNG. */
    private static boolean hasOtherRole(Method method) {
        for (Annotation annotation : method.getAnnotations()) {
            if (annotation.annotationType().getName().startsWith("org.testng.annotations.")) {
                return true;
            }
        }
        return false;
    }

    private static List<String> groups(Test test) {
        return test == null ? Collections.emptyList() : Arrays.asList(test.groups());
    }

    @Override
    public void run(List<Group> groups, Reporter reporter) throws Throwable {
        XmlSuite suite = new XmlSuite();
        suite.setName("braid");
        XmlTest test = new XmlTest(suite);
        test.setName("braid");
        List<XmlClass> classes = new ArrayList<>();
        for (Group group : groups) {
            List<XmlInclude> methods = methods(group, reporter);
            if (!methods.isEmpty()) {
                XmlClass type = new XmlClass(group.type);
                type.setIncludedMethods(methods);
                classes.add(type);
            }
        }
        if (classes.isEmpty()) {
            return;
        }
        test.setXmlClasses(classes);
        TestNG testng = new TestNG(false);
        testng.setVerbose(0);
        testng.setOutputDirectory(System.getProperty("java.io.tmpdir") + "/testng");
        testng.setXmlSuites(Collections.singletonList(suite));
        Listener listener = new Listener(reporter, groups);
        addListener(testng, listener);
        testng.run();
        listener.end();
    }

    private List<XmlInclude> methods(Group group, Reporter reporter) {
        Set<String> known = new LinkedHashSet<>();
        find(group.type).forEach(unit -> known.add(unit.id));
        List<XmlInclude> methods = new ArrayList<>();
        for (String unit : group.units) {
            if (known.contains(unit)) {
                methods.add(new XmlInclude(unit.substring(unit.indexOf('#') + 1)));
            } else {
                Throwable missing = new NotFound("no such test: " + unit);
                reporter.failAll(Collections.singletonList(unit), missing);
            }
        }
        return methods;
    }

    /** The type of the parameter has changed over time. */
    private static void addListener(TestNG testng, Listener listener) throws Throwable {
        Method add;
        try {
            add = TestNG.class.getMethod("addListener", ITestNGListener.class);
        } catch (NoSuchMethodException e) {
            add = TestNG.class.getMethod("addListener", Object.class);
        }
        add.invoke(testng, listener);
    }
}
