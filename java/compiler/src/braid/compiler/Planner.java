package braid.compiler;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;

/** Finds out of each patch whether it parses and whether it can be compiled as copies of methods. */
final class Planner {
    /** Trees deeper than this could overflow the stack in the middle of a batch. */
    static final int DEEPEST = 300;
    /** As much text is parsed at a time at most. */
    private static final int MOST_PORTION = 4 << 20;
    /** Less is not worth a worker. */
    private static final int LEAST_PORTION = 64 << 10;

    private final JavaCompiler compiler;
    private final Setup setup;
    private final String suffix;
    private final Map<Edit, List<Message>> parseErrors = new IdentityHashMap<>();
    private final Map<ClassTree, Boolean> asserting = new HashMap<>();
    private final Map<ClassTree, Boolean> sharing = new HashMap<>();
    private int copies;

    Planner(JavaCompiler compiler, Setup setup, String suffix) {
        this.compiler = compiler;
        this.setup = setup;
        this.suffix = suffix;
    }

    void plan(List<Patch> patches) throws Throwable {
        List<Task> wide = new ArrayList<>();
        List<Copy> copies = new ArrayList<>();
        for (Patch patch : patches) {
            for (Edit edit : patch.edits) {
                Outline.Method method = edit.usable() ? around(edit) : null;
                if (!edit.usable()) {
                    patch.alone("a file that is no text or does not parse unpatched");
                } else if (method == null) {
                    wide.add(new Task(patch, edit));
                } else {
                    String text = edit.original.text;
                    String body =
                            text.substring(method.bodyStart, edit.start)
                                    + edit.middle
                                    + text.substring(edit.end, method.bodyEnd);
                    copies.add(copy(patch, edit, method, body, method.bodyStart));
                }
            }
        }
        parseWhole(wide, copies);
        parseWhole(parseNearby(parseIsolated(copies)), null);
        patches.forEach(this::conclude);
    }

    private Copy copy(Patch patch, Edit edit, Outline.Method method, String body, int bodyAt) {
        return new Copy(patch, edit, method, body, bodyAt, suffix + Integer.toString(copies++, 36));
    }

    /** The method whose body holds all of an edit. */
    private static Outline.Method around(Edit edit) {
        List<Outline.Method> methods = edit.original.outline.methods;
        int low = 0;
        int high = methods.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (methods.get(middle).bodyStart < edit.start) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (methods.isEmpty()) {
            return null;
        }
        Outline.Method method = methods.get(low);
        boolean inside = method.bodyStart < edit.start && edit.end < method.bodyEnd;
        return inside ? method : null;
    }

    /** Parses whole patched files; with a list for copies, finds the bodies that changed. */
    private void parseWhole(List<Task> tasks, List<Copy> copies) throws Throwable {
        parse(
                tasks,
                (task, parsing, i) -> {
                    if (!parsing.errors(i).isEmpty()) {
                        parseErrors.put(task.edit, parsing.errors(i));
                    } else if (copies == null) {
                        task.patch.alone("a method that parses only in its file");
                    } else {
                        compare(task, parsing.outline(i), copies);
                    }
                });
    }

    private void compare(Task task, Outline after, List<Copy> copies) {
        Outline before = task.edit.original.outline;
        if (!before.differsInBodiesOnly(after)) {
            task.patch.alone("changes outside of method bodies");
            return;
        }
        for (int i = 0; i < before.methods.size(); i++) {
            Outline.Method old = before.methods.get(i);
            Outline.Method now = after.methods.get(i);
            String body = after.text.substring(now.bodyStart, now.bodyEnd);
            if (!body.contentEquals(before.text.substring(old.bodyStart, old.bodyEnd))) {
                copies.add(copy(task.patch, task.edit, old, body, now.bodyStart));
            }
        }
    }

    /** Parses each method in a class of its own; gives those that do not parse. */
    private List<Task> parseIsolated(List<Copy> copies) throws Throwable {
        List<Task> broken = new ArrayList<>();
        List<Task> tasks = new ArrayList<>();
        copies.forEach(copy -> tasks.add(new IsolatedTask(copy)));
        parse(
                tasks,
                (any, parsing, i) -> {
                    IsolatedTask task = (IsolatedTask) any;
                    if (task.isWhole(parsing, i)) {
                        judge(task.copy, (MethodTree) task.members(parsing, i).get(0));
                    } else if (parsing.errors(i).isEmpty()) {
                        task.patch.alone("a body that is not one method");
                    } else {
                        broken.add(task.afterErrors(parsing.errors(i)));
                    }
                });
        return broken;
    }

    /**
     * Parses methods that do not parse alone together with the member that follows them. If that one comes out as it
     * was, so would the rest of the file: all errors are known. Gives the others.
     */
    private List<Task> parseNearby(List<Task> broken) throws Throwable {
        List<Task> left = new ArrayList<>();
        List<Task> near = new ArrayList<>();
        broken.forEach(task -> (task instanceof NearbyTask ? near : left).add(task));
        parse(
                near,
                (any, parsing, i) -> {
                    NearbyTask task = (NearbyTask) any;
                    if (task.isWhole(parsing, i)) {
                        parseErrors.put(task.edit, task.messages(parsing, i));
                    } else {
                        left.add(new ShellTask(task.copy));
                    }
                });
        return left;
    }

    /** Parses many texts beside each other and looks at them one by one, in order. */
    private void parse(List<Task> tasks, Look look) throws Throwable {
        List<List<Task>> portions = portions(tasks);
        for (int from = 0; from < portions.size(); from += Workers.count()) {
            int to = Math.min(portions.size(), from + Workers.count());
            List<List<Task>> some = portions.subList(from, to);
            List<Parsing> parsed = Workers.each(some, this::parsing);
            for (int k = 0; k < parsed.size(); k++) {
                for (int i = 0; i < some.get(k).size(); i++) {
                    look.at(some.get(k).get(i), parsed.get(k), i);
                }
            }
        }
    }

    /** What is done with a text that was parsed. */
    private interface Look {
        void at(Task task, Parsing parsing, int index);
    }

    private Parsing parsing(List<Task> tasks) throws IOException {
        List<SourceFile> files = new ArrayList<>();
        tasks.forEach(task -> files.add(new SourceFile(task.edit.original.path, task.text())));
        return new Parsing(compiler, setup, files);
    }

    private void judge(Copy copy, MethodTree tree) {
        Features features = Features.of(tree);
        ClassTree owner = copy.method.owner.tree;
        if (features.deepest > DEEPEST) {
            copy.patch.alone("an expression nested too deep");
        } else if (copy.method.isConstructor() && owner.getKind().name().equals("RECORD")) {
            copy.patch.alone("a constructor of a record");
        } else if (copy.method.isConstructor() && sharing.computeIfAbsent(owner, Features::initialisersShare)) {
            copy.patch.alone("a constructor beside initialisers with code of their own");
        } else if (features.asserts && !asserting.computeIfAbsent(owner, Features::hasAssert)) {
            copy.patch.alone("the first assertion of its class");
        } else if (!copy.findName()) {
            copy.patch.alone("a method whose name cannot be found");
        } else {
            copy.patch.copies.add(copy);
        }
    }

    private void conclude(Patch patch) {
        List<Message> errors = new ArrayList<>();
        for (Edit edit : patch.edits) {
            errors.addAll(parseErrors.getOrDefault(edit, List.of()));
        }
        if (patch.open() && !errors.isEmpty()) {
            patch.fail(setup.firstErrors(errors));
        } else if (patch.open() && patch.copies.isEmpty()) {
            patch.alone("no change of a method");
        }
    }

    private static List<List<Task>> portions(List<Task> tasks) {
        long all = tasks.stream().mapToLong(Task::size).sum();
        long most = Math.max(LEAST_PORTION, Math.min(MOST_PORTION, all) / Workers.count() + 1);
        List<List<Task>> portions = new ArrayList<>();
        long size = most;
        for (Task task : tasks) {
            if (size >= most) {
                portions.add(new ArrayList<>());
                size = 0;
            }
            portions.get(portions.size() - 1).add(task);
            size += task.size();
        }
        return portions;
    }
}
