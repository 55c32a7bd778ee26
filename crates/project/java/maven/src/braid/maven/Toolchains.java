package braid.maven;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The JDK that a goal would use by Maven's toolchains. */
final class Toolchains {
    private static final String MANAGER = "org.apache.maven.toolchain.ToolchainManager";
    private static final String SESSION = "org.apache.maven.execution.MavenSession";

    private Toolchains() {}

    /**
     * The path of {@code java} in the toolchain that the goal itself asks for, or else in the one that the toolchains
     * plugin has chosen for the project; null if there is none.
     */
    static String launcher(Object session, Map<String, Object> configuration) {
        Object container = Reflect.get(session, "getContainer");
        Object manager = Reflect.call(container, "lookup", new Class<?>[] {String.class}, MANAGER);
        if (manager == null) {
            return null;
        }
        try {
            Class<?> type =
                    Class.forName(SESSION, false, manager.getClass().getClassLoader());
            Object toolchain = asked(manager, type, session, requirements(configuration));
            if (toolchain == null) {
                Class<?>[] types = {String.class, type};
                toolchain =
                        Reflect.call(
                                manager, "getToolchainFromBuildContext", types, "jdk", session);
            }
            Class<?>[] types = {String.class};
            Object launcher = Reflect.call(toolchain, "findTool", types, "java");
            return launcher == null ? null : launcher.toString();
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static Object asked(
            Object manager, Class<?> type, Object session, Map<String, String> requirements) {
        if (requirements.isEmpty()) {
            return null;
        }
        Class<?>[] types = {type, String.class, Map.class};
        Object found =
                Reflect.call(manager, "getToolchains", types, session, "jdk", requirements);
        boolean none = !(found instanceof Collection) || ((Collection<?>) found).isEmpty();
        return none ? null : ((Collection<?>) found).iterator().next();
    }

    /** The children of {@code jdkToolchain}: version, vendor and the like. */
    private static Map<String, String> requirements(Map<String, Object> configuration) {
        Map<String, String> requirements = new LinkedHashMap<>();
        for (Object child : (List<?>) configuration.get("children")) {
            Map<?, ?> node = (Map<?, ?>) child;
            if (!"jdkToolchain".equals(node.get("name"))) {
                continue;
            }
            for (Object requirement : (List<?>) node.get("children")) {
                Map<?, ?> pair = (Map<?, ?>) requirement;
                if (pair.get("value") != null) {
                    requirements.put(
                            String.valueOf(pair.get("name")), pair.get("value").toString());
                }
            }
        }
        return requirements;
    }
}
