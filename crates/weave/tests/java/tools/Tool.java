import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.*;
import java.util.*;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** What the tests need of a JVM: compile many things at once, link classes, run programs plainly. */
public class Tool {
    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Paths.get(args[1]));
        switch (args[0]) {
            case "compile":
                compile(lines);
                break;
            case "link":
                link(lines, Paths.get(args[2]));
                break;
            default:
                plain(lines);
        }
    }

    /** Each line is the arguments of a javac, separated by tabs. */
    private static void compile(List<String> lines) {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        for (String line : lines) {
            if (javac.run(null, null, null, line.split("\t")) != 0) {
                System.exit(1);
            }
        }
    }

    /** Each line is a class folder and a main class: runs it in a loader of its own. */
    private static void plain(List<String> lines) throws Exception {
        for (String line : lines) {
            String[] parts = line.split("\t");
            URL[] urls = {Paths.get(parts[0]).toUri().toURL()};
            ClassLoader parent = ClassLoader.getSystemClassLoader().getParent();
            try (URLClassLoader loader = new URLClassLoader(urls, parent)) {
                System.out.println("== " + parts[0]);
                call(loader.loadClass(parts[1]));
            }
        }
    }

    /** Runs a main method and says how it ended. */
    static void call(Class<?> type) throws Exception {
        try {
            type.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            System.out.println("thrown " + e.getCause());
        }
    }

    /** Links (and so verifies) every named class; writes what could not be linked. */
    private static void link(List<String> names, Path result) throws Exception {
        StringBuilder out = new StringBuilder();
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        for (String name : names) {
            try {
                Class.forName(name.replace('/', '.'), false, loader).getDeclaredMethods();
            } catch (Throwable t) {
                String message = String.valueOf(t.getMessage()).replace('\n', ' ');
                message = message.length() > 900 ? message.substring(0, 900) : message;
                out.append(name).append('\t').append(t.getClass().getSimpleName()).append(' ')
                    .append(message).append('\n');
            }
        }
        Files.write(result, out.toString().getBytes("UTF-8"));
    }
}
