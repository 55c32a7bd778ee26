import java.util.*;

public class Objects {
    public static void main(String[] args) throws Exception {
        System.out.println(new Sub(3, "x") + " " + new Sub(4));
        System.out.println(new Point(1, 2) + " " + new Point(1, 2).equals(new Point(1, 2)) + new Point(3).dist());
        System.out.println(Color.RED.code + Color.valueOf("GREEN").label() + Color.values().length);
        System.out.println(shape(new Circle(2)) + shape(new Square(3)));
        System.out.println(new Impl().greet("a") + Greeter.make() + new Impl().twice("z"));
        System.out.println(new Box<>("b").map() + new Box<>(7).map() + Box.<String>first(List.of("f", "g")));
        System.out.println(new Locked().a() + new Locked().b() + Locked.c());
        System.out.println(Init.TABLE.get("k") + Init.count + Init.describe());
        System.out.println(new Sub(1).toString() + new Sub(2, "y").describe());
        System.out.println(Sub.class.getDeclaredConstructors().length + " " + Locked.class.getDeclaredMethods().length);
    }

    static class Base {
        final int a;
        Base(int a) { this.a = a; } //@1 Base(int a) { this.a = a * 2; }
        String describe() { return "base" + a; }
        protected int hook() { return 1; }
    }

    static class Sub extends Base {
        final String name;
        final int[] values;
        { init = 5; }
        int init;
        Sub(int a, String name) {
            super(a + 1); //@2 super(a > 2 ? a * 10 : -a);
            this.name = name; //@3 this.name = name + name.length();
            this.values = new int[a]; //@4 int[] v = new int[a + 1]; for (int i = 0; i < v.length; i++) { v[i] = i; } this.values = v;
        }
        Sub(int a) { this(a, "default"); } //@5 Sub(int a) { this(a + 1, new StringBuilder("built").append(a).toString()); //@6 Sub(int a) { super(a); name = "direct"; values = null; }
        //@5 try { Integer.parseInt("q"); } catch (NumberFormatException e) { init = 9; } }
        String describe() { return "sub" + super.describe(); } //@7 String describe() { return super.describe() + "sub" + super.hook(); }
        @Override protected int hook() { return 2; }
        @Override public String toString() { return name + a + Arrays.toString(values) + init + hook(); }
    }

    record Point(int x, int y) {
        Point { if (x < 0) throw new IllegalArgumentException(); } //@8 Point { x = Math.max(x, y); }
        Point(int x) { this(x, x); } //@9 Point(int x) { this(x, -x); }
        double dist() { return Math.sqrt(x * x + y * y); } //@10 double dist() { return x() + y(); }
    }

    enum Color {
        RED(1), GREEN(2) { String label() { return "g"; } }, BLUE(3); //@11 RED(10), GREEN(20) { String label() { return "gg" + ordinal(); } }, BLUE(3);
        final int code;
        Color(int code) { this.code = code; } //@12 Color(int code) { this.code = code + 100; }
        String label() { return name(); }
    }

    sealed interface Shape permits Circle, Square {}
    record Circle(int r) implements Shape {}
    record Square(int s) implements Shape {}

    static int shape(Shape s) {
        if (s instanceof Circle c) return c.r() * 3; //@13 if (s instanceof Circle c && c.r() > 5) return c.r() * 3;
        return s instanceof Square q ? q.s() * q.s() : -1; //@14 return s instanceof Square q ? q.s() + q.s() : -1;
    }

    interface Greeter {
        default String greet(String who) { return "hi " + who + suffix(); } //@15 default String greet(String who) { return "yo " + who + suffix() + Greeter.make(); }
        static String make() { return "made"; } //@16 static String make() { java.util.function.Supplier<String> s = () -> "lambda"; return s.get(); }
        private String suffix() { return "."; } //@17 private String suffix() { return ";"; }
        String twice(String x);
    }

    static class Impl implements Greeter {
        public String twice(String x) { return x + x; } //@18 public String twice(String x) { return Greeter.super.greet(x) + x; }
    }

    static class Box<T> {
        private final T value;
        Box(T value) { this.value = value; }
        <R extends Comparable<R>> String map() { return "[" + value + "]"; } //@19 <R extends Comparable<R>> String map() { List<? super T> l = new ArrayList<>(); l.add(value); return l.toString() + "!"; }
        static <E> E first(List<? extends E> list) { return list.get(0); } //@20 static <E> E first(List<? extends E> list) { return list.get(list.size() - 1); }
    }

    static class Locked {
        synchronized String a() { return "a" + Thread.holdsLock(this); } //@21 synchronized String a() { return "A" + Thread.holdsLock(this); } //@22 String a() { return "a" + Thread.holdsLock(this); }
        String b() { return "b" + Thread.holdsLock(this); } //@23 synchronized String b() { return "b" + Thread.holdsLock(this); }
        static synchronized String c() { return "c" + Thread.holdsLock(Locked.class); } //@24 static synchronized String c() { return "C" + Thread.holdsLock(Locked.class) + Thread.holdsLock(Objects.class); } //@25 static String c() { return "c" + Thread.holdsLock(Locked.class); }
    }

    static class Init {
        static final Map<String, Integer> TABLE = new HashMap<>();
        static int count = 4; //@26 static int count = 5;
        //@27 private static final List<String> EXTRA = new ArrayList<>();
        static { TABLE.put("k", 1); } //@27 static { TABLE.put("k", 2); EXTRA.add("e"); }
        //@28 private static final int LIMIT = 12;
        static String describe() { return "" + TABLE; } //@27 static String describe() { return "" + TABLE + EXTRA; } //@28 static String describe() { assert LIMIT > 1; return "" + LIMIT; }
    }
}
