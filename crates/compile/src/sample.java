import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A bit of everything that programs are made of. */
public class Sample<T extends Comparable<T>> implements Iterable<T> {
    private static final Map<String, Integer> COUNTS = new HashMap<>();
    private final List<T> items = new ArrayList<>();
    protected int size;

    enum Colour {
        RED,
        GREEN {
            @Override
            int code() {
                return 7;
            }
        };

        int code() {
            return ordinal();
        }
    }

    interface Shape {
        double area();

        default String describe() {
            return "area " + area();
        }
    }

    static final class Circle implements Shape {
        private final double radius;

        Circle(double radius) {
            if (radius < 0) {
                throw new IllegalArgumentException("negative: " + radius);
            }
            this.radius = radius;
        }

        @Override
        public double area() {
            return Math.PI * radius * radius;
        }
    }

    public Sample(T... first) {
        for (T item : first) {
            items.add(item);
            size++;
        }
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<T>() {
            private int at;

            @Override
            public boolean hasNext() {
                return at < items.size();
            }

            @Override
            public T next() {
                return items.get(at++);
            }
        };
    }

    public T largest() {
        T best = null;
        for (T item : this) {
            best = best == null || item.compareTo(best) > 0 ? item : best;
        }
        return best;
    }

    public static int gcd(int a, int b) {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a < 0 ? -a : a;
    }

    public static String join(List<? extends CharSequence> parts, char separator) {
        StringBuilder text = new StringBuilder(16);
        outer:
        for (int i = 0; i < parts.size(); i++) {
            CharSequence part = parts.get(i);
            for (int j = 0; j < part.length(); j++) {
                if (part.charAt(j) == separator) {
                    continue outer;
                }
            }
            text.append(i > 0 ? String.valueOf(separator) : "").append(part);
        }
        return text.toString();
    }

    public static long parse(String text) {
        long value = 0L;
        try {
            value = Long.parseLong(text.trim(), 10);
        } catch (NumberFormatException | NullPointerException e) {
            value = -1;
        } finally {
            COUNTS.merge(text, 1, Integer::sum);
        }
        return value;
    }

    public static int score(Colour colour, String name) {
        switch (colour) {
            case RED:
                return 1;
            case GREEN:
                break;
            default:
                return 0;
        }
        switch (name) {
            case "one":
                return 10;
            case "two":
                return 20;
            default:
                return name.hashCode() ^ colour.code() << 2;
        }
    }

    public <R> List<R> map(Function<? super T, ? extends R> change) {
        List<R> changed = new ArrayList<>(size);
        items.forEach(item -> changed.add(change.apply(item)));
        return Collections.unmodifiableList(changed);
    }

    public static double[][] multiply(double[][] a, double[][] b) {
        final int n = a.length;
        double[][] product = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) {
                    sum += a[i][k] * b[k][j];
                }
                product[i][j] = sum;
            }
        }
        return product;
    }

    @Override
    public synchronized boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (!(other instanceof Sample)) {
            return false;
        }
        Sample<?> that = (Sample<?>) other;
        assert that.size >= 0 : "size";
        return size == that.size && items.equals(that.items);
    }

    @Override
    public int hashCode() {
        return 31 * size + items.hashCode();
    }
}
