package braid.runner;

import braid.runtime.Braid;
import braid.runtime.Native;
import braid.runtime.Epochs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Runs many variants in one JVM, one unit at a time, each as if the JVM were new: a new epoch of the
 * program's static state, a thread as new, and the JDK's state put back afterwards.
 */
final class Warm {
    /** Of the heap, when we ask the collector what is really in use, and when we give up. */
    private static final double FULL = 0.8;

    private final Channel channel;
    private final Frameworks frameworks;
    private Epochs epochs;
    /** One byte a probe of the woven program. */
    private final byte[] hits;
    private volatile boolean halted;
    private volatile Thread thread;

    Warm(Channel channel, Frameworks frameworks, int probes) {
        this.channel = channel;
        this.frameworks = frameworks;
        this.hits = new byte[probes];
        // Frameworks may have loaded classes of the program already.
        Braid.hits = hits;
    }

    /** Whether this JVM has what woven programs need. */
    static boolean isPossible() {
        try {
            Class.forName("braid.runtime.Epochs", false, null);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Remembers the state that each run finds. All threads of our own must live by now. */
    void prepare() {
        // The main thread of the program is the one that runs a unit.
        Thread.currentThread().setName("braid-main");
        epochs = new Epochs();
    }

    /** Trials that have not begun are left out. Called from the listening thread. */
    void halt() {
        halted = true;
    }

    /** The thread that runs a unit now; null if there is none. */
    Thread thread() {
        return thread;
    }

    /** Runs code of the program outside of trials, on this thread. */
    void inEpoch(Runnable action) {
        epochs.begin(0, Long.MAX_VALUE, hits);
        try {
            action.run();
        } finally {
            epochs.end();
            tellNotes();
        }
    }

    void run(Message.In request) throws Throwable {
        Trials trials = new Trials(new Order(request));
        halted = false;
        while (!trials.isOver()) {
            Shift shift = new Shift(trials, trials.stackBytes());
            thread = shift.thread();
            shift.watch(channel::flush);
            thread = null;
        }
    }

    /** The units of a request, trial by trial. */
    private final class Trials implements Shift.Work {
        private final Order order;
        private boolean begun;
        private int trial;
        /** The place of the next unit among those of the trial. */
        private int next;

        Trials(Order order) {
            this.order = order;
            skip();
        }

        /** Goes on to the next trial that has a unit left. */
        private void skip() {
            while (trial < order.trials.size() && next >= order.trials.get(trial).units.length) {
                trial++;
                next = 0;
            }
        }

        boolean isOver() {
            return halted || trial >= order.trials.size();
        }

        /** The stack of the next unit. */
        private long stackBytes() {
            return order.units.get(order.trials.get(trial).units[next]).stackBytes;
        }

        @Override
        public Attempt next(long stackBytes) {
            if (isOver() || stackBytes() != stackBytes) {
                return null;
            }
            int place = order.trials.get(trial).units[next];
            channel.sendSoon(new Message.Out(Message.TRIAL_STARTED).u32(trial).u32(place));
            if (begun) {
                channel.flushNowAndThen();
            } else {
                // If the JVM ends, the controller knows of one unit at least that it had come to.
                channel.flush();
                begun = true;
            }
            Order.Unit unit = order.units.get(place);
            if (order.record) {
                Arrays.fill(hits, (byte) 0);
                // Values of an earlier run that a thread drops late do not count.
                Braid.kept = new AtomicIntegerArray(hits.length);
            }
            Attempt attempt = new Attempt(trial, place, unit, frameworks, epochs.threads());
            epochs.begin(order.trials.get(trial).variant, unit.fuel, hits);
            return attempt;
        }

        @Override
        public void finish(Attempt attempt) {
            Message.Out out =
                    new Message.Out(Message.UNIT_RAN).u32(attempt.trial).u32(attempt.place);
            attempt.copyTo(out);
            out.bool(order.record);
            if (order.record) {
                bits(out);
            }
            out.bool(attempt.hadStack());
            String taint = epochs.end();
            String own = attempt.taint();
            taint = own == null ? taint : own;
            taint = taint == null ? memory() : taint;
            channel.sendSoon(out.option(taint));
            tellNotes();
            if (taint != null) {
                trial = order.trials.size();
                return;
            }
            boolean last = !attempt.passed() && order.trials.get(trial).stopAtFailure;
            next = last ? Integer.MAX_VALUE : next + 1;
            skip();
        }
    }

    /** The hits as a set, eight probes a byte; with the probes of values that were not all dropped. */
    private void bits(Message.Out out) {
        byte[] set = new byte[(hits.length + 7) / 8];
        AtomicIntegerArray kept = Braid.kept;
        Braid.kept = null;
        for (int i = 0; i < hits.length; i++) {
            if (hits[i] != 0 || kept.get(i) != 0) {
                set[i / 8] |= (byte) (1 << (i % 8));
            }
        }
        out.u32(set.length).raw(set, 0, set.length);
    }

    /** Asks the collector only when the heap looks full. */
    private static String memory() {
        if (inUse() < FULL) {
            return null;
        }
        System.gc();
        return inUse() < FULL ? null : "memory is not given back";
    }

    private static double inUse() {
        Runtime runtime = Runtime.getRuntime();
        return (double) (runtime.totalMemory() - runtime.freeMemory()) / runtime.maxMemory();
    }

    private void tellNotes() {
        String notes = Native.notes();
        if (notes != null) {
            for (String note : notes.split("\n")) {
                channel.send(new Message.Out(Message.NOTE).text(note));
            }
        }
    }

    /** Gives classes other bytes; classes that are not loaded yet are loaded first. */
    Message.Out redefine(Message.In request) {
        List<Class<?>> classes = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        int error = -1;
        String message = "";
        try {
            for (int left = request.u32(); left > 0; left--) {
                String name = request.text();
                contents.add(request.bytes());
                classes.add(Program.load(name));
            }
            error =
                    Native.redefine(
                            classes.toArray(new Class<?>[0]), contents.toArray(new byte[0][]));
        } catch (Throwable e) {
            message = Throwables.summary(e);
        }
        return new Message.Out(Message.REDEFINED).u32(error).text(message);
    }
}
