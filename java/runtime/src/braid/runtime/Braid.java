package braid.runtime;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * What woven code reads and calls. On the boot class path, so that every class of the program can see it.
 *
 * <p>The fields are plain on purpose: one thread drives runs one after the other, and a field read must
 * cost no more than that. Threads that a run leaves behind are ended before the next one begins, so that
 * none of them can use up its fuel.
 */
public final class Braid {
    private Braid() {}

    /** Number of the active variant; 0 is the original program. */
    public static int active;

    /** The static state of the program belongs to this epoch; each run begins a new one. */
    public static int epoch;

    /** Ticks that the current run may still use; below zero every tick throws. */
    public static long fuel = Long.MAX_VALUE;

    /** Coverage: one byte a probe, set at its first hit. */
    public static byte[] hits = new byte[0];

    /** For each probe of a value: how many were returned that nobody has dropped; null if nobody counts. */
    public static AtomicIntegerArray kept;

    /** Looks closer before a run without fuel is ended; null if nobody does. */
    public static volatile Rounds rounds;

    /** How far below zero fuel goes before {@link #hardTick} throws. */
    private static final long HARD = 10_000;

    /** Called at loop heads and method entries. */
    public static void tick() {
        if (--fuel < 0) {
            exhausted();
        }
    }

    /**
     * Called where no handler of the loop can catch: ends loops that swallow what {@link #tick} throws,
     * after they have had time to clean up.
     */
    public static void hardTick() {
        if (fuel < -HARD) {
            exhausted();
        }
    }

    /** Called at the entry of methods that have a probe. */
    public static void hit(int probe) {
        byte[] all = hits;
        if (probe < all.length && all[probe] == 0) {
            all[probe] = 1;
        }
    }

    /** Called where a method returns whose values are counted. */
    public static void gives(int probe) {
        AtomicIntegerArray all = kept;
        if (all != null) {
            all.incrementAndGet(probe);
        }
    }

    /** Called where such a value was returned and will be dropped. */
    public static void drops(int probe) {
        AtomicIntegerArray all = kept;
        if (all != null) {
            all.decrementAndGet(probe);
        }
    }

    private static void exhausted() {
        Rounds closer = fuel < -HARD ? null : rounds;
        if (closer != null && closer.goesOn()) {
            return;
        }
        throw OutOfFuel.INSTANCE;
    }
}
