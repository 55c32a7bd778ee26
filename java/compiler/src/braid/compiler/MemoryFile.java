package braid.compiler;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import javax.tools.SimpleJavaFileObject;

/** A file that the compiler or an annotation processor writes, kept in memory. */
final class MemoryFile extends SimpleJavaFileObject implements Files.SimpleObject {
    /** The binary name with dots for a class, the path for anything else. */
    final String name;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    MemoryFile(String name, Kind kind) {
        super(URI.create("mem:///" + name.replace('.', '/') + kind.extension), kind);
        this.name = name;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    @Override
    public OutputStream openOutputStream() {
        bytes.reset();
        return bytes;
    }

    @Override
    public InputStream openInputStream() {
        return new ByteArrayInputStream(bytes());
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
