package braid.compiler;

/** A batch that gave no answer, so that its copies must be tried in another way. */
final class Trouble extends Exception {
    private static final long serialVersionUID = 1L;

    Trouble(String reason) {
        super(reason);
    }
}
