package braid.runner;

/** A unit that was asked for does not exist (any more). */
public final class NotFound extends Exception {
    private static final long serialVersionUID = 1;

    public NotFound(String message) {
        super(message, null, false, false);
    }
}
