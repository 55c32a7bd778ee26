import java.lang.reflect.Field;

/** Runs a main class with static boolean fields set from the bits of a number: {@code Configured Class number field…}. */
public class Configured {
    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName(args[0]);
        int config = Integer.parseInt(args[1]);
        for (int i = 2; i < args.length; i++) {
            Field f = c.getDeclaredField(args[i]);
            f.setAccessible(true);
            f.setBoolean(null, (config >> (i - 2) & 1) != 0);
        }
        c.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
