import java.io.ByteArrayOutputStream;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** What the tests need of a JVM: link changed classes, compile many sources in one javac. */
public class Tool {
    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Paths.get(args[1]));
        StringBuilder out = new StringBuilder();
        for (String line : lines) {
            String[] parts = line.split("\t");
            String problem = args[0].equals("link") ? link(parts[0], Paths.get(parts[1])) : compile(parts);
            out.append(problem.replace('\n', ' ')).append('\n');
        }
        Files.write(Paths.get(args[2]), out.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Links (and so verifies) a class from a file, all others from the class path; empty if it could be. */
    private static String link(String name, Path file) throws Exception {
        byte[] bytes = Files.readAllBytes(file);
        String dotted = name.replace('/', '.');
        ClassLoader platform = ClassLoader.getSystemClassLoader().getParent();
        URLClassLoader loader = new URLClassLoader(classPath(), platform) {
            @Override
            protected Class<?> findClass(String wanted) throws ClassNotFoundException {
                return wanted.equals(dotted) ? defineClass(wanted, bytes, 0, bytes.length) : super.findClass(wanted);
            }
        };
        try {
            Class.forName(dotted, false, loader).getDeclaredMethods();
            return "";
        } catch (Throwable t) {
            String message = t.getClass().getSimpleName() + " " + t.getMessage();
            return message.length() > 900 ? message.substring(0, 900) : message;
        }
    }

    private static URL[] classPath() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Paths.get(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    /** Compiles with the arguments of a javac; empty if it could. */
    private static String compile(String[] arguments) {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = javac.run(null, errors, errors, arguments);
        return status == 0 ? "" : "error " + errors;
    }
}
