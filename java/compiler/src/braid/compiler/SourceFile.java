package braid.compiler;

import java.net.URI;
import java.nio.file.Path;
import java.nio.file.Paths;
import javax.tools.FileObject;
import javax.tools.SimpleJavaFileObject;

/** A source file whose text is at hand. */
final class SourceFile extends SimpleJavaFileObject implements Files.SimpleObject {
    private final String name;
    private final String text;

    SourceFile(String name, String text) {
        super(uri(name), Kind.SOURCE);
        this.name = name;
        this.text = text;
    }

    private static URI uri(String name) {
        Path path = Paths.get(name);
        return path.isAbsolute() ? path.toUri() : Paths.get("/").resolve(path).toUri();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
    }

    String text() {
        return text;
    }

    /** The name that the caller gave. */
    @Override
    public String getName() {
        return name;
    }

    /** The caller's name of any file that a message may point at. */
    static String nameOf(FileObject file) {
        return file.getName();
    }
}
