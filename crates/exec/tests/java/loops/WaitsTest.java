package loops;

import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.Test;

/** Programs that wait for ever without using fuel. */
public class WaitsTest {
    /** Longer than all may be idle. */
    private static final int PAUSE_MS = 900;

    @Test
    public synchronized void waitsForNotify() throws InterruptedException {
        while (true) {
            wait();
        }
    }

    @Test
    public void waitsAsleep() throws InterruptedException {
        Thread.sleep(1_000_000);
    }

    @Test
    public void waitsForQueue() throws InterruptedException {
        new LinkedBlockingQueue<String>().take();
    }

    @Test
    public void waitsForLatch() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    /** Looks each second whether somebody has written something. */
    @Test
    public void waitsForReaderPipe() throws IOException {
        new PipedReader(new PipedWriter()).read();
    }

    @Test
    public void waitsForStreamPipe() throws IOException {
        PipedOutputStream out = new PipedOutputStream();
        try (PipedInputStream in = new PipedInputStream(out, 2)) {
            out.write(new byte[3]);
        }
    }

    /** Parks again whatever wakes it, but uses a tick for that. */
    @Test
    public void waitsParked() {
        while (true) {
            LockSupport.park();
        }
    }

    /** Somebody who is still there wakes it. */
    @Test
    public void pausesForThread() throws InterruptedException {
        Thread other = new Thread(WaitsTest::rest);
        other.start();
        other.join();
    }

    @Test
    public void pausesForTimer() throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        Timer timer = new Timer(true);
        timer.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        latch.countDown();
                    }
                },
                PAUSE_MS);
        latch.await();
        timer.cancel();
    }

    @Test
    public void pausesForProcess() throws Exception {
        new ProcessBuilder("sleep", "1").start().waitFor();
    }

    /** The reader finds out that who has written is no more. */
    @Test(expected = IOException.class)
    public void pausesForBrokenPipe() throws Exception {
        PipedOutputStream out = new PipedOutputStream();
        PipedInputStream in = new PipedInputStream(out);
        Thread other = new Thread(() -> write(out));
        other.start();
        in.read();
        in.read();
    }

    private static void write(PipedOutputStream out) {
        try {
            out.write(1);
            Thread.sleep(100);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void rest() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            // Somebody gave up.
        }
    }

    /** Busy in the JDK, without a tick: only the clock and a stop end it. */
    @Test
    public void busyInLibrary() {
        new java.math.BigInteger("3").pow(200_000_000);
    }

    @Test
    public void overflows() {
        deep();
    }

    private int deep() {
        return deep() + 1;
    }

    @Test
    public void goesDeep() {
        org.junit.Assert.assertEquals(200_000, down(200_000));
    }

    private int down(int n) {
        return n == 0 ? 0 : down(n - 1) + 1;
    }

    /** On the stack of another thread. */
    @Test
    public void overflowsElsewhere() throws Exception {
        StackOverflowError[] thrown = new StackOverflowError[1];
        Thread other =
                new Thread(
                        () -> {
                            try {
                                deep();
                            } catch (StackOverflowError e) {
                                thrown[0] = e;
                            }
                        });
        other.start();
        other.join();
        throw thrown[0];
    }

    /** On the way back up there is enough of the stack to begin with the class, and not enough to end. */
    @Test
    public void overflowsInitialising() {
        deepWithCurrency();
    }

    private int deepWithCurrency() {
        try {
            return deepWithCurrency() + 1;
        } finally {
            java.util.Currency.getAvailableCurrencies();
        }
    }

    /** No interrupt and no stop ends this. */
    @Test
    public void stuckInNativeCode() throws Exception {
        new java.net.ServerSocket(0).accept();
    }

    /** An interrupt ends nothing here. */
    @Test
    public void deadlocks() throws InterruptedException {
        Object a = new Object();
        Object b = new Object();
        CountDownLatch both = new CountDownLatch(2);
        Thread other = new Thread(() -> lock(b, a, both));
        other.start();
        lock(a, b, both);
    }

    private static void lock(Object first, Object second, CountDownLatch both) {
        synchronized (first) {
            both.countDown();
            try {
                both.await();
            } catch (InterruptedException e) {
                return;
            }
            synchronized (second) {
                both.countDown();
            }
        }
    }

    /** Not a wait, but nothing inside the JVM comes back from it. */
    @Test
    public void exits() {
        System.exit(7);
    }

    @Test
    public void fillsMemory() {
        byte[][] all = new byte[100_000][];
        for (int i = 0; ; i++) {
            all[i] = new byte[1 << 20];
        }
    }
}
