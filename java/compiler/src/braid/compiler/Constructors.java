package braid.compiler;

import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Types;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.JCTree.JCClassDecl;
import com.sun.tools.javac.tree.JCTree.JCExpressionStatement;
import com.sun.tools.javac.tree.JCTree.JCMethodDecl;
import com.sun.tools.javac.tree.JCTree.JCMethodInvocation;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.util.Context;
import com.sun.tools.javac.util.Names;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The copies of constructors. A class has room for one constructor of a signature, so they are entered as methods,
 * become constructors that nobody can find while they are attributed, and members of the class again for their code.
 */
final class Constructors {
    private final Names names;
    private final Types types;
    private final List<JCClassDecl> classes;
    private final Map<JCTree, Copy> copies;

    Constructors(Context context, List<JCClassDecl> classes, Map<JCTree, Copy> copies) {
        names = Names.instance(context);
        types = Types.instance(context);
        this.classes = classes;
        this.copies = copies;
    }

    private boolean isCopy(JCTree tree) {
        Copy copy = copies.get(tree);
        return copy != null && copy.method.isConstructor();
    }

    /** Makes constructors of the methods. */
    void areEntered() {
        for (JCClassDecl type : classes) {
            for (JCTree member : type.defs) {
                if (isCopy(member)) {
                    JCMethodDecl method = (JCMethodDecl) member;
                    type.sym.members_field.remove(method.sym);
                    method.name = names.init;
                    method.sym.name = names.init;
                    method.restype = null;
                }
            }
        }
    }

    /** Those whose first call leads to the constructor that they would take the place of; they are attributed. */
    Map<Copy, String> thatCallThemselves() {
        Map<Copy, String> found = new IdentityHashMap<>();
        for (JCClassDecl type : classes) {
            Map<String, Symbol> bySignature = new HashMap<>();
            Map<Symbol, Symbol> calls = new IdentityHashMap<>();
            for (JCTree member : type.defs) {
                if (TreeInfo.isConstructor(member) && !isCopy(member)) {
                    JCMethodDecl constructor = (JCMethodDecl) member;
                    bySignature.put(signature(constructor), constructor.sym);
                    calls.put(constructor.sym, callee(constructor));
                }
            }
            for (JCTree member : type.defs) {
                if (isCopy(member)) {
                    JCMethodDecl constructor = (JCMethodDecl) member;
                    Symbol own = bySignature.get(signature(constructor));
                    Symbol callee = callee(constructor);
                    while (callee != null && callee != own) {
                        callee = calls.get(callee);
                    }
                    if (own == null || callee == own) {
                        found.put(copies.get(member), "a constructor that calls itself");
                    }
                }
            }
        }
        return found;
    }

    private String signature(JCMethodDecl constructor) {
        return constructor.sym.erasure(types).getParameterTypes().toString();
    }

    /** The constructor of the same class that a constructor begins with; null if there is none. */
    private Symbol callee(JCMethodDecl constructor) {
        for (JCTree statement : constructor.body.stats) {
            if (statement instanceof JCExpressionStatement
                    && ((JCExpressionStatement) statement).expr instanceof JCMethodInvocation) {
                JCTree called = ((JCMethodInvocation) ((JCExpressionStatement) statement).expr).meth;
                if (TreeInfo.name(called) == names._this) {
                    return TreeInfo.symbol(called);
                }
            }
        }
        return null;
    }

    /**
     * Has the code of those that are left written into the class file, in this order and marked by a flag that no
     * constructor has.
     */
    void areMembers() {
        for (JCClassDecl type : classes) {
            int count = 0;
            for (JCTree member : type.defs) {
                if (isCopy(member)) {
                    Symbol constructor = ((JCMethodDecl) member).sym;
                    constructor.flags_field |= Flags.SYNCHRONIZED;
                    type.sym.members_field.enter(constructor);
                    copies.get(member).constructor = ++count;
                }
            }
        }
    }
}
