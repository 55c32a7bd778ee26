package braid.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Properties;

/** Security providers, security properties and, in versions that have one, the security manager. */
final class Security implements Epochs.Part {
    private static final Field LIST = Internals.field("sun.security.jca.Providers", "providerList");
    private static final Field PROPERTIES = Internals.field("java.security.Security", "props");

    private final Object list = Internals.get(LIST, null);
    private final Contents properties;
    private final Method getManager = method("getSecurityManager");
    private final Method setManager = method("setSecurityManager");
    private final Object manager = call(getManager);

    Security() {
        Object table = Internals.get(PROPERTIES, null);
        properties = table instanceof Properties ? new Contents((Properties) table) : null;
    }

    @Override
    public void restore() {
        if (Internals.get(LIST, null) != list) {
            Internals.set(LIST, null, list);
        }
        if (properties != null) {
            properties.restore();
        }
        if (call(getManager) != manager) {
            call(setManager, manager);
        }
    }

    private static Method method(String name) {
        for (Method method : System.class.getMethods()) {
            if (method.getName().equals(name)) {
                return method;
            }
        }
        return null;
    }

    private static Object call(Method method, Object... arguments) {
        try {
            return method == null ? null : method.invoke(null, arguments);
        } catch (IllegalAccessException e) {
            return null;
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
