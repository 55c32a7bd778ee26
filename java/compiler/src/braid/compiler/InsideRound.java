package braid.compiler;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.tools.javac.api.JavacTaskImpl;
import com.sun.tools.javac.comp.AttrContext;
import com.sun.tools.javac.comp.Env;
import com.sun.tools.javac.main.JavaCompiler;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.JCTree.JCClassDecl;
import com.sun.tools.javac.tree.JCTree.JCCompilationUnit;
import com.sun.tools.javac.tree.JCTree.JCMethodDecl;
import com.sun.tools.javac.util.Context;
import com.sun.tools.javac.util.ListBuffer;
import com.sun.tools.javac.util.Log;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.Collectors;

/** Compiles copies in one go: those that fail are cut out of the tree between the compiler's phases. */
final class InsideRound extends Round {
    private final Map<String, Copy> byName = new HashMap<>();
    private final Map<JCTree, Copy> byTree = new IdentityHashMap<>();
    private final List<JCClassDecl> classes = new ArrayList<>();
    private Constructors constructors;
    private boolean generating;

    InsideRound(javax.tools.JavaCompiler compiler, Setup setup, String suffixes)
            throws IOException {
        super(compiler, setup, suffixes);
    }

    @Override
    Map<String, byte[]> run(List<Copy> copies) throws Trouble, IOException {
        List<BulkFile> files = files(copies);
        copies.forEach(copy -> byName.put(copy.name, copy));
        List<String> options = new ArrayList<>(setup.parseOptions());
        options.add("-XDshould-stop.ifError=FLOW");
        JavacTaskImpl task =
                (JavacTaskImpl)
                        compiler.getTask(
                                new StringWriter(),
                                manager,
                                this,
                                options,
                                null,
                                files.stream().map(file -> file.source).collect(Collectors.toList()));
        int index = 0;
        for (CompilationUnitTree unit : task.parse()) { // in the order of the files
            prepare((JCCompilationUnit) unit, files.get(index++));
        }
        if (!failures.isEmpty()) {
            throw new Trouble("the file with all copies does not parse");
        }
        noStrays();
        task.enter();
        noStrays();
        constructors = new Constructors(task.getContext(), classes, byTree);
        constructors.areEntered();
        MissingClasses.areErrors(task.getContext());
        generate(task.getContext());
        noStrays();
        return manager.classes();
    }

    private void prepare(JCCompilationUnit unit, BulkFile file) {
        unit.lineMap = new CopyLines(unit.lineMap, file);
        unit.defs.forEach(this::collect);
    }

    private void collect(JCTree tree) {
        if (tree instanceof JCClassDecl) {
            JCClassDecl type = (JCClassDecl) tree;
            classes.add(type);
            type.defs.forEach(this::collect);
        } else if (tree instanceof JCMethodDecl) {
            Copy copy = byName.get(((JCMethodDecl) tree).name.toString());
            if (copy != null) {
                byTree.put(tree, copy);
            }
        }
    }

    private void generate(Context context) throws Trouble {
        JavaCompiler javac = JavaCompiler.instance(context);
        Log log = Log.instance(context);
        Queue<Env<AttrContext>> attributed = javac.attribute(javac.todo);
        refused.putAll(constructors.thatCallThemselves());
        cutFailures(log);
        Queue<Env<AttrContext>> flowed = javac.flow(attributed);
        cutFailures(log);
        noStrays();
        constructors.areMembers();
        generating = true;
        javac.generate(javac.desugar(flowed));
    }

    /** Takes the copies that failed out of their classes and forgets the errors. */
    private void cutFailures(Log log) {
        log.nerrors = 0;
        for (JCClassDecl type : classes) {
            ListBuffer<JCTree> kept = new ListBuffer<>();
            for (JCTree member : type.defs) {
                Copy copy = byTree.get(member);
                if (copy == null || !failures.containsKey(copy) && !refused.containsKey(copy)) {
                    kept.add(member);
                } else {
                    type.sym.members_field.remove(((JCMethodDecl) member).sym);
                }
            }
            type.defs = kept.toList();
        }
    }

    @Override
    void failed(Copy copy, Message message) {
        if (generating) {
            unfit.add(copy);
        } else {
            super.failed(copy, message);
        }
    }
}
