package braid.runner.platform;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Methods of a class by name. */
final class Methods {
    private Methods() {}

    /** The method of this name, as the class has it; null if there is none or it is overloaded. */
    static Method only(Class<?> type, String name) {
        List<Method> found = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            add(c, name, found);
        }
        addInterfaces(type, name, found);
        for (Method method : found) {
            if (!Arrays.equals(method.getParameterTypes(), found.get(0).getParameterTypes())) {
                return null;
            }
        }
        return found.isEmpty() ? null : found.get(0);
    }

    private static void addInterfaces(Class<?> type, String name, List<Method> found) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Class<?> above : c.getInterfaces()) {
                add(above, name, found);
                addInterfaces(above, name, found);
            }
        }
    }

    private static void add(Class<?> type, String name, List<Method> found) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                found.add(method);
            }
        }
    }
}
