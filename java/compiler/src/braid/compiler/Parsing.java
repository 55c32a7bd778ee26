package braid.compiler;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;

/** Source files parsed, each for itself; nothing more is done with them. */
final class Parsing {
    final SourcePositions positions;
    private final List<SourceFile> files;
    private final int most;
    private final List<CompilationUnitTree> units = new ArrayList<>();
    private final Map<JavaFileObject, List<Message>> errors = new IdentityHashMap<>();
    private final Map<JavaFileObject, List<Integer>> places = new IdentityHashMap<>();

    Parsing(JavaCompiler compiler, Setup setup, List<SourceFile> files) throws IOException {
        this.files = files;
        this.most = setup.mostErrors();
        if (files.isEmpty()) {
            positions = null;
            return;
        }
        JavacTask task =
                (JavacTask)
                        compiler.getTask(
                                null,
                                null,
                                this::report,
                                setup.parseOptions(),
                                null,
                                files);
        positions = Trees.instance(task).getSourcePositions();
        task.parse().forEach(units::add); // in the order of the files
    }

    private void report(Diagnostic<? extends JavaFileObject> diagnostic) {
        JavaFileObject source = diagnostic.getSource();
        List<Message> found = errors.computeIfAbsent(source, file -> new ArrayList<>());
        if (Message.kindOf(diagnostic) == Message.ERROR && found.size() <= most) {
            found.add(Message.of(diagnostic));
            places.computeIfAbsent(source, file -> new ArrayList<>())
                    .add((int) diagnostic.getPosition());
        }
    }

    /** The places in the text of the errors in a file. */
    List<Integer> places(int index) {
        return places.getOrDefault(files.get(index), List.of());
    }

    /** The tree of a file. */
    CompilationUnitTree unit(int index) {
        return units.get(index);
    }

    /** The errors in a file; none if it parses. */
    List<Message> errors(int index) {
        return errors.getOrDefault(files.get(index), List.of());
    }

    /** The outline of a file; null if it does not parse. */
    Outline outline(int index) {
        return errors(index).isEmpty()
                ? new Outline(files.get(index).text(), unit(index), positions)
                : null;
    }
}
