package braid.maven;

import java.util.Collection;
import java.util.Map;

/** Writes maps, collections, text, numbers, truth values and null as JSON. */
final class Json {
    private final StringBuilder out = new StringBuilder();

    private Json() {}

    static String write(Object value) {
        Json json = new Json();
        json.value(value);
        return json.out.toString();
    }

    private void value(Object value) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            out.append(value);
        } else if (value instanceof Map) {
            object((Map<?, ?>) value);
        } else if (value instanceof Collection) {
            array((Collection<?>) value);
        } else {
            text(value.toString());
        }
    }

    private void object(Map<?, ?> map) {
        out.append('{');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            separator = ",\n";
            text(String.valueOf(entry.getKey()));
            out.append(':');
            value(entry.getValue());
        }
        out.append('}');
    }

    private void array(Collection<?> values) {
        out.append('[');
        String separator = "";
        for (Object value : values) {
            out.append(separator);
            separator = ",";
            value(value);
        }
        out.append(']');
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || c > 0x7e) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
