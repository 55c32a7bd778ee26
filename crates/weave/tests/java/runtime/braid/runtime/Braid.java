package braid.runtime;

/** A runtime without an agent, for the tests: the least that instrumented code needs. */
public final class Braid {
    public static int active;
    public static int epoch;
    public static long fuel = Long.MAX_VALUE;
    public static byte[] hits = new byte[0];

    public static void tick() {
        if (--fuel < 0) {
            throw OutOfFuel.INSTANCE;
        }
    }

    public static void hardTick() {
        if (fuel < -10_000) {
            throw OutOfFuel.INSTANCE;
        }
    }

    public static void hit(int probe) {
        byte[] all = hits;
        if (probe < all.length && all[probe] == 0) {
            all[probe] = 1;
        }
    }

    public static void begin(int variant, long limit) {
        active = variant;
        epoch++;
        fuel = limit;
        hits = new byte[5000];
        Reset.forgetEnums();
    }
}
