package braid.runtime;

import java.lang.reflect.*;
import java.util.*;

/** Initialisation once in each epoch, under one lock. */
public final class Reset {
    private static final Map<Class<?>, Object[]> STATES = new HashMap<>();
    private static final Set<Class<?>> ENUMS = new LinkedHashSet<>();
    private static final Field[] CACHES = caches();

    public static synchronized boolean begin(Class<?> type) {
        while (true) {
            Object[] state = STATES.get(type);
            if (state == null || (Integer) state[0] != Braid.epoch) {
                STATES.put(type, new Object[] {Braid.epoch, Thread.currentThread()});
                return true;
            }
            if (state[1] == "failed") {
                throw new NoClassDefFoundError("Could not initialize class " + type.getName());
            }
            if (state[1] == "done" || state[1] == Thread.currentThread()) {
                return false;
            }
            try {
                Reset.class.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static synchronized void done(Class<?> type) {
        STATES.get(type)[1] = "done";
        Reset.class.notifyAll();
    }

    public static synchronized Throwable failed(Class<?> type, Throwable thrown) {
        STATES.get(type)[1] = "failed";
        Reset.class.notifyAll();
        return thrown instanceof Error ? thrown : new ExceptionInInitializerError(thrown);
    }

    public static synchronized void enumChanged(Class<?> type) {
        ENUMS.add(type);
        forgetEnums();
    }

    static synchronized void forgetEnums() {
        try {
            for (Class<?> type : ENUMS) {
                for (Field cache : CACHES) {
                    cache.set(type, null);
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The fields of Class are hidden from reflection, this method is not. */
    private static Field[] caches() {
        try {
            Method all = Class.class.getDeclaredMethod("getDeclaredFields0", boolean.class);
            all.setAccessible(true);
            List<Field> found = new ArrayList<>();
            for (Field field : (Field[]) all.invoke(Class.class, false)) {
                if (field.getName().startsWith("enumConstant")) {
                    field.setAccessible(true);
                    found.add(field);
                }
            }
            return found.toArray(new Field[0]);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Class<?> touch(Class<?> type) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().startsWith("$braid$guard")) {
                try {
                    method.setAccessible(true);
                    method.invoke(null);
                } catch (InvocationTargetException e) {
                    throw (Error) e.getCause();
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return type;
    }

    public static void touch(Field field) {
        if (Modifier.isStatic(field.getModifiers())) {
            touch(field.getDeclaringClass());
        }
    }

    public static Class<?> forName(String name, boolean initialise, ClassLoader loader)
            throws ClassNotFoundException {
        Class<?> type = Class.forName(name, initialise, loader);
        return initialise ? touch(type) : type;
    }

    public static Field[] visible(Field[] all) {
        return Arrays.stream(all).filter(f -> !f.getName().contains("$braid$")).toArray(Field[]::new);
    }

    public static Method[] visible(Method[] all) {
        return Arrays.stream(all).filter(m -> !m.getName().contains("$braid$")).toArray(Method[]::new);
    }

    public static Constructor<?>[] visible(Constructor<?>[] all) {
        return Arrays.stream(all).filter(c -> !isMarked(c.getParameterTypes())).toArray(Constructor<?>[]::new);
    }

    private static boolean isMarked(Class<?>[] parameters) {
        Class<?> last = parameters.length == 0 ? Object.class : parameters[parameters.length - 1];
        if (!last.isArray()) {
            return false;
        }
        while (last.isArray()) {
            last = last.getComponentType();
        }
        return last == Braid.class;
    }
}
