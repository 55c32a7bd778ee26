package braid.maven;

import java.io.File;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration of one goal with every expression evaluated, at the moment the goal starts: by
 * then other plugins have set the properties that they set.
 */
final class Configuration {
    private final Object evaluator;

    Configuration(Object session, Object mojoExecution) {
        this.evaluator = evaluator(session, mojoExecution);
    }

    /** A node as a map of name, raw text, evaluated value and children. */
    Map<String, Object> node(Object dom) {
        Map<String, Object> node = new LinkedHashMap<>();
        node.put("name", Reflect.text(dom, "getName"));
        List<Object> children = new ArrayList<>();
        for (Object child : Reflect.all(dom, "getChildren")) {
            children.add(node(child));
        }
        String raw = Reflect.text(dom, "getValue");
        node.put("raw", raw);
        if (children.isEmpty()) {
            Object value = evaluate(raw);
            if (value == null) {
                value = evaluate(attribute(dom, "default-value"));
            }
            put(node, children, value);
        }
        node.put("children", children);
        return node;
    }

    private static void put(Map<String, Object> node, List<Object> children, Object value) {
        if (value instanceof Collection) {
            for (Object item : (Collection<?>) value) {
                children.add(leaf("item", item));
            }
        } else if (value instanceof Object[]) {
            for (Object item : (Object[]) value) {
                children.add(leaf("item", item));
            }
        } else if (value instanceof Map) {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                children.add(leaf(String.valueOf(entry.getKey()), entry.getValue()));
            }
        } else {
            node.put("value", plain(value));
        }
    }

    private static Map<String, Object> leaf(String name, Object value) {
        Map<String, Object> leaf = new LinkedHashMap<>();
        leaf.put("name", name);
        leaf.put("value", plain(value));
        return leaf;
    }

    /** Text for what has a plain text form; Maven's own objects have none. */
    private static String plain(Object value) {
        if (value instanceof File) {
            return ((File) value).getAbsolutePath();
        }
        boolean simple =
                value instanceof CharSequence
                        || value instanceof Number
                        || value instanceof Boolean
                        || value instanceof Enum;
        return simple ? value.toString() : null;
    }

    private Object evaluate(String expression) {
        if (expression == null) {
            return null;
        }
        if (evaluator == null || !expression.contains("$")) {
            return expression;
        }
        return Reflect.call(
                evaluator, "evaluate", new Class<?>[] {String.class}, expression);
    }

    private static String attribute(Object dom, String name) {
        Object value =
                Reflect.call(dom, "getAttribute", new Class<?>[] {String.class}, name);
        return value == null ? null : value.toString();
    }

    private static Object evaluator(Object session, Object mojoExecution) {
        try {
            ClassLoader loader = session.getClass().getClassLoader();
            Class<?> type =
                    Class.forName(
                            "org.apache.maven.plugin.PluginParameterExpressionEvaluator",
                            true,
                            loader);
            Class<?> sessionType =
                    Class.forName("org.apache.maven.execution.MavenSession", true, loader);
            Constructor<?> constructor =
                    type.getConstructor(sessionType, mojoExecution.getClass());
            return constructor.newInstance(session, mojoExecution);
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }
}
