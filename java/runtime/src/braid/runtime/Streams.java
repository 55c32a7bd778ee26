package braid.runtime;

import java.io.InputStream;
import java.io.PrintStream;

/** The standard streams. */
final class Streams implements Epochs.Part {
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;

    @Override
    public void restore() {
        out.flush();
        err.flush();
        if (System.in != in) {
            System.setIn(in);
        }
        if (System.out != out) {
            System.setOut(out);
        }
        if (System.err != err) {
            System.setErr(err);
        }
    }
}
