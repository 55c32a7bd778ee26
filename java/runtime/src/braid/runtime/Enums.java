package braid.runtime;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/**
 * The constants of enums that the JDK keeps outside of the enum. Woven enums tell when they are initialised;
 * their caches are empty at the start of each epoch, so that whoever asks first goes through
 * {@code values()}, which initialises the enum again.
 */
final class Enums {
    private static final Field CONSTANTS = Internals.field(Class.class, "enumConstants");
    private static final Field DIRECTORY = Internals.field(Class.class, "enumConstantDirectory");
    private static final List<Class<?>> KNOWN = new ArrayList<>();
    private static final ClassValue<boolean[]> REGISTERED =
            new ClassValue<boolean[]>() {
                @Override
                protected boolean[] computeValue(Class<?> type) {
                    return new boolean[1];
                }
            };

    private Enums() {}

    /** The constants of an enum are about to be made again. */
    static void changed(Class<?> type) {
        forget(type);
        boolean[] registered = REGISTERED.get(type);
        synchronized (KNOWN) {
            if (!registered[0]) {
                registered[0] = true;
                KNOWN.add(type);
            }
        }
    }

    /** Empties the caches of all enums that were ever initialised. */
    static void forgetAll() {
        synchronized (KNOWN) {
            for (Class<?> type : KNOWN) {
                forget(type);
            }
        }
    }

    private static void forget(Class<?> type) {
        Internals.set(CONSTANTS, type, null);
        Internals.set(DIRECTORY, type, null);
    }
}
