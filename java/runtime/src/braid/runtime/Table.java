package braid.runtime;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Static fields of the JDK that programs change through its methods. */
final class Table implements Epochs.Part {
    /** Remembered now: {@code class#field}. */
    private static final String[] KEPT = {
        "java.net.URL#factory",
        "java.net.URLConnection#factory",
        "java.net.URLConnection#fileNameMap",
        "java.net.URLConnection#defaultAllowUserInteraction",
        "java.net.URLConnection#defaultUseCaches",
        "java.net.HttpURLConnection#followRedirects",
        "java.net.Authenticator#theAuthenticator",
        "java.net.ProxySelector#theProxySelector",
        "java.net.CookieHandler#cookieHandler",
        "java.net.ResponseCache#theResponseCache",
        "java.net.Socket#factory",
        "java.net.ServerSocket#factory",
        // Names of threads and pools start over.
        "java.lang.Thread#threadInitNumber",
        "java.lang.Thread$ThreadNumbering#next",
        "java.util.concurrent.Executors$DefaultThreadFactory#poolNumber",
        "java.util.Timer#nextSerialNumber",
    };

    /** Null or zero in a new JVM, in classes that need not be initialised for us. */
    private static final String[] EMPTY = {
        "java.lang.management.ManagementFactory#platformMBeanServer",
        "javax.net.ssl.SSLContext#defaultContext",
        "java.util.concurrent.ForkJoinPool#poolIds",
    };

    private static final class Kept {
        final Field field;
        final Object value;
        final int count;

        Kept(Field field) {
            this.field = field;
            this.value = Internals.get(field, null);
            this.count = value instanceof AtomicInteger ? ((AtomicInteger) value).get() : 0;
        }

        void restore() {
            if (value instanceof AtomicInteger) {
                ((AtomicInteger) value).set(count);
                return;
            }
            Object now = Internals.get(field, null);
            boolean same = field.getType().isPrimitive() ? value.equals(now) : value == now;
            if (!same) {
                Internals.set(field, null, value);
            }
        }
    }

    private final List<Kept> kept = new ArrayList<>();
    private final List<Field> empty = new ArrayList<>();

    Table() {
        for (String entry : KEPT) {
            Field field = field(entry);
            if (field != null) {
                kept.add(new Kept(field));
            }
        }
        for (String entry : EMPTY) {
            Field field = field(entry);
            if (field != null && !Internals.isInitialised(field.getDeclaringClass())) {
                empty.add(field);
            }
        }
    }

    private static Field field(String entry) {
        int hash = entry.indexOf('#');
        return Internals.field(entry.substring(0, hash), entry.substring(hash + 1));
    }

    @Override
    public void restore() {
        for (Kept one : kept) {
            one.restore();
        }
        for (Field field : empty) {
            Object fresh = field.getType() == int.class ? Integer.valueOf(0) : null;
            if (Internals.isInitialised(field.getDeclaringClass())
                    && !Objects.equals(fresh, Internals.get(field, null))) {
                Internals.set(field, null, fresh);
            }
        }
    }
}
