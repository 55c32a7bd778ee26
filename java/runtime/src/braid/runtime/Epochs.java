package braid.runtime;

import java.util.ArrayList;
import java.util.List;

/**
 * Begins and ends epochs. At the end of one, what it has changed in the JDK is put back, so that the next
 * one finds it as in a new JVM. The static state of the program itself is the business of woven code, which
 * starts over when the epoch changes (see {@link Reset}).
 */
public final class Epochs {
    /** One kind of state. */
    interface Part {
        /** Puts it back, cheaply if nothing has changed. */
        void restore() throws Throwable;
    }

    /** For benchmarks: static state can be kept from run to run, to tell what code costs from what starting over does. */
    private static final int STEP = Boolean.getBoolean("braid.keep-state") ? 0 : 1;

    private final List<Part> parts = new ArrayList<>();
    private final Threads threads;

    /** Remembers the state of the JVM as it is now. */
    public Epochs() {
        parts.add(new Streams());
        parts.add(new Table());
        parts.add(new Defaults());
        parts.add(new SystemProperties());
        parts.add(new Security());
        parts.add(new Hooks());
        parts.add(new Logging());
        threads = new Threads();
    }

    /** Begins an epoch. */
    public void begin(int variant, long fuel, byte[] hits) {
        Enums.forgetAll();
        Braid.active = variant;
        Braid.epoch += STEP;
        Braid.hits = hits;
        Braid.fuel = fuel;
    }

    /**
     * Ends the epoch: its threads, then its traces.
     *
     * @return why the JVM cannot be used again; null if it can
     */
    public String end() {
        Braid.rounds = null;
        Braid.fuel = Long.MIN_VALUE / 2;
        String reason = threads.end();
        Braid.fuel = Long.MAX_VALUE;
        Braid.active = 0;
        // Whoever interrupted us meant the run.
        Thread.interrupted();
        for (Part part : parts) {
            try {
                part.restore();
            } catch (Throwable e) {
                reason = reason == null ? "cannot put back state of the JDK: " + e : reason;
            }
        }
        return reason;
    }

    /** The threads of the program. */
    public Threads threads() {
        return threads;
    }
}
