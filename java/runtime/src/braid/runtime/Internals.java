package braid.runtime;

import java.lang.reflect.Field;

/**
 * Fields of the JDK that have no public way to be put back. A field that this version of the JDK does not
 * have is null here, and nobody misses it.
 */
final class Internals {
    private Internals() {}

    /** A class of the JDK, not initialised; null if there is none. */
    static Class<?> type(String name) {
        try {
            return Class.forName(name, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** A field made accessible; null if there is none. */
    static Field field(String className, String name) {
        Class<?> type = type(className);
        return type == null ? null : field(type, name);
    }

    static Field field(Class<?> type, String name) {
        try {
            String typeName = type.getName();
            Native.open(type, typeName.substring(0, typeName.lastIndexOf('.')), Internals.class);
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** The value of a field of {@code target}, of a static one for null; null if there is no such field. */
    static Object get(Field field, Object target) {
        try {
            return field == null ? null : field.get(target);
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }

    static void set(Field field, Object target, Object value) {
        try {
            if (field != null) {
                field.set(target, value);
            }
        } catch (IllegalAccessException | RuntimeException e) {
            // As if the field were not there.
        }
    }

    /** Whether a class that may be missing has been initialised. */
    static boolean isInitialised(Class<?> type) {
        return type != null && Native.initialised(type);
    }
}
