package calc;

/** What the tests of this folder run; the folders beside it have variants. */
public final class Calc {
    private static int calls;

    private Calc() {}

    public static int triple(int x) {
        calls++;
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += x + 1;
        }
        return sum;
    }

    public static int negate(int x) {
        calls++;
        return x;
    }

    public static int calls() {
        return calls;
    }
}
