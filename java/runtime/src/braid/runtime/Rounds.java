package braid.runtime;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Looks closer at a run that has used its fuel: is there a loop that has come round to where it was, with the same
 * local variables? If what it runs writes nothing, it goes round for ever; whether that is so is for the controller to
 * say, which has the code. Where there is none, a loop that comes round with all but a few variables the same may do:
 * nothing may depend on these.
 *
 * <p>From the moment the fuel is used up every tick of the thread is a visit that is written down. Ticks stand at every
 * loop head and at the entry of every method with a loop, so that no call can end and be made again unseen.
 */
public final class Rounds {
    /** So many ticks are looked at. */
    private static final int MOST = 200;
    /** Deeper stacks cost too much to look at. */
    private static final int DEEPEST = 1000;

    private static final Class<?> FRAME = Internals.type("java.lang.LiveStackFrame");
    private static final StackWalker WALKER = walker();
    private static final Method LOCALS = method("getLocals");
    private static final Method OPERANDS = method("getStack");
    private static final Class<?> SLOT = Internals.type("java.lang.LiveStackFrame$PrimitiveSlot");

    /** A number in a slot, of whatever type. */
    private static final class Bits {
        private final long bits;

        Bits(String text) {
            bits = Long.parseLong(text);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bits && ((Bits) other).bits == bits;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(bits);
        }
    }

    /** The innermost call of the program at one tick. */
    private static final class Visit {
        int depth;
        Class<?> type;
        String method;
        String descriptor;
        int place;
        /** Local variables, then operands; numbers as they lie in their slots. */
        Object[] values;
        int locals;
        int initialisations;

        boolean isSameCall(Visit other) {
            return depth == other.depth
                    && type == other.type
                    && method.equals(other.method)
                    && descriptor.equals(other.descriptor);
        }

        /** The local variables with another value than in another visit; null if that is not all that is another. */
        List<Integer> changedSince(Visit other) {
            if (place != other.place
                    || initialisations != other.initialisations
                    || locals != other.locals
                    || values.length != other.values.length) {
                return null;
            }
            List<Integer> changed = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                Object mine = values[i];
                Object theirs = other.values[i];
                boolean equal = mine == theirs || mine instanceof Bits && mine.equals(theirs);
                if (!equal && i >= locals) {
                    return null;
                }
                if (!equal) {
                    changed.add(i);
                }
            }
            return changed;
        }
    }

    private final Thread thread;
    private final Threads threads;
    private final List<Visit> visits = new ArrayList<>();
    private boolean over;
    private Visit found;
    private Set<Integer> places = Collections.emptySet();
    private List<Integer> changing = Collections.emptyList();

    /** Looks at what this thread does. */
    public Rounds(Thread thread, Threads threads) {
        this.thread = thread;
        this.threads = threads;
    }

    /** Called at each tick without fuel; false if nothing more is to be learnt. */
    boolean goesOn() {
        if (over || Thread.currentThread() != thread) {
            return false;
        }
        Visit visit = null;
        if (WALKER != null && threads.isAlone(thread)) {
            visit = WALKER.walk(new Innermost());
        }
        found = null;
        if (visit != null) {
            look(visit);
            visits.add(visit);
        }
        boolean isSame = found != null && changing.isEmpty();
        over = visit == null || isSame || visits.size() == MOST;
        return !over;
    }

    /** Looks where the same call, which did not end since, was before with as many variables as possible the same. */
    private void look(Visit visit) {
        Set<Integer> passed = new TreeSet<>();
        for (int i = visits.size() - 1; i >= 0 && (found == null || !changing.isEmpty()); i--) {
            Visit earlier = visits.get(i);
            if (earlier.depth > visit.depth) {
                continue;
            }
            if (!visit.isSameCall(earlier)) {
                break;
            }
            passed.add(earlier.place);
            List<Integer> changed = visit.changedSince(earlier);
            if (changed != null && (found == null || changed.size() < changing.size())) {
                found = visit;
                changing = changed;
                places = new TreeSet<>(passed);
            }
        }
    }

    /**
     * The loop that has come round: class, method and descriptor; empty if there is none.
     */
    public List<String> call() {
        if (!over || found == null) {
            return Collections.emptyList();
        }
        List<String> call = new ArrayList<>();
        call.add(found.type.getName());
        call.add(found.method);
        call.add(found.descriptor);
        return call;
    }

    /** The local variables that it came round with others of. */
    public List<Integer> changing() {
        return changing;
    }

    /** Where it came round: code offsets, the first one of the tick that was seen twice. */
    public List<Integer> places() {
        List<Integer> all = new ArrayList<>();
        all.add(found.place);
        all.addAll(places);
        return all;
    }

    /** Reads the innermost frame that is not ours. */
    private static final class Innermost implements Function<Stream<StackWalker.StackFrame>, Visit> {
        @Override
        public Visit apply(Stream<StackWalker.StackFrame> stack) {
            Visit visit = null;
            int depth = 0;
            for (Iterator<StackWalker.StackFrame> all = stack.iterator(); all.hasNext(); ) {
                StackWalker.StackFrame frame = all.next();
                depth++;
                if (depth > DEEPEST) {
                    return null;
                }
                if (visit == null && !frame.getClassName().startsWith("braid.runtime.")) {
                    visit = read(frame);
                    depth = 0;
                    if (visit == null) {
                        return null;
                    }
                }
            }
            if (visit != null) {
                visit.depth = depth;
            }
            return visit;
        }

        private static Visit read(StackWalker.StackFrame frame) {
            Class<?> type = frame.getDeclaringClass();
            if (type.getClassLoader() != ClassLoader.getSystemClassLoader()) {
                return null;
            }
            Visit visit = new Visit();
            visit.type = type;
            visit.method = frame.getMethodName();
            visit.descriptor = frame.getDescriptor();
            visit.place = frame.getByteCodeIndex();
            visit.initialisations = Reset.initialisations();
            return readValues(frame, visit) ? visit : null;
        }

        private static boolean readValues(StackWalker.StackFrame frame, Visit visit) {
            try {
                Object[] locals = (Object[]) LOCALS.invoke(frame);
                Object[] operands = (Object[]) OPERANDS.invoke(frame);
                Object[] values = new Object[locals.length + operands.length];
                for (int i = 0; i < values.length; i++) {
                    Object value = i < locals.length ? locals[i] : operands[i - locals.length];
                    values[i] = SLOT.isInstance(value) ? new Bits(value.toString()) : value;
                }
                visit.values = values;
                visit.locals = locals.length;
                return true;
            } catch (ReflectiveOperationException | RuntimeException e) {
                return false;
            }
        }
    }

    private static Method method(String name) {
        try {
            Method method = FRAME == null ? null : FRAME.getMethod(name);
            if (method != null) {
                method.setAccessible(true);
            }
            return method;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Null if this JVM has no such thing. */
    private static StackWalker walker() {
        if (FRAME == null) {
            return null;
        }
        try {
            Native.open(FRAME, "java.lang", Rounds.class);
            Method get = FRAME.getDeclaredMethod("getStackWalker", Set.class);
            get.setAccessible(true);
            Set<?> options = Collections.singleton(StackWalker.Option.RETAIN_CLASS_REFERENCE);
            return (StackWalker) get.invoke(null, options);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
