package braid.compiler;

import java.util.ArrayList;
import java.util.List;

/** Threads with deep stacks: parsing needs stack for whatever a patch nests; deep trees go no further. */
final class Workers {
    private static final long STACK = 256L << 20;
    private static final int MOST = 4;

    private Workers() {}

    /** How many may run beside each other. */
    static int count() {
        return Math.min(MOST, Runtime.getRuntime().availableProcessors());
    }

    /** Does all of it, each piece on a thread of its own. */
    static <T, R> List<R> each(List<T> pieces, Work<T, R> work) throws Throwable {
        List<R> results = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        Throwable[] faults = new Throwable[pieces.size()];
        for (int i = 0; i < pieces.size(); i++) {
            int at = i;
            results.add(null);
            Runnable run =
                    () -> {
                        try {
                            R result = work.on(pieces.get(at));
                            synchronized (results) {
                                results.set(at, result);
                            }
                        } catch (Throwable thrown) {
                            faults[at] = thrown;
                        }
                    };
            threads.add(new Thread(null, run, "bulk", STACK));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        for (Throwable fault : faults) {
            if (fault != null) {
                throw fault;
            }
        }
        return results;
    }

    /** What is done with each piece. */
    interface Work<T, R> {
        R on(T piece) throws Throwable;
    }
}
