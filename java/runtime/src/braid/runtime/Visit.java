package braid.runtime;

import java.util.ArrayList;
import java.util.List;

/** The innermost call of the program at one tick. */
final class Visit {
    int depth;
    Class<?> type;
    String method;
    String descriptor;
    int place;
    /** Local variables, then operands; numbers as they lie in their slots. */
    Object[] values;

    int locals;
    int initialisations;
    /** False if null may stand for an object that compiled code keeps in its registers. */
    boolean nullIsNull;

    boolean isSameCall(Visit other) {
        return depth == other.depth
                && type == other.type
                && method.equals(other.method)
                && descriptor.equals(other.descriptor);
    }

    /** Whether a call that was visited earlier cannot go on any more. */
    boolean endsCallOf(Visit earlier) {
        return depth < earlier.depth || depth == earlier.depth && !isSameCall(earlier);
    }

    /** Whether it stands where another one does, with as much in its frame, and no initialiser has run in between. */
    private boolean isAtSamePlace(Visit other) {
        return place == other.place
                && initialisations == other.initialisations
                && locals == other.locals
                && values.length == other.values.length;
    }

    /** The local variables with another value than in another visit; null if that is not all that is another. */
    List<Integer> changedSince(Visit other) {
        if (!isAtSamePlace(other)) {
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

    /**
     * The local variables with other numbers than in another visit; null if more than references differs beside. What an
     * interpreted frame holds of objects that it no longer needs are numbers as well.
     */
    List<Integer> numbersChangedSince(Visit other) {
        if (!isAtSamePlace(other)) {
            return null;
        }
        List<Integer> changed = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            boolean isNumber = values[i] instanceof Bits;
            if (isNumber != other.values[i] instanceof Bits) {
                return null;
            }
            if (isNumber && !values[i].equals(other.values[i])) {
                changed.add(i);
            }
        }
        boolean areLocals = changed.isEmpty() || changed.get(changed.size() - 1) < locals;
        return areLocals ? changed : null;
    }

    /** What it can get at. */
    Snapshot snapshot() {
        return new Snapshot(type, values);
    }

    /** Whether every object in its frame can be seen. */
    boolean isComplete() {
        for (Object value : values) {
            if (value == null && !nullIsNull) {
                return false;
            }
        }
        return true;
    }
}
