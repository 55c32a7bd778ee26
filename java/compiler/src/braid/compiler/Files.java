package braid.compiler;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/**
 * The standard file manager with what is written kept in memory, and without sources on the class path (javac would
 * compile them too).
 */
class Files extends ForwardingJavaFileManager<StandardJavaFileManager> {
    private final Map<String, MemoryFile> written = new LinkedHashMap<>();
    /** What packages of the JDK hold, which is asked for again with every file that is compiled. */
    private final Map<List<Object>, List<JavaFileObject>> ofTheJdk = new HashMap<>();

    /** The last one that was kept, and what it was made for. */
    private static Files kept;
    private static List<Object> keptFor;

    Files(JavaCompiler compiler, Setup setup) throws IOException {
        super(compiler.getStandardFileManager(null, null, Charset.forName(setup.encoding)));
        fileManager.setLocation(StandardLocation.CLASS_PATH, paths(setup.classPath));
        if (!setup.processorPath.isEmpty()) {
            fileManager.setLocation(
                    StandardLocation.ANNOTATION_PROCESSOR_PATH, paths(setup.processorPath));
        }
    }

    /** One that may have served before: opening the jars of a class path takes longer than compiling a class. */
    static Files kept(JavaCompiler compiler, Setup setup) throws IOException {
        List<Object> wanted = new ArrayList<>();
        wanted.add(setup.encoding);
        wanted.add(setup.javacArgs);
        for (List<String> path : List.of(setup.classPath, setup.processorPath)) {
            for (String name : path) {
                File file = new File(name);
                wanted.add(name);
                // Folders are read anew each time; jars are not.
                wanted.add(file.isFile() ? List.of(file.lastModified(), file.length()) : "");
            }
            wanted.add("");
        }
        if (kept == null || !wanted.equals(keptFor)) {
            if (kept != null) {
                kept.close();
            }
            kept = new Files(compiler, setup);
            keptFor = wanted;
        }
        kept.forget();
        return kept;
    }

    private static List<File> paths(List<String> names) {
        return names.stream().map(File::new).collect(Collectors.toList());
    }

    /** The file on disk as a source. */
    JavaFileObject onDisk(String path) {
        return fileManager.getJavaFileObjects(path).iterator().next();
    }

    /** The class files written so far, by binary name with slashes. */
    Map<String, byte[]> classes() {
        Map<String, byte[]> classes = new LinkedHashMap<>();
        for (MemoryFile file : written.values()) {
            if (file.getKind() == JavaFileObject.Kind.CLASS) {
                classes.put(file.name.replace('.', '/'), file.bytes());
            }
        }
        return classes;
    }

    /** Forgets what was written. */
    void forget() {
        written.clear();
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
        return written.computeIfAbsent(kind + name, key -> new MemoryFile(name, kind));
    }

    @Override
    public FileObject getFileForOutput(
            Location location, String packageName, String name, FileObject sibling) {
        String path = packageName.isEmpty() ? name : packageName.replace('.', '/') + "/" + name;
        return written.computeIfAbsent(
                path, key -> new MemoryFile(path, JavaFileObject.Kind.OTHER));
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        if (location == StandardLocation.CLASS_PATH
                && kinds.contains(JavaFileObject.Kind.SOURCE)) {
            kinds = kinds.stream()
                    .filter(kind -> kind != JavaFileObject.Kind.SOURCE)
                    .collect(Collectors.toSet());
        }
        if (!location.getName().startsWith(StandardLocation.SYSTEM_MODULES.getName())) {
            return found(location, packageName, kinds, recurse);
        }
        List<Object> asked = List.of(location.getName(), packageName, Set.copyOf(kinds), recurse);
        List<JavaFileObject> known = ofTheJdk.get(asked);
        if (known == null) {
            known = found(location, packageName, kinds, recurse);
            ofTheJdk.put(asked, known);
        }
        return known;
    }

    private List<JavaFileObject> found(
            Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        List<JavaFileObject> found = new ArrayList<>();
        super.list(location, packageName, kinds, recurse).forEach(found::add);
        return found;
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        return file instanceof MemoryFile
                ? ((MemoryFile) file).name
                : super.inferBinaryName(location, file);
    }

    @Override
    public boolean isSameFile(FileObject a, FileObject b) {
        boolean ours = a instanceof SimpleObject || b instanceof SimpleObject;
        return a == b || !ours && super.isSameFile(a, b);
    }

    /** Marks files that the standard file manager does not know. */
    interface SimpleObject {}
}
