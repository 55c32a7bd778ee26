import java.util.*;
import java.util.regex.*;

/** CPU kernels and JDK-heavy code for the comparison of interpreters: {@code Kernels NAME}. */
public class Kernels {
    static int sieve(int n) { boolean[] c = new boolean[n + 1]; int count = 0; for (int i = 2; i <= n; i++) { if (!c[i]) { count++; for (long j = (long) i * i; j <= n; j += i) c[(int) j] = true; } } return count; }
    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    static double nbody(int steps) { double[] x = {0, 4.8, 8.3, 12.9, 15.4}, v = {0, 0.6, -1.0, 1.1, 0.9}, m = {39, 0.03, 0.01, 0.002, 0.002}; for (int s = 0; s < steps; s++) { for (int i = 0; i < 5; i++) for (int j = i + 1; j < 5; j++) { double d = x[i] - x[j], q = d * d + 0.01, f = 0.001 / (q * Math.sqrt(q)); v[i] -= d * m[j] * f; v[j] += d * m[i] * f; } for (int i = 0; i < 5; i++) x[i] += 0.001 * v[i]; } return x[0] + x[4]; }
    static long matrix(int n) { int[][] a = new int[n][n], b = new int[n][n], c = new int[n][n]; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { a[i][j] = i + j; b[i][j] = i - j; } for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { int s = 0; for (int k = 0; k < n; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } long t = 0; for (int[] r : c) for (int q : r) t = t * 31 + q; return t; }
    interface Shape { int area(); } record Sq(int s) implements Shape { public int area() { return s * s; } } record Re(int w, int h) implements Shape { public int area() { return w * h; } }
    static long virtual(int n) { Shape[] s = {new Sq(3), new Re(2, 5), new Sq(7), new Re(1, 1)}; long t = 0; for (int i = 0; i < n; i++) t += s[i & 3].area(); return t; }
    static long hash(int n) { Map<Integer, Integer> m = new HashMap<>(); for (int i = 0; i < n; i++) m.merge(i * 7 % 1009, i, Integer::sum); long t = 0; for (Map.Entry<Integer, Integer> e : m.entrySet()) t += (long) e.getKey() * e.getValue(); return t; }
    static int strings(int n) { StringBuilder b = new StringBuilder(); for (int i = 0; i < n; i++) { b.append(i).append(','); if (b.length() > 5000) b.setLength(0); } String s = b.toString(); int t = 0; for (String p : s.split(",")) t += p.length() + p.hashCode(); return t; }
    static int regex(int n) { Pattern p = Pattern.compile("(\\w+)@(\\w+)\\.(com|org)"); int t = 0; for (int i = 0; i < n; i++) { Matcher m = p.matcher("user" + i + "@host.org and more text " + i); while (m.find()) t += m.group(1).length(); } return t; }
    static long sorting(int n) { Random r = new Random(7); Integer[] a = new Integer[n]; for (int i = 0; i < n; i++) a[i] = r.nextInt(); Arrays.sort(a, Comparator.reverseOrder()); int[] b = new int[n]; for (int i = 0; i < n; i++) b[i] = r.nextInt(); Arrays.sort(b); return (long) a[0] * b[0]; }
    static String run(String name) {
        switch (name) {
            case "sieve": return "" + sieve(4_000_000);
            case "fib": return "" + fib(31);
            case "nbody": return "" + nbody(120_000);
            case "matrix": return "" + matrix(160);
            case "virtual": return "" + virtual(8_000_000);
            case "hash": return "" + hash(700_000);
            case "strings": return "" + strings(600_000);
            case "regex": return "" + regex(25_000);
            case "sort": return "" + sorting(120_000);
            default: return "start";
        }
    }
    public static void main(String[] args) { System.out.println(run(args[0])); }
}
