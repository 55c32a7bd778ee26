package braid.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The program inside a worker JVM. It connects to the controller, whose port and secret (and, in a
 * warm worker, number of coverage probes, and whether simple tests need no framework) it reads from standard input, which is empty for tests
 * after that, and does what the controller asks until the connection ends.
 *
 * <p>Nothing here writes to standard output or error: those belong to the tests.
 */
public final class Main {
    /** The exit code of a worker that cannot go on. */
    static final int BROKEN = 86;

    private Main() {}

    public static void main(String[] args) throws IOException {
        String[] lines = readAll(System.in).split("\n");
        hideFromClassPath();
        try (Channel channel = Channel.connect(Integer.parseInt(lines[0].trim()), lines[1].trim())) {
            LastWords.install(channel);
            int probes = lines.length > 2 ? Integer.parseInt(lines[2].trim()) : 0;
            boolean direct = lines.length > 3 && Boolean.parseBoolean(lines[3].trim());
            new Session(channel, Frameworks.present(direct), probes).serve();
        }
    }

    private static String readAll(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] buffer = new byte[256];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            text.append(new String(buffer, 0, length, StandardCharsets.US_ASCII));
        }
        return text.toString();
    }

    /** The runner is first on the class path; programs that look see the project's own only. */
    private static void hideFromClassPath() {
        String path = System.getProperty("java.class.path", "");
        int first = path.indexOf(java.io.File.pathSeparatorChar);
        System.setProperty("java.class.path", first < 0 ? "" : path.substring(first + 1));
    }

    /** Ends the JVM because of an error of the runner itself. */
    static void breakDown(OutputStream out, byte[] frame) {
        try {
            out.write(frame);
            out.flush();
        } catch (Throwable e) {
            // The controller sees the exit code.
        } finally {
            Runtime.getRuntime().halt(BROKEN);
        }
    }
}
