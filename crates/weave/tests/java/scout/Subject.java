import java.util.ArrayList;
import java.util.List;

/**
 * What patches change. In variant N, what a line says behind its mark N stands in its place. Variants below 400 are asked
 * for, and some call of theirs makes no difference; those from 400 make one whenever they are passed; those from 500 must
 * not be asked for.
 */
public class Subject {
    static final StringBuilder LOG = new StringBuilder();
    static int[] cells = new int[4];
    static int count;
    static volatile int seen;

    static void reset() {
        LOG.setLength(0);
        cells = new int[4];
        count = 0;
        seen = 0;
    }

    static String dump() {
        return LOG + " " + java.util.Arrays.toString(cells) + " " + count + " " + seen;
    }

    // guards

    public static Object guard(int a, int b) {
        String text = a > 5 ? null : "x" + a;
        count++; //@1 count++; if (text == null) { return null; }
        int dim = b * 2; //@2 if (a > 4) { return 7; } int dim = b * 2;
        if (b > 3) { cells[0]++; } //@3 if (b > 3) { cells[0]++; } if (a == 3) return "three";
        cells[1] += dim; //@4 if (b < 0) throw new IllegalStateException("b"); cells[1] += dim;
        return text.length() + dim; //@5 if (text != null) { return text.length() + dim; } return null;
    }

    static void check(int a) {
        if (a < 0) {
            throw new IllegalArgumentException("negative " + a);
        }
    }

    static void checkPlainly(int a) {
        if (a < 0) throw new IllegalStateException();
    }

    static void checkAndCount(int a) {
        count++;
        if (a < 0) throw new IllegalStateException();
    }

    public static Object dropped(int a, int b) {
        check(a); //@10 ;
        checkPlainly(b); //@11 ;
        checkAndCount(a); //@512 ;
        return cells[Math.abs(a % 4)] + b; //@13 check(b); return cells[Math.abs(a % 4)] + b;
    }

    public static Object arithmetic(int a, int b) {
        int least = Math.min(a, b); //@20 int least = Math.min(b, a);
        int most = Math.max(a, least); //@21 int most = a;
        double d = Math.min((double) a, -0.0 * b); //@22 double d = Math.min(-0.0 * b, (double) a);
        float f = a * 0.1f; //@23 float f = (float) (a * 0.1);
        long l = (long) a << b; //@24 long l = a << b;
        l += a / 2; //@25 l += a >> 1;
        if (a < b) { cells[0]++; } //@26 if (a <= b) { cells[0]++; }
        if (a == b) { cells[1]++; } //@427 if (a != b) { cells[1]++; }
        if (a > 0 && b > 0) { cells[2]++; } //@28 if (a > 0 || b > 0) { cells[2]++; }
        l += a % 3 == 1 ? 5 : 6; //@429 l += a % 3 == 1 ? 5 : 7;
        return least + " " + most + " " + d + " " + f + " " + l;
    }

    public static Object zero(int a, int b) {
        double d = a; //@30 double d = a == 0 ? -0.0 : a;
        double e = b == 0 ? 0.0 / 0.0 : b; //@431 double e = b == 0 ? Double.longBitsToDouble(0x7ff8000000000001L) : b;
        return 1 / d + " " + Double.doubleToRawLongBits(e);
    }

    public static Object divides(int a, int b) {
        int x = 10;
        try {
            x = a / b; //@35 x = a / (b + 1);
            cells[0]++; //@36 cells[0] += a == 3 ? 2 : 1;
            x += cells[b & 7]; //@37 x += cells[b & 3];
        } catch (ArithmeticException e) {
            x = 77; //@438 x = 78;
        } finally {
            count++; //@539 count += a > 2 ? 2 : 1;
        }
        return x;
    }

    public static Object loops(int a, int b) {
        int sum = 0;
        for (int i = 0; i < a; i++) { //@40 for (int i = 0; i <= a; i++) {
            if (i == b) { continue; } //@41 if (i >= b) { continue; }
            sum += i * b; //@42 sum += i * Math.max(b, 0);
            if (sum > 40) break; //@43 if (sum > 20) break;
            cells[i & 3] += sum; //@44 if (i == 6) return -1; cells[i & 3] += sum;
        }
        for (int i = a; i > b; i--) sum ^= i; //@45 for (int i = a; i > Math.min(b, a); i--) sum ^= i;
        return sum;
    }

    public static Object carried(int a, int b) {
        int last = 0, before = -1, out = 0;
        for (int i = 0; i < 5; i++) {
            int now = (a * i + b) % 7;
            out += now; //@446 out += before == now ? 3 : now; before = now;
            last = now;
        }
        return out + last + before;
    }

    public static Object switched(int a, int b) {
        int x;
        switch (a) { //@50 switch (a > 5 ? 5 : a) {
            case 0: x = 1; break;
            case 1: x = b; break; //@51 case 1: x = b + (b > 3 ? 1 : 0); break;
            case 2: return "two"; //@452 case 2: return "deux";
            case 5: x = 9; break;
            default: x = -1;
        }
        switch (b) {
            case 1: cells[0] = x; //@453 case 1: cells[0] = x; break;
            case 3: cells[1] = x;
            default: count = x;
        }
        return x;
    }

    public static Object wide(int a, int b) {
        long l = a;
        double d = b;
        l = l * 3 + b; //@60 l = l * 3L - -b;
        d = d / 4; //@61 d = d * 0.25;
        if (l > 10) { d += l; } //@62 if (l > 9) { d += l; }
        double e = d * d + l; //@63 double e = l + d * d;
        l ^= Double.doubleToRawLongBits(e); //@64 l ^= Double.doubleToRawLongBits(e + 0.0);
        return l + " " + d;
    }

    static class Matrix {
        private final int[] data;
        int changes;

        Matrix(int n) {
            data = new int[n];
            for (int i = 0; i < n; i++) data[i] = i * i - 3;
        }

        int size() { return data.length; }

        int get(int i) {
            checkIndex(i); //@70 ;
            return data[i]; //@71 return data[Math.abs(i)];
        }

        final void checkIndex(int i) {
            if (i < 0 || i >= size()) { //@72 if (i < 0 || i > size()) {
                throw new IndexOutOfBoundsException("index " + i);
            }
        }

        void set(int i, int v) {
            if (data[i] != v) { //@73 if (data[i] < v) {
                changes++;
                data[i] = v;
            }
        }

        int sum() {
            int sum = 0;
            for (int v : data) sum += v;
            return sum;
        }

        int touch() { return changes++; }

        int self(int n) {
            if (n <= 0) { return 1; }
            return n * self(n - 1); //@574 return n * self(n - 1) + self(0);
        }
    }

    static class Sparse extends Matrix {
        Sparse(int n) { super(n); }

        @Override
        int size() { return super.size(); }

        @Override
        int touch() { return 0; }
    }

    static Matrix matrix(int a) { return (a & 1) == 0 ? new Matrix(4) : new Sparse(3); }

    public static Object matrices(int a, int b) {
        Matrix m = matrix(a);
        if (m.size() != b) { count++; } //@80 if (b != m.size()) { count++; }
        int s = m.sum(); //@81 int s = m.sum() + (m.get(0) > 0 ? 1 : 0);
        m.set(b & 1, s);
        if (m.touch() > 3) { count++; } //@582 if (m.touch() + m.touch() > 3) { count++; }
        int v = m.get(b); //@83 int v = m.get(b < 3 ? b : b - 1);
        return v + " " + m.sum() + m.changes + m.self(3); //@584 return v + " " + m.sum() + m.touch() + m.self(3);
    }

    interface Shape { int area(); }

    static class Square implements Shape {
        int a = 2;
        public int area() { return a * a; }
    }

    static class Line implements Shape {
        public int area() { return 0; }
    }

    interface Op { int apply(int a); }

    public static Object interfaces(int a, int b) {
        Shape shape = a > 0 ? new Square() : new Line();
        int x = shape.area(); //@90 int x = Math.abs(shape.area());
        Op op = i -> i + count++;
        x += op.apply(b); //@591 x += op.apply(b) + op.apply(a);
        List<Integer> list = new ArrayList<>();
        list.add(x);
        return list.size() + x; //@592 return list.size() + list.hashCode();
    }

    public static Object effects(int a, int b) {
        cells[1] = a; //@595 cells[1] = a; cells[0] = a;
        count += b; //@96 count += Math.min(b, 5);
        LOG.append(a); //@597 LOG.append(a); LOG.append(b);
        if (seen > a) { count++; } //@598 if (a < seen) { count++; }
        synchronized (LOG) {
            count += 2; //@99 count += a == 1 ? 3 : 2;
        }
        return cells[0] + count;
    }

    public static Object allocates(int a, int b) {
        int[] pair = {a, b};
        int most = pair[0] > pair[1] ? pair[0] : pair[1]; //@600 int[] other = {b, a}; int most = other[0] > other[1] ? other[0] : other[1];
        String text = "a" + a; //@101 String text = "a" + (a + 0);
        Matrix m = new Matrix(Math.abs(b) + 1); //@102 Matrix m = new Matrix(Math.abs(b % 6) + 1);
        int[] copy = pair.clone(); //@403 int[] copy = {pair[0], pair[1]};
        copy[0]++;
        int c = new Matrix(2).size() + a; //@104 int c = new Matrix(a > 3 ? 3 : 2).size() + a;
        return most + text + m.sum() + copy[0] + c + pair[0];
    }

    static class Quiet {
        static final int[] TABLE = {3, 1, 4, 1, 5};
        static final int SIZE = TABLE.length;

        static int at(int i) { return TABLE[i]; }
    }

    static class Loud {
        static int value = ++count;

        static int at(int i) { return value + i; }
    }

    enum Color { RED, GREEN; int code() { return ordinal() + 1; } }

    public static Object initialisers(int a, int b) {
        int x = a;
        if (a > 2) { x += 2; } //@110 if (a > 2) { x += Quiet.at(b & 3) > 4 ? 1 : 2; }
        if (b > 2) { x += 2; } //@511 if (b > 2) { x += Loud.at(b) > 4 ? 1 : 2; }
        if (x > 6) { x = Color.GREEN.code(); } //@112 if (x > 6) { x = Color.RED.code() + (a > 7 ? 2 : 1); }
        return x;
    }

    /** A loud class whose initialiser shows when it ran. */
    public static Object loud(int a, int b) {
        int before = count;
        return before + " " + (a > 3 ? Loud.at(a) : 0);
    }

    private final int base;
    private int state;

    Subject(int base) {
        this.base = base;
        int b = base; //@120 int b = this.base < 5 ? base : 5;
        state = b * 2; //@121 state = base * 2;
    }

    private int with(int a) {
        int r = base + a; //@125 int r = a + base + (a == 3 ? 1 : 0);
        if (state > a) { r += state; } //@126 if (state >= a) { r += state; }
        state = r; //@527 state = r; state++;
        return r;
    }

    public static Object instances(int a, int b) {
        Subject s = new Subject(a);
        return s.with(b) + s.with(a) + s.state;
    }

    public static Object expressions(int a, int b) {
        int x = next() + (a - b); //@130 int x = next() + (a < b ? a - b : Math.abs(a - b));
        take(a + 1, take(b, a > b ? a : b)); //@131 take(a + 1, take(b, a >= b ? a : b));
        String s = new String(new char[] {'a', (char) ('b' + (a & 3))}); //@132 String s = new String(new char[] {'a', (char) ('b' + (a & 1))});
        Matrix m = new Matrix(a > 2 ? 3 : 2); //@133 Matrix m = new Matrix(a > 4 ? 3 : 2);
        boolean t = a > b ^ b > 2; //@134 boolean t = a > b != b > 2;
        Object o = a > 3 ? s : null; //@135 Object o = a > 4 ? s : null;
        Object p = null; //@136 Object p = a > 4 ? s : null;
        take(1, 2); //@537 if (take(a > 4 ? 1 : 1, 2) == 9) { return p; }
        return x + s + m.sum() + t + (o == null) + (p == null);
    }

    static int next() { return ++count; }

    static int take(int a, int b) {
        LOG.append(a).append(',').append(b).append(';');
        return a + b;
    }

    public static Object early(int a, int b) {
        if (a == b) { return "same"; } //@140 ;
        if (a > 3) {
            if (b > 3) { return "both"; } //@141 if (b > 4) { return "both"; }
            count++;
        } else if (a < 0) { //@142 } else if (a < -1) {
            cells[0]--;
        }
        boolean done = false;
        while (!done) {
            count++;
            done = count > 3 || b < 0; //@143 done = count > 3;
        }
        return count; //@144 return b == 100 ? 0 : count;
    }

    public static Object arrays(int a, int b) {
        int[] own = new int[3];
        own[0] = a; //@150 own[0] = Math.max(a, -2);
        int x = own[Math.abs(b) % 3]; //@151 int x = own[Math.abs(b % 3)];
        int y = cells[a & 3]; //@152 int y = cells[a & 7 & 3];
        long[] ls = new long[] {a, b};
        return x + y + ls[0] + own.length; //@153 return x + y + ls[a > 100 ? 1 : 0] + own.length;
    }

    static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }

    public static Object handlers(int a, int b) {
        int x = 0;
        try {
            x = a > 3 ? Integer.parseInt("z") : a; //@560 x = Integer.parseInt(a > 4 ? "z" : "" + a);
            if (a == 2) { throw new IllegalStateException("two"); } //@161 if (a == 1) { throw new IllegalStateException("two"); }
            x += b; //@162 if (b > 4) { throw new IllegalStateException("b"); } x += b;
        } catch (NumberFormatException e) {
            x = -1; //@463 x = -2;
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
        int y = 0;
        y = a; //@164 try { y = a; check(y); } catch (IllegalArgumentException e) { y = 0; }
        return x + y;
    }

    static int pick(Object o) { return o instanceof String ? ((String) o).length() : -1; }

    public static Object types(int a, int b) {
        Object o = (a & 1) == 0 ? "text" : Integer.valueOf(7);
        CharSequence c = a > 2 ? "long text" : new StringBuilder("b"); //@170 CharSequence c = a > 5 ? "long text" : new StringBuilder("b");
        int l = pick(o); //@171 int l = o instanceof String ? pick(o) : pick(null);
        Number n = b > 2 ? (Number) Integer.valueOf(b) : (Number) Double.valueOf(b); //@172 Number n = b > 3 ? (Number) Integer.valueOf(b + 1000) : (Number) Double.valueOf(b);
        byte by = (byte) (a * 100); //@173 byte by = (byte) (a * 100 & 0xff);
        char ch = (char) b; //@174 char ch = (char) (b & 0xffff);
        return c.length() + l + n.intValue() + by + ch;
    }
}
