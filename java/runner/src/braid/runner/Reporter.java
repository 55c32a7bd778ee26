package braid.runner;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns what a framework says into messages, and sees to it that every unit that was asked for is
 * started once and finished once, whatever the framework does. Results of units that were not asked
 * for are dropped. Any thread may call.
 *
 * <p>The end of a unit is told late, when the next one starts or its class is over: a failing
 * class-level tear-down then still counts for the last unit of the class.
 */
public final class Reporter {
    private enum State {
        WAITING,
        OPEN,
        DONE,
        FINISHED
    }

    private static final class Progress {
        State state = State.WAITING;
        long nanos;
        int leaves;
    }

    private final Sink sink;
    private final Map<String, Progress> units = new LinkedHashMap<>();
    private final Map<String, Long> started = new HashMap<>();
    private final Set<String> done = new LinkedHashSet<>();
    private String last;

    Reporter(Sink sink, Set<String> units) {
        this.sink = sink;
        for (String unit : units) {
            this.units.put(unit, new Progress());
        }
    }

    /** Whether results of this unit are wanted. */
    public boolean wants(String unit) {
        return units.containsKey(unit);
    }

    /** The unit begins, though none of its leaves does yet. */
    public synchronized void open(String unit) {
        Progress progress = units.get(unit);
        if (progress == null || progress.state != State.WAITING) {
            return;
        }
        finishOthers(unit);
        progress.state = State.OPEN;
        last = unit;
        sink.send(new Message.Out(Message.UNIT_STARTED).text(unit));
    }

    /** A leaf begins. */
    public synchronized void start(String unit, String leaf) {
        if (!wants(unit)) {
            return;
        }
        open(unit);
        finishOthers(unit);
        last = unit;
        started.put(leaf, System.nanoTime());
        sink.send(new Message.Out(Message.LEAF_STARTED).text(unit).text(leaf));
    }

    /** A leaf has ended well. */
    public synchronized void pass(String unit, String leaf) {
        if (wants(unit)) {
            sink.send(leaf(unit, leaf).u8(0).u64(clock(unit, leaf)));
        }
    }

    /** A leaf has failed, begun or not. */
    public synchronized void fail(String unit, String leaf, Throwable cause) {
        if (wants(unit)) {
            open(unit);
            sink.threw(cause);
            Message.Out out = leaf(unit, leaf).u8(1).bool(Throwables.isAssertion(cause));
            out.text(cause.getClass().getName()).option(Throwables.message(cause));
            sink.send(out.text(Throwables.trace(cause)).u64(clock(unit, leaf)));
        }
    }

    /** A leaf was skipped, begun or not. */
    public synchronized void skip(String unit, String leaf, String reason) {
        if (wants(unit)) {
            open(unit);
            String why = Throwables.cut(reason == null ? "" : reason);
            sink.send(leaf(unit, leaf).u8(2).text(why).u64(clock(unit, leaf)));
        }
    }

    private static Message.Out leaf(String unit, String leaf) {
        return new Message.Out(Message.LEAF_FINISHED).text(unit).text(leaf);
    }

    private long clock(String unit, String leaf) {
        Long start = started.remove(leaf);
        long nanos = start == null ? 0 : System.nanoTime() - start;
        Progress progress = units.get(unit);
        progress.nanos += nanos;
        progress.leaves++;
        return nanos;
    }

    /** No more leaves of this unit come, but its class may still fail. */
    public synchronized void done(String unit) {
        Progress progress = units.get(unit);
        if (progress != null && progress.state == State.OPEN) {
            progress.state = State.DONE;
            done.add(unit);
        }
    }

    /**
     * Set-up or tear-down above these units has failed. It counts for all that have not begun, else
     * for the last one that has; in no case is it lost.
     */
    public synchronized void failAll(Collection<String> below, Throwable cause) {
        List<String> waiting = in(below, State.WAITING);
        for (String unit : waiting) {
            fail(unit, unit, cause);
            finish(unit);
        }
        if (waiting.isEmpty()) {
            String blamed = null;
            for (String unit : below) {
                if (wants(unit) && (blamed == null || !blamed.equals(last))) {
                    blamed = unit;
                }
            }
            if (blamed != null) {
                fail(blamed, blamed + "[class]", cause);
            }
        }
    }

    /** These units do not run. */
    public synchronized void skipAll(Collection<String> below, String reason) {
        for (String unit : in(below, State.WAITING)) {
            skip(unit, unit, reason);
            finish(unit);
        }
    }

    /** Nothing more comes of any of these units. */
    public synchronized void finishAll(Collection<String> below) {
        in(below, State.OPEN).forEach(this::finish);
        in(below, State.DONE).forEach(this::finish);
    }

    /** The run is over, because of {@code cause} if that is not null. */
    synchronized void end(Throwable cause) {
        for (Map.Entry<String, Progress> entry : units.entrySet()) {
            String unit = entry.getKey();
            Progress progress = entry.getValue();
            if (progress.state == State.FINISHED) {
                continue;
            }
            boolean silent = progress.leaves == 0;
            if (cause != null && progress.state != State.DONE) {
                fail(unit, unit, cause);
            } else if (silent && progress.state == State.WAITING) {
                fail(unit, unit, new NotFound("the framework did not run " + unit));
            }
            finish(unit);
        }
    }

    private List<String> in(Collection<String> below, State state) {
        List<String> matching = new ArrayList<>();
        for (String unit : below) {
            Progress progress = units.get(unit);
            if (progress != null && progress.state == state) {
                matching.add(unit);
            }
        }
        return matching;
    }

    private void finishOthers(String unit) {
        for (String other : new ArrayList<>(done)) {
            if (!other.equals(unit)) {
                finish(other);
            }
        }
    }

    private void finish(String unit) {
        Progress progress = units.get(unit);
        progress.state = State.FINISHED;
        done.remove(unit);
        sink.send(new Message.Out(Message.UNIT_FINISHED).text(unit).u64(progress.nanos));
    }
}
