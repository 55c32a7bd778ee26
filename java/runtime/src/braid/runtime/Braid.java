package braid.runtime;

/**
 * What woven code reads and calls. On the boot class path, so that every class of the program can see it.
 *
 * <p>The fields are plain on purpose: one thread drives runs one after the other, and a field read must
 * cost no more than that.
 */
public final class Braid {
    private Braid() {}

    /** Number of the active variant; 0 is the original program. */
    public static int active;

    /** The static state of the program belongs to this epoch; each run begins a new one. */
    public static int epoch;

    /** Ticks that the current run may still use. */
    public static long fuel = Long.MAX_VALUE;

    /** Coverage: one byte a probe, set at its first hit. */
    public static byte[] hits = new byte[0];

    /** Called at loop heads and method entries. */
    public static void tick() {
        if (--fuel < 0) {
            exhausted();
        }
    }

    private static void exhausted() {
        throw OutOfFuel.INSTANCE;
    }
}
