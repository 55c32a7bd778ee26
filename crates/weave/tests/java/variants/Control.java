import java.util.*;

/** Control flow in changed methods. In variant N, what a line says behind its mark N stands in its place. */
public class Control {
    public static void main(String[] args) {
        System.out.println(labelled(5) + " " + labelled(9));
        System.out.println(finallies(0) + " " + finallies(1) + " " + finallies(2));
        System.out.println(switches("one") + switches("two") + switches("x") + table(3) + table(77));
        System.out.println(wide(1L, 2.5, 3, "s") + " " + loops(10));
        System.out.println(Arrays.toString(varargs("p", 1, 2, 3)) + varargs("q").length);
        System.out.println(recursive(6) + " " + new Control().instance(4, 5L));
        System.out.println(chain(3));
    }

    static int labelled(int n) {
        int found = 0;
        outer:
        for (int i = 0; i < n; i++) { //@1 for (int i = 1; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (i * j == 12) break outer; //@2 if (i * j == 6) break outer;
                if (j > i) continue outer;
                found += i ^ j; //@3 found += i & j;
            }
        }
        return found;
    }

    static String finallies(int how) {
        StringBuilder out = new StringBuilder();
        try {
            try {
                if (how == 1) throw new IllegalStateException("one"); //@4 if (how == 2) throw new IllegalStateException("two");
                if (how == 2) return out.append("early").toString();
                out.append("body");
            } catch (IllegalStateException e) {
                out.append(e.getMessage()); //@5 throw new RuntimeException(e);
            } finally {
                out.append("!"); //@6 out.append("?");
            }
        } catch (RuntimeException e) {
            out.append("outer");
        }
        return out.toString();
    }

    static int switches(String s) {
        switch (s) {
            case "one": return 1; //@7 case "two": return 1;
            //@8 case "two": return 22;
            default: return s.length();
        }
    }

    static String table(int k) {
        switch (k) {
            case 1: case 2: return "low";
            case 3: return "three"; //@9 case 4: return "three";
            default: return "other";
        }
    }

    static double wide(long a, double b, int c, String d) {
        double r = a + b * c; //@10 double r = a - b * c;
        return r + d.length();
    }

    static int loops(int n) {
        int sum = 0;
        while (n-- > 0) sum += n; //@11 do { sum -= n; } while (--n > 0);
        return sum;
    }

    static Object[] varargs(String first, Object... rest) {
        Object[] all = new Object[rest.length + 1];
        all[0] = first; //@12 all[0] = first + rest.length;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    static int recursive(int n) {
        return n <= 1 ? 1 : n * recursive(n - 1); //@13 return n <= 1 ? 1 : n + recursive(n - 1);
    }

    private int field = 3;

    private int instance(int a, long b) {
        field += a; //@14 field -= a; //@15 this.field *= helper(a);
        return field + (int) b;
    }

    //@15 private int helper(int x) { return x * x; }

    //@27 static int doubled(int x) { return 2 * x; }

    static int chain(int x) {
        return x + 1; //@16 return x + 0; //@17 return x + 1; //@18 return x + 2; //@19 return x + 3; //@20 return x + 4; //@21 return x + 5; //@22 return x + 6; //@23 return x + 7; //@24 return x + 8; //@25 return x + 9; //@26 return x + 2; //@27 return doubled(x);
    }
}
