import java.io.*;
import java.lang.reflect.Field;
import java.util.*;

/** Static state of every kind. Each run must print what the first run in a new JVM prints. */
public class Statics {
    static final List<String> LOG = new ArrayList<>();
    static int counter;
    static long wide = 7L;
    static double real;
    static final Map<String, Integer> CACHE = new HashMap<>();

    static void log(String text) {
        LOG.add(text);
    }

    public static void main(String[] args) throws Exception {
        caches();
        cycles();
        enums();
        interfaces();
        singletons();
        failures();
        inheritance();
        reflection();
        serialisation();
        threads();
        nested();
        System.out.println(LOG);
        System.out.println(counter + " " + wide + " " + real + " " + CACHE);
    }

    static void caches() {
        counter += 5;
        wide *= 3;
        real += 0.5;
        CACHE.merge("x", 1, Integer::sum);
        log("lazy " + Lazy.get() + Lazy.get());
    }

    static class Lazy {
        private static Map<Integer, String> map;
        static int made;

        static String get() {
            if (map == null) {
                map = new TreeMap<>();
                made++;
            }
            map.put(map.size(), "v");
            return map.toString() + made;
        }
    }

    static void cycles() {
        log("cycle " + A.VALUE + " " + B.VALUE + " " + A.seen + " " + B.seen);
    }

    static class A {
        static String seen = "A sees " + B.VALUE;
        static final int VALUE = compute(10);
        static int compute(int x) { log("A init"); return x + B.VALUE; }
    }

    static class B {
        static String seen = "B sees " + A.VALUE;
        static final int VALUE = A.VALUE + 1;
        static { log("B init"); }
    }

    enum Plain { ONE, TWO, THREE }

    /** All its constants have bodies, which have no state of their own. */
    enum Counting {
        UP { int step() { return 1; } }, DOWN { int step() { return -1; } };
        int at;
        abstract int step();
    }

    enum Stateful {
        RED, GREEN { int weight() { return 7; } }, BLUE;
        int hits;
        static final Map<String, Stateful> BY_NAME = new HashMap<>();
        static { for (Stateful s : values()) BY_NAME.put(s.name().toLowerCase(), s); }
        int weight() { return 1; }
    }

    static void enums() {
        Counting.UP.at += Counting.UP.step();
        log("counted " + Counting.UP.at);
        log("before " + EnumSet.allOf(Stateful.class) + Stateful.valueOf("RED").hits);
        Stateful.GREEN.hits++;
        Stateful byName = Stateful.BY_NAME.get("green");
        log(byName.hits + " " + (byName == Stateful.GREEN) + (Enum.valueOf(Stateful.class, "GREEN") == byName));
        EnumMap<Stateful, Integer> map = new EnumMap<>(Stateful.class);
        for (Stateful s : Stateful.values()) map.put(s, s.weight() + s.hits);
        log(map.toString());
        StringBuilder names = new StringBuilder();
        for (Stateful s : Stateful.values()) {
            switch (s) {
                case RED: names.append("r"); break;
                case GREEN: names.append("g"); break;
                default: names.append("?");
            }
        }
        log(names + " " + Plain.valueOf("TWO") + EnumSet.range(Plain.ONE, Plain.TWO));
    }

    interface Constants {
        int FIVE = 5;
        int COMPUTED = Integer.parseInt("42");
        long LONG = Long.parseLong("43");
        double DOUBLE = Double.parseDouble("1.5");
        boolean FLAG = Boolean.parseBoolean("true");
        List<String> LIST = new ArrayList<>(Arrays.asList("a"));
        String[] ARRAY = {"p", "q"};
        Runnable HOOK = () -> LIST.add("hook");
    }

    interface WithDefault {
        Object MARK = mark("WithDefault");
        static Object mark(String text) { log("interface " + text); return text; }
        default String name() { return "default"; }
    }

    static class Implementor implements WithDefault, Constants {
        static { log("Implementor"); }
        int sum() { return COMPUTED + FIVE; }
    }

    static void interfaces() {
        Constants.LIST.add("b");
        Constants.ARRAY[0] += "!";
        Constants.HOOK.run();
        log(Constants.LIST + Constants.ARRAY[0] + Constants.COMPUTED + Constants.LONG + Constants.DOUBLE + Constants.FLAG);
        Implementor made = new Implementor();
        log(made.name() + made.sum() + Implementor.LIST.size());
    }

    static class Single {
        private static final Single INSTANCE = new Single();
        private final List<Integer> values = new ArrayList<>();
        static Single get() { return INSTANCE; }
        static { INSTANCE.values.add(100); }
    }

    static void singletons() {
        Single.get().values.add(1);
        log("single " + Single.get().values);
        log("holder " + Holder.Inner.VALUE.incrementAndGet());
    }

    static class Holder {
        static class Inner {
            static final java.util.concurrent.atomic.AtomicInteger VALUE = new java.util.concurrent.atomic.AtomicInteger();
        }
    }

    static class Broken {
        static final int VALUE = Integer.parseInt("no number");
        static void use() {}
    }

    static class BrokenError {
        static int value = fail();
        static int fail() { throw new AssertionError("broken"); }
    }

    static class BelowBroken extends Broken {
        static int value = 3;
    }

    static void failures() {
        for (int i = 0; i < 2; i++) {
            try {
                Broken.use();
            } catch (Throwable t) {
                log(t.getClass().getSimpleName() + " " + (t instanceof ExceptionInInitializerError ? t.getCause() : t.getMessage()));
            }
        }
        for (int i = 0; i < 2; i++) {
            try {
                log("" + BrokenError.value);
            } catch (Throwable t) {
                log(t.getClass().getSimpleName() + " " + t.getMessage());
            }
        }
        try {
            log("" + BelowBroken.value);
        } catch (Throwable t) {
            log(t.getClass().getSimpleName());
        }
    }

    static class Base {
        static { log("Base"); }
        static List<String> shared = new ArrayList<>();
        static void touch() {}
    }

    static class Derived extends Base {
        static { log("Derived"); }
        static int own = shared.size();
        static void call() {}
    }

    static class Bare extends Base {
        static void call() { log("Bare.call"); }
    }

    static void inheritance() {
        Derived.shared.add("x");
        log("shared only");
        Derived.call();
        log("own " + Derived.own);
        new Bare();
        Bare.call();
    }

    static class Reflected {
        static int value = next();
        static int next() { log("Reflected"); return 11; }
        private static String hidden = "h";
    }

    static void reflection() throws Exception {
        Field field = Reflected.class.getDeclaredField("value");
        log("field " + field.get(null));
        field.set(null, 12);
        field.setInt(null, field.getInt(null) + 1);
        log("field " + Reflected.value);
        Class<?> type = Class.forName("Statics$ByName");
        log("forName " + type.getSimpleName());
        StringBuilder names = new StringBuilder();
        for (Field f : Reflected.class.getDeclaredFields()) names.append(f.getName()).append(',');
        log(names.toString() + Reflected.class.getDeclaredMethods().length + Reflected.class.getDeclaredConstructors().length);
    }

    static class ByName {
        static { log("ByName"); }
    }

    static class Saved implements Serializable {
        static int loads = 0;
        static final Object TOKEN = new Object();
        String text = "t" + ++loads;
        public int get() { return 1; }
    }

    static void serialisation() throws Exception {
        log("uid " + ObjectStreamClass.lookup(Saved.class).getSerialVersionUID());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        out.writeObject(new Saved());
        out.close();
        Saved back = (Saved) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        log(back.text + Saved.loads);
    }

    static class Slow {
        static volatile int value;
        static {
            try { Thread.sleep(50); } catch (InterruptedException e) { throw new RuntimeException(e); }
            value = 9;
        }
        static int get() { return value; }
    }

    static void threads() throws Exception {
        int[] seen = new int[4];
        Thread[] threads = new Thread[4];
        for (int i = 0; i < 4; i++) {
            int k = i;
            threads[i] = new Thread(() -> seen[k] = Slow.get());
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        log("threads " + Arrays.toString(seen));
    }

    static void nested() {
        log(new Object() { int n = counter++; public String toString() { return "anon" + n; } }.toString());
        class Local { int get() { return Memo.next(); } }
        log("local " + new Local().get() + new Local().get());
    }

    static class Memo {
        private static int last = 40;
        static int next() { return ++last; }
    }
}
