package braid.compiler;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;

/**
 * Compiles copies through the public interface of the compiler: again and again, each time without those that failed.
 * Errors of data flow show only once there are no others.
 */
final class OutsideRound extends Round {
    OutsideRound(JavaCompiler compiler, Setup setup, String suffixes) throws IOException {
        super(compiler, setup, suffixes);
    }

    @Override
    Map<String, byte[]> run(List<Copy> copies) throws Trouble, IOException {
        List<Copy> left = new ArrayList<>(copies);
        while (true) {
            int before = left.size();
            manager.forget();
            List<JavaFileObject> sources =
                    files(left).stream().map(file -> file.source).collect(Collectors.toList());
            boolean good = sources.isEmpty() || call(sources);
            noStrays();
            left.removeIf(copy -> failures.containsKey(copy) || unfit.contains(copy));
            if (good) {
                return manager.classes();
            }
            if (left.size() == before) {
                throw new Trouble("the compiler failed without an error");
            }
        }
    }

    private boolean call(List<JavaFileObject> sources) {
        java.io.StringWriter said = new java.io.StringWriter();
        return compiler.getTask(said, manager, this, setup.parseOptions(), null, sources).call();
    }

    @Override
    void failed(Copy copy, Message message) {
        if (message.code.startsWith("compiler.err.limit")) {
            unfit.add(copy);
        } else {
            super.failed(copy, message);
        }
    }
}
