package braid.runner;

import braid.runtime.OwnState;

/**
 * One thread that runs one attempt after the other, made as new in between. The thread that made the shift watches: an
 * attempt that does not end by itself is taken away from it, and the shift is over with that attempt.
 */
final class Shift implements Runnable {
    /** How often we look after an attempt. */
    private static final long LOOK_MS = 20;

    /** What there is to do. Called by one thread at a time. */
    interface Work {
        /** The next attempt, to be run by the calling thread; null if nothing is left for one with this stack. */
        Attempt next(long stackBytes);

        /** Takes down what came of an attempt, and puts back what it has changed. */
        void finish(Attempt attempt);
    }

    private final Work work;
    private final long stackBytes;
    private final Thread thread;
    private volatile Attempt attempt;
    private volatile Throwable broken;

    /**
     * @param stackBytes of the thread; 0 if that is the usual one
     */
    Shift(Work work, long stackBytes) {
        this.work = work;
        this.stackBytes = stackBytes;
        this.thread = new Thread(null, this, "main", stackBytes);
    }

    Thread thread() {
        return thread;
    }

    @Override
    public void run() {
        try {
            OwnState own = new OwnState();
            do {
                own.restore();
                Attempt next = work.next(stackBytes);
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
            } while (own.isPossible());
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
        while (!Attempt.join(thread, LOOK_MS)) {
            tell.run();
            Attempt watched = attempt;
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
