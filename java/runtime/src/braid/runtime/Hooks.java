package braid.runtime;

import java.io.File;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is to happen at the end of the JVM. Hooks are dropped: in a JVM of its own the test would be over
 * before they run. Files that were to be deleted are.
 */
final class Hooks implements Epochs.Part {
    private static final Field HOOKS = Internals.field("java.lang.ApplicationShutdownHooks", "hooks");
    private static final Field FILES = Internals.field("java.io.DeleteOnExitHook", "files");

    private final Set<Object> before = Collections.newSetFromMap(new IdentityHashMap<>());

    Hooks() {
        Map<?, ?> hooks = hooks();
        if (hooks != null) {
            before.addAll(hooks.keySet());
        }
    }

    private static Map<?, ?> hooks() {
        return (Map<?, ?>) Internals.get(HOOKS, null);
    }

    @Override
    public void restore() {
        Map<?, ?> hooks = hooks();
        if (hooks != null && hooks.size() > before.size()) {
            synchronized (HOOKS.getDeclaringClass()) {
                hooks.keySet().retainAll(before);
            }
        }
        if (FILES != null && Internals.isInitialised(FILES.getDeclaringClass())) {
            deleteFiles();
        }
    }

    private static void deleteFiles() {
        Object files = Internals.get(FILES, null);
        if (!(files instanceof Collection) || ((Collection<?>) files).isEmpty()) {
            return;
        }
        List<Object> paths;
        synchronized (FILES.getDeclaringClass()) {
            paths = new ArrayList<>((Collection<?>) files);
            ((Collection<?>) files).clear();
        }
        Collections.reverse(paths);
        for (Object path : paths) {
            new File(path.toString()).delete();
        }
    }
}
