package strands;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** Code of every shape that weaving has to cope with. */
public class Shapes {
    private final int start;
    private int calls;
    private volatile boolean ready;

    public Shapes(int start) {
        this.start = start + 0;
    }

    public int labelled(int[][] rows, int wanted) {
        int seen = 0;
        outer:
        for (int[] row : rows) {
            for (int cell : row) {
                if (cell == wanted) {
                    break outer;
                }
                if (cell < 0) {
                    continue outer;
                }
                seen++;
            }
        }
        return seen;
    }

    public String guarded(String text) {
        StringBuilder log = new StringBuilder();
        try {
            log.append(Integer.parseInt(text));
        } catch (NumberFormatException e) {
            log.append("bad");
        } finally {
            log.append("!");
        }
        return log.toString();
    }

    public int switched(String word) {
        switch (word) {
            case "one":
                return 1;
            case "two":
                return 2;
            default:
                return word.length();
        }
    }

    public int mapped(int n) {
        IntUnaryOperator twice = x -> x * 2;
        return twice.andThen(x -> x + start).applyAsInt(n);
    }

    public List<String> sorted(String... words) {
        List<String> list = new ArrayList<>(Arrays.asList(words));
        Collections.sort(list, new Comparator<String>() {
            @Override
            public int compare(String a, String b) {
                return a.length() - b.length();
            }
        });
        return list;
    }

    public <T extends Comparable<T>> T largest(List<T> items) {
        T best = null;
        for (T item : items) {
            if (best == null || item.compareTo(best) > 0) {
                best = item;
            }
        }
        return best;
    }

    public synchronized int counted() {
        calls++;
        return calls;
    }

    public int recursive(int n) {
        return n <= 1 ? 1 : n * recursive(n - 1);
    }

    public boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    public boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    public int total(int... numbers) {
        int sum = 0;
        int i = 0;
        while (i < numbers.length) {
            sum += numbers[i];
            i++;
        }
        return sum;
    }

    public Map<String, Integer> lengths(List<String> words) {
        Map<String, Integer> lengths = new HashMap<>();
        words.forEach(word -> lengths.merge(word, word.length(), Integer::sum));
        return lengths;
    }

    public Supplier<String> supplier() {
        class Local implements Supplier<String> {
            @Override
            public String get() {
                return "local" + start;
            }
        }
        return new Local();
    }

    public static class Nested {
        private int value = 3;

        int read(Shapes outer) {
            return value + outer.start;
        }
    }

    public interface Greeter {
        default String greet(String name) {
            return "hello " + name;
        }

        static Greeter polite() {
            return new Greeter() {};
        }
    }

    public class Inner {
        private final int factor = 2;

        int multiplied() {
            return factor * start;
        }
    }

    public int inner() {
        return new Inner().multiplied();
    }

    public int locked(int n) {
        int result = 0;
        synchronized (this) {
            for (int k = 0; k < n; k++) {
                result += k;
            }
        }
        return result;
    }

    public String repeated(String text, int times) {
        StringBuilder out = new StringBuilder();
        int done = 0;
        while (done < times) {
            out.append(text);
            done++;
        }
        return out.toString();
    }

    public int nested() {
        return new Nested().read(this);
    }

    public static int lengthOf(String text) {
        String named = text;
        return named.length();
    }
}
