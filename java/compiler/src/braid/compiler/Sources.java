package braid.compiler;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaFileObject;

/** The sources of one compilation: on disk, or with bytes that stand for the file on disk. */
final class Sources {
    final List<JavaFileObject> files = new ArrayList<>();
    /** Paths and bytes of the sources that came with their content. */
    final Map<String, byte[]> given = new HashMap<>();
    /** The files with bytes that are no text, and what javac says of them. */
    final Map<String, List<Message>> undecodable = new HashMap<>();

    Sources(Wire.In in, Files manager, Charset charset) {
        int count = in.number();
        for (int i = 0; i < count; i++) {
            String path = in.text();
            if (in.flag()) {
                byte[] bytes = in.blob();
                Text text = Text.decode(path, bytes, charset);
                given.put(path, bytes);
                files.add(new SourceFile(path, text.text));
                if (!text.errors.isEmpty()) {
                    undecodable.put(path, text.errors);
                }
            } else {
                files.add(manager.onDisk(path));
            }
        }
    }
}
