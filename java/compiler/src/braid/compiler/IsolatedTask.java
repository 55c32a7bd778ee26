package braid.compiler;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import java.util.List;

/** A patched method in a class of its own. */
class IsolatedTask extends Task {
    final Copy copy;
    private final String wrapper;

    IsolatedTask(Copy copy) {
        super(copy.patch, copy.edit);
        this.copy = copy;
        wrapper = wrapper(copy.method.owner.tree);
    }

    /** The kind of class decides what its members may be. */
    private static String wrapper(ClassTree owner) {
        String kind = owner.getKind().name();
        String name = owner.getSimpleName().toString();
        if (kind.equals("INTERFACE")) {
            return "interface " + name + " {\n";
        }
        return kind.equals("RECORD") ? "record " + name + "() {\n" : "class " + name + " {\n";
    }

    @Override
    final int size() {
        return copy.body.length();
    }

    @Override
    String text() {
        return wrapper + copy.source() + "\n}\n";
    }

    final int start() {
        return wrapper.length();
    }

    final int end() {
        return start() + copy.source().length();
    }

    /** The members of the class around; none if there is another class. */
    final List<? extends Tree> members(Parsing parsing, int index) {
        List<? extends Tree> types = parsing.unit(index).getTypeDecls();
        boolean one = types.size() == 1 && types.get(0) instanceof ClassTree;
        return one ? ((ClassTree) types.get(0)).getMembers() : List.of();
    }

    /** Whether the text is the patched method, no less and no more. */
    boolean isWhole(Parsing parsing, int index) {
        List<? extends Tree> members = members(parsing, index);
        return parsing.errors(index).isEmpty()
                && members.size() == 1
                && isMethod(members.get(0), parsing, index);
    }

    /** Whether this is the patched method, from its beginning to its end. */
    final boolean isMethod(Tree member, Parsing parsing, int index) {
        return member instanceof MethodTree
                && ((MethodTree) member).getBody() != null
                && spans(member, parsing, index, start(), end());
    }

    static boolean spans(Tree tree, Parsing parsing, int index, int start, int end) {
        CompilationUnitTree unit = parsing.unit(index);
        return parsing.positions.getStartPosition(unit, tree) == start
                && parsing.positions.getEndPosition(unit, tree) == end;
    }

    /** What to do next with a method that has these errors. */
    final Task afterErrors(List<Message> errors) {
        // A string or a character that is not closed ends with its line.
        boolean swallows =
                errors.stream()
                        .map(error -> error.code)
                        .anyMatch(code -> code.endsWith("unclosed.comment") || code.endsWith("unclosed.text.block"));
        boolean more = copy.bodyAt != copy.method.bodyStart || edit.end > copy.method.bodyEnd;
        if (swallows || more) {
            return new Task(patch, edit);
        }
        return copy.method.next == null ? new ShellTask(copy) : new NearbyTask(copy);
    }
}
