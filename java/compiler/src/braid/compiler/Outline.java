package braid.compiler;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.SourcePositions;
import java.util.ArrayList;
import java.util.List;

/** Where the method bodies of a source file are. Bodies in local and anonymous classes belong to the method around. */
final class Outline {
    final String text;
    /** In the order of the text. */
    final List<Method> methods = new ArrayList<>();

    private String quiet;
    private String shell;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;

    Outline(String text, CompilationUnitTree unit, SourcePositions positions) {
        this.text = text;
        this.unit = unit;
        this.positions = positions;
        String prefix = unit.getPackageName() == null ? "" : unit.getPackageName().toString().replace('.', '/') + "/";
        for (Tree type : unit.getTypeDecls()) {
            if (type instanceof ClassTree) {
                enter(new Owner(prefix, (ClassTree) type, end(type), null));
            }
        }
    }

    private void enter(Owner owner) {
        List<? extends Tree> members = owner.tree.getMembers();
        for (int i = 0; i < members.size(); i++) {
            Tree member = members.get(i);
            if (member instanceof ClassTree) {
                enter(new Owner(owner.name + "$", (ClassTree) member, end(member), owner));
            } else if (member instanceof MethodTree && start(member) >= 0) {
                MethodTree method = (MethodTree) member;
                if (method.getBody() != null && start(method.getBody()) >= 0) {
                    Tree next = i + 1 < members.size() ? members.get(i + 1) : null;
                    methods.add(new Method(this, owner, method, next));
                }
            }
        }
    }

    /** The text with comments blanked out. */
    String quiet() {
        if (quiet == null) {
            quiet = Quiet.comments(text);
        }
        return quiet;
    }

    /** The text with comments and methods blanked out. */
    String shell() {
        if (shell == null) {
            char[] chars = quiet().toCharArray();
            methods.forEach(method -> Quiet.blank(chars, method.start, method.bodyEnd));
            shell = new String(chars);
        }
        return shell;
    }

    int start(Tree tree) {
        return (int) positions.getStartPosition(unit, tree);
    }

    int end(Tree tree) {
        return (int) positions.getEndPosition(unit, tree);
    }

    /** Whether the two texts are the same but for comments and what stands inside method bodies. */
    boolean differsInBodiesOnly(Outline other) {
        if (methods.size() != other.methods.size()) {
            return false;
        }
        int here = 0;
        int there = 0;
        for (int i = 0; i < methods.size(); i++) {
            Method mine = methods.get(i);
            Method yours = other.methods.get(i);
            if (!same(here, mine.bodyStart, other, there, yours.bodyStart)) {
                return false;
            }
            here = mine.bodyEnd;
            there = yours.bodyEnd;
        }
        return same(here, text.length(), other, there, other.text.length());
    }

    /** Whether two pieces have the same tokens. */
    private boolean same(int from, int to, Outline other, int otherFrom, int otherTo) {
        String mine = text.substring(from, to);
        String yours = other.text.substring(otherFrom, otherTo);
        boolean escapes = mine.contains("\\u") || yours.contains("\\u");
        return mine.equals(yours) || !escapes && Quiet.tokens(mine).equals(Quiet.tokens(yours));
    }

    /** A class, interface, enum or record that is no local class. */
    static final class Owner {
        /** The binary name with slashes. */
        final String name;

        final ClassTree tree;
        /** After the closing brace. */
        final int end;

        final Owner outer;

        Owner(String prefix, ClassTree tree, int end, Owner outer) {
            this.name = prefix + tree.getSimpleName();
            this.tree = tree;
            this.end = end;
            this.outer = outer;
        }
    }

    /** A method or constructor with a body. */
    static final class Method {
        final Owner owner;
        final MethodTree tree;
        final int start;
        /** Where type parameters, return type or name begin. */
        final int headerStart;
        /** At the opening brace. */
        final int bodyStart;
        /** After the closing brace. */
        final int bodyEnd;
        /** The text of the next member, if that is a method or class; null otherwise. */
        final String next;
        /** Where that member begins. */
        final int nextStart;

        private final boolean replaceable;

        Method(Outline outline, Owner owner, MethodTree tree, Tree next) {
            this.owner = owner;
            this.tree = tree;
            start = outline.start(tree);
            int modifiers = outline.end(tree.getModifiers());
            headerStart = modifiers < 0 ? start : modifiers;
            bodyStart = outline.start(tree.getBody());
            bodyEnd = outline.end(tree.getBody());
            boolean whole = next instanceof MethodTree || next instanceof ClassTree;
            nextStart = whole ? outline.start(next) : -1;
            this.next = whole ? outline.text.substring(nextStart, outline.end(next)) : null;
            Features features = Features.of(tree);
            replaceable = !isConstructor() && !features.makesClasses && !features.asserts;
        }

        /** Whether the class stays the same for its other methods if this one has another body. */
        boolean isReplaceable() {
            return replaceable;
        }

        boolean isConstructor() {
            return tree.getReturnType() == null;
        }

        /** The name as it stands in the text. */
        String name() {
            return (isConstructor() ? owner.tree.getSimpleName() : tree.getName()).toString();
        }
    }
}
