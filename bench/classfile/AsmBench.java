import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.jar.*;
import java.util.stream.*;
import org.objectweb.asm.*;

/**
 * The ASM side: reads every class to instruction level and writes it back, on one thread, with
 * everything in memory. Answers each line on standard input with one round's CPU time and wall
 * time in nanoseconds and the bytes written.
 *
 * Arguments: "roundtrip", "roundtrip-copy-pool" or "frames", then jars. java.base comes from the
 * running JDK.
 */
public class AsmBench {
    static final Map<String, String[]> HIERARCHY = new HashMap<>();

    public static void main(String[] args) throws Exception {
        List<byte[]> classes = new ArrayList<>();
        FileSystem jrt = FileSystems.getFileSystem(URI.create("jrt:/"));
        try (Stream<Path> all = Files.walk(jrt.getPath("/modules"))) {
            List<Path> paths = all.filter(p -> p.toString().endsWith(".class")
                && !p.endsWith("module-info.class")).sorted().collect(Collectors.toList());
            for (Path path : paths) {
                byte[] bytes = Files.readAllBytes(path);
                note(bytes);
                if (path.startsWith("/modules/java.base")) {
                    classes.add(bytes);
                }
            }
        }
        for (String jar : Arrays.asList(args).subList(1, args.length)) {
            readJar(jar, classes);
        }
        long size = classes.stream().mapToLong(b -> b.length).sum();
        System.err.println(classes.size() + " classes, " + size + " bytes");
        var in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            System.gc();
            long wall = System.nanoTime();
            long cpu = cpuNanos();
            long written = round(args[0], classes);
            cpu = cpuNanos() - cpu;
            wall = System.nanoTime() - wall;
            System.out.println(cpu + " " + wall + " " + written);
            System.out.flush();
        }
    }

    /**
     * CPU time of all threads but those that compile: collecting the garbage is part of the work,
     * getting warm is not.
     */
    static long cpuNanos() throws IOException {
        long sum = 0;
        for (File task : new File("/proc/self/task").listFiles()) {
            String name = Files.readString(new File(task, "comm").toPath());
            if (!name.startsWith("C1 Comp") && !name.startsWith("C2 Comp")) {
                String stat = Files.readString(new File(task, "schedstat").toPath());
                sum += Long.parseLong(stat.substring(0, stat.indexOf(' ')));
            }
        }
        return sum;
    }

    static void readJar(String jar, List<byte[]> classes) throws IOException {
        try (JarFile file = new JarFile(jar)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                String name = entry.getName();
                if (name.endsWith(".class") && !name.startsWith("META-INF/")) {
                    byte[] bytes = file.getInputStream(entry).readAllBytes();
                    note(bytes);
                    classes.add(bytes);
                }
            }
        }
    }

    static void note(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        boolean isInterface = (reader.getAccess() & Opcodes.ACC_INTERFACE) != 0;
        HIERARCHY.put(reader.getClassName(),
            new String[] {reader.getSuperName(), isInterface ? "I" : null});
    }

    static long round(String mode, List<byte[]> classes) {
        long written = 0;
        for (byte[] bytes : classes) {
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer;
            switch (mode) {
                case "frames":
                    writer = new FrameWriter();
                    reader.accept(writer, ClassReader.SKIP_FRAMES);
                    break;
                case "roundtrip-copy-pool":
                    writer = new ClassWriter(reader, 0);
                    reader.accept(new PassThrough(writer), 0);
                    break;
                default:
                    writer = new ClassWriter(0);
                    reader.accept(writer, 0);
            }
            written += writer.toByteArray().length;
        }
        return written;
    }

    /** Shares the constant pool but visits every instruction. */
    static class PassThrough extends ClassVisitor {
        PassThrough(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor,
                String signature, String[] exceptions) {
            return new MethodVisitor(Opcodes.ASM9,
                super.visitMethod(access, name, descriptor, signature, exceptions)) { };
        }
    }

    /** Computes frames with the hierarchy of the classes read, loading none. */
    static class FrameWriter extends ClassWriter {
        FrameWriter() {
            super(ClassWriter.COMPUTE_FRAMES);
        }

        @Override
        protected String getCommonSuperClass(String a, String b) {
            String object = "java/lang/Object";
            Set<String> chain = new HashSet<>();
            for (String c = a; c != null; c = parent(c)) {
                if (isInterface(c)) {
                    return object;
                }
                chain.add(c);
            }
            for (String c = b; c != null; c = parent(c)) {
                if (isInterface(c)) {
                    return object;
                }
                if (chain.contains(c)) {
                    return c;
                }
            }
            return object;
        }

        static boolean isInterface(String name) {
            String[] entry = HIERARCHY.get(name);
            return entry != null && entry[1] != null;
        }

        static String parent(String name) {
            String[] entry = HIERARCHY.get(name);
            return entry == null ? name.equals("java/lang/Object") ? null : "java/lang/Object" : entry[0];
        }
    }
}
