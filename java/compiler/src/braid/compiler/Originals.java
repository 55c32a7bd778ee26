package braid.compiler;

import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The unpatched files of the last requests, parsed. */
final class Originals {
    /** More text than this is forgotten, the oldest first. */
    private static final long MOST = 4 << 20;

    private final Map<String, Original> byPath = new LinkedHashMap<>();
    private long size;

    /** The file with these bytes; parsed already if it was asked for before. */
    synchronized Original get(String path, byte[] bytes, Charset charset, Setup setup) {
        String key = path + " " + charset + " " + setup.javacArgs;
        Original known = byPath.remove(key);
        if (known != null) {
            size -= known.bytes.length;
        }
        boolean same = known != null && Arrays.equals(known.bytes, bytes);
        Original original = same ? known : new Original(path, bytes, charset);
        byPath.put(key, original);
        size += bytes.length;
        while (size > MOST && byPath.size() > 1) {
            String oldest = byPath.keySet().iterator().next();
            size -= byPath.remove(oldest).bytes.length;
        }
        return original;
    }
}
