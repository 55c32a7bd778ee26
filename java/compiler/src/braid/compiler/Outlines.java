package braid.compiler;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;

/** Compares the outlines of source files. */
final class Outlines {
    private Outlines() {}

    /** Whether each of these texts differs from the file on disk of the same path in method bodies at most. */
    static boolean differInBodiesOnly(
            JavaCompiler compiler, Setup setup, Charset charset, Map<String, byte[]> given)
            throws IOException {
        List<SourceFile> files = new ArrayList<>();
        for (Map.Entry<String, byte[]> entry : given.entrySet()) {
            Path path = Paths.get(entry.getKey());
            if (!java.nio.file.Files.isRegularFile(path)) {
                return false;
            }
            String before = Text.of(java.nio.file.Files.readAllBytes(path), charset);
            String after = Text.of(entry.getValue(), charset);
            if (before == null || after == null) {
                return false;
            }
            files.add(new SourceFile(entry.getKey(), before));
            files.add(new SourceFile(entry.getKey(), after));
        }
        Parsing parsing = new Parsing(compiler, setup, files);
        for (int i = 0; i < files.size(); i += 2) {
            Outline before = parsing.outline(i);
            Outline after = parsing.outline(i + 1);
            if (before == null || after == null || !before.differsInBodiesOnly(after)) {
                return false;
            }
        }
        return true;
    }
}
