package state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.security.Provider;
import java.security.Security;
import java.util.Locale;
import java.util.Properties;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.ObjectName;
import org.junit.Test;

/** Each test finds the JDK as in a new JVM, or fails; then it changes what it has looked at. */
public class JdkTest {
    @Test
    public void properties() {
        assertNull(System.getProperty("braid.fixture"));
        assertEquals("/", System.getProperty("file.separator"));
        System.setProperty("braid.fixture", "dirty");
        System.clearProperty("file.separator");
    }

    @Test
    public void ownProperty() {
        assertNull(System.getProperty("braid.fixture.own"));
        System.setProperty("braid.fixture.own", "dirty");
    }

    @Test
    public void propertiesReplaced() {
        assertNull(System.getProperty("braid.fixture"));
        Properties other = new Properties();
        other.setProperty("braid.fixture", "dirty");
        System.setProperties(other);
    }

    @Test
    public void locale() {
        Locale klingon = new Locale("tlh");
        assertNotSame(klingon, Locale.getDefault());
        assertFalse(Locale.getDefault(Locale.Category.FORMAT).getLanguage().equals("tlh"));
        assertFalse(Locale.getDefault(Locale.Category.DISPLAY).getLanguage().equals("tlh"));
        Locale.setDefault(klingon);
    }

    @Test
    public void timeZone() {
        assertFalse(TimeZone.getDefault().getID().equals("Asia/Kathmandu"));
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
    }

    @Test
    public void timeZoneByProperty() {
        assertFalse(TimeZone.getDefault().getID().equals("Asia/Tokyo"));
        System.setProperty("user.timezone", "Asia/Tokyo");
        TimeZone.setDefault(null);
        assertEquals("Asia/Tokyo", TimeZone.getDefault().getID());
    }

    @Test
    public void streams() throws Exception {
        assertEquals(-1, System.in.read());
        System.out.print("");
        PrintStream sink = new PrintStream(new ByteArrayOutputStream());
        assertFalse(System.getProperties().containsKey("braid.sink"));
        System.setOut(sink);
        System.setErr(sink);
        System.setIn(new ByteArrayInputStream(new byte[] {1}));
    }

    private static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();

    @Test
    public void currentThread() {
        Thread thread = Thread.currentThread();
        assertEquals("main", thread.getName());
        assertFalse(thread.isInterrupted());
        assertEquals(Thread.NORM_PRIORITY, thread.getPriority());
        assertSame(ClassLoader.getSystemClassLoader(), thread.getContextClassLoader());
        thread.setName("dirty");
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(null);
        assertSame(thread.getThreadGroup(), thread.getUncaughtExceptionHandler());
        thread.setUncaughtExceptionHandler((t, e) -> {});
        assertNull(INHERITED.get());
        INHERITED.set("dirty");
        long start = System.nanoTime();
        LockSupport.parkNanos(50_000_000);
        assertTrue("there was a permit", System.nanoTime() - start > 20_000_000);
        LockSupport.unpark(thread);
        thread.interrupt();
    }

    @Test
    public void uncaughtHandler() {
        assertNull(Thread.getDefaultUncaughtExceptionHandler());
        Thread.setDefaultUncaughtExceptionHandler((t, e) -> {});
    }

    @Test
    public void threadNames() {
        assertEquals("Thread-0", new Thread().getName());
        String[] name = new String[1];
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            pool.submit(() -> name[0] = Thread.currentThread().getName()).get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        assertEquals("pool-1-thread-1", name[0]);
    }

    private static int named(String prefix) {
        Thread[] all = new Thread[200];
        int count = 0;
        for (int i = Thread.currentThread().getThreadGroup().enumerate(all) - 1; i >= 0; i--) {
            if (all[i].getName().startsWith(prefix)) {
                count++;
            }
        }
        return count;
    }

    /** Threads in every state that one can be left in. */
    @Test
    public void threads() throws Exception {
        assertEquals(0, named("left"));
        assertEquals(0, named("Timer"));
        CountDownLatch started = new CountDownLatch(3);
        Runnable busy =
                () -> {
                    started.countDown();
                    for (long i = 0; ; i++) {
                        Math.abs(i);
                    }
                };
        Runnable stubborn =
                () -> {
                    started.countDown();
                    while (true) {
                        try {
                            Thread.sleep(10_000);
                        } catch (InterruptedException e) {
                            // Goes on.
                        }
                    }
                };
        new Thread(busy, "left busy").start();
        new Thread(stubborn, "left stubborn").start();
        new Timer().schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        started.countDown();
                    }
                },
                0,
                5);
        started.await();
        Executors.newFixedThreadPool(2, r -> new Thread(r, "left pool")).submit(() -> {});
        new ForkJoinPool(2).submit(() -> {}).get();
    }

    @Test
    public void providers() {
        assertNull(Security.getProvider("Dirty"));
        assertNull(Security.getProperty("braid.fixture"));
        Security.insertProviderAt(new Dirty(), 1);
        Security.setProperty("braid.fixture", "dirty");
    }

    @SuppressWarnings("deprecation")
    static final class Dirty extends Provider {
        Dirty() {
            super("Dirty", 1.0, "");
        }
    }

    @Test
    public void logging() {
        Logger logger = Logger.getLogger("braid.fixture");
        assertNull(logger.getLevel());
        assertEquals(Level.INFO, Logger.getLogger("").getLevel());
        assertEquals(1, Logger.getLogger("").getHandlers().length);
        logger.setLevel(Level.FINEST);
        Logger.getLogger("").setLevel(Level.OFF);
        Logger.getLogger("").removeHandler(Logger.getLogger("").getHandlers()[0]);
        keep = logger;
    }

    static Logger keep;

    /** The JVM allows this once. */
    @Test
    public void urlHandlers() {
        URL.setURLStreamHandlerFactory(protocol -> null);
    }

    @Test
    public void deleteOnExit() throws Exception {
        File file = new File(System.getProperty("java.io.tmpdir"), "braid-fixture");
        assertTrue(file.createNewFile());
        file.deleteOnExit();
    }

    @Test
    public void shutdownHooks() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("hook ran")));
    }

    public interface BeanMBean {}

    public static final class Bean implements BeanMBean {}

    @Test
    public void managementBeans() throws Exception {
        ObjectName name = new ObjectName("braid:type=Fixture");
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Bean(), name);
    }
}
