package faults;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Everything that a test can do to the JVM around it. */
public class FaultsTest {
    private static final List<Object> KEPT = new ArrayList<>();
    private static int depth;

    @Test
    public void loops() {
        while (true) {
            depth++;
        }
    }

    @Test
    public void loopsAndSwallowsEverything() {
        while (true) {
            try {
                Thread.sleep(1000);
            } catch (Throwable e) {
                depth++;
            }
        }
    }

    @Test
    public void recurses() {
        depth++;
        recurses();
    }

    @Test
    public void asksForTooMuchMemory() {
        long[][] rows = new long[1_000_000][];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = new long[1_000_000];
        }
    }

    @Test
    public void fillsMemoryForGood() {
        int size = 1 << 20;
        while (true) {
            try {
                KEPT.add(new byte[size]);
            } catch (OutOfMemoryError e) {
                if (size == 1) {
                    throw e;
                }
                size /= 2;
            }
        }
    }

    @Test
    public void exits() {
        System.exit(7);
    }

    @Test
    public void exitsFromAnotherThread() throws Exception {
        new Thread(() -> System.exit(8)).start();
        Thread.sleep(60_000);
    }

    @Test
    public void exitsWithHookThatHangs() {
        Thread hang = new Thread(() -> loops());
        Runtime.getRuntime().addShutdownHook(hang);
        System.exit(9);
    }

    @Test
    public void halts() {
        Runtime.getRuntime().halt(3);
    }

    @Test
    public void waits() throws Exception {
        Thread.sleep(600_000);
    }

    @Test
    public void leavesThreads() {
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(this::loops);
            thread.setDaemon(i % 2 == 0);
            thread.start();
        }
    }

    @Test
    public void leavesProcess() throws IOException {
        new ProcessBuilder("sleep", "600").start();
    }

    @Test
    public void printsForEver() {
        while (true) {
            System.out.println("This line is printed without end.");
            System.err.println("And so is this one.");
        }
    }

    @Test
    public void printsMuch() {
        for (int i = 0; i < 200_000; i++) {
            System.out.println("This is line " + i);
        }
    }

    @Test
    public void readsInput() throws IOException {
        assertEquals(-1, System.in.read());
    }

    @Test
    public void closesStreams() {
        System.out.close();
        System.err.close();
    }

    @Test
    public void interruptsItself() {
        Thread.currentThread().interrupt();
    }

    @Test
    public void throwsStrangely() {
        throw new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException();
            }
        };
    }

    @Test
    public void changesFiles() throws IOException {
        write("data.txt", "changed");
        Files.delete(Paths.get("doomed.txt"));
        write("created/deep/new.txt", "new");
        File locked = new File("locked.txt");
        locked.setReadable(false);
        locked.setWritable(false);
        Path link = Paths.get("link.txt");
        Files.delete(link);
        Files.createSymbolicLink(link, Paths.get("/"));
    }

    @Test
    public void changesClassPath() throws IOException {
        String first = System.getProperty("java.class.path").split(File.pathSeparator)[0];
        write(first + "/faults/Late.class", "garbage");
        Files.delete(Paths.get(first, "faults", "Never.class"));
    }

    private static void write(String name, String text) throws IOException {
        File file = new File(name);
        if (file.getParentFile() != null) {
            file.getParentFile().mkdirs();
        }
        try (Writer out = new FileWriter(file)) {
            out.write(text);
        }
    }

    @Test
    public void passes() {}

    @Test
    public void seesItsOwnClassPath() {
        String path = System.getProperty("java.class.path");
        assertEquals(path, -1, path.indexOf("runner-"));
    }
}
