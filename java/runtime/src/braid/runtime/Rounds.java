package braid.runtime;

import java.lang.reflect.Field;
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
 * nothing may depend on these. If it writes, all that it can get at must have come round as well ({@link HeapRounds}).
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
    private static final Field MODE = Internals.field("java.lang.LiveStackFrameInfo", "mode");
    /** The mode of a frame that shows every object; others show null for those that were never made. */
    private static final int INTERPRETED = 1;

    private static final Class<?> SLOT = Internals.type("java.lang.LiveStackFrame$PrimitiveSlot");

    private final Thread thread;
    private final Threads threads;
    private final List<Visit> visits = new ArrayList<>();
    private final HeapRounds heap;
    private boolean over;
    /** Whether something ran that cannot be looked at. */
    private boolean isLost;

    private Round found;

    /** Looks at what this thread does. */
    public Rounds(Thread thread, Threads threads) {
        this.thread = thread;
        this.threads = threads;
        this.heap = new HeapRounds(thread, threads);
    }

    /** Called at each tick without fuel; false if nothing more is to be learnt. */
    boolean goesOn() {
        if (over || isLost || Thread.currentThread() != thread) {
            return false;
        }
        Visit visit = null;
        if (WALKER != null && threads.isAlone(thread)) {
            visit = WALKER.walk(new Innermost());
        }
        if (visit == null) {
            isLost = true;
            return false;
        }
        boolean isSame = found != null && found.changing.isEmpty();
        if (!isSame || visit.endsCallOf(found.visit)) {
            found = look(visit);
        }
        heap.look(visit);
        visits.add(visit);
        boolean allSame = heap.found() != null && heap.found().changing.isEmpty();
        over = allSame || visits.size() == MOST;
        return !over;
    }

    /** Looks where the same call, which did not end since, was before with as many variables as possible the same. */
    private Round look(Visit visit) {
        Set<Integer> passed = new TreeSet<>();
        Round best = null;
        for (int i = visits.size() - 1; i >= 0 && (best == null || !best.changing.isEmpty()); i--) {
            Visit earlier = visits.get(i);
            if (earlier.depth > visit.depth) {
                continue;
            }
            if (!visit.isSameCall(earlier)) {
                break;
            }
            passed.add(earlier.place);
            List<Integer> changed = visit.changedSince(earlier);
            if (changed != null && (best == null || changed.size() < best.changing.size())) {
                best = new Round(visit, passed, changed, null);
            }
        }
        return best;
    }

    /** The loops that have come round, each in a way of its own. */
    public List<Round> found() {
        List<Round> all = new ArrayList<>();
        if (over && found != null) {
            all.add(found);
        }
        if (over && heap.found() != null) {
            all.add(heap.found());
        }
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
            visit.nullIsNull = Integer.valueOf(INTERPRETED).equals(Internals.get(MODE, frame));
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
