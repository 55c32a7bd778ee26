package loops;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.Test;

/** Programs that never end, each in a way of its own. All but the first must run out of fuel. */
public class LoopsTest {
    static int sum;

    static int work(int i) {
        return i * 31 + 7;
    }

    @Test
    public void ends() {
        for (int i = 0; i < 1000; i++) {
            sum += work(i);
        }
    }

    @Test
    public void loopEmpty() {
        while (true) {}
    }

    @Test
    public void loopCounting() {
        for (int i = 0; ; i++) {
            sum += i;
        }
    }

    @Test
    public void loopCalling() {
        do {
            sum += work(sum);
        } while (sum != Integer.MIN_VALUE || sum == Integer.MIN_VALUE);
    }

    @Test
    public void loopNested() {
        while (sum >= 0 || sum < 0) {
            for (int i = 0; i < 10; i++) {
                sum += i;
            }
        }
    }

    @Test
    public void loopCatchingAll() {
        while (true) {
            try {
                sum += work(sum);
            } catch (Throwable e) {
                sum++;
            }
        }
    }

    @Test
    @SuppressWarnings("finally")
    public void loopFinally() {
        while (true) {
            try {
                sum += work(sum);
            } finally {
                continue;
            }
        }
    }

    @Test
    public void loopCatchingAround() {
        for (; ; ) {
            try {
                while (true) {
                    sum += work(sum);
                }
            } catch (Throwable e) {
                sum++;
            }
        }
    }

    @Test
    public void loopContinueInCatch() {
        outer:
        while (true) {
            try {
                throw new IllegalStateException();
            } catch (IllegalStateException e) {
                continue outer;
            }
        }
    }

    @Test
    public void loopLambda() {
        IntStream.iterate(1, i -> work(i) | 1).filter(i -> i == 0).findFirst();
    }

    static final class Endless {
        static final int VALUE = endless();

        static int endless() {
            int i = 0;
            while (i >= 0 || i < 0) {
                i++;
            }
            return i;
        }
    }

    @Test
    public void loopInitialiser() {
        sum += Endless.VALUE;
    }

    @Test
    public void loopThread() throws InterruptedException {
        Thread thread =
                new Thread(
                        () -> {
                            while (true) {
                                sum++;
                            }
                        });
        thread.start();
        thread.join();
    }

    @Test
    public synchronized void loopSynchronized() {
        synchronized (LoopsTest.class) {
            while (true) {
                sum++;
            }
        }
    }

    static final class Key {
        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            while (true) {
                sum++;
            }
        }
    }

    @Test
    public void loopCallback() {
        Map<Key, String> map = new HashMap<>();
        map.put(new Key(), "a");
        map.put(new Key(), "b");
    }

    static void recurse() {
        try {
            recurse();
        } finally {
            recurse();
        }
    }

    @Test
    public void loopRecursion() {
        recurse();
    }
}
