package braid.compiler;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
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
    /** As much text is parsed at a time. */
    private static final int PORTION = 4 << 20;

    private final JavaCompiler compiler;
    private final Setup setup;
    private final String suffix;
    private final Map<Edit, List<Message>> parseErrors = new IdentityHashMap<>();
    private final Map<ClassTree, Boolean> asserting = new HashMap<>();
    private int copies;

    Planner(JavaCompiler compiler, Setup setup, String suffix) {
        this.compiler = compiler;
        this.setup = setup;
        this.suffix = suffix;
    }

    void plan(List<Patch> patches) throws IOException {
        List<Task> wide = new ArrayList<>();
        List<Copy> copies = new ArrayList<>();
        for (Patch patch : patches) {
            for (Edit edit : patch.edits) {
                Outline.Method method = edit.usable() ? around(edit) : null;
                if (!edit.usable()) {
                    patch.alone("a file that is no text or does not parse unpatched");
                } else if (method == null) {
                    wide.add(new Task(patch, edit, null));
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
        List<Task> broken = new ArrayList<>();
        parseIsolated(copies, broken);
        parseWhole(broken, null);
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
    private void parseWhole(List<Task> tasks, List<Copy> copies) throws IOException {
        for (List<Task> portion : portions(tasks)) {
            List<SourceFile> files = new ArrayList<>();
            portion.forEach(task -> files.add(new SourceFile(task.path(), task.text())));
            Parsing parsing = new Parsing(compiler, setup, files);
            for (int i = 0; i < files.size(); i++) {
                Task task = portion.get(i);
                if (!parsing.errors(i).isEmpty()) {
                    parseErrors.put(task.edit, parsing.errors(i));
                } else if (copies == null) {
                    task.patch.alone("a method that parses only in its file");
                } else {
                    compare(task, parsing.outline(i), copies);
                }
            }
        }
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

    /** Parses each method in a class of its own. */
    private void parseIsolated(List<Copy> copies, List<Task> broken) throws IOException {
        List<Task> tasks = new ArrayList<>();
        copies.forEach(copy -> tasks.add(new Task(copy.patch, copy.edit, copy)));
        for (List<Task> portion : portions(tasks)) {
            List<SourceFile> files = new ArrayList<>();
            portion.forEach(task -> files.add(new SourceFile(task.path(), task.text())));
            Parsing parsing = new Parsing(compiler, setup, files);
            for (int i = 0; i < files.size(); i++) {
                Task task = portion.get(i);
                if (!parsing.errors(i).isEmpty()) {
                    broken.add(new Task(task.patch, task.edit, null));
                } else if (isOneMethod(parsing, i, task)) {
                    judge(task.copy, method(parsing.unit(i)));
                } else {
                    task.patch.alone("a body that is not one method");
                }
            }
        }
    }

    private static MethodTree method(CompilationUnitTree unit) {
        ClassTree type = (ClassTree) unit.getTypeDecls().get(0);
        Tree member = type.getMembers().size() == 1 ? type.getMembers().get(0) : null;
        return member instanceof MethodTree ? (MethodTree) member : null;
    }

    private static boolean isOneMethod(Parsing parsing, int index, Task task) {
        CompilationUnitTree unit = parsing.unit(index);
        if (unit.getTypeDecls().size() != 1) {
            return false;
        }
        MethodTree method = method(unit);
        int start = task.wrapperLength();
        return method != null
                && method.getBody() != null
                && parsing.positions.getStartPosition(unit, method) == start
                && parsing.positions.getEndPosition(unit, method) == start + task.copy.source().length();
    }

    private void judge(Copy copy, MethodTree tree) {
        Features features = Features.of(tree);
        ClassTree owner = copy.method.owner.tree;
        if (features.deepest > DEEPEST) {
            copy.patch.alone("an expression nested too deep");
        } else if (copy.method.isConstructor()) {
            copy.patch.alone("a constructor");
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
        List<List<Task>> portions = new ArrayList<>();
        int size = PORTION;
        for (Task task : tasks) {
            if (size >= PORTION) {
                portions.add(new ArrayList<>());
                size = 0;
            }
            portions.get(portions.size() - 1).add(task);
            size += task.size();
        }
        return portions;
    }

    /** Something to parse: a whole patched file, or a method of it. */
    private static final class Task {
        final Patch patch;
        final Edit edit;
        final Copy copy;

        Task(Patch patch, Edit edit, Copy copy) {
            this.patch = patch;
            this.edit = edit;
            this.copy = copy;
        }

        String path() {
            return edit.original.path;
        }

        int size() {
            return copy == null ? edit.original.text.length() : copy.body.length();
        }

        String text() {
            return copy == null ? edit.patched() : wrapper() + copy.source() + "\n}\n";
        }

        /** The kind of class decides what its members may be. */
        private String wrapper() {
            ClassTree owner = copy.method.owner.tree;
            String kind = owner.getKind().name();
            String name = owner.getSimpleName().toString();
            if (kind.equals("INTERFACE")) {
                return "interface " + name + " {\n";
            }
            return kind.equals("RECORD") ? "record " + name + "() {\n" : "class " + name + " {\n";
        }

        int wrapperLength() {
            return wrapper().length();
        }
    }
}
