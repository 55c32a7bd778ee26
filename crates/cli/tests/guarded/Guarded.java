package guarded;

/** Code whose mutants end in every way there is. */
public final class Guarded {
    private static int calls;

    private Guarded() {}

    /** A mutant of the step goes round for ever. */
    public static int sum(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    /** Without the condition it calls itself for ever. */
    public static long factorial(int n) {
        if (n <= 1) {
            return 1;
        }
        return n * factorial(n - 1);
    }

    /** Without the condition the JVM ends. */
    public static boolean quit(int code) {
        if (code != 0) {
            System.exit(code);
        }
        return true;
    }

    /** Tests that see another's calls would notice nothing here, or too much. */
    public static int count() {
        calls = calls + 1;
        return calls;
    }

    /** No test looks at the boundary. */
    public static boolean isLarge(int n) {
        return n > 100;
    }

    /** No test comes here. */
    public static int unseen(int n) {
        return n * 2;
    }

    /** Nobody is to look at this one. */
    public static int ignored(int n) {
        return n + 3; // braid: ignore[math] it does not matter
    }
}
