package braid.maven;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.maven.eventspy.EventSpy;

/**
 * Sits in a Maven build and writes down, as JSON, what the compiler and the test runner were told.
 * The file to write is named by the system property {@code braid.model}.
 */
public final class ModelSpy implements EventSpy {
    private static final int FORMAT = 1;

    /** Goals whose configuration is written down, as plugin and goal. */
    private static final List<String> GOALS =
            java.util.Arrays.asList(
                    "maven-compiler-plugin:compile",
                    "maven-compiler-plugin:testCompile",
                    "maven-surefire-plugin:test");

    private final Map<String, ModuleRecord> modules = new LinkedHashMap<>();

    /** The module whose compiler is resolving its processor path, for each building thread. */
    private final Map<Thread, ModuleRecord> resolving = new ConcurrentHashMap<>();

    private String mavenVersion;
    private String localRepository;

    @Override
    public void init(Context context) {}

    @Override
    public void onEvent(Object event) {
        try {
            String kind = String.valueOf(Reflect.get(event, "getType"));
            if ("ARTIFACT_RESOLVED".equals(kind)) {
                resolved(event);
            } else if (Reflect.get(event, "getSession") != null) {
                execution(kind, event);
            }
        } catch (RuntimeException | LinkageError e) {
            // A build must not fail because it is watched; what is missing shows in the model.
            System.err.println("braid: " + e);
        }
    }

    @Override
    public void close() throws IOException {
        String target = System.getProperty("braid.model");
        if (target == null) {
            return;
        }
        Map<String, Object> model = new LinkedHashMap<>();
        model.put("format", FORMAT);
        model.put("maven", mavenVersion);
        model.put("localRepository", localRepository);
        List<Object> records = new ArrayList<>();
        for (ModuleRecord module : modules.values()) {
            records.add(module.fields());
        }
        model.put("modules", records);
        Path file = Paths.get(target);
        Path partial = Paths.get(target + ".partial");
        Files.write(partial, Json.write(model).getBytes(StandardCharsets.UTF_8));
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private void execution(String kind, Object event) {
        Object session = Reflect.get(event, "getSession");
        Object project = Reflect.get(event, "getProject");
        switch (kind) {
            case "SessionStarted":
                Object properties = Reflect.get(session, "getSystemProperties");
                if (properties instanceof java.util.Properties) {
                    mavenVersion =
                            ((java.util.Properties) properties).getProperty("maven.version");
                }
                Object repository = Reflect.get(session, "getLocalRepository");
                localRepository = Reflect.text(repository, "getBasedir");
                // All modules, in the order they are built.
                for (Object each : Reflect.all(session, "getProjects")) {
                    record(each);
                }
                break;
            case "MojoStarted":
                started(session, project, Reflect.get(event, "getMojoExecution"));
                break;
            case "MojoSucceeded":
            case "MojoFailed":
                resolving.remove(Thread.currentThread());
                break;
            case "ProjectSucceeded":
            case "ProjectFailed":
                record(project).update(project);
                break;
            default:
        }
    }

    private void started(Object session, Object project, Object execution) {
        String plugin = Reflect.text(execution, "getArtifactId");
        String goal = Reflect.text(execution, "getGoal");
        if (!GOALS.contains(plugin + ":" + goal)) {
            return;
        }
        Object dom = Reflect.get(execution, "getConfiguration");
        Map<String, Object> configuration = new Configuration(session, execution).node(dom);
        ModuleRecord module = record(project);
        synchronized (module) {
            module.goal(
                    project, execution, configuration, Toolchains.launcher(session, configuration));
        }
        if ("compile".equals(goal)) {
            resolving.put(Thread.currentThread(), module);
        }
        if ("test".equals(goal)) {
            skip(dom);
        }
    }

    /** A hard-wired {@code skipTests=false} would run the tests in spite of the command line. */
    private static void skip(Object dom) {
        Object node =
                Reflect.call(dom, "getChild", new Class<?>[] {String.class}, "skipTests");
        Reflect.call(node, "setValue", new Class<?>[] {String.class}, "true");
    }

    /**
     * Something was resolved on behalf of a compile goal. Requests that start from a root artifact
     * are for the plugin's own dependencies; the others are for the processor path.
     */
    private void resolved(Object event) {
        ModuleRecord module = resolving.get(Thread.currentThread());
        Object file = Reflect.get(event, "getFile");
        if (module == null || file == null || !file.toString().endsWith(".jar")) {
            return;
        }
        Object trace = Reflect.get(event, "getTrace");
        for (; trace != null; trace = Reflect.get(trace, "getParent")) {
            Object collect = Reflect.get(Reflect.get(trace, "getData"), "getCollectRequest");
            if (Reflect.get(collect, "getRoot") != null
                    || Reflect.get(collect, "getRootArtifact") != null) {
                return;
            }
        }
        synchronized (module) {
            module.processor(file.toString());
        }
    }

    private ModuleRecord record(Object project) {
        String key =
                Reflect.text(project, "getGroupId") + ":" + Reflect.text(project, "getArtifactId");
        synchronized (modules) {
            return modules.computeIfAbsent(key, k -> new ModuleRecord(project));
        }
    }
}
