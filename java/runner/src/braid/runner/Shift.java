package braid.runner;

import java.util.function.Supplier;

/**
 * One thread that runs one attempt after the other, made as new in between. The thread that made the shift watches: an
 * attempt that does not end by itself is taken away from it, and the shift is over with that attempt.
 */
final class Shift implements Runnable {
    /** How often we look after an attempt. */
    private static final long LOOK_MS = 20;

    /** What there is to do. Called by one thread at a time. */
    interface Work {
        /** The next attempt, to be run by the calling thread; null if nothing is left. */
        Attempt next();

        /** Takes down what came of an attempt, and puts back what it has changed. */
        void finish(Attempt attempt);
    }

    private final Work work;
    private final Supplier<Renewal> renewals;
    private final Thread thread = new Thread(this, "main");
    private volatile Attempt attempt;
    private volatile Throwable broken;

    /** Makes the thread that calls it as new. */
    interface Renewal {
        /** False if that cannot be done. */
        boolean renew();
    }

    Shift(Work work, Supplier<Renewal> renewals) {
        this.work = work;
        this.renewals = renewals;
    }

    Thread thread() {
        return thread;
    }

    @Override
    public void run() {
        try {
            Renewal renewal = renewals.get();
            do {
                Attempt next = work.next();
                attempt = next;
                if (next == null) {
                    return;
                }
                next.run();
                if (!next.end()) {
                    // The watching thread goes on from here.
                    return;
                }
                work.finish(next);
            } while (renewal.renew());
        } catch (Throwable e) {
            broken = e;
        }
    }

    /**
     * Begins the shift and waits for its end.
     *
     * @param tell called now and then
     */
    void watch(Runnable tell) throws Throwable {
        thread.start();
        Attempt watched = null;
        while (!Attempt.join(thread, LOOK_MS)) {
            tell.run();
            watched = attempt;
            if (watched != null && watched.isTooLong()) {
                watched.stop();
                work.finish(watched);
                return;
            }
        }
        if (broken != null) {
            throw broken;
        }
    }
}
