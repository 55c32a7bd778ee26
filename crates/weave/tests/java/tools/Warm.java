import braid.runtime.Braid;
import java.lang.reflect.Method;
import java.util.*;

/** Runs woven programs in one JVM, one epoch after the other. */
public class Warm {
    public static void main(String[] args) throws Exception {
        if (args[0].equals("fuel")) {
            fuel(Class.forName(args[1]));
            return;
        }
        for (int i = 1; i < args.length; i++) {
            Braid.begin(Integer.parseInt(args[i]), Long.MAX_VALUE);
            System.out.println("== " + args[i]);
            Tool.call(Class.forName(args[0], false, ClassLoader.getSystemClassLoader()));
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /** Every static method of a class is a program that does not end by itself. */
    private static void fuel(Class<?> type) throws Exception {
        Method[] methods = type.getDeclaredMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName));
        for (Method method : methods) {
            if (method.getName().contains("$") || !java.lang.reflect.Modifier.isPublic(method.getModifiers())) {
                continue;
            }
            Braid.begin(0, 6_000);
            Object[] end = {"did not end"};
            Thread thread = new Thread(null, () -> {
                try {
                    method.invoke(null);
                    end[0] = "returned";
                } catch (java.lang.reflect.InvocationTargetException e) {
                    end[0] = e.getCause().getClass().getSimpleName();
                } catch (Throwable t) {
                    end[0] = t;
                }
            }, "shape", 1 << 18);
            thread.setDaemon(true);
            thread.start();
            thread.join(30_000);
            System.out.println(method.getName() + " " + end[0]);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
