package braid.runtime;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Enumeration;

/**
 * The loggers of the JDK, by reflection because a JVM may be without them. If any of them is not as the
 * configuration makes it, the configuration is read again, which drops handlers, filters and levels.
 */
final class Logging implements Epochs.Part {
    private final Class<?> type = Internals.type("java.util.logging.LogManager");
    private Loggers loggers;

    @Override
    public void restore() throws Throwable {
        if (!Internals.isInitialised(type)) {
            return;
        }
        if (loggers == null) {
            loggers = new Loggers(type);
            loggers.configure();
        } else if (loggers.areChanged()) {
            loggers.configure();
        }
    }

    /** The loggers, once there are some. */
    private static final class Loggers {
        private final Object manager;
        private final Method names;
        private final Method get;
        private final Method read;
        private final Field config;
        private final Field[] parts;
        private final Field handlers;
        private Object rootLevel;

        Loggers(Class<?> type) throws ReflectiveOperationException {
            manager = type.getMethod("getLogManager").invoke(null);
            names = type.getMethod("getLoggerNames");
            get = type.getMethod("getLogger", String.class);
            read = type.getMethod("readConfiguration");
            config = Internals.field("java.util.logging.Logger", "config");
            String inside = "java.util.logging.Logger$ConfigurationData";
            parts =
                    new Field[] {
                        Internals.field(inside, "levelObject"), Internals.field(inside, "filter"),
                    };
            handlers = Internals.field(inside, "handlers");
        }

        void configure() throws ReflectiveOperationException {
            read.invoke(manager);
            Object root = get.invoke(manager, "");
            rootLevel = root == null ? null : level(root);
        }

        private Object level(Object logger) {
            return Internals.get(parts[0], Internals.get(config, logger));
        }

        boolean areChanged() throws ReflectiveOperationException {
            if (config == null || handlers == null || parts[0] == null || parts[1] == null) {
                return true;
            }
            Enumeration<?> all = (Enumeration<?>) names.invoke(manager);
            while (all.hasMoreElements()) {
                Object name = all.nextElement();
                Object logger = get.invoke(manager, name);
                if (logger != null && isChanged(logger, "".equals(name) ? rootLevel : null)) {
                    return true;
                }
            }
            return false;
        }

        /** The handlers of the root are made when something is logged, for the streams of that moment. */
        private boolean isChanged(Object logger, Object level) {
            Object data = Internals.get(config, logger);
            return Internals.get(parts[0], data) != level
                    || Internals.get(parts[1], data) != null
                    || !((Collection<?>) Internals.get(handlers, data)).isEmpty();
        }
    }
}
