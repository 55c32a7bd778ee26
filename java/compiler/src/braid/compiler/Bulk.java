package braid.compiler;

import java.io.IOException;
import java.nio.charset.Charset;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;

/** Compiles many patches together, as extra copies of the methods that they change. */
final class Bulk {
    private static final int INSIDE = 0;
    /** More could exceed the constants of a class. */
    private static final int MOST_OF_A_CLASS = 4000;

    private static final int MOST_OF_A_ROUND = 8000;
    /** More text could exceed the heap. */
    private static final int MOST_TEXT = 12 << 20;
    /** Parsing needs stack for whatever a patch nests; deep trees go no further. */
    private static final long STACK = 256L << 20;
    /** Nobody can write a patch that names another patch's copy. */
    private static final String SUFFIX =
            "$b" + String.format("%016x", new SecureRandom().nextLong()) + "x";

    /** Of earlier requests. */
    private static final Originals ORIGINALS = new Originals();

    private static final String SUFFIXES = "\\" + SUFFIX + "[0-9a-z]+";

    private final JavaCompiler compiler;
    private final Setup setup;
    private final boolean inside;
    private final Original[] originals;
    private final List<Patch> patches = new ArrayList<>();
    private final List<Map<String, byte[]>> rounds = new ArrayList<>();
    private final Map<Copy, List<Message>> failures = new HashMap<>();

    Bulk(JavaCompiler compiler, Wire.In request) throws IOException {
        this.compiler = compiler;
        setup = new Setup(request);
        Charset charset = Charset.forName(setup.encoding);
        inside = request.octet() == INSIDE;
        originals = new Original[request.number()];
        for (int i = 0; i < originals.length; i++) {
            originals[i] = ORIGINALS.get(request.text(), request.blob(), charset, setup);
        }
        int count = request.number();
        for (int i = 0; i < count; i++) {
            patches.add(new Patch(request, originals, charset));
        }
    }

    /** Answers on a thread with a deep stack. */
    static Wire.Out answer(JavaCompiler compiler, Wire.In request) throws Throwable {
        Wire.Out[] answer = new Wire.Out[1];
        Throwable[] fault = new Throwable[1];
        Runnable work =
                () -> {
                    try {
                        answer[0] = new Bulk(compiler, request).answer();
                    } catch (Throwable thrown) {
                        fault[0] = thrown;
                    }
                };
        Thread thread = new Thread(null, work, "bulk", STACK);
        thread.start();
        thread.join();
        if (fault[0] != null) {
            throw fault[0];
        }
        return answer[0];
    }

    private Wire.Out answer() throws IOException {
        parseOriginals();
        new Planner(compiler, setup, SUFFIX).plan(patches);
        List<Copy> copies =
                patches.stream()
                        .filter(Patch::open)
                        .flatMap(patch -> patch.copies.stream())
                        .sorted(Comparator.comparing(copy -> copy.edit.original.path))
                        .collect(Collectors.toList());
        for (List<Copy> batch : batches(copies)) {
            settle(batch, "");
        }
        patches.forEach(this::conclude);
        Wire.Out out = new Wire.Out().octet(0).number(rounds.size());
        for (Map<String, byte[]> classes : rounds) {
            out.number(classes.size());
            classes.forEach((name, bytes) -> out.text(name).blob(bytes));
        }
        out.number(patches.size());
        patches.forEach(patch -> patch.write(out));
        return out;
    }

    private void parseOriginals() throws IOException {
        List<Original> texts = new ArrayList<>();
        List<SourceFile> files = new ArrayList<>();
        for (Original original : originals) {
            if (original.text != null && original.outline == null) {
                texts.add(original);
                files.add(new SourceFile(original.path, original.text));
            }
        }
        Parsing parsing = new Parsing(compiler, setup, files);
        for (int i = 0; i < files.size(); i++) {
            texts.get(i).outline = parsing.outline(i);
        }
    }

    private static List<List<Copy>> batches(List<Copy> copies) {
        List<List<Copy>> batches = new ArrayList<>();
        Map<String, Integer> counts = new HashMap<>();
        List<Copy> batch = new ArrayList<>();
        Original last = null;
        int text = 0;
        for (Copy copy : copies) { // those of a file stand together
            Original original = copy.edit.original;
            int ofClass = counts.merge(copy.method.owner.name, 1, Integer::sum);
            text += copy.body.length() + (original == last ? 0 : original.text.length());
            last = original;
            boolean full = batch.size() >= MOST_OF_A_ROUND || text > MOST_TEXT;
            if (!batch.isEmpty() && (full || ofClass > MOST_OF_A_CLASS)) {
                batches.add(batch);
                batch = new ArrayList<>();
                counts.clear();
                counts.put(copy.method.owner.name, 1);
                text = copy.body.length() + original.text.length();
            }
            batch.add(copy);
        }
        if (!batch.isEmpty()) {
            batches.add(batch);
        }
        return batches;
    }

    /** Compiles copies, in ever smaller batches while there is trouble. */
    private void settle(List<Copy> copies, String trouble) throws IOException {
        if (copies.isEmpty()) {
            return;
        }
        if (copies.size() == 1 && !trouble.isEmpty()) {
            copies.get(0).patch.alone(trouble);
            return;
        }
        String reason;
        try {
            compile(copies, inside);
            return;
        } catch (Trouble | RuntimeException | Error problem) {
            reason = String.valueOf(problem.getMessage());
        }
        if (inside && !(copies.size() > 1 && severalFiles(copies))) {
            try {
                compile(copies, false);
                return;
            } catch (Trouble | RuntimeException | Error problem) {
                reason = String.valueOf(problem.getMessage());
            }
        }
        if (!severalFiles(copies) && !compilesWithoutCopies(copies.get(0))) {
            for (Copy copy : copies) {
                copy.patch.alone(reason);
            }
            return;
        }
        for (List<Copy> part : parts(copies)) {
            settle(part, reason);
        }
    }

    private static boolean severalFiles(List<Copy> copies) {
        return copies.stream().map(copy -> copy.edit.original).distinct().count() > 1;
    }

    private static List<List<Copy>> parts(List<Copy> copies) {
        if (severalFiles(copies)) {
            return new ArrayList<>(
                    copies.stream()
                            .collect(Collectors.groupingBy(copy -> copy.edit.original))
                            .values());
        }
        int half = copies.size() / 2;
        return List.of(copies.subList(0, half), copies.subList(half, copies.size()));
    }

    private boolean compilesWithoutCopies(Copy any) throws IOException {
        Original original = any.edit.original;
        Files manager = new Files(compiler, setup);
        List<SourceFile> files = List.of(new SourceFile(original.path, original.text));
        try {
            return compiler.getTask(
                            new java.io.StringWriter(),
                            manager,
                            diagnostic -> {},
                            setup.parseOptions(),
                            null,
                            files)
                    .call();
        } catch (RuntimeException | Error crash) {
            return false;
        }
    }

    private void compile(List<Copy> all, boolean inside) throws Trouble, IOException {
        List<Copy> copies = new ArrayList<>(all);
        if (!inside) {
            copies.removeIf(Bulk::isConstructor);
        }
        Round round = inside ? InsideWay.round(compiler, setup, SUFFIXES) : outside();
        Map<String, byte[]> classes;
        try {
            classes = round.run(copies);
        } finally {
            round.manager.close();
        }
        round.unfit.forEach(copy -> copy.patch.alone("code that cannot be generated in bulk"));
        round.refused.forEach((copy, reason) -> copy.patch.alone(reason));
        List<Copy> good = new ArrayList<>();
        for (Copy copy : all) {
            if (!inside && isConstructor(copy)) {
                copy.patch.alone("a constructor");
            }
        }
        for (Copy copy : copies) {
            if (round.failures.containsKey(copy) && round.missing) {
                copy.patch.alone("a class file is missing");
            } else if (round.failures.containsKey(copy)) {
                failures.put(copy, round.failures.get(copy));
            } else if (!round.unfit.contains(copy) && !round.refused.containsKey(copy)) {
                good.add(copy);
            }
        }
        if (!round.unfit.isEmpty() || round.missing) {
            settle(good, ""); // the code was not generated, or others need the missing class too
            return;
        }
        good.forEach(copy -> copy.round = rounds.size());
        rounds.add(classes);
    }

    /** Only inside the compiler a class can have several constructors of one signature. */
    private static boolean isConstructor(Copy copy) {
        return copy.method.isConstructor();
    }

    private Round outside() throws IOException {
        return new OutsideRound(compiler, setup, SUFFIXES);
    }

    private void conclude(Patch patch) {
        if (!patch.open()) {
            return;
        }
        List<Copy> failed =
                patch.copies.stream().filter(failures::containsKey).collect(Collectors.toList());
        if (failed.size() > 1) {
            patch.alone("several methods that fail"); // in an order that only javac knows
        } else if (failed.size() == 1) {
            patch.fail(setup.firstErrors(failures.get(failed.get(0))));
        }
    }
}
