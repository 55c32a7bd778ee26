package loops;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.Test;

/** Programs that wait for ever without using fuel. */
public class WaitsTest {
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

    /** Parks again whatever wakes it, but uses a tick for that. */
    @Test
    public void waitsParked() {
        while (true) {
            LockSupport.park();
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
