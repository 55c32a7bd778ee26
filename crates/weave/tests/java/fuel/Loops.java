import java.util.function.Supplier;

/** Programs that do not end by themselves. Fuel must end each one. */
public class Loops {
    static int n;
    static final Object LOCK = new Object();

    public static void a_empty() {
        while (true) {}
    }

    public static void b_counting() {
        for (int i = 0; ; i++) {
            n += i;
        }
    }

    public static void c_doWhile() {
        int i = 0;
        do {
            i ^= 1;
        } while (i >= 0);
    }

    public static void d_nestedLabelled() {
        outer:
        for (; ; ) {
            for (int i = 0; i < 10; i++) {
                if (i == 5) {
                    continue outer;
                }
            }
        }
    }

    public static void e_recursion() {
        e_recursion();
    }

    public static void f_recursionThatCatches() {
        try {
            f_recursionThatCatches();
        } catch (StackOverflowError e) {
            f_recursionThatCatches();
        }
    }

    public static void g_catchAll() {
        while (true) {
            try {
                n++;
            } catch (Throwable t) {
                n--;
            }
        }
    }

    public static void h_catchAllAroundCall() {
        while (true) {
            try {
                helper();
            } catch (Throwable t) {
                n--;
            }
        }
    }

    private static void helper() {
        for (int i = 0; i < 10; i++) {
            n++;
            other();
        }
    }

    private static void other() {}

    @SuppressWarnings("finally")
    public static void i_finallyContinue() {
        while (true) {
            try {
                n++;
                other();
            } finally {
                continue;
            }
        }
    }

    @SuppressWarnings("finally")
    public static void j_nestedFinally() {
        while (true) {
            try {
                while (true) {
                    try {
                        other();
                    } finally {
                        continue;
                    }
                }
            } finally {
                continue;
            }
        }
    }

    public static void k_catchAllInSynchronized() {
        synchronized (LOCK) {
            while (true) {
                try {
                    synchronized (LOCK) {
                        n++;
                        other();
                    }
                } catch (Throwable t) {
                    n--;
                }
            }
        }
    }

    public static void l_lockIsFree() {
        // The monitor was released when the run before was ended.
        synchronized (LOCK) {
            while (true) {
                n++;
            }
        }
    }

    public static void m_lambda() {
        Supplier<?>[] self = new Supplier<?>[1];
        self[0] = () -> {
            for (; ; ) {
                n++;
            }
        };
        self[0].get();
    }

    public static void n_initialiser() {
        Endless.touch();
    }

    static class Endless {
        static int value;

        static {
            while (true) {
                value++;
                if (value == -1) {
                    break;
                }
            }
        }

        static void touch() {}
    }

    public static void o_constructor() {
        new Loops();
    }

    Loops() {
        while (n >= Integer.MIN_VALUE) {
            n++;
        }
    }

    public static void p_catchOutside() {
        try {
            p_catchOutside();
        } finally {
            other();
        }
    }

    public static void q_mutualRecursionThatCatches() {
        try {
            q2();
        } catch (Throwable t) {
            q2();
        }
    }

    private static void q2() {
        try {
            q_mutualRecursionThatCatches();
        } catch (Throwable t) {
            n++;
        }
    }

    public static void r_switchInLoop() {
        int state = 0;
        for (; ; ) {
            switch (state) {
                case 0:
                    state = 1;
                    continue;
                default:
                    state = 0;
            }
        }
    }
}
