package braid.runtime;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** What is in a table of properties. */
final class Contents {
    private final Properties table;
    private final Map<Object, Object> before;

    Contents(Properties table) {
        this.table = table;
        this.before = new HashMap<>(table);
    }

    Properties table() {
        return table;
    }

    void restore() {
        if (!table.equals(before)) {
            table.clear();
            table.putAll(before);
        }
    }
}
