package braid.runtime;

public final class OutOfFuel extends Error {
    private static final long serialVersionUID = 1L;
    static final OutOfFuel INSTANCE = new OutOfFuel();

    private OutOfFuel() {
        super("out of fuel", null, false, false);
    }
}
