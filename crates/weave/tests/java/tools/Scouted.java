import braid.runtime.Braid;
import java.lang.reflect.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;

/**
 * Calls the methods of a class that looks at what variants would do, and those of the original and the variants. What it
 * says of a variant must hold.
 */
public class Scouted {
    /** Arguments: class, folder that looks, folder of the original, the spoiled probe, then number=folder of variants. */
    public static void main(String[] args) throws Exception {
        Map<Integer, Class<?>> variants = new TreeMap<>();
        for (String variant : Arrays.asList(args).subList(4, args.length)) {
            String[] parts = variant.split("=");
            variants.put(Integer.valueOf(parts[0]), load(args[0], parts[1]));
        }
        Class<?> scout = load(args[0], args[1]);
        Class<?> original = load(args[0], args[2]);
        int spoiled = Integer.parseInt(args[3]);
        Map<Integer, int[]> counts = new TreeMap<>();
        for (String method : methods(original)) {
            for (int[] arguments : inputs()) {
                Braid.begin(0, 100_000_000);
                String seen = call(scout, method, arguments);
                byte[] hits = Braid.hits;
                Braid.begin(0, 100_000_000);
                String expected = call(original, method, arguments);
                String what = method + Arrays.toString(arguments);
                if (!seen.equals(expected)) {
                    System.out.println("scout " + what + ": " + expected + " but " + seen);
                }
                for (Map.Entry<Integer, Class<?>> variant : variants.entrySet()) {
                    int number = variant.getKey();
                    int[] count = counts.computeIfAbsent(number, n -> new int[5]);
                    Braid.begin(0, 100_000_000);
                    boolean same = call(variant.getValue(), method, arguments).equals(expected);
                    boolean passed = hits[2 * number] != 0;
                    boolean differs = hits[2 * number + 1] != 0;
                    if (hits[spoiled] != 0) {
                        count[4] += passed ? 1 : 0;
                        continue;
                    }
                    count[0] += passed ? 1 : 0;
                    count[1] += passed && !differs ? 1 : 0;
                    count[2] += differs && !same ? 1 : 0;
                    if (!same && !differs) {
                        count[3]++;
                        System.out.println("variant " + number + " differs in " + what);
                    }
                }
            }
        }
        counts.forEach((n, c) -> System.out.printf("count %d %d %d %d %d%n", n, c[0], c[1], c[2], c[4]));
    }

    private static List<String> methods(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (Method method : type.getDeclaredMethods()) {
            boolean callable = Modifier.isPublic(method.getModifiers()) && Modifier.isStatic(method.getModifiers());
            if (callable && !method.isSynthetic()) {
                names.add(method.getName());
            }
        }
        Collections.sort(names);
        return names;
    }

    private static List<int[]> inputs() {
        List<int[]> all = new ArrayList<>();
        for (int a = -3; a < 9; a++) {
            for (int b = -3; b < 8; b++) {
                all.add(new int[] {a, b});
            }
        }
        Random random = new Random(1);
        for (int i = 0; i < 40; i++) {
            all.add(new int[] {random.nextInt(200) - 100, random.nextInt(200) - 100});
        }
        return all;
    }

    private static Class<?> load(String name, String folder) throws Exception {
        URL[] urls = {Paths.get(folder).toUri().toURL()};
        Class<?> type = new URLClassLoader(urls, ClassLoader.getSystemClassLoader()).loadClass(name);
        for (Class<?> inner : type.getDeclaredClasses()) {
            inner.getDeclaredMethods();
        }
        return type;
    }

    private static String call(Class<?> type, String name, int[] arguments) throws Exception {
        Method reset = type.getDeclaredMethod("reset");
        Method dump = type.getDeclaredMethod("dump");
        reset.setAccessible(true);
        dump.setAccessible(true);
        reset.invoke(null);
        String end;
        try {
            Method method = type.getMethod(name, int.class, int.class);
            end = String.valueOf(method.invoke(null, arguments[0], arguments[1]));
        } catch (InvocationTargetException e) {
            end = String.valueOf(e.getCause());
        }
        return end + " | " + dump.invoke(null);
    }
}
