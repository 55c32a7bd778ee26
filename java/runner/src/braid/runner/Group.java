package braid.runner;

import java.util.LinkedHashSet;
import java.util.Set;

/** Units of one class that run together and share its set-up as the framework has it. */
public final class Group {
    public final Class<?> type;
    public final Set<String> units = new LinkedHashSet<>();

    public Group(Class<?> type) {
        this.type = type;
    }
}
