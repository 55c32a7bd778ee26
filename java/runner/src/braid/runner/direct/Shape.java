package braid.runner.direct;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A test class, and whether its tests can simply be called. Extensions, rules, parameters, time limits,
 * conditions and whatever else is not known here leave a class to its framework.
 */
final class Shape {
    final Dialect dialect;
    final Class<?> type;
    /** Each in the order of calling. */
    final List<Method> beforeAll = new ArrayList<>();

    final List<Method> before = new ArrayList<>();
    final List<Method> after = new ArrayList<>();
    final List<Method> afterAll = new ArrayList<>();
    Constructor<?> constructor;
    private final boolean simple;

    Shape(Dialect dialect, Class<?> type) {
        this.dialect = dialect;
        this.type = type;
        simple = isSimple();
        // A subclass cleans up before its superclass.
        Collections.reverse(after);
        Collections.reverse(afterAll);
    }

    private boolean isSimple() {
        if (Modifier.isAbstract(type.getModifiers()) || type.isInterface() || type.isEnum()) {
            return false;
        }
        if (dialect == Dialect.JUNIT4 && !Modifier.isPublic(type.getModifiers())) {
            return false;
        }
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        if (constructors.length != 1 || constructors[0].getParameterCount() != 0 || !isOpen(constructors[0].getModifiers())) {
            return false;
        }
        constructor = constructors[0];
        constructor.setAccessible(true);
        List<Class<?>> chain = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            chain.add(0, c);
        }
        for (Class<?> c : chain) {
            if (c.getName().startsWith("junit.") || !take(c) || !areQuiet(c.getInterfaces())) {
                return false;
            }
        }
        return areOwn(chain);
    }

    private boolean isOpen(int modifiers) {
        return dialect == Dialect.JUNIT4
                ? Modifier.isPublic(modifiers)
                : !Modifier.isPrivate(modifiers);
    }

    /** Takes in what one class of the hierarchy declares; false if it is not simple. */
    private boolean take(Class<?> c) {
        if (!isPlain(c)) {
            return false;
        }
        for (Field field : c.getDeclaredFields()) {
            if (!isPlain(field)) {
                return false;
            }
        }
        Set<String> kinds = new HashSet<>();
        for (Method method : c.getDeclaredMethods()) {
            for (Annotation annotation : method.getDeclaredAnnotations()) {
                if (!take(method, annotation.annotationType(), kinds)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean take(Method method, Class<?> annotation, Set<String> kinds) {
        String name = annotation.getName();
        if (name.startsWith("org.junit.")) {
            List<Method> list = around(name);
            if (list != null) {
                // The order of two of a kind is the framework's secret.
                boolean all = list == beforeAll || list == afterAll;
                list.add(method);
                method.setAccessible(true);
                return kinds.add(name) && isPlain(method) && isCallable(method, all);
            }
            boolean suspicious = dialect == Dialect.JUNIT4 && !name.equals("org.junit.Ignore");
            return !suspicious || dialect.isHarmless(annotation);
        }
        return !isComposed(annotation, new HashSet<>());
    }

    private List<Method> around(String name) {
        if (name.equals(dialect.beforeAll)) {
            return beforeAll;
        }
        if (name.equals(dialect.before)) {
            return before;
        }
        if (name.equals(dialect.after)) {
            return after;
        }
        return name.equals(dialect.afterAll) ? afterAll : null;
    }

    private boolean isCallable(Method method, boolean isStatic) {
        int modifiers = method.getModifiers();
        return isOpen(modifiers)
                && Modifier.isStatic(modifiers) == isStatic
                && !Modifier.isAbstract(modifiers)
                && method.getReturnType() == void.class
                && method.getParameterCount() == 0;
    }

    /** Whether interfaces bring nothing of the framework's. */
    private static boolean areQuiet(Class<?>[] interfaces) {
        for (Class<?> c : interfaces) {
            if (c.getName().startsWith("java.")) {
                continue;
            }
            if (speaks(c) || !areQuiet(c.getInterfaces())) {
                return false;
            }
            for (Method method : c.getDeclaredMethods()) {
                if (speaks(method)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean speaks(AnnotatedElement element) {
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            Class<?> kind = annotation.annotationType();
            if (kind.getName().startsWith("org.junit.") || isComposed(kind, new HashSet<>())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Leaves out set-up and tear-down that a subclass does in its own way: what overrides it is called once, in the
     * subclass's turn. False if one is overridden or hidden otherwise.
     */
    private boolean areOwn(List<Class<?>> chain) {
        return isOwn(beforeAll, chain)
                && isOwn(before, chain)
                && isOwn(after, chain)
                && isOwn(afterAll, chain);
    }

    private static boolean isOwn(List<Method> list, List<Class<?>> chain) {
        for (Method method : new ArrayList<>(list)) {
            int below = chain.indexOf(method.getDeclaringClass()) + 1;
            for (Class<?> c : chain.subList(below, chain.size())) {
                for (Method other : c.getDeclaredMethods()) {
                    if (!other.getName().equals(method.getName())) {
                        continue;
                    }
                    if (!list.contains(other) || !isInherited(method) || !isInherited(other)) {
                        return false;
                    }
                    list.remove(method);
                }
            }
        }
        return true;
    }

    private static boolean isInherited(Method method) {
        int modifiers = method.getModifiers();
        return !Modifier.isStatic(modifiers)
                && (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers));
    }

    /** Whether an element has only annotations that do not change how tests run. */
    private boolean isPlain(AnnotatedElement element) {
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            Class<?> kind = annotation.annotationType();
            boolean own = kind.getName().startsWith("org.junit.");
            if (own ? !dialect.isHarmless(kind) : isComposed(kind, new HashSet<>())) {
                return false;
            }
        }
        return true;
    }

    /** Whether an annotation stands for others, those of a framework among them. */
    private static boolean isComposed(Class<?> annotation, Set<Class<?>> seen) {
        if (annotation.getName().startsWith("java.") || !seen.add(annotation)) {
            return false;
        }
        for (Annotation above : annotation.getDeclaredAnnotations()) {
            Class<?> kind = above.annotationType();
            if (kind.getName().startsWith("org.junit.") || isComposed(kind, seen)) {
                return true;
            }
        }
        return false;
    }

    /** A test of this class that can simply be called; null if it is not of that kind. */
    Direct test(String unit) {
        if (!simple) {
            return null;
        }
        String name = unit.substring(unit.indexOf('#') + 1);
        Method found = null;
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                if (!method.getName().equals(name)) {
                    continue;
                }
                if (method.getParameterCount() != 0 || method.isBridge()) {
                    return null;
                }
                found = found == null ? method : found;
            }
        }
        if (found == null || !isCallable(found, false) || !isPlain(found)) {
            return null;
        }
        for (Annotation annotation : found.getDeclaredAnnotations()) {
            if (annotation.annotationType().getName().equals(dialect.test)) {
                found.setAccessible(true);
                return Direct.of(this, unit, found, annotation);
            }
        }
        return null;
    }
}
