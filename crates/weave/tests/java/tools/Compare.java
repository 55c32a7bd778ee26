import braid.runtime.Braid;
import java.lang.reflect.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;

/**
 * Calls every public static method of a class with some arguments: in the woven program with a variant
 * active, and in the patched program. Prints where they differ.
 */
public class Compare {
    private static final Map<Class<?>, Object[]> SAMPLES = new HashMap<>();

    static {
        SAMPLES.put(int.class, new Object[] {0, -1, 1, 2, 7, 100});
        SAMPLES.put(long.class, new Object[] {0L, -1L, 5L, 1L << 40});
        SAMPLES.put(double.class, new Object[] {0.0, -1.5, 2.25, Double.NaN});
        SAMPLES.put(float.class, new Object[] {0f, 1.5f, -2f});
        SAMPLES.put(char.class, new Object[] {'a', ' ', 'Z', '0'});
        SAMPLES.put(boolean.class, new Object[] {true, false});
        SAMPLES.put(byte.class, new Object[] {(byte) 1, (byte) -7});
        SAMPLES.put(short.class, new Object[] {(short) 3, (short) -2});
        SAMPLES.put(String.class, new Object[] {"abc", "", null, " a b ", "ABCabc", "12", "0x1F"});
        SAMPLES.put(CharSequence.class, SAMPLES.get(String.class));
        SAMPLES.put(Object.class, new Object[] {"x", 3, null});
        SAMPLES.put(String[].class, new Object[] {new String[] {"a", "b"}, null, new String[0]});
        SAMPLES.put(Object[].class, new Object[] {new Object[] {"a", 2, null}, null});
        SAMPLES.put(CharSequence[].class, new Object[] {new String[] {"a", "b"}, null});
        SAMPLES.put(char[].class, new Object[] {new char[] {'a', 'b'}, null, new char[0]});
        SAMPLES.put(int[].class, new Object[] {new int[] {3, 1, 2}, null, new int[0]});
    }

    /** Arguments: class, woven folder, library, folder of the patched classes by variant. */
    public static void main(String[] args) throws Exception {
        ClassLoader parent = ClassLoader.getSystemClassLoader().getParent();
        URL library = Paths.get(args[2]).toUri().toURL();
        Class<?> woven = new URLClassLoader(new URL[] {url(Paths.get(args[1])), library}, parent).loadClass(args[0]);
        int differing = 0, count = 0, effective = 0;
        List<String> original = drive(woven, 0);
        for (String name : new TreeSet<>(Arrays.asList(Paths.get(args[3]).toFile().list()))) {
            URL patched = url(Paths.get(args[3], name));
            Class<?> plain = new URLClassLoader(new URL[] {patched, library}, parent).loadClass(args[0]);
            List<String> expected = drive(plain, 0), found = drive(woven, Integer.parseInt(name));
            count++;
            effective += expected.equals(original) ? 0 : 1;
            for (int i = 0; i < expected.size(); i++) {
                if (!expected.get(i).equals(found.get(i))) {
                    System.out.println("variant " + name + ": " + expected.get(i) + " but " + found.get(i));
                    differing++;
                    break;
                }
            }
        }
        System.out.println(count + " variants " + effective + " effective " + differing + " differing");
    }

    private static URL url(Path folder) throws Exception {
        return folder.toUri().toURL();
    }

    private static List<String> drive(Class<?> type, int variant) {
        Braid.begin(variant, 1_000_000);
        Method[] methods = type.getDeclaredMethods();
        Arrays.sort(methods, Comparator.comparing(Method::toString));
        List<String> out = new ArrayList<>();
        for (Method method : methods) {
            boolean callable = Modifier.isPublic(method.getModifiers()) && Modifier.isStatic(method.getModifiers());
            if (callable && !method.isSynthetic() && !method.getName().contains("shuffle")) {
                for (int round = 0; round < 6; round++) {
                    out.add(method.getName() + round + " " + call(method, round));
                }
            }
        }
        return out;
    }

    private static String call(Method method, int round) {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            Object[] samples = SAMPLES.get(types[i]);
            Object sample = samples == null ? null : samples[(round * (i + 1) + i) % samples.length];
            if (sample != null && sample.getClass().isArray()) {
                int length = Array.getLength(sample);
                Object copy = Array.newInstance(sample.getClass().getComponentType(), length);
                System.arraycopy(sample, 0, copy, 0, length);
                sample = copy;
            }
            arguments[i] = sample;
        }
        Braid.fuel = 20_000;
        try {
            Object result = method.invoke(null, arguments);
            String text = Arrays.deepToString(new Object[] {result, arguments});
            return text.contains("@") ? "object" : text;
        } catch (InvocationTargetException e) {
            String message = String.valueOf(e.getCause().getMessage());
            return e.getCause().getClass().getName() + (message.contains("@") ? "" : message);
        } catch (IllegalAccessException | RuntimeException e) {
            return "not called " + e.getClass();
        }
    }
}
