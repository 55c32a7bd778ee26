package braid.runtime;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Ends the threads that a run has left behind. */
public final class Threads {
    /** How long threads may take to end by themselves, after an interrupt, after a stop. */
    private static final long PATIENCE_MS = 300;

    private static final Field TARGET = Internals.field(Thread.class, "target");
    private static final Field HOLDER = Internals.field(Thread.class, "holder");
    private static final Field TASK = Internals.field("java.lang.Thread$FieldHolder", "task");
    private static final Field POOL =
            Internals.field("java.util.concurrent.ThreadPoolExecutor$Worker", "this$0");

    private final ThreadGroup root;
    private final Set<Thread> ours = Collections.newSetFromMap(new IdentityHashMap<>());
    private int last = 32;

    /** All threads that live now are ours. */
    Threads() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        root = group;
        ours.addAll(alive());
    }

    /** Threads of the program that still live, but for the one that asks. */
    public List<Thread> leftOver() {
        Thread asks = Thread.currentThread();
        List<Thread> left = new ArrayList<>();
        for (Thread thread : alive()) {
            if (thread != asks && !ours.contains(thread) && !belongsToJdk(thread)) {
                left.add(thread);
            }
        }
        return left;
    }

    /** Whether nobody but this thread can run code of the program. */
    boolean isAlone(Thread thread) {
        for (Thread other : alive()) {
            if (other != thread && !ours.contains(other) && !isCleaner(other)) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is nobody but this thread who runs code of the program or waits for something outside. */
    public boolean isLast(Thread thread) {
        for (Thread other : alive()) {
            boolean cleans = isCleaner(other) && other.getName().equals("Common-Cleaner");
            if (other != thread && !ours.contains(other) && !cleans) {
                return false;
            }
        }
        return true;
    }

    /** What the collector finds is cleaned there; a loop that makes nothing gives it nothing to do. */
    private static boolean isCleaner(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && group.getName().equals("InnocuousThreadGroup");
    }

    private List<Thread> alive() {
        while (true) {
            Thread[] found = new Thread[last + 8];
            int count = root.enumerate(found, true);
            if (count < found.length) {
                last = count;
                List<Thread> alive = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    alive.add(found[i]);
                }
                return alive;
            }
            last = found.length * 2;
        }
    }

    /** Helpers of the JDK run no code of the program, or are idle once the program's tasks are ended. */
    private static boolean belongsToJdk(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        if (group == null) {
            return true;
        }
        String name = group.getName();
        return group.getParent() == null
                || name.equals("InnocuousThreadGroup")
                || isCommon(thread)
                || isDelayer(thread);
    }

    private static boolean isCommon(Thread thread) {
        return thread instanceof ForkJoinWorkerThread
                && ((ForkJoinWorkerThread) thread).getPool() == ForkJoinPool.commonPool();
    }

    private static boolean isDelayer(Thread thread) {
        String name = thread.getName();
        return name.equals("CompletableFutureDelayScheduler");
    }

    /**
     * Ends all threads of the program. Fuel must be used up, so that every tick throws.
     *
     * @return why this could not be done; null if it was, or there was nothing to do
     */
    String end() {
        List<Thread> left = leftOver();
        if (!left.isEmpty()) {
            left = end(left);
        }
        if (!left.isEmpty()) {
            return "thread does not end: " + left.get(0).getName();
        }
        return quieten();
    }

    private List<Thread> end(List<Thread> first) {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {});
        try {
            for (Thread thread : first) {
                shutDown(thread);
                thread.interrupt();
            }
            List<Thread> left = await(PATIENCE_MS / 3);
            for (int i = 0; i < 2 && !left.isEmpty(); i++) {
                for (Thread thread : left) {
                    Native.stop(thread, OutOfFuel.INSTANCE);
                    thread.interrupt();
                }
                left = await(PATIENCE_MS);
            }
            return left;
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** Pools replace threads that end by an exception, so they are shut down as a whole. */
    private static void shutDown(Thread thread) {
        try {
            if (thread instanceof ForkJoinWorkerThread) {
                ((ForkJoinWorkerThread) thread).getPool().shutdownNow();
                return;
            }
            Object task = Internals.get(TARGET, thread);
            if (task == null && HOLDER != null) {
                Object holder = Internals.get(HOLDER, thread);
                task = holder == null ? null : Internals.get(TASK, holder);
            }
            if (task != null && POOL != null && POOL.getDeclaringClass().isInstance(task)) {
                ((ExecutorService) Internals.get(POOL, task)).shutdownNow();
            }
        } catch (Throwable e) {
            // A pool of the program's own making; its threads are stopped one by one.
        }
    }

    private List<Thread> await(long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        List<Thread> left = leftOver();
        while (!left.isEmpty() && System.nanoTime() < deadline) {
            try {
                left.get(0).join(2);
            } catch (InterruptedException e) {
                // Nobody means us any more.
            }
            left = leftOver();
        }
        return left;
    }

    /** Ends the tasks in pools that every program shares. */
    private String quieten() {
        boolean common = false;
        for (Thread thread : alive()) {
            common |= isCommon(thread);
            if (isDelayer(thread)) {
                clearDelayer();
            }
        }
        return common && !isQuiet(ForkJoinPool.commonPool())
                ? "task in the common pool does not end"
                : null;
    }

    /** Waits without helping: the pool's own method would run tasks of the program on this thread. */
    private static boolean isQuiet(ForkJoinPool pool) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        while (!pool.isQuiescent()) {
            if (System.nanoTime() >= deadline) {
                return false;
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                // Nobody means us any more.
            }
        }
        return true;
    }

    private static void clearDelayer() {
        Field delayer = Internals.field("java.util.concurrent.CompletableFuture$Delayer", "delayer");
        Object executor = Internals.get(delayer, null);
        if (executor != null) {
            ((ScheduledThreadPoolExecutor) executor).getQueue().clear();
        }
    }
}
