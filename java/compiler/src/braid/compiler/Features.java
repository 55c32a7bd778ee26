package braid.compiler;

import com.sun.source.tree.AssertTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import javax.lang.model.element.Modifier;

/** What a method's tree holds that decides how it can be compiled. */
final class Features extends TreeScanner<Void, Void> {
    private final boolean intoClasses;
    private int depth;
    int deepest;
    boolean asserts;
    /** Whether there are local or anonymous classes, or code for which javac makes one. */
    boolean makesClasses;

    private boolean makesMethods;

    private Features(boolean intoClasses) {
        this.intoClasses = intoClasses;
    }

    static Features of(Tree method) {
        Features features = new Features(true);
        features.scan(method, null);
        return features;
    }

    /** Whether a class has an {@code assert} of its own, classes inside left out. */
    static boolean hasAssert(ClassTree type) {
        Features features = new Features(false);
        type.getMembers().forEach(member -> features.scan(member, null));
        return features.asserts;
    }

    /** Whether initialisers of objects, which are part of every constructor, have lambdas, classes or assertions. */
    static boolean initialisersShare(ClassTree type) {
        Features features = new Features(true);
        for (Tree member : type.getMembers()) {
            boolean block = member instanceof BlockTree && !((BlockTree) member).isStatic();
            boolean field = member instanceof VariableTree && !isStatic((VariableTree) member);
            if (block || field) {
                features.scan(member, null);
            }
        }
        return features.makesMethods || features.makesClasses || features.asserts;
    }

    private static boolean isStatic(VariableTree field) {
        return field.getModifiers().getFlags().contains(Modifier.STATIC);
    }

    @Override
    public Void scan(Tree tree, Void nothing) {
        if (tree == null) {
            return null;
        }
        makesClasses |= tree.getKind().name().startsWith("SWITCH"); // also those of later versions
        depth++;
        deepest = Math.max(deepest, depth);
        super.scan(tree, nothing);
        depth--;
        return null;
    }

    @Override
    public Void visitClass(ClassTree tree, Void nothing) {
        makesClasses = true;
        return intoClasses ? super.visitClass(tree, nothing) : null;
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree tree, Void nothing) {
        makesMethods = true;
        return super.visitLambdaExpression(tree, nothing);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
        makesMethods = true;
        return super.visitMemberReference(tree, nothing);
    }

    @Override
    public Void visitAssert(AssertTree tree, Void nothing) {
        asserts = true;
        return super.visitAssert(tree, nothing);
    }
}
