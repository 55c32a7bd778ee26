package p;

import java.util.List;
import java.util.function.IntSupplier;

public class K {
    private final int size;
    int field = 1;
    String label = "a  b";
    Runnable inField = new Runnable() {
        public void run() {
            System.gc();
        }
    };
    static int total;
    static { total = 1; }
    { field = 2; }

    public K(int size) {
        this.size = size;
    }

    public K() {
        this(1);
    }

    @Override
    public String toString() {
        return "ü" + size;
    }

    /** Doc. */
    public int plain(int a) {
        return a + 1;
    }

    /** A second comment. */
    int over(Object o) { return 1; }
    int over(String s) { return 2; }
    int twins(String s) { return 1; }
    int twins(Integer i) { return 2; }
    int recursion() { return 1; }
    int recursion(int n) { return n == 0 ? 0 : recursion(n - 1); }

    static <T extends Comparable<T>> T max(final List<? extends T> list) {
        return list.get(0);
    }

    @SafeVarargs
    static <T> int count(T... ts) {
        return ts.length;
    }

    void io() throws java.io.IOException {
        throw new java.io.IOException("x");
    }

    int lambda() {
        IntSupplier s = () -> size;
        return s.getAsInt();
    }

    int anonymous() {
        return new Object() { int v() { return 1; } }.v();
    }

    synchronized int locked() {
        return 7;
    }

    int oneLine() { return 3; } int sameLine() { return 4; }

    static class Nested {
        private int secret = 1;

        int get() {
            return secret;
        }
    }

    class Inner {
        int outer() {
            return size + 1;
        }
    }

    int peek(Nested n) {
        return n.secret;
    }

    interface I {
        default int d() {
            return 5;
        }

        static int s() {
            return 6;
        }
    }

    record R(int x) {
        R {
            if (x < 0) {
                throw new IllegalArgumentException();
            }
        }

        int twice() {
            return 2 * x;
        }
    }
}

enum E {
    A {
        @Override
        int v() {
            return 10;
        }
    },
    B;

    int v() {
        return 9;
    }
}

class Sure {
    int sure() {
        assert true;
        return 12;
    }
}

class Aux {
    int onEnum(E e) {
        switch (e) {
            case A: return 1;
            default: return 2;
        }
    }

    void checked() {
        assert K.total > 0;
    }

    int last() { return 11; }
}
