package braid.compiler;

/**
 * A whole patched file in which comments, and the methods before the patched one, are blanked out. The parser comes to
 * the patched method in the same state and finds the same tokens from there on.
 */
final class ShellTask extends Task {
    private final Copy copy;

    ShellTask(Copy copy) {
        super(copy.patch, copy.edit);
        this.copy = copy;
    }

    @Override
    String text() {
        Outline outline = edit.original.outline;
        return outline.shell().substring(0, copy.method.start)
                + copy.source()
                + outline.quiet().substring(copy.method.bodyEnd);
    }
}
