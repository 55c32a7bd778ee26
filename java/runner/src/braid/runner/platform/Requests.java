package braid.runner.platform;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;

/**
 * Execution requests of all versions. Since 1.12 there is a factory method that takes ever more
 * arguments (an output directory, a store, a cancellation token); engines rely on them, so the one
 * with the most is called by reflection. Before, the constructor is enough.
 */
final class Requests {
    private static Object session;

    private Requests() {}

    static void execute(TestEngine engine, TestDescriptor root, EngineExecutionListener listener)
            throws Throwable {
        Sessions.open();
        Method create = factory();
        if (create == null) {
            engine.execute(new ExecutionRequest(root, listener, Parameters.INSTANCE));
            return;
        }
        Class<?>[] types = create.getParameterTypes();
        Object[] arguments = new Object[types.length];
        AutoCloseable store = null;
        for (int i = 0; i < types.length; i++) {
            arguments[i] = argument(types[i], root, listener);
            if (types[i].getSimpleName().equals("NamespacedHierarchicalStore")) {
                store = (AutoCloseable) arguments[i];
            }
        }
        try {
            engine.execute((ExecutionRequest) invoke(create, null, arguments));
        } finally {
            if (store != null) {
                store.close();
            }
        }
    }

    /** Closes the session of all requests so far. */
    static void close() throws Throwable {
        Object open = session;
        session = null;
        boolean ours = !Sessions.close();
        if (ours && open instanceof AutoCloseable) {
            ((AutoCloseable) open).close();
        }
    }

    private static Method factory() {
        Method best = null;
        for (Method method : ExecutionRequest.class.getDeclaredMethods()) {
            if (method.getName().equals("create")
                    && Modifier.isStatic(method.getModifiers())
                    && (best == null || method.getParameterCount() > best.getParameterCount())) {
                best = method;
            }
        }
        return best;
    }

    private static Object argument(
            Class<?> type, TestDescriptor root, EngineExecutionListener listener) throws Throwable {
        if (type == TestDescriptor.class) {
            return root;
        }
        if (type == EngineExecutionListener.class) {
            return listener;
        }
        if (type == ConfigurationParameters.class) {
            return Parameters.INSTANCE;
        }
        switch (type.getSimpleName()) {
            case "OutputDirectoryProvider":
            case "OutputDirectoryCreator":
                return outputDirectories(type);
            case "NamespacedHierarchicalStore":
                return store(type);
            case "CancellationToken":
                return invoke(type.getMethod("disabled"), null);
            default:
                throw new IllegalStateException("unknown version of the JUnit Platform: " + type);
        }
    }

    /** The store of one request, below the one of the session, which lives as long as the JVM. */
    private static Object store(Class<?> type) throws Throwable {
        if (session == null) {
            Object opened = Sessions.store();
            session = opened == null ? newSession(type) : opened;
        }
        return invoke(type.getMethod("newChild"), session);
    }

    /** A store that closes what was put into it, as a launcher makes it. */
    private static Object newSession(Class<?> type) throws Throwable {
        for (Constructor<?> constructor : type.getConstructors()) {
            if (constructor.getParameterCount() == 2) {
                Class<?> action = constructor.getParameterTypes()[1];
                for (Method method : action.getMethods()) {
                    if (method.getName().equals("closeAutoCloseables")) {
                        return constructor.newInstance(null, invoke(method, null));
                    }
                }
            }
        }
        return type.getConstructor(type).newInstance(new Object[] {null});
    }

    /** Makes folders for files that tests publish, below the temporary folder. */
    static Object outputDirectories(Class<?> type) {
        Path root = Paths.get(System.getProperty("java.io.tmpdir"), "junit");
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "getRootDirectory":
                            return root;
                        case "createOutputDirectory":
                            Files.createDirectories(root);
                            return Files.createTempDirectory(root, "test");
                        case "equals":
                            return proxy == arguments[0];
                        case "hashCode":
                            return System.identityHashCode(proxy);
                        default:
                            return "output directories";
                    }
                });
    }

    private static Object invoke(Method method, Object target, Object... arguments)
            throws Throwable {
        try {
            method.setAccessible(true);
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
