package braid.maven;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** All that is known of one Maven project while it is being built. */
final class ModuleRecord {
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final List<Object> goals = new ArrayList<>();
    private final List<String> processorPath = new ArrayList<>();

    ModuleRecord(Object project) {
        fields.put("group", Reflect.text(project, "getGroupId"));
        fields.put("artifact", Reflect.text(project, "getArtifactId"));
        fields.put("version", Reflect.text(project, "getVersion"));
        fields.put("packaging", Reflect.text(project, "getPackaging"));
        fields.put("dir", path(Reflect.get(project, "getBasedir")));
        fields.put("poms", poms(project));
        fields.put("goals", goals);
        fields.put("processorPath", processorPath);
        update(project);
    }

    Map<String, Object> fields() {
        return fields;
    }

    /** Plugins add roots and properties as the build goes on, so these are read again and again. */
    void update(Object project) {
        Object build = Reflect.get(project, "getBuild");
        fields.put("buildDirectory", Reflect.text(build, "getDirectory"));
        fields.put("classes", Reflect.text(build, "getOutputDirectory"));
        fields.put("testClasses", Reflect.text(build, "getTestOutputDirectory"));
        fields.put("sourceRoots", Reflect.all(project, "getCompileSourceRoots"));
        fields.put("testRoots", Reflect.all(project, "getTestCompileSourceRoots"));
        fields.put("resources", resources(Reflect.all(project, "getResources")));
        fields.put("testResources", resources(Reflect.all(project, "getTestResources")));
        Object properties = Reflect.get(project, "getProperties");
        if (properties instanceof Properties) {
            fields.put("properties", strings((Properties) properties));
        }
    }

    /** Notes a goal that starts, and the class path that is resolved for it. */
    void goal(
            Object project,
            Object execution,
            Map<String, Object> configuration,
            String toolchain) {
        update(project);
        Map<String, Object> goal = new LinkedHashMap<>();
        goal.put("plugin", Reflect.text(execution, "getArtifactId"));
        goal.put("pluginVersion", Reflect.text(execution, "getVersion"));
        goal.put("goal", Reflect.text(execution, "getGoal"));
        goal.put("execution", Reflect.text(execution, "getExecutionId"));
        goal.put("configuration", configuration);
        goal.put("toolchain", toolchain);
        goals.add(goal);
        if ("compile".equals(goal.get("goal"))) {
            fields.put("compileClasspath", Reflect.all(project, "getCompileClasspathElements"));
            fields.put("compileArtifacts", artifacts(project));
        } else {
            fields.put("testClasspath", Reflect.all(project, "getTestClasspathElements"));
            fields.put("testArtifacts", artifacts(project));
        }
    }

    void processor(String file) {
        if (!processorPath.contains(file)) {
            processorPath.add(file);
        }
    }

    private static List<String> poms(Object project) {
        List<String> poms = new ArrayList<>();
        for (Object p = project; p != null; p = Reflect.get(p, "getParent")) {
            String pom = path(Reflect.get(p, "getFile"));
            if (pom != null) {
                poms.add(pom);
            }
        }
        return poms;
    }

    private static List<Object> artifacts(Object project) {
        List<Object> artifacts = new ArrayList<>();
        for (Object artifact : Reflect.all(project, "getArtifacts")) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("group", Reflect.text(artifact, "getGroupId"));
            fields.put("artifact", Reflect.text(artifact, "getArtifactId"));
            fields.put("version", Reflect.text(artifact, "getVersion"));
            fields.put("type", Reflect.text(artifact, "getType"));
            fields.put("classifier", Reflect.text(artifact, "getClassifier"));
            fields.put("scope", Reflect.text(artifact, "getScope"));
            fields.put("file", path(Reflect.get(artifact, "getFile")));
            artifacts.add(fields);
        }
        return artifacts;
    }

    private static List<Object> resources(Collection<?> all) {
        List<Object> resources = new ArrayList<>();
        for (Object resource : all) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("directory", Reflect.text(resource, "getDirectory"));
            fields.put("targetPath", Reflect.text(resource, "getTargetPath"));
            fields.put("filtering", Boolean.TRUE.equals(Reflect.get(resource, "isFiltering")));
            fields.put("includes", Reflect.all(resource, "getIncludes"));
            fields.put("excludes", Reflect.all(resource, "getExcludes"));
            resources.add(fields);
        }
        return resources;
    }

    private static Map<String, String> strings(Properties properties) {
        Map<String, String> strings = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            strings.put(name, properties.getProperty(name));
        }
        return strings;
    }

    private static String path(Object file) {
        return file instanceof File ? ((File) file).getAbsolutePath() : null;
    }
}
