package braid.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * What belongs to a thread, so that one run after the other may have the same thread and find it as new: thread locals,
 * name, priority, context class loader, interrupts, permits, seeds. To start a thread and to wait for its end takes
 * longer than many a test.
 */
public final class OwnState {
    /** What the JVM itself has written there, or what is not to be had by reading a field. */
    private static final Set<String> LEFT_ALONE =
            new HashSet<>(
                    Arrays.asList("eetop", "tid", "threadStatus", "interrupted", "interruptLock", "blockerLock"));

    private static final List<Field> FIELDS = fields();

    private final Thread thread;
    private final Object[] values = new Object[FIELDS.size()];
    private final int priority;
    private final boolean possible;

    /** Remembers the state of the calling thread, which has run nothing yet. */
    public OwnState() {
        thread = Thread.currentThread();
        priority = thread.getPriority();
        boolean locals = true;
        int restored = 0;
        for (int i = 0; i < values.length; i++) {
            Field field = FIELDS.get(i);
            values[i] = Internals.get(field, thread);
            if (field.getName().endsWith("hreadLocals")) {
                // A map that is there from the start is changed in place.
                locals &= values[i] == null;
                restored++;
            }
        }
        possible = locals && restored == 2;
    }

    /** Whether this thread can be made as new. */
    public boolean isPossible() {
        return possible;
    }

    /** Makes the calling thread as new. */
    public void restore() {
        Thread.interrupted();
        // Takes the permit, if there is one, and does not wait.
        LockSupport.parkUntil(0);
        if (thread.getPriority() != priority) {
            thread.setPriority(priority);
        }
        for (int i = 0; i < values.length; i++) {
            Field field = FIELDS.get(i);
            Object now = Internals.get(field, thread);
            boolean same = field.getType().isPrimitive() ? values[i].equals(now) : values[i] == now;
            if (!same) {
                Internals.set(field, thread, values[i]);
            }
        }
    }

    private static List<Field> fields() {
        List<Field> all = new ArrayList<>();
        for (Field declared : Thread.class.getDeclaredFields()) {
            if (Modifier.isStatic(declared.getModifiers()) || LEFT_ALONE.contains(declared.getName())) {
                continue;
            }
            Field field = Internals.field(Thread.class, declared.getName());
            if (field != null) {
                all.add(field);
            }
        }
        return all;
    }
}
