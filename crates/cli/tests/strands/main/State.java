package strands;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Static state that tests see as new. */
public final class State {
    private static int counter;
    private static final Map<String, Integer> CACHE = new HashMap<>();
    private static State instance;
    private static final ThreadLocal<StringBuilder> BUFFER = ThreadLocal.withInitial(StringBuilder::new);
    public static final int SEED = Integer.parseInt("7");

    private static final List<String> LOG = new ArrayList<>();
    private static String hidden = "as it was";

    static {
        LOG.add("started");
    }

    private State() {}

    public static int logged() {
        LOG.add("more");
        return LOG.size();
    }

    public static String written() throws ReflectiveOperationException {
        Field field = State.class.getDeclaredField("hidden");
        field.setAccessible(true);
        String before = (String) field.get(null);
        field.set(null, "written");
        return before;
    }

    public static int next() {
        counter += 1;
        return counter;
    }

    public static int cached(String key) {
        Integer known = CACHE.get(key);
        if (known != null) {
            return -known;
        }
        CACHE.put(key, key.length());
        return key.length();
    }

    public static State instance() {
        if (instance == null) {
            instance = new State();
            counter += 10;
        }
        return instance;
    }

    public static String buffered(String text) {
        return BUFFER.get().append(text).toString();
    }

    public static String property() {
        String old = System.getProperty("strands.seen", "no");
        System.setProperty("strands.seen", "yes");
        return old;
    }

    public static int seeded() {
        return SEED + Cycle.A + Level.LOW.bump();
    }

    /** Two classes that initialise each other. */
    static final class Cycle {
        static final int A = Other.B + 1;

        private Cycle() {}
    }

    static final class Other {
        static final int B = Cycle.A + 10;

        private Other() {}
    }

    /** A class that is built by recursion. */
    static final class Built {
        static final int SIZE = build(3);

        private Built() {}

        static int build(int n) {
            return n == 0 ? 0 : build(n - 1) + 1;
        }
    }

    public static int built() {
        return Built.SIZE;
    }

    /** An enum with state. */
    enum Level {
        LOW,
        HIGH;

        private int bumps;

        int bump() {
            bumps++;
            return bumps;
        }
    }

    /** An enum whose constants never change, but for what its constructor makes of them. */
    enum Planet {
        NEAR(1),
        FAR(20);

        final int distance;

        Planet(int distance) {
            this.distance = distance;
        }
    }

    public static boolean isKnown(String planet) {
        return !Planet.valueOf(planet).name().isEmpty();
    }

    public static int distance(String planet) {
        return Planet.valueOf(planet).distance;
    }

    /** What one test leaves to the next. */
    static final class Order {
        static int step;

        private Order() {}

        static int next() {
            step = step + 1;
            return step;
        }
    }

    interface Constants {
        Map<String, String> NAMES = new HashMap<>();
    }

    public static int named(String name) {
        Constants.NAMES.put(name, name);
        return Constants.NAMES.size();
    }
}
