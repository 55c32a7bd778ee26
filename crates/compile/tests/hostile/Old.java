package p;

import java.util.Comparator;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

public class Old implements Comparable<Old> {
    private int hidden = 1;
    int seen = 2;

    static class N {
        private int secret = 1;

        private N(int usedOutside) {
            secret = usedOutside;
        }

        private N(long usedInside) {
            this();
        }

        N() {
        }

        int get() {
            return secret;
        }

        void checked() {
            assert get() > 2;
        }
    }

    private static class Hidden {
        int get() {
            return 6;
        }
    }

    interface I {
        default int d() {
            return 2;
        }

        static int s() {
            return 3;
        }
    }

    class Inner {
        int v() {
            return 5;
        }
    }

    class InnerWithOuter {
        int v() {
            return seen + 50;
        }
    }

    enum E { A, B }

    static N make() {
        return new N(1);
    }

    int early() {
        return 13;
    }

    static N another() {
        return new N(2);
    }

    int peek(N n) {
        return n.secret;
    }

    int onEnum(E e) {
        switch (e) {
            case A:
                return 7;
            default:
                return 8;
        }
    }

    int inAnonymous() {
        Inner lost = new Inner() {
            @Override
            int v() {
                return hidden + 1;
            }
        };
        return lost.v();
    }

    int plain() {
        return 4;
    }

    @Override
    public int compareTo(Old other) {
        return 0;
    }
}
