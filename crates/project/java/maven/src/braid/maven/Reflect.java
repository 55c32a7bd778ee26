package braid.maven;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;

/**
 * Calls Maven's objects by the names of their methods, so that one jar serves every version of
 * Maven. A method that is missing or fails gives null: the reader of the model decides what it can
 * do without.
 */
final class Reflect {
    private Reflect() {}

    /** The result of a method without parameters. */
    static Object get(Object target, String method) {
        return call(target, method, new Class<?>[0]);
    }

    /** The result as text. */
    static String text(Object target, String method) {
        Object value = get(target, method);
        return value == null ? null : value.toString();
    }

    /** The result as a collection, empty if there is none. */
    static Collection<?> all(Object target, String method) {
        Object value = get(target, method);
        if (value instanceof Object[]) {
            return java.util.Arrays.asList((Object[]) value);
        }
        return value instanceof Collection ? (Collection<?>) value : Collections.emptyList();
    }

    static Object call(Object target, String method, Class<?>[] types, Object... arguments) {
        if (target == null) {
            return null;
        }
        try {
            Method found = target.getClass().getMethod(method, types);
            found.setAccessible(true);
            return found.invoke(target, arguments);
        } catch (Exception | LinkageError e) {
            return null;
        }
    }
}
