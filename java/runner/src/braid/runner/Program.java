package braid.runner;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/**
 * Where the classes of the program come from: the class path of the JVM; or, in a JVM that serves one
 * program after the other, a loader of their own, with only the test frameworks on the class path.
 */
final class Program {
    /** Extensions of the frameworks that these would look for on the class path of the JVM. */
    private static final String[] EXTENSIONS = {
        "META-INF/services/org.junit.platform.engine.TestEngine",
        "META-INF/services/org.junit.platform.launcher.LauncherSessionListener",
        "META-INF/services/org.testng.ITestNGListener",
    };

    private static volatile ClassLoader loader = ClassLoader.getSystemClassLoader();
    private static Traces traces;

    private Program() {}

    /** Loads a class of the program without running its initialiser. */
    static Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, false, loader);
    }

    /**
     * Starts over with another program. Called on the thread that runs tests.
     *
     * @return why this JVM is not fit for it; null if it is
     */
    static String renew(List<String> classPath) throws IOException {
        String left = traces == null ? null : traces.left();
        if (left != null) {
            return left;
        }
        if (loader instanceof URLClassLoader) {
            ((URLClassLoader) loader).close();
        }
        URLClassLoader own = new URLClassLoader(urls(classPath), ClassLoader.getSystemClassLoader());
        for (String extension : EXTENSIONS) {
            if (own.findResource(extension) != null) {
                own.close();
                return "extends the test framework: " + extension;
            }
        }
        System.setProperty("java.class.path", String.join(File.pathSeparator, classPath));
        loader = own;
        Thread.currentThread().setContextClassLoader(own);
        traces = new Traces();
        return null;
    }

    private static URL[] urls(List<String> classPath) throws MalformedURLException {
        URL[] urls = new URL[classPath.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath.get(i)).toURI().toURL();
        }
        return urls;
    }
}
