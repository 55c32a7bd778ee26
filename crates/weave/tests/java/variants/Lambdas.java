import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Lambdas {
    private int base = 10;
    static int calls;

    public static void main(String[] args) {
        Lambdas l = new Lambdas();
        System.out.println(l.sum(Arrays.asList(1, 2, 3)));
        System.out.println(l.other(4) + " " + l.nested(5).get().apply(6));
        System.out.println(strings(Arrays.asList("b", "a")) + anonymous().call(3) + local(2));
        System.out.println(l.new Inner().get() + new Static().get() + calls);
        //@12 System.out.println(new Added().name() + Added.class.getDeclaringClass() + Added.Kind.B);
    }

    int sum(List<Integer> list) {
        return list.stream().mapToInt(x -> x + base).sum(); //@1 return list.stream().mapToInt(x -> x * base).sum(); //@2 return list.stream().filter(x -> x > 1).mapToInt(x -> x + base).sum();
    }

    int other(int n) {
        IntUnaryOperator f = x -> x * n; //@3 IntUnaryOperator f = x -> { calls++; return x * n + base; };
        return f.applyAsInt(base);
    }

    Supplier<Function<Integer, Integer>> nested(int a) {
        return () -> b -> a + b; //@4 return () -> b -> { Supplier<Integer> c = () -> a * b; return c.get() - base; };
    }

    static String strings(List<String> in) {
        return in.stream().map(String::toUpperCase).sorted().collect(Collectors.joining("+")); //@5 return in.stream().map(Lambdas::twice).sorted(Comparator.reverseOrder()).collect(Collectors.joining("-"));
    }

    private static String twice(String s) {
        return s + s; //@6 return s + "." + s;
    }

    interface Call { int call(int x); }

    static Call anonymous() {
        //@7 Runnable first = new Runnable() { public void run() { calls += 100; } }; first.run();
        return new Call() {
            int seen = 1;
            public int call(int x) { return x + seen++; } //@8 public int call(int x) { return x - seen++ + hidden(); }
            //@8 private int hidden() { return 50; }
        };
    }

    static int local(int k) {
        class Adder { //@9 class Adder implements IntSupplier { public int getAsInt() { return secret(k) * 2; }
            int get() { return k + 1; }
        }
        return new Adder().get(); //@9 return new Adder().getAsInt();
    }

    private static int secret(int x) { return x + 1000; }

    //@12 static class Added { enum Kind { A, B } String name() { return getClass().getSimpleName() + secret(Kind.B.ordinal()); } }

    class Inner {
        int get() { return base + secret(1); } //@10 int get() { return base - secret(2); }
    }

    static class Static {
        private int v = 5;
        int get() { return v; } //@11 int get() { class Deep { int d() { return v * secret(0); } } return new Deep().d(); }
    }
}
