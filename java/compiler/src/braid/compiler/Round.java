package braid.compiler;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticListener;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;

/** One compilation of many copies. */
abstract class Round implements DiagnosticListener<JavaFileObject> {
    final JavaCompiler compiler;
    final Setup setup;
    final String suffixes;
    final Files manager;

    /** What the compiler says of the copies that fail, in its order. */
    final Map<Copy, List<Message>> failures = new IdentityHashMap<>();
    /** Copies whose code cannot be generated. */
    final List<Copy> unfit = new ArrayList<>();
    /** Copies of which this round cannot tell what they are alone, and why. */
    final Map<Copy, String> refused = new IdentityHashMap<>();
    /** Errors that belong to no copy. */
    final List<String> strays = new ArrayList<>();
    /** A class file is missing: javac tells only the first who needs it. */
    boolean missing;

    private Map<JavaFileObject, BulkFile> bySource = new HashMap<>();

    Round(JavaCompiler compiler, Setup setup, String suffixes) throws IOException {
        this.compiler = compiler;
        this.setup = setup;
        this.suffixes = suffixes;
        manager = new Files(compiler, setup);
    }

    /** Compiles the copies, and their files with them; gives the class files of the good ones. */
    abstract Map<String, byte[]> run(List<Copy> copies) throws Trouble, IOException;

    /** The files of these copies with them. */
    final List<BulkFile> files(List<Copy> copies) {
        Map<Original, List<Copy>> byOriginal = new LinkedHashMap<>();
        for (Copy copy : copies) {
            byOriginal.computeIfAbsent(copy.edit.original, original -> new ArrayList<>()).add(copy);
        }
        boolean privateInInterfaces = setup.sourceLevel() >= 9;
        List<BulkFile> files = new ArrayList<>();
        bySource = new IdentityHashMap<>();
        byOriginal.forEach(
                (original, own) -> {
                    BulkFile file = new BulkFile(original, own, privateInInterfaces);
                    files.add(file);
                    bySource.put(file.source, file);
                });
        return files;
    }

    @Override
    public final void report(Diagnostic<? extends JavaFileObject> diagnostic) {
        if (Message.kindOf(diagnostic) != Message.ERROR) {
            return;
        }
        BulkFile file = bySource.get(diagnostic.getSource());
        Copy copy = file == null ? null : file.copyAt(diagnostic.getPosition());
        String code = diagnostic.getCode();
        if (copy == null) {
            strays.add(code + ": " + diagnostic.getMessage(Locale.ENGLISH));
            return;
        }
        missing |= "compiler.err.cant.access".equals(code);
        String text = diagnostic.getMessage(Locale.ENGLISH);
        failed(copy, copy.message((int) diagnostic.getPosition(), code, text, suffixes));
    }

    /** Takes note of an error of a copy. */
    void failed(Copy copy, Message message) {
        failures.computeIfAbsent(copy, any -> new ArrayList<>()).add(message);
    }

    final void noStrays() throws Trouble {
        if (!strays.isEmpty()) {
            throw new Trouble(strays.get(0));
        }
    }
}
