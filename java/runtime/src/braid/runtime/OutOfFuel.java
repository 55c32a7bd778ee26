package braid.runtime;

/**
 * Ends a run that has used its fuel. Thrown again at every further tick, so that code which swallows it
 * gets no further than its next loop head or call.
 */
public final class OutOfFuel extends Error {
    private static final long serialVersionUID = 1L;

    public static final OutOfFuel INSTANCE = new OutOfFuel();

    private OutOfFuel() {
        super("out of fuel", null, false, false);
    }
}
