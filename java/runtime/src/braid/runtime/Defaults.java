package braid.runtime;

import java.lang.reflect.Field;
import java.util.Locale;
import java.util.TimeZone;

/** Defaults of the whole JVM: locales, time zone, handler of uncaught exceptions. */
final class Defaults implements Epochs.Part {
    private static final Field ZONE = Internals.field(TimeZone.class, "defaultTimeZone");

    private final Locale all = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = ZONE == null ? TimeZone.getDefault() : null;
    private final Thread.UncaughtExceptionHandler uncaught = Thread.getDefaultUncaughtExceptionHandler();

    Defaults() {
        // Found out again by the first who asks, as in a new JVM.
        TimeZone.setDefault(zone);
    }

    @Override
    public void restore() {
        if (Locale.getDefault() != all
                || Locale.getDefault(Locale.Category.DISPLAY) != display
                || Locale.getDefault(Locale.Category.FORMAT) != format) {
            Locale.setDefault(all);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
        }
        if (ZONE == null || Internals.get(ZONE, null) != null) {
            TimeZone.setDefault(zone);
        }
        if (Thread.getDefaultUncaughtExceptionHandler() != uncaught) {
            Thread.setDefaultUncaughtExceptionHandler(uncaught);
        }
    }
}
