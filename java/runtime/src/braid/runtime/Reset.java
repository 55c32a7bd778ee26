package braid.runtime;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

/**
 * The initialisation of woven classes, once in each epoch, in the manner of the JVM's own (JLS 12.4.2): one
 * thread runs the initialiser, others wait for it, the same thread passes, and a class whose initialiser has
 * failed stays unusable until the epoch ends. Woven code calls what is here.
 */
public final class Reset {
    /** Every member that weaving adds has this in its name. */
    private static final String MARK = "$braid$";

    private enum State {
        RUNNING,
        DONE,
        FAILED
    }

    /** How far the initialisation of a class has come. */
    private static final class Initialisation {
        int epoch = Integer.MIN_VALUE;
        State state;
        Thread owner;
    }

    private static final ClassValue<Initialisation> INITIALISATIONS =
            new ClassValue<Initialisation>() {
                @Override
                protected Initialisation computeValue(Class<?> type) {
                    return new Initialisation();
                }
            };

    private static final ClassValue<Method[]> GUARDS =
            new ClassValue<Method[]>() {
                @Override
                protected Method[] computeValue(Class<?> type) {
                    Method guard = guardOf(type);
                    return guard == null ? new Method[0] : new Method[] {guard};
                }
            };

    /** How many initialisers have been begun. */
    private static volatile int begun;

    private Reset() {}

    /** How many initialisers have been begun, ever. */
    static int initialisations() {
        return begun;
    }

    /** Whether the calling thread shall run the initialiser now; waits for another that does. */
    public static boolean begin(Class<?> type) {
        Initialisation of = INITIALISATIONS.get(type);
        boolean interrupted = false;
        try {
            synchronized (of) {
                while (of.epoch == Braid.epoch) {
                    if (of.state == State.FAILED) {
                        throw new NoClassDefFoundError("Could not initialize class " + type.getName());
                    }
                    if (of.state == State.DONE || of.owner == Thread.currentThread()) {
                        return false;
                    }
                    try {
                        of.wait();
                    } catch (InterruptedException e) {
                        // The JVM's own wait goes on, too, unless the run is over.
                        interrupted = true;
                        Braid.hardTick();
                    }
                }
                of.epoch = Braid.epoch;
                begun++;
                of.state = State.RUNNING;
                of.owner = Thread.currentThread();
                return true;
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The initialiser has ended well. */
    public static void done(Class<?> type) {
        end(type, State.DONE);
    }

    /** The initialiser has thrown; returns what its user shall see. */
    public static Throwable failed(Class<?> type, Throwable thrown) {
        end(type, State.FAILED);
        return thrown instanceof Error ? thrown : new ExceptionInInitializerError(thrown);
    }

    private static void end(Class<?> type, State state) {
        Initialisation of = INITIALISATIONS.get(type);
        synchronized (of) {
            of.state = state;
            of.owner = null;
            of.notifyAll();
        }
    }

    /** The constants of an enum are about to be made again. */
    public static void enumChanged(Class<?> type) {
        Enums.changed(type);
    }

    /** Makes sure that a class is initialised in this epoch. */
    public static Class<?> touch(Class<?> type) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            Method[] guard = GUARDS.get(c);
            if (guard.length > 0) {
                call(guard[0]);
                break;
            }
        }
        return type;
    }

    /** Makes sure that the class of a static field is initialised in this epoch. */
    public static void touch(Field field) {
        if (field != null && Modifier.isStatic(field.getModifiers())) {
            touch(field.getDeclaringClass());
        }
    }

    /** As {@link Class#forName(String, boolean, ClassLoader)}. */
    public static Class<?> forName(String name, boolean initialise, ClassLoader loader)
            throws ClassNotFoundException {
        Class<?> type = Class.forName(name, initialise, loader);
        return initialise ? touch(type) : type;
    }

    /** Without the fields that weaving has added. */
    public static Field[] visible(Field[] fields) {
        int kept = 0;
        for (int i = 0; i < fields.length; i++) {
            if (!isOurs(fields[i])) {
                fields[kept++] = fields[i];
            }
        }
        return kept == fields.length ? fields : Arrays.copyOf(fields, kept);
    }

    /** Without the methods that weaving has added. */
    public static Method[] visible(Method[] methods) {
        int kept = 0;
        for (int i = 0; i < methods.length; i++) {
            if (!isOurs(methods[i])) {
                methods[kept++] = methods[i];
            }
        }
        return kept == methods.length ? methods : Arrays.copyOf(methods, kept);
    }

    /** Without the constructors that weaving has added: their last parameter says so. */
    public static Constructor<?>[] visible(Constructor<?>[] constructors) {
        int kept = 0;
        for (int i = 0; i < constructors.length; i++) {
            if (!isOurs(constructors[i])) {
                constructors[kept++] = constructors[i];
            }
        }
        return kept == constructors.length ? constructors : Arrays.copyOf(constructors, kept);
    }

    private static boolean isOurs(Constructor<?> constructor) {
        if (constructor.getParameterCount() == 0) {
            return false;
        }
        Class<?>[] types = constructor.getParameterTypes();
        Class<?> last = types[types.length - 1];
        if (!last.isArray()) {
            return false;
        }
        while (last.isArray()) {
            last = last.getComponentType();
        }
        return last == Braid.class;
    }

    private static boolean isOurs(Member member) {
        return member.getName().contains(MARK);
    }

    /** The guard of a class; null if it has none. */
    private static Method guardOf(Class<?> type) {
        if (type.isPrimitive() || type.isArray() || type.getClassLoader() == null) {
            return null;
        }
        String[] names = {MARK + "guard", MARK + "guard$" + type.getName().replace('.', '$')};
        for (String name : names) {
            try {
                Method guard = type.getDeclaredMethod(name);
                guard.setAccessible(true);
                return guard;
            } catch (NoSuchMethodException | LinkageError e) {
                // The other name, or none.
            }
        }
        return null;
    }

    private static void call(Method guard) {
        try {
            guard.invoke(null);
        } catch (InvocationTargetException e) {
            // Guards throw what initialisers throw: errors.
            if (e.getCause() instanceof Error) {
                throw (Error) e.getCause();
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
