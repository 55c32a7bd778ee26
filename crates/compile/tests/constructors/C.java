package p;

import java.io.IOException;
import java.util.List;
import java.util.function.IntSupplier;

public class C extends Base implements Comparable<C> {
    private final int size;
    final String name;
    static int made;
    int before = 1;

    { before = 2; made++; }

    /** The one that others call. */
    public C(int size) throws IOException {
        this.size = size;
        this.name = "one";
        // a comment
        made += 2;
    }

    C() throws IOException {
        this(1);
    }

    C(String name) throws IOException {
        super(name);
        this.name = name;
        size = name.length();
    }

    C(long a, String... rest) throws IOException {
        super("rest");
        size = rest.length;
        if (a > 3) {
            name = rest[0];
        } else {
            name = "few";
        }
    }

    <T extends Comparable<T>> C(T a, List<? extends T> list) throws IOException {
        size = a.compareTo(list.get(0));
        name = "compared";
    }

    private C(char c) throws IOException {
        size = c;
        name = "private";
    }

    C(byte b) throws IOException {
        this((long) b, "byte");
    }

    C(IntSupplier s) throws IOException {
        IntSupplier twice = () -> 2 * s.getAsInt();
        size = twice.getAsInt();
        name = new Object() { String v() { return "v" + s.getAsInt(); } }.v();
    }

    int after = size() + 3;
    long big = 70000L
            * after;
    int io = read();

    static int read() throws IOException {
        return 1;
    }

    int size() {
        return size + 1;
    }

    static C make() throws IOException {
        return new C('x');
    }

    @Override
    public int compareTo(C other) {
        return 0;
    }

    class Inner {
        final int x;
        int idle;

        Inner(int x) {
            this.x = x + size;
        }

        Inner(String s) {
            this(s.length());
            idle = 3;
        }
    }

    static class Nested<T> {
        private T t;

        private Nested(T t) {
            this.t = t;
        }

        @Deprecated
        protected Nested(T t, int n)
                throws IOException {
            if (n > 3) {
                throw new IOException("n");
            }
            this.t = t;
        }
    }

    Nested<String> nested() {
        return new Nested<>("x");
    }
}

class Base {
    Base() {
    }

    Base(String s) {
    }

    protected Base(int a, int b) throws java.util.concurrent.TimeoutException {
    }
}

enum Level {
    LOW(1), HIGH(2) { @Override int more() { return 3; } };

    final int value;

    Level(int value) {
        this.value = value;
    }

    int more() {
        return value;
    }
}

class Shared {
    final Runnable run = () -> System.gc();
    final int x;

    Shared() {
        x = 1;
    }
}

class Tail {
    final int y;

    Tail() { y = 5; }
}
