package operators;

/**
 * Conditions, connectors and switches. The comments below a line name every mutant of some operators there: the test that
 * kills it, or that none does.
 */
public final class Conditions {
    private Conditions() {}

    /** Asked with (1, 2), (1, 1) and (2, 1). */
    public static boolean less(int a, int b) {
        return a < b;
        // kill[conditionals-boundary] a <= b: equal
        // kill[negate-conditionals] a >= b: smaller, equal, greater
        // kill[remove-conditionals-order-if] true: equal, greater
        // kill[remove-conditionals-order-else] false: smaller
        // kill[ror] a == b: smaller, equal
        // kill[ror] a != b: greater
        // kill[ror] a > b: smaller, greater
        // kill[true-returns] true: equal, greater
        // kill[false-returns] false: smaller
        // kill[negation] a -> -a: equal, greater
        // kill[negation] b -> -b: smaller
        // survives[uoi] a -> a++
        // survives[uoi] a -> a--
        // kill[uoi] a -> ++a: smaller
        // kill[uoi] a -> --a: equal
        // survives[uoi] b -> b++
        // survives[uoi] b -> b--
        // kill[uoi] b -> ++b: equal
        // kill[uoi] b -> --b: smaller
    }

    /** Asked with (3, 3) and (3, 4): nothing tells `==` from `>=`. */
    public static int same(int a, int b) {
        if (a == b) {
            // kill[negate-conditionals] a != b: same, other
            // kill[remove-conditionals-equal-if] true: other
            // kill[remove-conditionals-equal-else] false: same
            // kill[ror] a < b: same, other
            // kill[ror] a <= b: other
            // kill[ror] a > b: same
            // survives[ror] a >= b
            return 1;
            // kill[inline-constants] 0: same
            // kill[numeric-constants] 2: same
            // kill[crcr] -1: same
        }
        return 2;
    }

    /** Asked with 10 and 70, not with the boundary. */
    public static String group(int age) {
        if (age >= 18) {
            // survives[conditionals-boundary] age > 18
            // kill[negate-conditionals] age < 18: young, old
            // kill[remove-conditionals-order-if] true: young
            // kill[remove-conditionals-order-else] false: old
            // survives[inline-constants] 19
            // survives[numeric-constants] 17
            // kill[numeric-constants] 0: young
            // kill[crcr] 1: young
            // kill[crcr] -1: young
            // kill[crcr] -18: young
            return "old";
            // kill[empty-returns] "": old
        }
        return "young";
        // kill[empty-returns] "": young
    }

    /** Asked with both, with the left one only and with neither. */
    public static boolean and(boolean a, boolean b) {
        return a && b;
        // kill[lcr] a || b: left
        // kill[negate-conditionals] a -> !a: both
        // kill[negate-conditionals] b -> !b: both, left
        // survives[remove-conditionals-equal-if] a -> true
        // kill[remove-conditionals-equal-if] b -> true: left
        // kill[remove-conditionals-equal-else] a -> false: both
        // kill[remove-conditionals-equal-else] b -> false: both
    }

    /** Asked with 1, 2 and 9. */
    public static int price(int size) {
        switch (size) {
            // kill[switch] exchanged the default of a switch with its cases: one, two, none
            // kill[remove-switch] removed case 1: one
            // kill[remove-switch] removed case 2: two
            case 1:
                return 10;
            case 2:
                return 20;
            default:
                return 30;
        }
    }

    /** Asked with 3: without the step it never ends. */
    public static int steps(int n) {
        int steps = 0;
        while (n > 0) {
            // kill[conditionals-boundary] n >= 0: counts
            n--;
            // timeout[increments] n++: counts
            // timeout[remove-increments] ;: counts
            steps++;
            // kill[increments] steps--: counts
            // kill[remove-increments] ;: counts
        }
        return steps;
    }
}
