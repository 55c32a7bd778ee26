package operators;

import java.util.List;

/** Returned values, calls and fields. Comments as in {@link Conditions}. */
public final class Objects {
    private int last;
    private int unread;

    /** Asked with " me " and "". */
    public static String greeting(String name) {
        return name.trim();
        // kill[naked-receiver] name: greets
        // kill[non-void-calls] null: greets, greetsNobody
        // kill[empty-returns] "": greets
        // kill[method-body] { return ""; }: greets
        // kill[method-body] { return "A"; }: greets, greetsNobody
    }

    /** Asked for one that is there and one that is not. */
    public static boolean known(List<String> names, String name) {
        return names.contains(name);
        // kill[true-returns] true: knowsNot
        // kill[false-returns] false: knows
        // kill[non-void-calls] false: knows
    }

    /** Asked with a string. */
    public static Object self(Object a) {
        return a;
        // kill[null-returns] null: keepsTheObject
    }

    /** Asked with "abc". */
    public static int length(String text) {
        return text.length();
        // kill[non-void-calls] 0: measures
        // kill[primitive-returns] 0: measures
    }

    /** Asked with (3, 5) only. */
    public static int greatest(int a, int b) {
        return Math.max(a, b);
        // kill[argument-propagation] a: greatest
        // survives[argument-propagation] b
        // survives[negation] a -> -a
        // kill[negation] b -> -b: greatest
    }

    /** Asked whether there is one. */
    public static StringBuilder made() {
        return new StringBuilder("x");
        // kill[constructor-calls] null: makes
        // kill[null-returns] null: makes
    }

    /** One test looks into the list, another does not. */
    public static void clear(List<String> names) {
        names.clear();
        // kill[void-calls] ;: clears
        // kill[method-body] { }: clears
    }

    /** Asked with 4. */
    public int remember(int a) {
        last = a;
        // kill[member-variable] ;: remembers
        unread = a;
        // survives[member-variable] ;
        return last;
    }

    /** No test comes here. */
    public static int nobody(int a) {
        return a * 3;
        // uncovered[math] a / 3
        // uncovered[method-body] { return 0; }
        // uncovered[method-body] { return 1; }
    }
}
